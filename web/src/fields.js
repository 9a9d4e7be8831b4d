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
    const text = none ? "" : typed(back(low + ((high - low) * position) / STEPS), this.about.whole);
    if (text === this.text) return;
    this.text = text;
    this.input.value = text;
    this.tellSlider();
    this.onchange(this.about.name, text);
  }

  place() {
    if (!this.slider) return;
    const { low, high, f } = this.ends(), value = Number(this.text);
    const share = (f(value) - low) / (high - low);
    this.slider.value =
      this.text.trim() === "" ? (this.about.emptyAt === "right" ? STEPS : 0) : Number.isFinite(share) ? Math.round(STEPS * Math.min(1, Math.max(0, share))) : 0;
    this.tellSlider();
  }

  tellSlider() {
    this.slider.setAttribute("aria-valuetext", this.text === "" ? (this.about.empty ?? "empty") : this.text);
  }

  /** The program's sentence, or null when all is well. */
  fault(sentence) {
    this.note.textContent = sentence ?? this.about.note;
    this.note.classList.toggle("error", sentence !== null);
    this.input.setAttribute("aria-invalid", String(sentence !== null));
  }
}
