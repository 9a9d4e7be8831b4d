"""Libraries with a BLAS of their own in one process, imported in the order of the arguments, each used before the next one
comes and again when all are there. By hand: together.py ireneo torch numpy"""

import sys


def numpy_works():
    import numpy as np

    a = np.random.default_rng(1).standard_normal((300, 300))
    assert np.allclose(a @ np.linalg.inv(a), np.eye(300), atol=1e-6)


def torch_works():
    import torch

    a = torch.randn(300, 300, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    assert torch.allclose(a @ torch.linalg.inv(a), torch.eye(300, dtype=torch.float64), atol=1e-6)


def ireneo_works():
    import ireneo.selftest

    assert ireneo.selftest.main() == 0


if __name__ == "__main__":
    for name in sys.argv[1:] * 2:
        {"numpy": numpy_works, "torch": torch_works, "ireneo": ireneo_works}[name]()
