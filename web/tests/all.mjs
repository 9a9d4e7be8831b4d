// Every test of the page, one after the other in one browser. Usage: node all.mjs
import "./look.test.mjs";
import "./numbers.test.mjs";
import "./faults.test.mjs";
import "./use.test.mjs";
