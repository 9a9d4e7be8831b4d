// How many facts fit? The law of linear memories.

const facts = {
  id: "facts",
  title: "How many facts fit?",
  sentence: "A matrix recalls a fact when the right value scores higher for its key than every other candidate. Move the sizes and see how many facts can be stored at once, and how likely a given number is to fit.",
  fields: [
    { name: "dim-in", label: "Key dimension", note: "numbers in a key, d_in", value: "3072", from: 8, to: 16384, log: true, whole: true, required: true },
    { name: "dim-out", label: "Value dimension", note: "numbers in a value, d_out", value: "768", from: 8, to: 16384, log: true, whole: true, required: true },
    { name: "candidates", label: "Candidates", note: "values that compete for every key", value: "50257", reset: "", from: 2, to: 1e6, log: true, whole: true, emptyAt: "left", empty: "one per fact" },
    { name: "facts", label: "Facts", note: "do so many fit?", value: "120000", reset: "", from: 1, to: 1e8, log: true, whole: true, emptyAt: "left", empty: "not asked" },
    { name: "rank", label: "Rank", note: "largest rank of the matrix", value: "", from: 1, to: () => Math.max(2, Math.min(Number(instruments.facts?.values["dim-in"]) || 2, Number(instruments.facts?.values["dim-out"]) || 2)), log: true, whole: true, emptyAt: "right", empty: "full" },
    { name: "margin", label: "Margin", note: "by which facts must win, in score spreads", value: "", from: 0, to: 3, emptyAt: "left", empty: "0" },
  ],
  presets: [
    { label: "GPT-2 small, MLP", values: { "dim-in": 3072, "dim-out": 768, candidates: 50257, facts: 120000 } },
    { label: "Llama 3 8B, down-projection", values: { "dim-in": 14336, "dim-out": 4096, candidates: 128256, facts: 3000000 } },
    { label: "BERT base, MLP", values: { "dim-in": 3072, "dim-out": 768, candidates: 30522, facts: 150000 } },
    { label: "A DeltaNet head", values: { "dim-in": 128, "dim-out": 128, facts: 1500 } },
    { label: "Word vectors, 100 d", values: { "dim-in": 100, "dim-out": 100, candidates: 10085, facts: 721 } },
  ],
  charts: [{ name: "chance", height: 300 }, { name: "candidates", height: 300 }],

  about: (sentence) => (/dimension|entries/.test(sentence) && !/rank/.test(sentence) ? "dim-in" : null),

  async answer(self, values) {
    const words = self.words(values);
    const [report, curves] = await Promise.all([engine.ask("capacity", words), pencil.ask("curves facts", words)]);
    if (report.error ?? curves.error) return self.fail(report.error ?? curves.error);
    self.show({ verdict: factsVerdict(report), rows: factsRows(report), pictures: { 0: chancePicture(report, curves) } });
    if (self.stale()) return;
    const wide = await pencil.ask("curves candidates", words);
    if (!wide.error) self.show({ pictures: { 1: candidatesPicture(report, wide) } });
  },

  command: (self, values) => ["ireneo", "capacity", ...self.words(values).flatMap((word) => word.split(/=(.*)/s).slice(0, 2))],

  python(values) {
    const given = ["dim-in", "dim-out", "rank", "candidates", "facts", "margin"].filter((name) => values[name].trim() !== "");
    return `ireneo.capacity(${given.map((name) => `${name.replace("-", "_")}=${python(values[name])}`).join(", ")})`;
  },
};

function factsVerdict(report) {
  if (!report.facts) return `${written(report.facts_capacity)} facts fit.`;
  return `${written(report.facts)} facts ${report.verdict}: they are ${percent(report.fraction_of_capacity)} of the capacity, ${written(report.facts_capacity)}.`;
}

