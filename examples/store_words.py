"""Capitals of 126 countries in a 100 x 100 matrix, with 10 085 words to choose from.

    python3 examples/store_words.py [country ...]

Needs NumPy and the built library: `make build`, then run it with PYTHONPATH=python, or after `pip install ./python`."""

import csv
import sys
from pathlib import Path

import numpy as np

import ireneo

DATA = Path(__file__).resolve().parent.parent / "data"

vectors = np.load(DATA / "words-100d.npy")  # (10085, 100): row i belongs to words[i]
words = (DATA / "words.txt").read_text().split()
row = {word: i for i, word in enumerate(words)}
with open(DATA / "capitals.csv", newline="") as file:
    pairs = [(row[line["country"]], row[line["capital"]]) for line in csv.DictReader(file)]
countries, capitals = map(np.array, zip(*pairs))

law = ireneo.capacity(100, candidates=len(words), facts=len(pairs))
print(f"A 100 x 100 matrix holds {law.facts_capacity:.0f} such facts; these are {len(pairs)}.")

memory, info = ireneo.store(vectors[countries], vectors, capitals)
print(f"{info.status}: {info.recalled} of {info.facts} recalled, in {info.seconds:.2f} s")

asked = sys.argv[1:] or ["france", "japan", "kenya"]
answers = memory.recall(vectors[[row[name] for name in asked]], vectors, top=3)
for name, indices in zip(asked, answers.indices):
    print(f"  {name} -> " + ", ".join(words[k] for k in indices))

memory.save("capitals.safetensors", values=vectors)
print("Written to capitals.safetensors: tensors W and values.")
