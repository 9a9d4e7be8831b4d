// How the page looks and reads: no serious fault by axe-core, nothing wider than the screen, nothing that jumps; pictures
// of it are left in build/page-test for people to look at.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { INSTRUMENTS, SIZES, close, file, folder, open, settled, shots } from "./support.mjs";

const here = ".instrument:not([hidden])";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

test("all files together are below 400 kB", () => {
  const sizes = readdirSync(folder).map((name) => [name, statSync(`${folder}/${name}`).size]), total = sizes.reduce((sum, [, size]) => sum + size, 0);
  console.log(`# files: ${sizes.map(([name, size]) => `${name} ${size}`).join(", ")}; ${total} bytes in all`);
  assert.ok(total < 400000);
});

test("the picture of README.md can be taken", async () => {
  const page = await open(`${file}#facts`, { width: 1080, height: 775 });
  await page.waitForTimeout(300);
  await page.screenshot({ path: `${shots}/readme.png` });
  await close(page);
});

for (const [width, height] of SIZES)
  for (const scheme of ["light", "dark"])
    for (const id of INSTRUMENTS)
      test(`${id} at ${width} px, ${scheme}`, async () => {
        const page = await open(`${file}#${id}`, { width, height, scheme });
        if (id === "train" && width > 1000 && scheme === "light") // the whole map once; as far as it comes otherwise
          await page.waitForSelector("#train-instrument[data-map='30']", { state: "attached", timeout: 90000 });
        const first = await page.$eval("html", (html) => Number(html.dataset.firstPicture));
        console.log(`# ${id} at ${width} px, ${scheme}: first picture after ${first} ms`);
        assert.ok(first < 5000);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "no sideways scrolling");

        await page.evaluate(() => {
          window.jumps = 0;
          new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.jumps += entry.value; }).observe({ type: "layout-shift" });
        });
        await (await page.$(`${here} input[type=range]`)).focus();
        for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight"), await settled(page);
        await page.waitForTimeout(100);
        const jumps = await page.evaluate(() => window.jumps);
        assert.ok(jumps < 0.01, `the layout moved by ${jumps}`);

        await page.screenshot({ path: `${shots}/${id}-${width}-${scheme}.png`, fullPage: true });
        await page.evaluate(axe);
        const report = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
        const faults = report.violations.map((fault) => `${fault.impact} ${fault.id}: ${fault.nodes.map((node) => `${node.target} ${node.failureSummary}`).slice(0, 3).join("; ")}`);
        const serious = report.violations.filter((fault) => ["serious", "critical"].includes(fault.impact));
        console.log(`# axe-core: ${report.passes.length} rules passed, ${faults.length} faults, ${serious.length} serious`);
        assert.equal(serious.length, 0, faults.join("\n"));
        assert.equal(faults.length, 0, faults.join("\n"));
        await close(page);
      });
