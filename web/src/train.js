// Will it train? Transformers at initialisation.

const COLUMNS = 30, ROWS = 20; // of the map: the grids of `ireneo attention trainability`

const train = {
  id: "train",
  title: "Will it train?",
  sentence: "With random weights attention either averages everything, so that all tokens become alike, or stares at single tokens and freezes. Between the two collapses a transformer can learn, if gradients do not explode and the learning rate is not too large for its skips. See where yours starts, what fails, and what to choose instead.",
  code: "PyTorch",
  fields: [
    { name: "beta", label: "Query-key scale β", note: "W_Q, W_K have variance β √(log T) / width", value: "1", from: 0.02, to: 20, log: true, required: true },
    { name: "residual-attention", label: "Skip around attention", note: "residual strength", value: "1", from: 0, to: 5, required: true },
    { name: "rate", label: "Learning rate", note: "of Adam; empty: not judged", value: "0.00005", empty: "not judged", emptyAt: "left", from: 1e-6, to: 0.1, log: true },
    { name: "layers", label: "Layers", note: "blocks of attention and MLP", value: "24", from: 1, to: 200, log: true, whole: true, required: true },
    { name: "context", label: "Context T", note: "tokens", value: "512", from: 8, to: 1e6, log: true, whole: true, required: true },
    { name: "rho0", label: "Similarity of the input", note: "cosine between tokens, ρ_0", value: "0.05", from: 0, to: 0.95, required: true },
    { name: "value-variance", label: "Variance of W_V", note: "times its inputs", value: "0.2", from: 0.001, to: 10, log: true, required: true },
    { name: "causal", label: "Tokens see", note: "all others, or those before them", value: "all", choices: ["all", "causal"], flag: "causal", required: true },
    { name: "norm", label: "LayerNorm", note: "after the sum, or before the branch", value: "post", choices: ["post", "pre"], required: true },
    { name: "activation", label: "Activation", note: "of the MLP", value: "relu", choices: ["relu", "tanh", "gelu"], required: true, rare: true },
    { name: "width", label: "Width", note: "of a token", value: "720", from: 16, to: 16384, log: true, whole: true, required: true, rare: true },
    { name: "heads", label: "Heads", note: "of attention", value: "1", from: 1, to: 128, log: true, whole: true, required: true, rare: true },
    { name: "mlp-width", label: "MLP width", note: "hidden units", value: "720", from: 16, to: 65536, log: true, whole: true, required: true, rare: true },
    { name: "mlp-in-variance", label: "Variance of W_1", note: "first MLP matrix, times its inputs", value: "0.2", from: 0.001, to: 10, log: true, required: true, rare: true },
    { name: "mlp-out-variance", label: "Variance of W_2", note: "second MLP matrix, times its inputs", value: "0.2", from: 0.001, to: 10, log: true, required: true, rare: true },
    { name: "bias-variance", label: "Variance of biases", note: "of values and MLP", value: "0.0004", from: 0, to: 0.1, required: true, rare: true },
    { name: "residual-mlp", label: "Skip around the MLP", note: "residual strength", value: "1", from: 0, to: 5, required: true, rare: true },
    { name: "q0", label: "Mean square of the input", note: "matters for pre-LN", value: "1", from: 0.0001, to: 10, log: true, required: true, rare: true },
    { name: "style", label: "Names in the code", note: "whose modules PyTorch code is for", value: "torch", choices: ["torch", "bert", "gpt2", "timm"], required: true, rare: true },
  ],
  presets: [
    { label: "24 plain layers", values: {} },
    { label: "BERT base", named: "bert-base", style: "bert" },
    { label: "GPT-2 small", named: "gpt2-small", style: "gpt2" },
    { label: "ViT-B", named: "vit-b", style: "timm" },
  ],
  charts: [
    { name: "map", height: 320, onpick: (self, x, y) => (self.set({ beta: typed(x), "residual-attention": typed(y) }), self.ask()) },
    { name: "similarity", height: 240 },
    { name: "entropy", height: 240 },
  ],

  async answer(self, values) {
    const about = [...self.fields.keys()].filter((name) => !["style", "rate"].includes(name)), words = self.words(values, about);
    const depth = await engine.ask("attention propagate", words);
    if (depth.error) return self.fail(depth.error);
    startMap(self, values);
    self.show({ pictures: { 1: similarityPicture(depth), 2: entropyPicture(depth), 0: mapPicture(self, values) } });
    if (self.stale()) return;
    const advice = await askWithRate(engine, "attention recommend", self.words(values));
    if (advice.error) return self.fail(advice.error);
    self.unjudged = advice.unjudged;
    self.show({ verdict: trainVerdict(advice, values), rows: trainRows(advice), code: advice.pytorch });
    await fillMap(self, values);
  },

  command: (self, values) => ["ireneo", "attention", "recommend", ...self.words(values).filter((word) => !(self.unjudged && isRate(word))).flatMap((word) => word.split(/=(.*)/s).slice(0, 2))],

  python(values, self) {
    const names = { norm: "normalisation", rho0: "rho_0", q0: "q_0", "bias-variance": "value_bias_variance" };
    const left = (name) => name === "style" || (name === "rate" && (self.unjudged || values.rate.trim() === "")) || (name === "causal" && values.causal !== "causal");
    const given = Object.keys(values).filter((name) => !left(name)).map((name) => (name === "causal" ? "causal=True" : `${names[name] ?? name.replace(/-/g, "_")}=${python(values[name])}`));
    return `ireneo.attention.recommend(${given.join(", ")}, mlp_bias_variance=${python(values["bias-variance"])})`;
  },
};

