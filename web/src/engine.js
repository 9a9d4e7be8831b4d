// The page's side of the worker: questions go in, promises of answers come out.

const engine = (() => {
  const source = new Blob([document.getElementById("worker").textContent], { type: "text/javascript" });
  const waiting = new Map();
  let worker = null, last = 0;

  function start() {
    worker = new Worker(URL.createObjectURL(source));
    worker.postMessage({ module: document.getElementById("module").textContent.trim() });
    worker.onmessage = ({ data }) => {
      waiting.get(data.id)(data);
      waiting.delete(data.id);
    };
    worker.onerror = (fault) => giveUp(`the worker stopped: ${fault.message}`);
  }

  function giveUp(sentence) {
    for (const [id, answer] of waiting) answer({ id, out: "", err: sentence });
    waiting.clear();
  }

  /** Ends what is being computed, however long it would have taken; open questions get a sentence. */
  function interrupt() {
    worker.terminate();
    start();
    giveUp("interrupted");
  }

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
  start();
  return { ask, interrupt };
})();
