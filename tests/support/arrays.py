"""Arrays, good and bad, for the shell tests of the linear commands; written into the current folder."""

import numpy as np

rng = np.random.default_rng(1)
keys, values = rng.normal(size=(20, 12)).astype("f4"), rng.normal(size=(20, 10)).astype("f4")
np.save("keys.npy", keys)
np.save("values.npy", values)
np.save("keys16.npy", keys.astype("f2"))
np.save("keys64.npy", keys.astype("f8"))
np.save("targets.npy", np.arange(20) % 7)
np.save("targets32.npy", (np.arange(20) % 7).astype("i4"))
np.save("few.npy", values[:7])
np.save("keys7.npy", keys[:, :4])
for name, entry in (("nan", np.nan), ("inf", np.inf), ("wide", 1e300)):
    bad = keys.astype("f8")
    bad[13, 2] = entry
    np.save(f"{name}.npy", bad)
bad = np.arange(20)
bad[11] = 20
np.save("targets-high.npy", bad)
bad[11] = -1
np.save("targets-low.npy", bad)
np.save("targets-short.npy", np.arange(19))
np.save("targets-real.npy", np.arange(20.0))
np.save("targets-square.npy", np.arange(20).reshape(4, 5))
np.save("empty.npy", np.zeros((0, 12), "f4"))
np.save("cube.npy", np.zeros((3, 4, 5), "f4"))
np.save("complex.npy", keys.astype("c8"))
np.save("one.npy", keys[:1])
np.save("one-value.npy", values[:1])
np.save("two-values.npy", values[:2])
np.save("target-one.npy", np.array([1]))
np.save("one-hot.npy", np.eye(3, dtype="f4"))
open("three.txt", "w").write("a\nb\nc\n")
open("none.csv", "w").write("")
open("nothing-but-zeros", "wb").write(b"\0\n" * 20)
np.save("zeros.npy", np.zeros(20, "i8"))
np.save("more-values.npy", np.concatenate([values, values[:3]]))
whole = open("keys.npy", "rb").read()
open("truncated.npy", "wb").write(whole[:-7])
open("header.npy", "wb").write(whole[:40])
open("magic.npy", "wb").write(b"\x93NUMPI" + whole[6:])
open("nothing.npy", "wb").write(b"")
open("overflow.npy", "wb").write(whole.replace(b"(20, 12)", b"(4611686018427387904, 12)"))
open("noise.safetensors", "wb").write(b"\xff" * 64)
twice = keys.copy()
twice[7] = twice[2]
np.save("twice.npy", twice)