function factsRows(r) {
  const rows = [
    ["facts_capacity", "Facts that fit", r.facts_capacity, written(r.facts_capacity), "finite-size law"],
    ["facts_capacity_asymptotic", "Limit formula", r.facts_capacity_asymptotic, written(r.facts_capacity_asymptotic), "reached at astronomical sizes only"],
    ["facts_capacity_hebbian", "Hebbian rule", r.facts_capacity_hebbian, written(r.facts_capacity_hebbian), "without an error, limit formula"],
    ["bits_per_parameter", "Bits per parameter", r.bits_per_parameter, written(r.bits_per_parameter), `of ${written(r.parameters)}, at capacity`],
    ["load", "Load", r.load, written(r.load), "n log P / (d_in d_out)"],
  ];
  if (r.facts === undefined) return rows;
  return [...rows,
    ["probability_all_fit", "Chance that all fit", r.probability_all_fit, written(r.probability_all_fit), ""],
    ["best_margin", "Best margin", r.best_margin, written(r.best_margin), "score spreads, asymptotic law"],
    ["hebbian_accuracy", "Hebbian rule recalls", r.hebbian_accuracy, percent(r.hebbian_accuracy), "of the facts asked about"],
    ["overload_estimate", "Kept when overloaded", r.overload_estimate, written(r.overload_estimate), "of them, about, by store --overload"],
    ["dim_needed", "Dimension needed", r.dim_needed, r.dim_needed ? written(r.dim_needed) : "–", "of a square memory, for a chance of 95 %"],
    ["rank_needed", "Rank needed", r.rank_needed, r.rank_needed ? written(r.rank_needed) : "–", "of this shape"],
  ];
}

function chancePicture(report, curves) {
  const last = curves.facts[curves.facts.length - 1];
  const marks = [
    { at: report.facts_capacity, label: "capacity by the law", colour: "first", dash: [6, 4] },
    { at: report.facts_capacity_asymptotic, label: "limit formula", colour: "third", dash: [2, 3] },
    { at: report.facts_capacity_hebbian, label: "Hebbian rule, limit formula", colour: "second", dash: [2, 3] },
  ].filter((mark) => mark.at !== null);
  if (report.facts && report.facts <= last) marks.push({ at: report.facts, label: "facts asked about", colour: "asked" });
  return {
    title: "Chance and recall against the number of facts",
    told: `The chance that all facts fit falls from one to zero around ${written(report.facts_capacity)} facts.`,
    x: { label: "facts", min: 0, max: last }, y: { label: "share", min: 0, max: 1.03 }, xs: curves.facts,
    lines: [{ label: "chance that all fit", ys: curves.chance, colour: "first", fill: true }, { label: "recalled by the Hebbian rule", ys: curves.recall, colour: "second" }],
    marks,
  };
}

function candidatesPicture(report, curves) {
  const all = [...curves.law, ...curves.limit, ...curves.hebbian, report.facts ?? report.facts_capacity].filter((value) => value > 0);
  const asked = report.facts && report.candidates;
  const own = report.candidates === report.facts_capacity; // one candidate a fact
  return {
    title: "Facts that fit against the number of candidates",
    told: "Law, limit formula and Hebbian rule fall slowly as candidates grow.",
    x: { label: "candidates", min: 2, max: 1e12, log: true },
    y: { label: "facts", min: Math.max(1e-3, Math.min(...all) / 2), max: Math.max(...all) * 2, log: true }, xs: curves.candidates,
    lines: [
      { label: "law", ys: curves.law, colour: "first" },
      { label: "limit formula", ys: curves.limit, colour: "third", dash: [2, 3] },
      { label: "Hebbian rule", ys: curves.hebbian, colour: "second", dash: [2, 3] },
      ...(own ? [{ label: "one candidate per fact", ys: curves.candidates, colour: "fourth", dash: [6, 4] }] : []),
    ],
    points: [
      { x: report.candidates, y: report.facts_capacity, label: "this memory", colour: "first" },
      ...(asked ? [{ x: own ? report.facts : report.candidates, y: report.facts, label: "facts asked about", colour: "asked" }] : []),
    ],
  };
}
