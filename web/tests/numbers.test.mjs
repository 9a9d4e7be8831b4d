// The page and the program agree: random settings of each instrument, the command that the page shows run by the program
// itself, every number of the page held against its report.
import assert from "node:assert/strict";
import { test } from "node:test";
import { close, commandLine, file, follow, numbers, open, program, pythonGives, random } from "./support.mjs";

const SETTINGS = 30, TOLERANCE = 1e-9;

const draw = random(20);
const between = (low, high) => low + (high - low) * draw();
const ratio = (low, high) => low * (high / low) ** draw();
const whole = (low, high) => String(Math.round(ratio(low, high)));
const real = (low, high) => String(Number(ratio(low, high).toPrecision(6)));
const sometimes = (chance, value) => (draw() < chance ? value() : "");
const one = (...words) => words[Math.floor(draw() * words.length)];

const RANDOM = {
  facts() {
    const a = whole(2, 16384), b = whole(2, 16384);
    return {
      "dim-in": a, "dim-out": b, rank: sometimes(0.4, () => whole(1, Math.min(a, b))), candidates: sometimes(0.6, () => whole(2, 1e12)),
      facts: sometimes(0.8, () => whole(2, 1e7)), margin: sometimes(0.3, () => real(0.01, 3)),
    };
  },
  patterns: () => ({ lambda: real(0.05, 50), alpha: real(0.005, 3), neurons: sometimes(0.7, () => whole(4, 1e6)), ensemble: one("spherical", "gaussian", "binary") }),
  train: () => ({
    beta: real(0.05, 8), "residual-attention": String(Number(between(0, 5).toPrecision(4))), layers: whole(1, 60), context: whole(8, 1e5),
    rho0: String(Number(between(0, 0.9).toPrecision(4))), "value-variance": real(0.01, 5), norm: one("post", "pre"), activation: one("relu", "tanh", "gelu"),
    width: String(4 * whole(8, 1024)), heads: one("1", "2", "4"), "mlp-width": whole(32, 16384), "mlp-in-variance": real(0.01, 4), "mlp-out-variance": real(0.01, 4),
    "bias-variance": real(1e-5, 0.1), "residual-mlp": String(Number(between(0.2, 3).toPrecision(4))), q0: real(0.01, 4), style: one("torch", "bert", "gpt2", "timm"),
    rate: sometimes(0.6, () => real(1e-5, 0.01)), causal: one("all", "all", "causal"),
  }),
};

/** How far apart, relative to the program's; a chance is compared on the scale of chances. */
function apart(key, seen, told) {
  if (told === null || told === undefined) return seen === "null" ? 0 : Infinity;
  if (Number(seen) === told) return 0;
  return Math.abs(Number(seen) - told) / (/probability|accuracy/.test(key) ? Math.max(Math.abs(told), 1e-6) : Math.abs(told));
}

const lookUp = (report, key) => key.split(".").reduce((part, name) => part[name], report);

for (const id of Object.keys(RANDOM))
  test(`${id}: ${SETTINGS} random settings agree with the program`, async () => {
    const page = await open(`${file}#${id}`);
    let worst = 0, compared = 0, where = "";
    for (let i = 0; i < SETTINGS; i++) {
      const values = RANDOM[id]();
      await follow(page, id, values);
      const said = await page.$$eval(".instrument:not([hidden]) .note.error", (notes) => notes.map((note) => note.textContent));
      const line = await commandLine(page), answer = await program([...line.split(" ").slice(1), "--json"]);
      assert.deepEqual(said, [], `the page complains about ${JSON.stringify(values)}`);
      assert.ok(answer.out, `the program says ${answer.err} to ${line}`);
      const judged = !(await page.$eval(".instrument:not([hidden]) .verdict", (verdict) => verdict.textContent)).includes("The rate is not judged");
      for (const [name, text] of Object.entries(values)) {
        const [word, wanted] = name === "causal" ? [" --causal", text === "causal"] : [`--${name} ${text}`, name !== "rate" || judged];
        if (text !== "") assert.equal(line.includes(word), wanted, `${name} is ${text} in ${line}`);
      }
      const report = JSON.parse(answer.out), shown = await numbers(page);
      assert.ok(shown.length >= 5, "numbers are shown");
      for (const [key, seen] of shown) {
        const off = apart(key, seen, lookUp(report, key));
        compared++;
        if (off > worst) [worst, where] = [off, `${key} of ${line}`];
        assert.ok(off <= TOLERANCE, `${key} is ${seen} on the page and ${lookUp(report, key)} by ${line}`);
      }
    }
    console.log(`# ${id}: ${compared} numbers of ${SETTINGS} settings, largest relative difference ${worst.toExponential(1)} (${where})`);
    await close(page);
  });

test("the lines of Python give the same", async () => {
  const names = {
    "facts?dim-in=300&dim-out=200&rank=50&candidates=9000&facts=1500&margin=0.2": ["facts_capacity", "probability_all_fit", "bits_per_parameter"],
    "patterns?lambda=0.7&alpha=0.2&neurons=300&ensemble=binary": ["theta_c", "lambda_c", "lambda_converged"],
    "train?layers=5&norm=pre&activation=gelu&rho0=0.2&bias-variance=0.01&q0=0.5": ["std_query", "std_value", "std_mlp_out"],
    "train?layers=4&context=64&rate=0.002&causal=causal": ["std_query", "std_value", "std_mlp_out"],
  };
  const page = await open(`${file}#facts`);
  for (const [address, keys] of Object.entries(names)) {
    const [id, query] = address.split("?");
    await follow(page, id, new URLSearchParams(query));
    const line = await page.$eval(".instrument:not([hidden]) .line:nth-of-type(2) code", (code) => code.textContent);
    const seen = Object.fromEntries(await numbers(page)), given = await pythonGives(line, keys);
    keys.forEach((key, i) => assert.ok(apart(key, seen[key], given[i]) <= TOLERANCE, `${key} is ${seen[key]} on the page, ${given[i]} by ${line}`));
  }
  await close(page);
});

