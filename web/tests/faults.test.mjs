// Bad input: the sentence that the program prints, at the field it is about, and the last good picture and numbers stay.
import assert from "node:assert/strict";
import { test } from "node:test";
import { close, file, goTo, numbers, open, program, settled } from "./support.mjs";

const here = ".instrument:not([hidden])";

// instrument, field, what is typed, the same words for the program, the field that complains when it is another one
const CASES = [
  ["facts", "dim-in", "", "capacity --dim-in= --dim-out 768"],
  ["facts", "dim-in", "1e30", "capacity --dim-in 1e30 --dim-out 768"],
  ["facts", "dim-in", "many", "capacity --dim-in many --dim-out 768"],
  ["facts", "dim-out", "1.5", "capacity --dim-in 3072 --dim-out 1.5"],
  ["facts", "rank", "900", "capacity --dim-in 3072 --dim-out 768 --rank 900"],
  ["facts", "candidates", "1", "capacity --dim-in 3072 --dim-out 768 --candidates 1"],
  ["facts", "facts", "1e30", "capacity --dim-in 3072 --dim-out 768 --facts 1e30"],
  ["facts", "facts", "<b>", "capacity --dim-in 3072 --dim-out 768 --facts <b>"],
  ["facts", "margin", "-1", "capacity --dim-in 3072 --dim-out 768 --margin -1"],
  ["patterns", "lambda", "", "dense basins --lambda= --alpha 0.3"],
  ["patterns", "lambda", "1e30", "dense basins --lambda 1e30 --alpha 0.3"],
  ["patterns", "alpha", "0", "dense basins --lambda 1 --alpha 0"],
  ["patterns", "neurons", "1.5", "dense basins --lambda 1 --alpha 0.3 --neurons 1.5"],
  ["train", "layers", "0", "attention recommend --layers 0"],
  ["train", "context", "soon", "attention recommend --context soon"],
  ["train", "beta", "1e30", "attention recommend --beta 1e30"],
  ["train", "rho0", "2", "attention recommend --rho0 2"],
];

for (const id of ["facts", "patterns", "train"])
  test(`${id}: bad input gets the program's sentence at its field, and the picture stays`, async () => {
    const page = await open(`${file}#${id}`);
    const dots = () => page.$eval(`${here} .picture-1 canvas`, (canvas) => canvas.toDataURL());
    const [good, picture, table] = [await page.$eval(`${here} .verdict`, (p) => p.textContent), await dots(), await numbers(page)];
    for (const [of, field, text, words] of CASES.filter(([of]) => of === id)) {
      const input = await page.$(`#${id}-${field}`), before = await input.inputValue();
      await input.fill(text);
      await settled(page);
      const { code, err } = await program(words.split(" ")), sentence = err.trim().replace(/^ireneo [a-z ]*: /, "");
      assert.equal(code, 2, `${of}: the program takes ${words}`);
      assert.equal(await page.$eval(`#${id}-${field}-note`, (note) => note.textContent), sentence, words);
      assert.equal(await input.getAttribute("aria-invalid"), "true");
      assert.equal((await page.$$(`${here} .note.error`)).length, 1);
      assert.equal(await page.$eval(`${here} .verdict`, (p) => p.textContent), good);
      assert.deepEqual(await numbers(page), table);
      assert.equal(await dots(), picture, "the last good picture stays");
      await input.fill(before);
      await settled(page);
      assert.equal(await page.$(`${here} .note.error`), null, "a good value takes the sentence away");
    }
    await close(page);
  });

test("a question that takes minutes is given up when another one is asked", async () => {
  const page = await open(`${file}#train`);
  await page.fill("#train-context", "1e12"); // a million layers of it: far more than anybody waits for
  await page.fill("#train-layers", "1000000");
  await page.waitForTimeout(500);
  await page.fill("#train-layers", "12");
  await page.fill("#train-context", "512");
  await settled(page);
  assert.match(await page.$eval(`${here} .verdict`, (p) => p.textContent), /after 12 layers/);
  assert.equal(await page.$(`${here}.faulty`), null);
  await close(page);
});

test("links edited by hand end in a sentence, never in a blank page", async () => {
  const links = {
    "#facts?dim-in=10&dim-out=10&rank=11": /rank 11 is more than the smaller dimension, 10/,
    "#facts?dim-in=&dim-out=4": /--dim-in takes a number, not ''/,
    "#patterns?lambda=1&alpha=0.2&ensemble=cubic": /--ensemble is one of spherical\|gaussian\|binary, not 'cubic'/,
    "#patterns?lambda=%00%ff": /--lambda/,
    "#train?layers=1e99": /--layers must lie between 1 and 1e\+06/,
    [`#facts?dim-in=${"9".repeat(20000)}`]: /--dim-in must lie between/,
    "#nothing?x=1": null,
    "#facts?unknown=1&__proto__=2": null,
    "#": null,
  };
  const page = await open(file);
  for (const [hash, wanted] of Object.entries(links)) {
    await goTo(page, hash);
    const said = await page.$$eval(`${here} .note.error`, (notes) => notes.map((note) => note.textContent).join(" "));
    if (wanted) assert.match(said, wanted, hash.slice(0, 60));
    else assert.equal(said, "", hash);
    assert.equal(await page.evaluate(() => document.querySelectorAll("script, img, b").length), 4, "nothing of a link becomes markup");
    await goTo(page, "#facts?dim-in=8&dim-out=8"); // all is well again before the next
  }
  await close(page);
  const cold = await open(`${file}#facts?dim-in=x`); // there was no good picture before: the usual one is shown
  assert.equal(await cold.$eval("#facts-dim-in-note", (note) => note.textContent), "--dim-in takes a number, not 'x'");
  assert.ok((await numbers(cold)).length > 4 && (await cold.$(`${here} canvas`)));
  await close(cold);
});
