"""Edits of a real layer, method by method: the tables of docs/editing.md.

    python3 examples/editing_table.py [batches]

data/stories15m-last-layer.safetensors holds the last projection of stories15M, 600 positions to edit, each with a random
other word as its new answer, and 1200 ordinary positions. Positions that occur twice with different answers contradict each
other; the later ones are left out here, and protected positions give way where a new fact has another answer."""

import sys
import time
from pathlib import Path

import numpy as np

import ireneo

data = Path(__file__).resolve().parent.parent / "data" / "stories15m-last-layer.safetensors"
MARGIN = 0.25


def load(name):
    array = ireneo.load_array(f"{data}:{name}")
    return array.astype(np.float32) if array.dtype.kind == "f" else array


W0, values = load("W2"), load("values")
h, r, targets = load("edit_h"), load("edit_r"), load("edit_target")
ordinary_h, ordinary_r, answers = load("ordinary_h"), load("ordinary_r"), load("ordinary_argmax")
moments = ireneo.Moments(W0.shape[1])
moments.add(ordinary_h)
apart = [i for i in range(len(h)) if not any(np.allclose(h[i], h[k], rtol=0, atol=1e-3) for k in range(i))]


def kept(memory):
    """Share of ordinary positions that answer as before, in per cent."""
    said = memory.recall(ordinary_h, values, 1, residuals=ordinary_r).indices[:, 0]
    before = ireneo.Memory(W0).recall(ordinary_h, values, 1, residuals=ordinary_r).indices[:, 0]
    return 100.0 * np.mean(said == before)


def row(n, name, **settings):
    rows = [i for i in apart if i < n]
    begin = time.perf_counter()
    memory, info = ireneo.edit(W0, h[rows], values, targets[rows], residuals=r[rows], margin=MARGIN, **settings)
    seconds = time.perf_counter() - begin
    protected = f"{info.protected_kept} of {info.protected}" if info.protected else ""
    print(
        f"| {len(rows)} | {name} | {info.recalled} | {protected} | {info.change:.4f} | {info.change_metric:.5f} "
        f"| {info.bound:.5f} | {kept(memory):.1f} % | {seconds:.1f} |",
        flush=True,
    )
    return memory


def methods():
    print("| facts | method | recalled | protected kept | change | in the metric | bound | ordinary kept | s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n in (10, 100, 300, 600):
        row(n, "least change, C = I")
        row(n, "least change, C", ordinary=moments)
        row(n, "the same, protected", ordinary=moments, protect=ordinary_h, protect_residuals=ordinary_r, give_way=True)
        row(n, "ridge", ordinary=moments, rule="ridge")
        row(n, "null space", ordinary=moments, rule="null-space")


def batches(size=60):
    """Ten batches: all facts so far from the first matrix, and ridge on ridge."""
    rows = np.array(apart)
    parts = np.array_split(rows, 10)
    ridge = ireneo.Memory(W0)
    for part in parts:
        ridge, _ = ireneo.edit(ridge.W, h[part], values, targets[part], residuals=r[part], margin=MARGIN, ordinary=moments, rule="ridge")
    ours, info = None, None
    for k in range(len(parts)):
        so_far = np.concatenate(parts[: k + 1])
        ours, info = ireneo.edit(W0, h[so_far], values, targets[so_far], residuals=r[so_far], margin=MARGIN, ordinary=moments)
    print("| ten batches | recalled | first batch | last batch | ordinary kept |")
    print("|---|---|---|---|---|")
    for name, memory in (("least change, earlier facts kept", ours), ("ridge on ridge", ridge)):
        right = [memory.check(h[p], values, targets[p], residuals=r[p]).recalled for p in (rows, parts[0], parts[-1])]
        print(f"| {name} | {right[0]} of {len(rows)} | {right[1]} of {len(parts[0])} | {right[2]} of {len(parts[-1])} | {kept(memory):.1f} % |")


if __name__ == "__main__":
    (batches if sys.argv[1:] == ["batches"] else methods)()
