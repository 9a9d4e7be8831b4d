"""The largest number of random facts that fits, by bisection with proofs, beside the law.

The facts of a smaller instance are the first facts of a larger one, so what fits once fits at every smaller number. The
upper end of the bracket is proved impossible by a certificate, which is checked once more by the judge.

    python3 examples/critical_load.py [DIMENSION]
"""
import math
import sys

import ireneo

d = int(sys.argv[1]) if len(sys.argv) > 1 else 20
law = ireneo.capacity(d).facts_capacity
print(f"d = {d}: the law says {law:.1f} facts, a load n log n / d^2 of {law * math.log(law) / d**2:.3f}")

for seed in (1, 2, 3):
    keys, values = ireneo.random_normals((int(2 * law), d), seed=seed), ireneo.random_normals((int(2 * law), d), seed=seed + 100)
    fits, fails = 1, len(keys)
    while fails - fits > 1:
        n = (fits + fails) // 2
        memory, info = ireneo.store(keys[:n], values[:n])
        if info.status == "stored":
            fits = n
        else:
            assert info.certificate.verify(keys[:n], values[:n]).accepted
            fails = n
    print(f"draw {seed}: {fits} facts fit, {fails} are proved not to; load {fits * math.log(fits) / d**2:.3f}")
