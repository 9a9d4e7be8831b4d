// What the tests of the page share: a browser that remembers every request and complaint, the program to compare with,
// random numbers that are the same in every run.
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

const root = new URL("../..", import.meta.url).pathname, build = process.env.BUILD ?? `${root}build`;
export const folder = `${build}/page`, file = `file://${folder}/index.html`, shots = `${build}/page-test`;
export const INSTRUMENTS = ["facts", "patterns", "train"], SIZES = [[360, 740], [1280, 900]];
mkdirSync(shots, { recursive: true });

export const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

/** A page at an address, with what it asked for and complained about. Its own file is all it may ask for. */
export async function open(address, { width = 1280, height = 900, scheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, acceptDownloads: true });
  const page = await context.newPage();
  page.requests = [];
  page.complaints = [];
  page.on("request", (request) => page.requests.push(request.url()));
  page.on("console", (message) => page.complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (fault) => page.complaints.push(fault.stack));
  await page.goto(address);
  await page.waitForSelector("html[data-first-picture]", { state: "attached", timeout: 30000 });
  await settled(page);
  return page;
}

/** Ends the page; nothing may have been asked of anywhere but `own`, and nothing complained about. */
export async function close(page, own = "file:") {
  const strange = page.requests.filter((url) => !url.startsWith(own) && !url.startsWith("blob:") && !url.startsWith("data:"));
  const complaints = page.complaints;
  await page.context().close();
  if (strange.length || complaints.length) throw new Error(`requests: ${strange.join(" ")}; complaints: ${complaints.join("\n")}`);
}

/** Waits until what is seen belongs to what is set. */
export async function settled(page) {
  for (let i = 0; i < 6000; i++) {
    const done = await page.evaluate(() => {
      const { asked, answered } = document.querySelector(".instrument:not([hidden])").dataset;
      return asked === answered;
    });
    if (done) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("no answer within 30 seconds");
}

/** Sets an instrument through the address, as a reader who follows a link does. */
export async function follow(page, id, values) {
  await goTo(page, `#${id}?${new URLSearchParams(values)}`);
}

/** Changes the address behind #, and waits until the page has taken note of it and answered. */
export async function goTo(page, hash) {
  await page.evaluate((hash) => new Promise((resolve) => {
    addEventListener("hashchange", resolve, { once: true });
    const before = location.href;
    location.hash = hash;
    if (location.href === before) resolve();
  }).then(() => {}), hash);
  await settled(page);
}

/** The numbers on the page, in full, by their names in the program's report. */
export const numbers = (page) => page.$$eval(".instrument:not([hidden]) dd[data-key]", (all) => all.map((dd) => [dd.dataset.key, dd.dataset.value]));
export const commandLine = (page) => page.$eval(".instrument:not([hidden]) .commands code", (code) => code.textContent);

/** A command of the program: {code, out, err}. */
export async function program(words) {
  const run = promisify(execFile)(`${build}/ireneo`, words, { maxBuffer: 1 << 26 });
  return run.then(({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }), (fault) => ({ code: fault.code, out: fault.stdout, err: fault.stderr }));
}

/** Attributes of what a line of Python gives, by Debian's interpreter and the library that was built. */
export async function pythonGives(line, names) {
  const script = `import ireneo, json; r = ${line}; print(json.dumps([${names.map((name) => `r.${name}`).join(", ")}]))`;
  const environment = { ...process.env, PYTHONPATH: `${root}python`, IRENEO_LIBRARY: `${build}/libireneo.so` };
  return JSON.parse((await promisify(execFile)("/usr/bin/python3", ["-c", script], { env: environment })).stdout);
}

/** mulberry32: uniform in [0, 1), from a seed. */
export function random(seed) {
  return () => {
    let t = (seed += 0x6d2b79f5);
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
