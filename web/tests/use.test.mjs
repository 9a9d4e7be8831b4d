// The page in use, at the width of a phone and of a desk: sliders by keyboard and by mouse, presets, the map, links,
// files, both ways of opening it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { cpus, loadavg } from "node:os";
import { after, test } from "node:test";
import { INSTRUMENTS, SIZES, browser, close, commandLine, file, folder, numbers, open, settled } from "./support.mjs";

after(() => browser.close());
const here = ".instrument:not([hidden])";
const busy = () => Math.max(1, loadavg()[0] / cpus().length); // times are printed, not judged: other programs run here too

for (const [width, height] of SIZES)
  for (const id of INSTRUMENTS) {
    test(`${id} at ${width} px: every slider moves the numbers, by keyboard and by mouse`, async () => {
      const page = await open(`${file}#${id}`, { width, height });
      if (id === "train" && width > 1000) await page.click(`${here} summary`);
      const moves = width > 1000 ? ["PageDown", "ArrowRight", "ArrowRight"] : ["PageDown", "ArrowRight"];
      let slowest = [0, ""];
      for (const slider of await page.$$(`${here} input[type=range]`)) {
        if (!(await slider.isVisible())) continue; // the rare settings are opened at one width only
        const name = await slider.getAttribute("aria-label"), input = await page.getByLabel(name.replace(", slider", ""), { exact: true });
        const [text, line] = [await input.inputValue(), await commandLine(page)], times = [], texts = new Set();
        await slider.focus();
        for (const key of moves) {
          const asked = await page.$eval(here, (section) => section.dataset.asked);
          await page.keyboard.press(key);
          await settled(page);
          texts.add(await input.inputValue());
          if ((await page.$eval(here, (section) => section.dataset.asked)) !== asked && !(await page.$(`${here}.faulty`)))
            times.push(Number(await page.$eval(here, (section) => section.dataset.reaction)));
        }
        assert.ok([...texts].some((seen) => seen !== text), `${name} does not move by keyboard`);
        if (!(await page.$(`${here}.faulty`)) && (await input.inputValue()) !== text) assert.notEqual(await commandLine(page), line, `${name} does not change the command`);
        const best = Math.min(...times);
        if (best > slowest[0] && moves.length > 2) slowest = [best, name];
        await input.fill(text);
        await settled(page);
        assert.equal(await commandLine(page), line);
      }
      const slider = await page.$(`${here} input[type=range]`), before = await numbers(page);
      await slider.scrollIntoViewIfNeeded();
      const box = await slider.boundingBox();
      await page.mouse.move(box.x + box.width * 0.2, box.y + box.height / 2);
      await page.mouse.down();
      for (let i = 2; i <= 6; i++) await page.mouse.move(box.x + (box.width * i) / 10, box.y + box.height / 2);
      await page.mouse.up();
      await settled(page);
      assert.notDeepEqual(await numbers(page), before, "the mouse moves nothing");
      if (slowest[1]) console.log(`# ${id} at ${width} px: slowest slider ${slowest[1]} ${slowest[0].toFixed(0)} ms, machine ${busy().toFixed(1)} times taken`);
      await close(page);
    });

    test(`${id} at ${width} px: presets, link, files`, async () => {
      const page = await open(`${file}#${id}`, { width, height });
      const seen = new Set();
      for (const preset of await page.$$(`${here} .presets button`)) {
        const asked = await page.$eval(here, (section) => section.dataset.asked);
        await preset.click();
        while ((await page.$eval(here, (section) => section.dataset.asked)) === asked) await page.waitForTimeout(10); // a named model is asked for first
        await settled(page);
        assert.equal(await page.$(`${here}.faulty`), null);
        seen.add(await commandLine(page));
      }
      assert.equal(seen.size, (await page.$$(`${here} .presets button`)).length, "presets differ");

      const link = await page.$eval(`${here} .commands a`, (a) => a.href), told = await numbers(page), line = await commandLine(page);
      await page.waitForTimeout(400);
      assert.equal(page.url(), link, "the address holds the settings");
      const other = await open(link, { width, height });
      assert.equal(await commandLine(other), line);
      assert.deepEqual(await numbers(other), told, "a link reopens to the same numbers");
      await close(other);

      while (id === "train" && Number(await page.$eval(here, (section) => section.dataset.map)) < 2) await page.waitForTimeout(20); // of its columns
      for (const kind of ["CSV", "SVG"])
        for (const button of await page.$$(`${here} .files button:text("${kind}")`)) {
          const [got] = await Promise.all([page.waitForEvent("download"), button.click()]);
          const text = await readFile(await got.path(), "utf8");
          assert.match(got.suggestedFilename(), new RegExp(`^ireneo-${id}-.*\\.${kind.toLowerCase()}$`));
          if (kind === "SVG") await isDrawing(text);
          else isTable(text);
        }
      await close(page);
    });
  }

