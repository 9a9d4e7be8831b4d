"""Samples short stories from stories15M, as text and as token ids: how data/stories.txt and data/stories.npy were made.

    python3 examples/sample_stories.py llama2.data -o FOLDER

llama2.data is the whole model, from the npm package that edit_language_model.py names. Every story begins with nothing but the
token that begins a text, and ends where the model ends it; those that do not end within the model's 256 tokens are left out."""

import argparse
import re
from pathlib import Path

import numpy as np
from edit_language_model import Stories

BEGIN, LONGEST, PADDING = 1, 256, -1


class Sampler(Stories):
    """Many stories side by side, with the keys and values of what has been said kept."""

    def _turn(self, x, position):
        angle = position / 10000.0 ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])
        c, s = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)
        a, b = x[..., ::2], x[..., 1::2]
        return np.stack([a * c - b * s, a * s + b * c], -1).reshape(x.shape)

    def logits(self, ids, position, keys, values):
        """Of the next token after ids (stories); keys and values are (layers, stories, heads, 256, head width)."""
        x = self.embedding[ids]
        for i in range(len(self.q)):
            n = self._norm(x) * self.norm_attention[i]
            q, k, v = ((n @ w[i].T).reshape(len(ids), self.heads, -1) for w in (self.q, self.k, self.v))
            keys[i, :, :, position], values[i, :, :, position] = self._turn(k, position), v
            scores = np.einsum("nhd,nhtd->nht", self._turn(q, position), keys[i, :, :, : position + 1]) / np.sqrt(q.shape[-1])
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            weights /= weights.sum(-1, keepdims=True)
            x = x + np.einsum("nht,nhtd->nhd", weights, values[i, :, :, : position + 1]).reshape(len(ids), -1) @ self.o[i].T
            n = self._norm(x) * self.norm_mlp[i]
            gate = n @ self.w1[i].T
            x = x + (gate / (1 + np.exp(-gate)) * (n @ self.w3[i].T)) @ self.w2[i].T
        return (self._norm(x) * self.gain) @ self.embedding.T

    def stories(self, count, random, nucleus=0.9):
        """Lists of ids, of those stories that came to an end; from the likeliest tokens that have 0.9 of the chance together."""
        layers, dim = len(self.q), self.embedding.shape[1]
        keys = np.zeros((layers, count, self.heads, LONGEST, dim // self.heads), np.float32)
        values, ids = np.zeros_like(keys), np.full(count, BEGIN)
        said, ended = [[] for _ in range(count)], np.zeros(count, bool)
        for position in range(LONGEST):
            logits = self.logits(ids, position, keys, values).astype(np.float64)
            chance = np.exp(logits - logits.max(-1, keepdims=True))
            chance /= chance.sum(-1, keepdims=True)
            for story in np.flatnonzero(~ended):
                order = np.argsort(-chance[story])
                total = np.cumsum(chance[story][order])
                kept = order[: np.searchsorted(total, nucleus) + 1]
                ids[story] = random.choice(kept, p=chance[story][kept] / chance[story][kept].sum())
                ended[story] = ids[story] <= 2
                if not ended[story]:
                    said[story].append(int(ids[story]))
        return [story for story, end in zip(said, ended) if end]

    def text(self, ids):
        pieces = (self.tokens[i][0] for i in ids)
        raw = b"".join(bytes([int(p[3:5], 16)]) if re.fullmatch(rb"<0x..>", p) else p for p in pieces)
        return raw.decode("utf-8", "replace").strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="llama2.data of the npm package")
    parser.add_argument("-o", "--output", default=".", type=Path, help="folder for stories.txt and stories.npy")
    parser.add_argument("--stories", default=256, type=int)
    parser.add_argument("--seed", default=1, type=int)
    arguments = parser.parse_args()
    sampler, random, kept, seen = Sampler(arguments.model), np.random.default_rng(arguments.seed), [], set()
    while len(kept) < arguments.stories:
        for ids in sampler.stories(64, random):
            text = sampler.text(ids)
            if text.isascii() and text not in seen and len(kept) < arguments.stories:
                seen.add(text)
                kept.append(ids)
    table = np.full((len(kept), LONGEST), PADDING, np.int16)
    for row, ids in zip(table, kept):
        row[: len(ids)] = ids
    np.save(arguments.output / "stories.npy", table)
    (arguments.output / "stories.txt").write_text("\n\n".join(sampler.text(ids) for ids in kept) + "\n")
    real = table[table != PADDING]
    print(f"{len(kept)} stories, {real.size} tokens, {len(np.unique(real))} of them different")


if __name__ == "__main__":
    main()
