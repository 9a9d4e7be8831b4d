"""Dense associative memories (modern Hopfield networks, softmax attention): how many patterns fit, how far a query may
be from its pattern, retrieval, what a memory of given patterns does, and simulation.

P = e^(alpha N) patterns of N numbers and of length sqrt(N); a query moves by x <- sum_mu softmax(lambda x.xi)_mu xi_mu.
For unit vectors the same softmax has beta = lambda N. Since lambda is a word of Python, it is called lambda_ here.
Numbers that cannot be said are NaN."""

from .dense_dynamics import Audit, Draws, Retrieval, audit, recall, simulate
from .dense_theory import Basins, Phases, ScaledLoad, basins, phases, scaled

__all__ = [
    "Audit",
    "Basins",
    "Draws",
    "Phases",
    "Retrieval",
    "ScaledLoad",
    "audit",
    "basins",
    "phases",
    "recall",
    "scaled",
    "simulate",
]
