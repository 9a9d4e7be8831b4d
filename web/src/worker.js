// The worker: runs commands of the program, compiled to WebAssembly, one after the other. A message is {id, words}; the
// answer {id, code, out, err, time} holds what the program would have printed and its exit code.
"use strict";

let compiled = null; // the module; an instance that broke is replaced by a new one
let ready = null; // a promise of it: questions may come before the module is unpacked
let program = null;
const printed = { 1: "", 2: "" };

// What the C library asks of its system. Everything but writing to stdout and stderr is refused: there are no files.
const NOT_SUPPORTED = 58;
const system = {
  fd_write(descriptor, list, count, written) {
    const memory = new DataView(program.memory.buffer);
    let total = 0;
    for (let i = 0; i < count; i++) {
      const from = memory.getUint32(list + 8 * i, true), length = memory.getUint32(list + 8 * i + 4, true);
      printed[descriptor] += new TextDecoder().decode(new Uint8Array(program.memory.buffer, from, length));
      total += length;
    }
    memory.setUint32(written, total, true);
    return 0;
  },
  fd_fdstat_get: () => NOT_SUPPORTED,
  fd_seek: () => NOT_SUPPORTED,
  fd_close: () => NOT_SUPPORTED,
  poll_oneoff: () => NOT_SUPPORTED,
};

function start() {
  program = new WebAssembly.Instance(compiled, { wasi_snapshot_preview1: system }).exports;
  program._initialize();
}

function run(words) {
  printed[1] = printed[2] = "";
  const bytes = new TextEncoder().encode(words.map((word) => word.replace(/\0/g, "") + "\0").join(""));
  if (bytes.length > program.page_room()) return { code: 2, out: "", err: "the settings are too long" };
  new Uint8Array(program.memory.buffer).set(bytes, program.page_words());
  const code = program.page_run(words.length);
  return { code, out: printed[1], err: printed[2] };
}

// The module comes packed by gzip, in base64.
async function unpack(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  compiled = new WebAssembly.Module(await new Response(plain).arrayBuffer());
  start();
}

self.onmessage = async ({ data }) => {
  if (data.module) {
    ready = unpack(data.module);
    return;
  }
  let begin = performance.now(), answer;
  try {
    await ready;
    begin = performance.now();
    answer = run(data.words);
  } catch (fault) {
    answer = { code: 4, out: "", err: `the computation stopped: ${fault.message}` };
    if (compiled) start();
  }
  self.postMessage({ id: data.id, time: performance.now() - begin, ...answer });
};
