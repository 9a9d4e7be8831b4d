// Numbers and settings as text.

/** 40849.02 as "40 849", 0.04512 as "0.0451", for people; "none" for what JSON calls null. */
function written(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(digits - 1).replace("e+", "e").replace(/\.?0+e/, "e");
  if (size >= 10 ** digits) return grouped(Math.round(value));
  return String(Number(value.toPrecision(digits)));
}

function grouped(whole) {
  return String(whole).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** A share as per cent. */
function percent(share) {
  return share === null ? "–" : `${written(100 * share, 3)} %`;
}

/** A slider's value with three digits, as one would type it. */
function typed(value, whole) {
  const rounded = Number(value.toPrecision(3));
  return String(whole ? Math.round(rounded) : rounded);
}

/** The words that a shell would need quotes for get them. */
function shell(words) {
  return words.map((word) => (/^[\w.,:=+-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`)).join(" ");
}

/** A Python literal: numbers as they are, everything else a string. */
function python(text) {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? text.trim() : JSON.stringify(text);
}

/** Rows of cells as CSV; numbers with all their digits. */
function csv(header, rows) {
  const cell = (value) => (value === null || value === undefined ? "" : String(value));
  return [header, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

/** Columns side by side as rows. */
function beside(...columns) {
  return columns[0].map((_, i) => columns.map((column) => column[i]));
}
