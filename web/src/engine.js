// The page's side of the worker: questions go in, promises of answers come out.

const engine = (() => {
  const source = new Blob([document.getElementById("worker").textContent], { type: "text/javascript" });
  const worker = new Worker(URL.createObjectURL(source));
  const waiting = new Map();
  let last = 0;
  worker.postMessage({ module: document.getElementById("module").textContent.trim() });
  worker.onmessage = ({ data }) => {
    waiting.get(data.id)(data);
    waiting.delete(data.id);
  };
  worker.onerror = (fault) => {
    for (const [id, answer] of waiting) answer({ id, code: 4, out: "", err: `the worker stopped: ${fault.message}` });
    waiting.clear();
  };

  /** What a command prints as JSON, or {error: its sentence without the program's name}. */
  async function ask(command, words) {
    const id = ++last;
    const answer = await new Promise((resolve) => {
      waiting.set(id, resolve);
      worker.postMessage({ id, words: [command, ...words, "--json"] });
    });
    if (answer.out !== "") return JSON.parse(answer.out);
    return { error: answer.err.trim().replace(/^ireneo [a-z ]*: /, "") };
  }
  return { ask };
})();