const isRate = (word) => word.startsWith("--rate=");

/** Asks about a rate, too, where the program judges it; where not, its sentence is in `unjudged`. */
async function askWithRate(worker, command, words) {
  const answer = await worker.ask(command, words);
  if (!answer.error?.includes("leave the rate out")) return answer;
  return { ...(await worker.ask(command, words.filter((word) => !isRate(word)))), unjudged: answer.error };
}

/** A named model's numbers, from the program; fields show five digits. */
async function namedPreset(self, preset) {
  const report = await engine.ask("attention recommend", [`--preset=${preset.named}`]);
  const t = report.given, short = (value) => String(Number(value.toPrecision(5)));
  self.set({
    beta: short(t.beta), "residual-attention": short(t.residual_attention), layers: t.layers, context: short(t.context), rho0: short(t.rho_0),
    "value-variance": short(t.value_variance), norm: t.norm, activation: t.activation, width: t.width, heads: t.heads, "mlp-width": t.mlp_width,
    "mlp-in-variance": short(t.mlp_in_variance), "mlp-out-variance": short(t.mlp_out_variance), "bias-variance": short(t.value_bias_variance),
    "residual-mlp": short(t.residual_mlp), q0: short(t.q_0), causal: t.causal ? "causal" : "all", style: preset.style,
  });
  self.ask();
}

// ---- the map: columns come one by one, the ends first, then always the middle of what is missing ----

const MAP_SETTINGS = [...train.fields.map((about) => about.name)].filter((name) => !["beta", "residual-attention", "style"].includes(name));

function columnOrder() {
  const order = [0, COLUMNS - 1];
  for (const queue = [[0, COLUMNS - 1]]; queue.length; ) {
    const [low, high] = queue.shift(), middle = (low + high) >> 1;
    if (high - low < 2) continue;
    order.push(middle);
    queue.push([low, middle], [middle, high]);
  }
  return order;
}

