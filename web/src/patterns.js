// How many patterns, how far a query? Dense memories and softmax attention.

const degrees = (theta) => (theta === null ? null : (theta * 180) / Math.PI);

const patterns = {
  id: "patterns",
  title: "How many patterns, how far a query?",
  sentence: "Softmax attention over stored patterns brings a query back to the nearest one, if the softmax is sharp enough for the number of patterns and the query is not too far away. Move the point through its phase diagram.",
  fields: [
    { name: "lambda", label: "Sharpness λ", note: "inverse temperature; patterns have length √N", value: "1", from: 0.05, to: 50, log: true, required: true },
    { name: "alpha", label: "Load α", note: "log(P) / N: there are e^(αN) patterns", value: "0.3", from: 0.005, to: 3, log: true, required: true },
    { name: "neurons", label: "Neurons N", note: "numbers in a pattern; empty: the limit", value: "64", reset: "", from: 4, to: 1e6, log: true, whole: true, emptyAt: "right", empty: "infinitely many" },
    { name: "ensemble", label: "Patterns", note: "how they are drawn", value: "spherical", choices: ["spherical", "gaussian", "binary"], required: true },
  ],
  presets: [
    { label: "An attention head, d = 64", values: { lambda: 0.125, alpha: 0.1083, neurons: 64 } },
    { label: "10 085 word vectors, 100 d", values: { lambda: 1, alpha: 0.0922, neurons: 100 } },
    { label: "Sharp and full", values: { lambda: 3, alpha: 1, neurons: 1000 } },
    { label: "Binary, nearly full", values: { lambda: 1, alpha: 0.4, neurons: 500, ensemble: "binary" } },
    { label: "Gaussian, too soft", values: { lambda: 0.4, alpha: 0.3, neurons: 100, ensemble: "gaussian" } },
  ],
  charts: [
    { name: "phases", height: 320, onpick: (self, x, y) => (self.set({ lambda: typed(x), alpha: typed(y) }), self.ask()) },
    { name: "basins", height: 280 },
  ],

  async answer(self, values) {
    const words = self.words(values), size = self.words(values, ["neurons", "ensemble"]);
    const report = await engine.ask("dense basins", words);
    if (report.error) return self.fail(report.error);
    const lambda = Number(values.lambda), from = Math.max(1e-9, Math.min(0.05, lambda / 2)), to = Math.min(1e9, Math.max(50, lambda * 2));
    const range = [...size, `--from=${from}`, `--to=${to}`], key = range.join(" ");
    const known = self.phases?.key === key ? self.phases.lines : pencil.ask("curves phases", range); // load and λ do not move them
    const [lines, basins, phases] = await Promise.all([
      known, engine.ask("curves basins", [...range, ...self.words(values, ["alpha"])]), engine.ask("dense phases", self.words(values, ["lambda", "neurons", "ensemble"])),
    ]);
    for (const part of [lines, basins, phases]) if (part.error) return self.fail(part.error);
    self.phases = { key, lines };
    self.show({ verdict: patternsVerdict(report), rows: patternsRows(report, phases), pictures: { 0: phasesPicture(report, lines), 1: basinsPicture(report, basins) } });
  },

  command: (self, values) => ["ireneo", "dense", "basins", ...self.words(values).flatMap((word) => word.split(/=(.*)/s).slice(0, 2))],

  python(values) {
    const size = values.neurons.trim() === "" ? "" : `, neurons=${python(values.neurons)}`;
    return `ireneo.dense.basins(${python(values.lambda)}, ${python(values.alpha)}${size}, ensemble=${JSON.stringify(values.ensemble)})`;
  },
};

function patternsVerdict(r) {
  if (!r.retrieved) return r.lambda_c === null ? "No pattern is retrieved: no λ is enough for this load." : `No pattern is retrieved: λ is below λ_c = ${written(r.lambda_c)}.`;
  const far = r.flip_fraction === undefined || r.flip_fraction === null ? `be up to ${written(degrees(r.theta_c), 3)}° away from its pattern` : `have ${percent(r.flip_fraction)} of its bits flipped`;
  const drift = r.lambda_converged && r.lambda < r.lambda_converged ? ` At this N repeated steps drift away below λ = ${written(r.lambda_converged)}.` : "";
  return `A query may ${far}. The memory is ${percent(r.fraction_of_capacity)} full.${drift}`;
}