test("the map is that of the program", async () => {
  const page = await open(`${file}#train?layers=24&context=64&width=64&mlp-width=64&rate=0.001`);
  await page.waitForSelector("#train-instrument[data-map='30']", { state: "attached", timeout: 60000 });
  const [wait] = await Promise.all([page.waitForEvent("download"), page.click("#train-instrument .picture-0 >> text=CSV")]);
  const rows = (await read(wait)).trim().split("\n").slice(1).map((row) => row.split(",").map(Number));
  const answer = JSON.parse((await program("attention trainability --layers 24 --context 64 --width 64 --mlp-width 64 --rate 0.001 --json".split(" "))).out);
  assert.equal(rows.length, answer.cells.length);
  const failing = { rank: 0, gradients: 0, rate: 0 };
  answer.cells.forEach((cell, i) => {
    const [beta, residual, rho, entropy, rank, narrow, gradients, rate] = rows[i];
    for (const [seen, told] of [[beta, cell.beta], [residual, cell.residual], [rho, cell.rho], [entropy, cell.entropy]])
      assert.ok(Math.abs(seen - told) <= TOLERANCE * Math.abs(told), `cell ${i}: ${seen} and ${told}`);
    assert.deepEqual([rank, narrow], [Number(cell.rank_collapse), Number(cell.entropy_collapse)]);
    assert.deepEqual([rank, gradients, rate].map(Boolean), Object.keys(failing).map((word) => cell.fails.includes(word)));
    for (const word of cell.fails) failing[word]++;
  });
  for (const [word, count] of Object.entries(failing)) assert.ok(count > 0 && count < rows.length, `${count} of ${rows.length} points fail for ${word}`);
  await everyPointTells(page, answer);
  await close(page);
});

/** Under the pointer the map says what the program says of the point nearest to it. */
async function everyPointTells(page, answer) {
  const words = { rank: "rank collapse", gradients: "exploding gradients", rate: "too large a rate" };
  const box = await (await page.$("#train-instrument .picture-0 .u-over")).boundingBox(), seen = new Set();
  for (let i = 0; i < answer.cells.length; i += 37) {
    const { beta, residual, fails } = answer.cells[i];
    const inside = (share, size) => Math.min(size - 3, Math.max(3, share * size)); // the outermost points lie on the edge
    await page.mouse.move(box.x + inside(beta / 6, box.width), box.y + inside(1 - residual / 5, box.height));
    const told = await page.$eval("#train-instrument .picture-0 .readout", (line) => line.textContent);
    const wanted = fails.length ? `fails for ${fails.map((word) => words[word]).join(" and ")}` : "trainable";
    assert.ok(told.endsWith(wanted), `beta ${beta}, residual ${residual}: "${told}" instead of ${wanted}`);
    seen.add(wanted);
  }
  assert.ok(seen.size > 2, `only ${[...seen]} seen`);
}

test("the rate decides, and the page says so", async () => {
  const page = await open(`${file}#train?layers=24&residual-attention=2&rate=0.00001`), verdict = () => page.$eval("#train-instrument .verdict", (line) => line.textContent);
  const safe = Number(Object.fromEntries(await numbers(page))["given_assessment.safe_rate"]);
  assert.match(await verdict(), /^Trains at a rate of 0.00001/);
  await follow(page, "train", { layers: "24", "residual-attention": "2", rate: String(Math.min(1, 20 * safe)) });
  assert.match(await verdict(), /^Does not train, for too large a rate/);
  await follow(page, "train", { layers: "24", "residual-attention": "2" });
  assert.match(await verdict(), /^Trains, at a rate that fits/);
  await close(page);
});

test("curves are made of the program's numbers", async () => {
  const page = await open(`${file}#facts?dim-in=60&dim-out=40&candidates=500`);
  const [wait] = await Promise.all([page.waitForEvent("download"), page.click(".picture-0 >> text=CSV")]);
  const rows = (await read(wait)).trim().split("\n").slice(1).map((row) => row.split(","));
  const middle = rows.filter(([, chance]) => chance > 0.01 && chance < 0.99);
  assert.ok(middle.length > 4, "the fall of the chance is looked at closely");
  for (const [at, chance] of middle.slice(0, 4)) { // the program takes whole numbers of facts: bracket
    const of = async (n) => JSON.parse((await program(["capacity", "--dim-in", "60", "--dim-out", "40", "--candidates", "500", "--facts", String(n), "--json"])).out).probability_all_fit;
    assert.ok((await of(Math.ceil(at))) <= Number(chance) + 1e-12 && Number(chance) <= (await of(Math.floor(at))) + 1e-12, `chance at ${at}`);
  }
  await close(page);
});

async function read(download) {
  const { readFile } = await import("node:fs/promises");
  return readFile(await download.path(), "utf8");
}
