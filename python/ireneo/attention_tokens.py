"""Text as token ids, for networks that read it."""

from __future__ import annotations

from ctypes import c_int64
from typing import Any, NamedTuple, Optional

import numpy as np

from . import structures as s
from .arrays import Array, plain_array, pointer
from .errors import DataError

LARGEST = 2**31 - 1


class TokenIds(NamedTuple):
    """The struct for C, and the numbers that it points to."""

    struct: s.ireneo_attention_tokens
    ids: Array


def token_ids(data: Any, padding: Optional[int]) -> TokenIds:
    """Ids of a stream (1 axis) or of sequences (2 axes); those equal to padding, or without one all negative ones, are padding."""
    given = plain_array(data, "tokens")
    if given.dtype.kind not in "iu":
        raise DataError(f"tokens: ids are whole numbers, not {given.dtype}")
    if given.ndim not in (1, 2) or given.size == 0:
        raise DataError(f"tokens: expected a stream of ids or sequences in rows, got shape {given.shape}")
    if given.max() > LARGEST:
        raise DataError(f"tokens: the id {given.max()} is above {LARGEST}")
    ids = np.array(given, dtype=np.int64, order="C")
    padded = ids < 0 if padding is None else ids == padding
    if padding is not None and (ids[~padded] < 0).any():
        raise DataError(f"tokens: the id {ids[~padded].min()} is negative, and padding is {padding}")
    ids[padded] = -1
    table = np.atleast_2d(ids)
    struct = s.ireneo_attention_tokens(ids=pointer(ids, c_int64), sequences=table.shape[0], length=table.shape[1])
    return TokenIds(struct, ids)
