// Puts the page together: one HTML file that holds everything, so that it opens by a double click. No bundler: files are
// put one behind the other in the order of this list. Usage: node assemble.mjs MODULE.wasm FOLDER VERSION
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const ORDER = ["dom", "text", "colours", "ticks", "engine", "chart", "chart_svg", "fields", "instrument", "facts", "patterns", "train", "page"];
const [module, folder, version] = process.argv.slice(2);
const here = new URL(".", import.meta.url).pathname, uplot = `${here}node_modules/uplot/`;
const read = (path) => readFileSync(path, "utf8");

const parts = {
  "chart-style": read(`${uplot}dist/uPlot.min.css`),
  style: read(`${here}style.css`),
  version,
  module: gzipSync(readFileSync(module), { level: 9 }).toString("base64"), // less than half of it
  worker: read(`${here}src/worker.js`),
  chart: read(`${uplot}dist/uPlot.iife.min.js`),
  page: `(() => {\n"use strict";\n${ORDER.map((name) => read(`${here}src/${name}.js`)).join("\n")}\n})();`,
};
const page = read(`${here}index.html`).replace(/@([a-z-]+)@/g, (_, name) => {
  if (!(name in parts)) throw new Error(`index.html asks for @${name}@, which nothing provides`);
  if (/<\/script/i.test(parts[name])) throw new Error(`${name} would end its script too early`);
  return parts[name];
});
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/index.html`, page);
copyFileSync(`${uplot}LICENSE`, `${folder}/LICENSE.uPlot.txt`);
copyFileSync(`${here}../LICENSE`, `${folder}/LICENSE.txt`);
