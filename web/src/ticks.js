// Where the axes of a picture have their numbers.

/** At most `most` round values between the ends; powers of ten when the axis is logarithmic. */
function ticks(axis, most) {
  if (axis.log) {
    const low = Math.ceil(Math.log10(axis.min) - 1e-9), high = Math.floor(Math.log10(axis.max) + 1e-9);
    const step = Math.max(1, Math.ceil((high - low + 1) / most));
    const powers = [];
    for (let k = low; k <= high; k += step) powers.push(10 ** k);
    if (powers.length > 2) return powers;
    const finer = [];
    for (let k = low - 1; k <= high; k++)
      for (const m of [1, 2, 5]) if (m * 10 ** k >= axis.min && m * 10 ** k <= axis.max) finer.push(Number((m * 10 ** k).toPrecision(3)));
    return finer;
  }
  const raw = (axis.max - axis.min) / most, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((m) => m * power >= raw) * power;
  const values = [];
  for (let k = Math.ceil(axis.min / step - 1e-9); k * step <= axis.max * (1 + 1e-9) + 1e-12; k++) values.push(Number((k * step).toPrecision(12)));
  return values;
}

/** 1200000 as "1.2M", 1e12 as "10¹²": short enough for an axis. */
function tickText(value) {
  const size = Math.abs(value);
  if (size >= 1e9 || (size > 0 && size < 1e-3)) {
    const power = Math.floor(Math.log10(size) + 1e-9), front = Number((value / 10 ** power).toPrecision(3));
    const raised = [...String(power)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("");
    return (front === 1 ? "" : `${front}·`) + `10${raised}`;
  }
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(4))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(4))}k`;
  return String(Number(value.toPrecision(6)));
}
