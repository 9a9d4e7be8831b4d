"""Moments of the keys that a layer sees: exact sums, which merge bit for bit."""

from __future__ import annotations

import os
from ctypes import c_char_p, c_double, c_float, c_void_p
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import structures as s
from .arrays import Array, as_floats, pointer, size
from .display import Report
from .errors import ArgumentError
from .library import check, encode_path, lib
from .progress import Progress, Watch
from .records import record

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class MomentsReport(Report):
    """What moments say of their keys."""

    dim: int
    count: int
    #: E |x|^2, and the share of it that the mean takes.
    mean_square: float
    mean_share: float
    #: (tr C)^2 / tr C^2 of the second moment, and of the covariance.
    participation: float
    participation_centred: float


class Moments:
    """Exact sums over keys x: `second_moment` is E x x^T, `mean` E x. `a.merge(b)` gives the moments of both sets of
    keys, the same to the last bit as if all had been added to one."""

    def __init__(self, dim: int) -> None:
        self._pointer = c_void_p()
        check(lib.ireneo_moments_new(size(dim, "dim"), self._pointer))

    @classmethod
    def _take(cls, taken: c_void_p) -> "Moments":
        moments = cls.__new__(cls)
        moments._pointer = taken
        return moments

    @classmethod
    def load(cls, path: PathLike) -> "Moments":
        """Reads a file of `save`."""
        loaded = c_void_p()
        check(lib.ireneo_moments_load(encode_path(path), loaded))
        return cls._take(loaded)

    def __del__(self) -> None:
        taken, self._pointer = getattr(self, "_pointer", None), c_void_p()
        if taken:
            lib.ireneo_moments_free(taken)

    def add(self, keys: Any, *, threads: int = 0, progress: Optional[Progress] = None) -> "Moments":
        """Adds keys; the last axis is that of a key's entries."""
        rows = as_floats(keys, "keys", (2, 3, 4))
        if rows.shape[-1] != self.dim:
            raise ArgumentError(f"keys have {rows.shape[-1]} entries, but the moments are of {self.dim}")
        settings = s.ireneo_run_settings(threads=size(threads, "threads"))
        with Watch(progress) as watch:
            settings.progress = watch.pointer
            code = lib.ireneo_moments_add(self._pointer, pointer(rows, c_float), rows.size // self.dim, settings)
        watch.finish(code)
        return self

    def merge(self, other: "Moments") -> "Moments":
        """Adds the keys of other moments."""
        check(lib.ireneo_moments_merge(self._pointer, other._pointer))
        return self

    def save(self, path: PathLike) -> None:
        """Writes .safetensors: second_moment, mean, count, and sums."""
        check(lib.ireneo_moments_save(self._pointer, encode_path(path)))

    @property
    def dim(self) -> int:
        return int(lib.ireneo_moments_dim(self._pointer))

    @property
    def count(self) -> int:
        return int(lib.ireneo_moments_count(self._pointer))

    @property
    def second_moment(self) -> Array:
        """E x x^T (dim, dim), float64."""
        second = np.empty((self.dim, self.dim))
        check(lib.ireneo_moments_read(self._pointer, pointer(second, c_double), None))
        return second

    @property
    def mean(self) -> Array:
        """E x (dim), float64."""
        mean = np.empty(self.dim)
        check(lib.ireneo_moments_read(self._pointer, None, pointer(mean, c_double)))
        return mean

    def describe(self) -> MomentsReport:
        raw = s.ireneo_moments_report()
        check(lib.ireneo_moments_describe(self._pointer, raw))
        return record(MomentsReport, raw)


def moments(
    keys: Any, *more: Any, threads: int = 0, progress: Optional[Progress] = None
) -> Moments:
    """Moments of keys: an array, or locations of arrays and files of moments, which are read in blocks of rows.

    >>> moments([[1.0, 0.0], [3.0, 0.0]]).mean.tolist()
    [2.0, 0.0]
    """
    if not isinstance(keys, (str, os.PathLike)):
        if more:
            raise ArgumentError("moments takes one array, or any number of locations; add and merge join more")
        rows = as_floats(keys, "keys", (2, 3, 4))
        return Moments(rows.shape[-1]).add(rows, threads=threads, progress=progress)
    words: Sequence[bytes] = [encode_path(location) for location in (keys, *more)]
    settings, found = s.ireneo_run_settings(threads=size(threads, "threads")), c_void_p()
    with Watch(progress) as watch:
        settings.progress = watch.pointer
        code = lib.ireneo_moments_of_files((c_char_p * len(words))(*words), len(words), settings, found)
    watch.finish(code)
    return Moments._take(found)