function startMap(self, values) {
  const beta = Number(values.beta), residual = Number(values["residual-attention"]);
  const reach = (value, usual, most) => Math.min(most, value > usual ? Math.ceil(1.25 * value) : usual);
  const grids = [`--betas=0.2:${reach(beta, 6, 200)}:${COLUMNS}`, `--residuals=0.25:${reach(residual, 5, 1e6)}:${ROWS}`];
  const words = [...grids, ...self.words(values, MAP_SETTINGS)], key = words.join(" ");
  if (self.map?.key === key) return;
  self.section.dataset.map = "0";
  self.map = { key, words, columns: [], left: columnOrder(), xMost: reach(beta, 6, 200), yMost: reach(residual, 5, 1e6) };
}

async function fillMap(self, values) {
  const { map } = self;
  await new Promise((resolve) => setTimeout(resolve, 250)); // a reader who goes on moving sliders wants no map yet
  while (map.left.length && !self.stale() && self.map === map && !self.section.hidden) {
    const column = await askWithRate(pencil, "map column", [...map.words, `--column=${map.left[0]}`]);
    if (column.error) return; // the numbers are there; the map stays as far as it came
    map.left.shift();
    map.columns.push(column);
    map.columns.sort((a, b) => a.beta - b.beta);
    self.section.dataset.map = String(map.columns.length);
    self.charts[0].draw(mapPicture(self, self.values));
  }
}

function mapPicture(self, values) {
  const { columns, xMost, yMost } = self.map, cells = [], step = (yMost - 0.25) / (ROWS - 1);
  columns.forEach((column, k) => {
    const x0 = k === 0 ? 0 : (columns[k - 1].beta + column.beta) / 2, x1 = k === columns.length - 1 ? xMost : (column.beta + columns[k + 1].beta) / 2;
    for (const cell of column.cells) {
      const { fails } = cell, colour = fails.length === 0 ? "trainable" : fails.length > 1 ? "several" : fails[0];
      const told = fails.length === 0 ? "trainable" : `fails for ${fails.map((word) => REASONS[word]).join(" and ")}`;
      cells.push({ x0, x1, y0: cell === column.cells[0] ? 0 : cell.residual - step / 2, y1: Math.min(yMost, cell.residual + step / 2), colour, told });
    }
  });
  const line = columns[0]?.beta_line, seen = new Set(columns.flatMap((column) => column.cells.flatMap((cell) => cell.fails)));
  return {
    title: values.rate.trim() === "" || self.unjudged ? "Trainability, at a rate that fits" : `Trainability at a rate of ${values.rate}`,
    hint: "Click in the map to start there; under the pointer it says what fails.",
    told: "Over query-key scale and skip strength: where a transformer trains, and where rank, gradients, the rate or several of them fail.",
    x: { label: "query-key scale β", min: 0, max: xMost }, y: { label: "skip around attention", min: 0, max: yMost },
    xs: columns.length ? columns.map((column) => column.beta) : [0], cells,
    lines: [{ label: "rank collapse below", ys: columns.length ? columns.map((column) => column.rank_line) : [null], colour: "first" }],
    marks: [{ at: line ?? -1, label: "entropy collapse beyond", colour: "second", dash: [6, 4] }], // out of sight until it is known
    points: [{ x: Number(values.beta), y: Number(values["residual-attention"]), label: "this transformer", colour: "asked" }],
    key: [{ label: "trainable", colour: "trainable" }, ...["rank", "gradients", "rate", "entropy"].filter((word) => word !== "entropy" || seen.has(word)).map((word) => ({ label: REASONS[word], colour: word })), { label: "several", colour: "several" }],
    table: {
      header: ["beta", "residual", "rho", "entropy", "rank_collapse", "entropy_collapse", "fails_gradients", "fails_rate"],
      rows: columns.flatMap((column) => column.cells.map((cell) => [column.beta, cell.residual, cell.rho, cell.entropy,
        ...[cell.rank_collapse, cell.entropy_collapse, cell.fails.includes("gradients"), cell.fails.includes("rate")].map(Number)])),
    },
  };
}

// ---- depth ----

