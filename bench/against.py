"""Ireneo against PyTorch (the paper's protocol) and FAISS (a flat index), in turns, on the same numbers and all cores.

usage: against.py torch DIM RATE[,RATE...] | faiss    (the library is named by IRENEO_LIBRARY)

Prints one line of JSON. The protocol: cross-entropy over all candidates, full batch, Adam, linear warm-up over 5 % of the
steps, then cosine decay; it ends when every fact is recalled. Stored at 0.90 of the law, where it does end. A rate is given up
when it has taken longer than the best one before it.
"""
import json
import math
import os
import pathlib
import sys
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import ireneo

LOAD, STEPS, WARM_UP, START = 0.90, 600, 0.05, 1e-3
WIDTH, CANDIDATES, QUERIES, ROUNDS = 256, 20000, 4096, 7
CORES = len(os.sched_getaffinity(0))
PAUSE = 0.3  # until the waiting threads of the other library sleep


def draw(seed, rows, columns):
    return numpy.random.default_rng(seed).standard_normal((rows, columns), dtype=numpy.float32)


def seconds(work):
    time.sleep(PAUSE)
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def rate_at(step, rate):
    warm = max(1, round(WARM_UP * STEPS))
    return rate * (step + 1) / warm if step < warm else rate * 0.5 * (1 + math.cos(math.pi * (step - warm) / (STEPS - warm)))


def train(keys, values, rate, patience):
    """Steps until all is recalled; None when that takes longer than `patience` seconds, or is not reached."""
    import torch

    torch.manual_seed(1)
    x, y = torch.from_numpy(keys), torch.from_numpy(values)
    targets = torch.arange(len(keys))
    matrix = (START * torch.randn(values.shape[1], keys.shape[1])).requires_grad_()
    optimiser = torch.optim.Adam([matrix], lr=rate)
    start = time.perf_counter()
    for step in range(STEPS):
        if time.perf_counter() - start > patience:
            return None
        optimiser.param_groups[0]["lr"] = rate_at(step, rate)
        scores = x @ matrix.T @ y.T
        if bool((scores.detach().argmax(1) == targets).all()):
            return step
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(scores, targets).backward()
        optimiser.step()
    return None


def against_torch(dim, rates):
    import torch  # before the clock runs

    torch.set_num_threads(CORES)
    facts = int(LOAD * ireneo.capacity(dim).facts_capacity_decoupled)
    keys, values = draw(1, facts, dim), draw(2, facts, dim)
    ours, best, trained = math.inf, math.inf, []
    for rate in rates:
        for _ in range(3):
            taken, (_, info) = seconds(lambda: ireneo.store(keys, values))
            assert info.stored
            ours = min(ours, taken)
        taken, steps = seconds(lambda: train(keys, values, rate, best))
        trained.append({"rate": rate, "steps": steps, "seconds": taken})
        if steps is not None:
            best = min(best, taken)
    return {"dim": dim, "facts": facts, "seconds": ours, "torch": trained, "times": best / ours}


def against_faiss():
    import faiss

    faiss.omp_set_num_threads(CORES)
    matrix, values, queries = draw(1, WIDTH, WIDTH), draw(2, CANDIDATES, WIDTH), draw(3, QUERIES, WIDTH)
    memory, index, found = ireneo.Memory(matrix), faiss.IndexFlatIP(WIDTH), {}
    index.add(values)
    for top in (1, 10):
        ours = theirs = math.inf
        for _ in range(ROUNDS):
            taken, answers = seconds(lambda: memory.recall(queries, values, top=top))
            ours = min(ours, taken)
            taken, (_, indices) = seconds(lambda: index.search(queries @ matrix.T, top))
            theirs = min(theirs, taken)
        agree = float((answers.indices == indices).mean())
        assert agree > 0.999, agree  # float32 may order two that are closer than its rounding
        found[f"top_{top}"] = {"seconds": ours, "faiss": theirs, "times": theirs / ours, "agree": agree}
    return found


if sys.argv[1] == "torch":
    print(json.dumps(against_torch(int(sys.argv[2]), [float(rate) for rate in sys.argv[3].split(",")])))
else:
    print(json.dumps(against_faiss()))
