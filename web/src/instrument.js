// What the three instruments share: settings in, the program asked, picture, numbers, commands and files out.
//
// A description has: id, title, sentence, fields, presets, charts, and
//   answer(self, values)    asks the program and calls self.show(...) or self.fail(sentence)
//   command(values)         the words of the program's command that gives the same
//   python(values, self)    the line of Python that does

const PATIENCE = 3000; // ms

class Instrument {
  constructor(description) {
    this.description = description;
    this.values = {};
    this.version = this.answered = 0; // of the settings: the newest, and the one that was asked about
    this.fields = new Map();
    this.charts = [];
    this.build();
    this.set(Object.fromEntries(description.fields.map((about) => [about.name, about.value])));
  }

  build() {
    const { id, title, sentence, fields, presets, charts } = this.description;
    const changed = (name, text) => this.change(name, text);
    for (const about of fields) this.fields.set(about.name, new Field(about, id, changed));
    const main = fields.filter((about) => !about.rare), rare = fields.filter((about) => about.rare);
    const shown = (list) => list.map((about) => this.fields.get(about.name).element);
    this.verdict = element("p", { class: "verdict", role: "status" }, "\u00a0");
    this.presets = element("div", { class: "presets", role: "group", "aria-label": "Presets" },
      ...presets.map((preset) => element("button", { type: "button", onclick: () => this.choose(preset) }, preset.label)));
    this.numbers = element("dl", { class: "numbers" });
    const pictures = charts.map((about, i) => this.picture(about, i));
    this.section = element("section", { id: `${id}-instrument`, class: "instrument", "aria-labelledby": `${id}-title`, hidden: true },
      element("h2", { id: `${id}-title`, tabindex: "-1" }, title), element("p", { class: "sentence" }, sentence), this.presets, this.verdict,
      pictures[0],
      element("form", { class: "fields", onsubmit: (event) => event.preventDefault() }, ...shown(main),
        ...(rare.length ? [element("details", {}, element("summary", {}, "More of the architecture"), ...shown(rare))] : [])),
      ...pictures.slice(1),
      element("div", { class: "panel numbers-panel" }, element("h3", {}, "Numbers"), this.numbers), this.commands());
    document.querySelector("main").append(this.section);
  }

  picture(about, i) {
    const place = element("div", { class: `panel picture picture-${i}` });
    const chart = new Chart(place, about.height, about.onpick && ((x, y) => about.onpick(this, x, y)));
    const name = `ireneo-${this.description.id}-${about.name}`;
    place.append(element("p", { class: "files" },
      element("button", { type: "button", class: "quiet", onclick: () => chart.picture && download(`${name}.csv`, "text/csv", pictureCsv(chart.picture)) }, "CSV"),
      element("button", { type: "button", class: "quiet", onclick: () => chart.picture && download(`${name}.svg`, "image/svg+xml", chartSvg(chart.picture)) }, "SVG")));
    this.charts.push(chart);
    return place;
  }

  commands() {
    const line = (kind, name) => {
      const code = element("code");
      this[kind] = code;
      return element("div", { class: "line" }, element("span", { class: "kind" }, name), element("pre", { tabindex: "0", role: "group", "aria-label": name }, code), copier(code, name));
    };
    this.link = element("a", { href: "#" }, "Link to these settings");
    const panel = element("div", { class: "panel commands" }, element("h3", {}, "The same elsewhere"), line("commandLine", "Shell"), line("pythonLine", "Python"));
    if (this.description.code) panel.append(line("codeLines", this.description.code));
    panel.append(element("p", {}, this.link));
    return panel;
  }

  /** Sets fields without a question. Names that are no fields are left alone. */
  set(values) {
    for (const [name, text] of Object.entries(values))
      if (this.fields.has(name)) this.values[name] = String(text).slice(0, 200);
    for (const [name, field] of this.fields) field.set(this.values[name]);
  }

  change(name, text) {
    this.values[name] = text.slice(0, 200);
    this.changed = name;
    for (const field of this.fields.values()) if (field.about.name !== name) field.place(); // ends of sliders may depend on it
    this.ask();
  }

  choose(preset) {
    this.set({ ...this.emptied(), ...preset.values });
    this.changed = null;
    this.ask();
  }

