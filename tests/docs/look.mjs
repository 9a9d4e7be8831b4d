// The documentation in a real browser, by `make test-docs`: every page of the site, as a file and with the network refused, at 360
// and 1280 pixels, light and dark. No request leaves the site, no page is wider than its window, every picture is there,
// nothing complains. Pictures of all of them go to FOLDER/site-test.
//
//   node tests/docs/look.mjs BUILD-FOLDER [PAGE...]
import { createRequire } from "node:module";
import { mkdirSync, readdirSync } from "node:fs";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");
const build = process.argv[2], site = `${build}/site`, shots = `${build}/site-test`;
const pages = process.argv.length > 3 ? process.argv.slice(3) : readdirSync(site).filter((name) => name.endsWith(".html") && name !== "404.html");
mkdirSync(shots, { recursive: true });

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const faults = [];

/** One page: what it asked for and complained about, what sticks out, pictures that did not come. */
async function look(context, name, width, scheme) {
  const page = await context.newPage(), said = [];
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || said.push(`asks for ${request.url()}`));
  page.on("pageerror", (fault) => said.push(`complains: ${fault.message}`));
  await page.goto(`file://${site}/${name}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) said.push(`is ${wide} pixels wider than its window`);
  said.push(...await page.$$eval("img", (all) => all.filter((img) => !img.complete || !img.naturalWidth).map((img) => `has no picture ${img.src}`)));
  const dark = await page.evaluate(() => document.body.dataset.mdColorScheme === "slate");
  if (dark !== (scheme === "dark")) said.push(`is ${dark ? "dark" : "light"} for a reader who likes it ${scheme}`);
  if (name === "index.html" && width > 1000) said.push(...await search(page));
  await page.screenshot({ path: `${shots}/${name.replace(".html", "")}-${width}-${scheme}.png`, fullPage: true });
  await page.close();
  faults.push(...said.map((words) => `${name} at ${width}, ${scheme}: ${words}`));
}

/** The search answers, also from a disk. */
async function search(page) {
  await page.focus("input[name=query]");
  await page.keyboard.type("certificate");
  try {
    await page.waitForSelector(".md-search-result__item", { timeout: 20000 });
  } catch {
    return ["does not find 'certificate'"];
  } finally {
    await page.keyboard.press("Escape");
  }
  return [];
}

for (const width of [360, 1280]) for (const scheme of ["light", "dark"]) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, offline: true });
  for (const name of pages) await look(context, name, width, scheme);
  await context.close();
}
await browser.close();
console.log(faults.length ? faults.join("\n") : `${pages.length} pages looked at four times; pictures in ${shots}`);
process.exit(faults.length > 0 ? 1 : 0);