function similarityPicture(depth) {
  const last = depth.rho.length - 1;
  return {
    title: "How alike tokens become over depth", told: `Similarity goes from ${written(depth.rho[0], 3)} to ${written(depth.rho[last], 3)} after ${last} layers.`,
    x: { label: "layer", min: 0, max: last }, y: { label: "similarity ρ", min: 0, max: 1.03 }, xs: depth.rho.map((_, i) => i),
    lines: [{ label: `exact at T = ${grouped(depth.transformer.context)}`, ys: depth.rho, colour: "first" }, { label: "T → ∞", ys: depth.rho_limit, colour: "third", dash: [6, 4] }],
  };
}

function entropyPicture(depth) {
  const most = Math.log(depth.transformer.keys), last = depth.entropy.length;
  return {
    title: "Entropy of attention over depth", told: `In the first layer ${written(depth.entropy[0], 3)} nats of at most ${written(most, 3)}.`,
    x: { label: "layer", min: 1, max: Math.max(2, last) }, y: { label: "entropy in nats", min: 0, max: 1.05 * most }, xs: depth.entropy.map((_, i) => i + 1),
    lines: [{ label: `exact at T = ${grouped(depth.transformer.context)}`, ys: depth.entropy, colour: "first" }, { label: "T → ∞", ys: depth.entropy_limit, colour: "third", dash: [6, 4] },
      { label: "log T", ys: depth.entropy.map(() => most), colour: "axis", dash: [1, 3] }],
  };
}

// ---- numbers ----

/** The program's words for what fails, for people. */
const REASONS = { rank: "rank collapse", entropy: "entropy collapse", gradients: "exploding gradients", rate: "too large a rate" };

function trainVerdict(advice, values) {
  const a = advice.given_assessment, t = advice.given, asked = values.rate.trim() !== "" && !advice.unjudged;
  const kind = a.fails.length === 0 ? (asked ? `Trains at a rate of ${values.rate}` : "Trains, at a rate that fits") : `Does not train, for ${a.fails.map((word) => REASONS[word]).join(" and ")}`;
  const rate = advice.unjudged ? ` The rate is not judged: ${advice.unjudged}.` : "";
  return `${kind}: after ${t.layers} layers tokens have similarity ${written(a.rho, 3)}, and the first layer's entropy is ${written(a.entropy, 3)} nats.${rate}`;
}

function trainRows(advice) {
  const a = advice.given_assessment, b = advice.assessment;
  return [
    ["given_assessment.rho", "Similarity at the end", a.rho, written(a.rho), `from ${written(advice.given.rho_0)}; recommended: ${written(b.rho)}`],
    ["given_assessment.entropy", "Entropy, first layer", a.entropy, written(a.entropy), `nats; recommended: ${written(b.entropy)}`],
    ["given_assessment.beta_line", "Entropy collapse at β", a.beta_line, written(a.beta_line), `margin ${written(a.beta_margin, 3)}`],
    ["given_assessment.residual_line", "Rank collapse at skip", a.residual_line, written(a.residual_line), `margin ${written(a.residual_margin, 3)}`],
    ["given_assessment.growth", "Growth of gradients", a.growth, written(a.growth), `from the last layer to the first, squared; recommended: ${written(b.growth)}`],
    ["given_assessment.safe_rate", "Largest safe rate", a.safe_rate, written(a.safe_rate, 2), `of Adam; recommended: ${written(b.safe_rate, 2)}`],
    ["transformer.beta", "Recommended β", advice.transformer.beta, written(advice.transformer.beta), ""],
    ["std_query", "Std of W_Q, W_K", advice.std_query, written(advice.std_query), "recommended"],
    ["std_value", "Std of W_V", advice.std_value, written(advice.std_value), "recommended"],
    ["std_output", "Std of W_O", advice.std_output, written(advice.std_output), "recommended"],
    ["std_mlp_in", "Std of W_1", advice.std_mlp_in, written(advice.std_mlp_in), "recommended"],
    ["std_mlp_out", "Std of W_2", advice.std_mlp_out, written(advice.std_mlp_out), "recommended"],
  ];
}
