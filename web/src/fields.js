// The settings of an instrument: a text field and a slider a number, a list a choice. What was typed is kept as text and
// judged by the program alone; its sentence is shown below the field, in the line that otherwise explains it.

const STEPS = 200; // of a slider

class Field {
  /** onchange(name, text): the reader changed it. */
  constructor(about, prefix, onchange) {
    this.about = about;
    this.onchange = onchange;
    const id = `${prefix}-${about.name}`;
    this.note = element("p", { class: "note", id: `${id}-note` }, about.note);
    this.input = about.choices
      ? element("select", { id }, ...about.choices.map((word) => element("option", { value: word }, word)))
      : element("input", { id, type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", placeholder: about.empty ?? "" });
    this.input.setAttribute("aria-describedby", this.note.id);
    this.input.addEventListener("input", () => this.type(this.input.value));
    this.element = element("div", { class: "field" }, element("label", { for: id }, about.label), this.input);
    if (!about.choices) {
      this.slider = element("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": `${about.label}, slider` });
      this.slider.addEventListener("input", () => this.slide(Number(this.slider.value)));
      this.element.append(this.slider);
    }
    this.element.append(this.note);
  }

  type(text) {
    this.text = text;
    this.place();
    this.onchange(this.about.name, text);
  }

  set(text) {
    this.text = text;
    this.input.value = text;
    this.place();
  }

  ends() {
    const { from, to, log } = this.about, f = log ? Math.log : (v) => v;
    return { low: f(from), high: f(typeof to === "function" ? to() : to), back: log ? Math.exp : (v) => v, f };
  }

  /** From a slider's place to a text; the end that stands for an empty field gives one. */
  slide(position) {
    const { low, high, back } = this.ends(), { emptyAt } = this.about;
    const none = (emptyAt === "left" && position === 0) || (emptyAt === "right" && position === STEPS);
    let text = none ? "" : typed(back(low + ((high - low) * position) / STEPS), this.about.whole);
    if (this.about.whole && text === this.text && text !== "") text = String(Number(text) + Math.sign(position - this.position)); // small whole numbers: the next one
    if (text === this.text || (text !== "" && Number(text) < this.about.from)) return;
    this.set(text);
    this.onchange(this.about.name, text);
  }

  place() {
    if (!this.slider) return;
    const { low, high, f } = this.ends(), { emptyAt } = this.about, share = (f(Number(this.text)) - low) / (high - low);
    const least = emptyAt === "left" ? 1 : 0, most = emptyAt === "right" ? STEPS - 1 : STEPS; // the end beyond stands for an empty field
    if (this.text.trim() === "") this.slider.value = emptyAt === "right" ? STEPS : 0;
    else this.slider.value = Number.isFinite(share) ? Math.min(most, Math.max(least, Math.round(STEPS * share))) : least;
    this.tellSlider();
  }

  tellSlider() {
    this.position = Number(this.slider.value);
    this.slider.setAttribute("aria-valuetext", this.text === "" ? (this.about.empty ?? "empty") : this.text);
  }

  /** The program's sentence, or null when all is well. */
  fault(sentence) {
    this.note.textContent = sentence ?? this.about.note;
    this.note.classList.toggle("error", sentence !== null);
    this.input.setAttribute("aria-invalid", String(sentence !== null));
  }
}