/** The file opens as a picture of its own, with lines in it. */
async function isDrawing(text) {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`data:image/svg+xml;base64,${Buffer.from(text).toString("base64")}`);
  const seen = await page.evaluate(() => [document.documentElement.tagName, document.querySelectorAll("path").length, document.querySelector("parsererror") !== null]);
  assert.ok(seen[0] === "svg" && seen[1] > 4 && !seen[2], `not a drawing: ${seen}`);
  assert.doesNotMatch(text, /NaN|undefined|Infinity/);
  await page.context().close();
}

function isTable(text) {
  const rows = text.trim().split("\n").map((row) => row.split(","));
  assert.ok(rows.every((row) => row.length === rows[0].length), "rows of one length");
  assert.ok(rows.length > 1 && rows.slice(1).every((row) => row.every((cell) => cell === "" || Number.isFinite(Number(cell)))), "numbers");
}

test("a click in the map and in the phase diagram moves the point there", async () => {
  for (const [id, across, up] of [["train", "beta", "residual-attention"], ["patterns", "lambda", "alpha"]]) {
    const page = await open(`${file}#${id}`), stage = await page.$(`${here} .picture-0 .u-over`);
    const value = (name) => page.$eval(`#${id}-${name}`, (input) => Number(input.value));
    const box = await stage.boundingBox();
    await page.mouse.click(box.x + box.width * 0.25, box.y + box.height * 0.75);
    await settled(page);
    const low = [await value(across), await value(up)];
    const again = await (await page.$(`${here} .picture-0 .u-over`)).boundingBox();
    await page.mouse.click(again.x + again.width * 0.75, again.y + again.height * 0.25);
    await settled(page);
    assert.ok((await value(across)) > low[0] && (await value(up)) > low[1], "right and up is more of both");
    await close(page);
  }
});

test("while attention is computed the page goes on drawing frames", async () => {
  const page = await open(`${file}#train`);
  await page.evaluate(() => {
    let last = performance.now();
    window.longest = window.frames_drawn = 0;
    const frame = (now) => {
      window.frames_drawn++;
      window.longest = Math.max(window.longest, now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const slider = await page.$(`${here} input[aria-label^="Context"]`);
  await slider.focus();
  for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowRight");
  await settled(page);
  const longest = await page.evaluate(() => window.longest);
  console.log(`# longest time between two frames while attention is computed: ${longest.toFixed(0)} ms`);
  const frames = await page.evaluate(() => window.frames_drawn);
  assert.ok(frames >= 5, `${frames} frames: the page stood still`);
  await close(page);
});

test("the page works from a web server, and asks it for nothing but itself", async () => {
  const served = [];
  const server = createServer(async (request, response) => {
    served.push(request.url);
    response.setHeader("Content-Type", "text/html");
    response.end(await readFile(`${folder}/index.html`));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const page = await open(`${origin}/#patterns`);
  assert.ok((await numbers(page)).length > 5);
  const cookies = await page.context().cookies();
  await close(page, origin);
  server.close();
  assert.deepEqual(served, ["/"]);
  assert.deepEqual(cookies, []);
});
