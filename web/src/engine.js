// The page's side of the workers: questions go in, promises of answers come out. There are two, so that the numbers need
// not wait for the curves of pictures, or for a column of the map.

class Engine {
  constructor() {
    this.waiting = new Map();
    this.last = 0;
    this.start();
  }

  start() {
    const source = new Blob([document.getElementById("worker").textContent], { type: "text/javascript" });
    this.worker = new Worker(URL.createObjectURL(source));
    this.worker.postMessage({ module: document.getElementById("module").textContent.trim() });
    this.worker.onmessage = ({ data }) => {
      this.waiting.get(data.id)(data);
      this.waiting.delete(data.id);
    };
    this.worker.onerror = (fault) => this.giveUp(`the worker stopped: ${fault.message}`);
  }

  giveUp(sentence) {
    for (const answer of this.waiting.values()) answer({ out: "", err: sentence });
    this.waiting.clear();
  }

  /** Ends what is being computed, however long it would have taken; open questions get a sentence. */
  interrupt() {
    if (this.waiting.size === 0) return;
    this.worker.terminate();
    this.start();
    this.giveUp("interrupted");
  }

  /** What a command prints as JSON, or {error: its sentence without the program's name}. */
  async ask(command, words) {
    const id = ++this.last;
    const answer = await new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.worker.postMessage({ id, words: [command, ...words, "--json"] });
    });
    if (answer.out !== "") return JSON.parse(answer.out);
    return { error: answer.err.trim().replace(/^ireneo [a-z ]*: /, "") };
  }
}

const engine = new Engine(), pencil = new Engine();
