// The page: three instruments, one of them shown. The address holds which, and its settings.

const instruments = {};
let current = null;
let addressTimer = null;
let taken = null; // the address that settings were last taken from, or written to

/** The address follows the settings, with a little patience: browsers limit how often it may change. */
function showAddress(instrument) {
  instrument.link.href = instrument.address();
  if (instrument !== current) return;
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    if (location.hash !== taken) return; // a link was followed, and its event is on the way: it must not be overwritten
    history.replaceState(null, "", instrument.address());
    taken = location.hash;
  }, 250);
}

function go() {
  taken = location.hash;
  const [id, query] = location.hash.slice(1).split(/\?(.*)/s);
  current = instruments[id] ?? instruments.facts;
  for (const [name, instrument] of Object.entries(instruments)) {
    instrument.section.hidden = instrument !== current;
    document.querySelector(`nav a[href="#${name}"]`).toggleAttribute("aria-current", instrument === current);
  }
  if (query !== undefined) {
    current.set({ ...Object.fromEntries(current.description.fields.map((about) => [about.name, ""])), ...Object.fromEntries(new URLSearchParams(query)) });
    for (const about of current.description.fields) // what a link leaves out and cannot be empty has its usual value
      if (about.required && !new URLSearchParams(query).has(about.name)) current.set({ [about.name]: about.value });
  }
  current.ask();
}

for (const description of [facts, patterns, train]) instruments[description.id] = new Instrument(description);
instruments.train.choose = function (preset) {
  this.changed = null;
  if (preset.named) return namedPreset(this, preset);
  return Instrument.prototype.choose.call(this, preset);
};
addEventListener("hashchange", () => {
  if (!current || location.hash !== current.address()) go();
  taken = location.hash;
});
go();
