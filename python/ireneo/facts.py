"""Keys, candidates and targets, put together as the library sees them."""

from __future__ import annotations

import ctypes
from ctypes import c_float, c_int64, c_ubyte, c_void_p
from typing import Any, Optional

import numpy as np

from . import structures as s
from .arrays import Array, as_floats, as_indices, pointer
from .errors import DataError
from .library import check, lib
from .sampling import OwnCandidates
from .structures_linear import HASH_BYTES


class Facts:
    """An ireneo_facts and the arrays it points into. Values may be an array (P, dim_out) that all keys share, an
    array (n, P, dim_out) with a set of candidates for each key, or an OwnCandidates."""

    def __init__(self, keys: Any, values: Any, targets: Any = None, residuals: Any = None) -> None:
        self.keys = as_floats(keys, "keys")
        self.targets: Optional[Array] = None
        self.struct = s.ireneo_facts()
        self.struct.facts, self.struct.dim_in = self.keys.shape
        self.struct.keys = pointer(self.keys, c_float)
        if isinstance(values, OwnCandidates):
            self._take_generated(values)
        else:
            self.values = as_floats(values, "values", (2, 3))
            self._take_shared() if self.values.ndim == 2 else self._take_own()
        self.residuals = as_floats(residuals, "residuals") if residuals is not None else None
        if self.residuals is not None:
            self._take_residuals(self.residuals)
        if targets is not None:
            self._take_targets(targets)
        elif self.struct.candidates != self.struct.facts and not isinstance(values, OwnCandidates):
            raise DataError(
                f"{self.struct.facts} keys and {self.struct.candidates} values; without targets they must be as many"
            )

    def _take_residuals(self, residuals: Array) -> None:
        wanted = (self.struct.facts, self.struct.dim_out)
        if residuals.shape != wanted:
            raise DataError(f"residuals have shape {residuals.shape}, but keys and values need {wanted}")
        self.struct.residuals = pointer(residuals, c_float)

    def _take_shared(self) -> None:
        self.struct.candidates, self.struct.dim_out = self.values.shape
        self.struct.values = pointer(self.values, c_float)

    def _take_own(self) -> None:
        rows, self.struct.candidates, self.struct.dim_out = self.values.shape
        if rows != self.struct.facts:
            raise DataError(f"{self.struct.facts} keys, but values hold candidates of {rows} facts")
        base, width = self.values.ctypes.data, self.struct.dim_out * 4
        stride = self.struct.candidates * width

        def copy(_context: Any, fact: int, first: int, count: int, out: Any) -> None:
            ctypes.memmove(out, base + fact * stride + first * width, count * width)

        self._callback = s.OWN_CANDIDATES(copy)  # kept here: C only borrows it
        self.struct.own_candidates = self._callback

    def _take_generated(self, own: OwnCandidates) -> None:
        if own.dim_in != self.struct.dim_in:
            raise DataError(
                f"keys have {self.struct.dim_in} dimensions, but the candidates belong to keys of {own.dim_in}"
            )
        self._sample = s.ireneo_sample(own.seed, own.dim_in, own.dim_out)
        self.struct.candidates, self.struct.dim_out = own.candidates, own.dim_out
        self.struct.own_candidates = ctypes.cast(lib.ireneo_sample_own_candidates, s.OWN_CANDIDATES)
        self.struct.own_context = ctypes.cast(ctypes.pointer(self._sample), c_void_p)

    def _take_targets(self, targets: Any) -> None:
        self.targets = as_indices(targets, "targets")
        if self.targets.size != self.struct.facts:
            raise DataError(f"{self.targets.size} targets, but {self.struct.facts} keys")
        self.struct.targets = pointer(self.targets, c_int64)

    @property
    def hash(self) -> bytes:
        """The fingerprint that memories and certificates keep."""
        digest = (c_ubyte * HASH_BYTES)()
        check(lib.ireneo_facts_hash(self.struct, digest))
        return bytes(digest)
