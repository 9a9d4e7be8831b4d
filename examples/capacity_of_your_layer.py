"""How many facts the layers of models that people know could hold, if they held nothing else.

    python3 examples/capacity_of_your_layer.py [KEYS VALUES CANDIDATES]
"""
import sys

import ireneo

LAYERS = {  # name: dimension of keys, of values, candidates
    "GPT-2 small, MLP down": (3072, 768, 50257),
    "BERT base, MLP down": (3072, 768, 30522),
    "Llama 3 8B, MLP down": (14336, 4096, 128256),
    "a DeltaNet head": (128, 128, None),
}
if len(sys.argv) > 1:
    LAYERS = {"your layer": tuple(map(int, sys.argv[1:4]))}

print(f"{'layer':24} {'keys':>6} {'values':>6} {'facts that fit':>15} {'Hebbian rule':>13} {'bits/parameter':>15}")
for name, (keys, values, candidates) in LAYERS.items():
    law = ireneo.capacity(dim_in=keys, dim_out=values, candidates=candidates)
    print(f"{name:24} {keys:6} {values:6} {law.facts_capacity:15,.0f} {law.facts_capacity_hebbian:13,.0f} {law.bits_per_parameter:15.3f}")
