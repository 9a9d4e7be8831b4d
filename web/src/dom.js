// Elements, made in one line.

/** element("a", {href: "#x", class: "y", onclick: f}, child, "text", ...). */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/** Hands a text to the reader as a file. */
function download(name, type, text) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A button that copies the text of an element, and says so. */
function copier(source, name) {
  const button = element("button", { type: "button", class: "quiet", "aria-label": `Copy ${name}` }, "copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(source); // not allowed here: ready for Ctrl-C
      button.textContent = "selected";
    }
    setTimeout(() => (button.textContent = "copy"), 1500);
  });
  return button;
}
