"""Certificates: proofs that facts do not fit, and their check."""

from __future__ import annotations

import os
from ctypes import POINTER, c_double, c_int64
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from . import structures as s
from .arrays import as_indices, copy_of, hash_bytes, pointer, size
from .display import Report
from .errors import DataError
from .facts import Facts
from .library import check, encode_path, lib
from .progress import Progress, Watch
from .records import record
from .structures_linear import HASH_BYTES

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class VerifyReport(Report):
    """What the independent check of a certificate finds. True when it was accepted."""

    accepted: bool
    #: No memory of smaller Frobenius norm recalls all facts with margin 1, on normalised data.
    norm_bound: float
    #: Sum of the weights; |sum w a| for pairs of norm one and weights that sum to one; its rounding error, added to it.
    weight_sum: float
    residual: float
    rounding_bound: float
    weights: int
    #: No memory recalls all facts with a larger angular margin; 0 when exact.
    angular_margin_bound: float
    #: Accepted, and no real matrix at all recalls the facts.
    exact: bool
    #: Why it was not accepted, or what it proves.
    sentence: str

    def __bool__(self) -> bool:
        return self.accepted


class Certificate:
    """Weights R_k > 0 on pairs (fact, competitor) with sum_k R_k (y_target - y_competitor) x^T = 0. A memory that
    recalls all facts would make every term's score positive, and their sum zero."""

    def __init__(self, facts: Any, competitors: Any, weights: Any, *, facts_hash: bytes = bytes(HASH_BYTES), reason: str = "", margins: Any = None) -> None:
        self.facts = as_indices(facts, "facts")
        self.competitors = as_indices(competitors, "competitors")
        self.weights = np.ascontiguousarray(weights, dtype=np.float64)
        if not self.facts.shape == self.competitors.shape == self.weights.shape:
            raise DataError(
                f"{self.facts.size} facts, {self.competitors.size} competitors, {self.weights.size} weights; "
                "they must be as many"
            )
        self.facts_hash = bytes(facts_hash)
        self.reason = reason
        #: Gaps that the proof is about (weights); None: recall at all.
        self.margins = None if margins is None else np.ascontiguousarray(margins, dtype=np.float64)
        if self.margins is not None and self.margins.shape != self.weights.shape:
            raise DataError(f"{self.margins.size} margins and {self.weights.size} weights; they must be as many")

    def __len__(self) -> int:
        return int(self.weights.size)

    def __repr__(self) -> str:
        return f"Certificate({len(self)} weights on {np.unique(self.facts).size} facts)"

    def _struct(self) -> s.ireneo_certificate:
        """The certificate as C sees it: a view of the arrays, valid while self is."""
        return s.ireneo_certificate(
            len(self),
            pointer(self.facts, c_int64),
            pointer(self.competitors, c_int64),
            pointer(self.weights, c_double),
            hash_bytes(self.facts_hash),
            self.reason.encode()[:159],
            pointer(self.margins, c_double),
        )

    def verify(
        self, keys: Any, values: Any, targets: Any = None, *, residuals: Any = None, exact: bool = False, threads: int = 0,
        progress: Optional[Progress] = None,
    ) -> VerifyReport:
        """Checks the proof against the facts with code that shares nothing with the solver. Up to 2500 entries of W
        it also tries to show that no real matrix at all recalls the facts; `exact` asks for that at any size."""
        facts = Facts(keys, values, targets, residuals)
        report = s.ireneo_verify_report()
        with Watch(progress) as watch:
            settings = s.ireneo_verify_settings(size(threads, "threads"), int(exact), watch.pointer)
            code = lib.ireneo_verify(self._struct(), facts.struct, settings, report)
        watch.finish(code)
        return record(VerifyReport, report, sentence=report.sentence.decode("utf-8", "replace"))

    def save(self, path: PathLike) -> None:
        """Writes the certificate as .safetensors. The write is atomic."""
        check(lib.ireneo_certificate_save(self._struct(), encode_path(path)))

    @classmethod
    def load(cls, path: PathLike) -> "Certificate":
        """Reads a certificate that `save` or the program wrote."""
        loaded = POINTER(s.ireneo_certificate)()
        check(lib.ireneo_certificate_load(encode_path(path), loaded))
        return take_certificate(loaded)


def copy_certificate(c: s.ireneo_certificate) -> Certificate:
    """A certificate of the library's as Python's own."""
    return Certificate(
        copy_of(c.facts, (c.count,)),
        copy_of(c.candidates, (c.count,)),
        copy_of(c.weights, (c.count,)),
        facts_hash=bytes(c.facts_hash),
        reason=c.reason.decode("utf-8", "replace"),
        margins=copy_of(c.margins, (c.count,)) if c.margins else None,
    )


def take_certificate(source: Any) -> Certificate:
    """Copies a certificate out of the library's hands, and releases it."""
    try:
        return copy_certificate(source.contents)
    finally:
        lib.ireneo_certificate_free(source)