  emptied() {
    return Object.fromEntries(this.description.fields.map((about) => [about.name, about.reset ?? about.value]));
  }

  /** Asks about the newest settings; those in between are skipped while an answer is on its way. */
  async ask() {
    this.section.dataset.asked = String(++this.version); // with data-answered: whether what is seen belongs to what is set
    this.asked = performance.now();
    showAddress(this);
    if (this.busy) {
      const asking = this.answered; // a reader who goes on waits for an old answer no longer than this
      setTimeout(() => this.busy && this.answered === asking && (engine.interrupt(), pencil.interrupt()), PATIENCE);
      return;
    }
    this.busy = true;
    while (this.answered !== this.version) {
      this.answered = this.version;
      await this.answer({ ...this.values });
    }
    this.busy = false;
  }

  /** When the first settings of all are bad there is no last good picture: the usual one takes its place. */
  async answer(values) {
    this.settings = values;
    this.sentence = null;
    await this.description.answer(this, values);
    const { sentence } = this;
    if (sentence === null || this.shown) return;
    this.settings = Object.fromEntries(this.description.fields.map((about) => [about.name, about.value]));
    this.filling = true; // the sentence stays where it is
    await this.description.answer(this, this.settings);
    this.filling = false;
    this.fail(sentence);
  }

  stale() {
    return this.answered !== this.version;
  }

  /** The words of a command: what is empty is not given, unless it must be; a flag is given where its word is chosen. */
  words(values, names = [...this.fields.keys()]) {
    const { fields } = this, flag = (name) => fields.get(name).about.flag;
    const given = (name) => (flag(name) ? values[name] === flag(name) : values[name].trim() !== "" || fields.get(name).about.required);
    return names.filter(given).map((name) => (flag(name) ? `--${name}` : `--${name}=${values[name].trim()}`));
  }

  /** One answer, or a part of it: verdict, rows of numbers [key, label, value, text, note], pictures by number. */
  show({ verdict, rows, pictures, code }) {
    if (!this.filling) for (const field of this.fields.values()) field.fault(null);
    if (verdict) this.verdict.textContent = verdict;
    if (rows && !this.filling) this.section.dataset.answered = String(this.answered);
    if (rows)
      this.numbers.replaceChildren(...rows.map(([key, label, value, text, note]) =>
        element("div", {}, element("dt", {}, label), element("dd", { "data-key": key, "data-value": String(value) }, text), element("dd", { class: "why" }, note ?? ""))));
    for (const [i, picture] of Object.entries(pictures ?? {})) this.charts[i].draw(picture);
    if (code) this.codeLines.textContent = code;
    this.shown = true;
    this.commandLine.textContent = shell(this.description.command(this, this.settings));
    this.pythonLine.textContent = this.description.python(this.settings, this);
    if (!this.filling) this.section.classList.remove("faulty");
    if (pictures?.[0]) this.section.dataset.reaction = (performance.now() - this.asked).toFixed(1);
    document.documentElement.dataset.firstPicture ??= performance.now().toFixed(0);
  }

  /** The sentence goes to the field it names, by option or by word, or to the one that was changed last. */
  fail(sentence) {
    this.sentence = sentence;
    const names = [...this.fields.keys()];
    const option = names.find((name) => sentence.includes(`--${name} `)), word = names.find((name) => new RegExp(`\\b${name}\\b`, "i").test(sentence));
    const named = option ?? this.description.about?.(sentence) ?? word ?? this.changed ?? names[0];
    for (const [name, field] of this.fields) field.fault(name === named ? sentence : null);
    const details = this.fields.get(named).element.closest("details");
    if (details) details.open = true;
    if (this.shown) this.section.dataset.answered = String(this.answered);
    this.section.classList.add("faulty"); // picture and numbers are those of the last good settings
  }

  address() {
    const query = new URLSearchParams(Object.entries(this.values).filter(([name, text]) => text !== "" || this.fields.get(name).about.required));
    return `#${this.description.id}?${query}`;
  }
}

/** The columns of a picture; the map has its own. */
function pictureCsv(picture) {
  if (picture.table) return csv(picture.table.header, picture.table.rows);
  return csv([picture.x.label, ...picture.lines.map((line) => line.label)].map((label) => label.replace(/,/g, "")),
    beside(picture.xs, ...picture.lines.map((line) => line.ys)));
}