/** e^log as 10^x, for numbers of patterns. */
const countText = (log, log10) => (log === null || log === undefined ? "–" : log10 < 15 ? written(Math.exp(log)) : `10^${written(log10)}`);

function patternsRows(r, p) {
  const angle = (key, label, note) => [key, label, r[key], r[key] === null ? "–" : `${written(degrees(r[key]), 4)}°`, note];
  const rows = [
    angle("theta_c", "Basin θ_c", "largest angle to the pattern, N → ∞"),
    angle("theta_star", "Widest basin θ_*", "at any λ above λ_*"),
    ["lambda_c", "λ_c", r.lambda_c, written(r.lambda_c), "below it nothing is retrieved"],
    ["lambda_star", "λ_*", r.lambda_star, written(r.lambda_star), "above it sharper does not help"],
    ["fraction_of_capacity", "Filled", r.fraction_of_capacity, percent(r.fraction_of_capacity), `α over α_1 = ${written(p.alpha_1)} at this λ`],
    ["lost_radius", "Lost radius", r.lost_radius, written(r.lost_radius), "|x|/√N where a lost query ends"],
  ];
  if (r.neurons === undefined) return rows;
  return [...rows,
    ["beta_unit_vectors", "β of attention", r.beta_unit_vectors, written(r.beta_unit_vectors), "λN: the same softmax for unit vectors"],
    ["log_patterns", "Patterns", r.log_patterns, countText(r.log_patterns, r.log10_patterns), "P = e^(αN)"],
    angle("theta_one_step", "Basin, one step", "half of the attention, at this N"),
    angle("theta_converged", "Basin, converged", "averaged dynamics come back, at this N"),
    ["lambda_one_step", "λ, one step", r.lambda_one_step, written(r.lambda_one_step), "half of the attention at the pattern"],
    ["lambda_converged", "λ, converged", r.lambda_converged, written(r.lambda_converged), "the dynamics stay at the pattern"],
  ];
}

function phasesPicture(report, curves) {
  const loads = [...curves.alpha_1, ...curves.alpha_c, report.alpha].filter((v) => v > 0);
  return {
    title: "Phase diagram", hint: "Click in the diagram to move the point.",
    told: `The point λ ${written(report.lambda)}, α ${written(report.alpha)} lies ${report.retrieved ? "below" : "above"} the line of retrieval.`,
    x: { label: "sharpness λ", min: curves.lambda[0], max: curves.lambda[curves.lambda.length - 1], log: true },
    y: { label: "load α", min: Math.max(1e-4, Math.min(0.01, Math.min(...loads)) / 1.5), max: Math.max(4, ...loads) * 1.3, log: true }, xs: curves.lambda,
    lines: [
      { label: "α_1: a pattern is retrieved below", ys: curves.alpha_1, colour: "first", fill: true },
      { label: "α_c: every pattern", ys: curves.alpha_c, colour: "third" },
      { label: "α_*: only the nearest disturb below", ys: curves.alpha_star, colour: "fourth", dash: [6, 4] },
      ...(report.neurons ? [{ label: `a pattern, at N = ${grouped(report.neurons)}`, ys: curves.converged, colour: "second", dash: [2, 3] }] : []),
    ],
    points: [{ x: report.lambda, y: report.alpha, label: "this memory", colour: "asked" }],
  };
}

function basinsPicture(report, curves) {
  const here = degrees(report.theta_c);
  return {
    title: "How far a query may start", told: here === null ? "Nothing is retrieved here." : `At this λ up to ${written(here, 3)} degrees.`,
    x: { label: "sharpness λ", min: curves.lambda[0], max: curves.lambda[curves.lambda.length - 1], log: true }, y: { label: "angle in degrees", min: 0, max: 92 }, xs: curves.lambda,
    lines: [
      { label: "θ_c, N → ∞", ys: curves.theta_c.map(degrees), colour: "first", fill: true },
      { label: "θ_*: the widest", ys: curves.theta_star.map(degrees), colour: "fourth", dash: [6, 4] },
      ...(report.neurons ? [{ label: `converged, N = ${grouped(report.neurons)}`, ys: curves.theta_converged.map(degrees), colour: "second", dash: [2, 3] }] : []),
    ],
    marks: [{ at: report.lambda, label: "this λ", colour: "asked" }], points: here === null ? [] : [{ x: report.lambda, y: here, label: "this memory", colour: "asked" }],
  };
}
