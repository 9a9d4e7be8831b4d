"""Plain structs of C as frozen dataclasses of the same fields."""

from __future__ import annotations

import ctypes
from dataclasses import fields
from typing import Any, Dict, Sequence, Type, TypeVar

from .errors import ArgumentError

Record = TypeVar("Record")


def record(kind: Type[Record], raw: ctypes.Structure, **others: Any) -> Record:
    """Fills a dataclass from the fields of the same names; `lambda_` is C's `lambda`. Others are given apart."""
    values: Dict[str, Any] = dict(others)
    for f in fields(kind):
        if f.name not in values:
            value = getattr(raw, f.name.rstrip("_"))
            values[f.name] = bool(value) if f.type in ("bool", bool) else value
    return kind(**values)


def choice(words: Sequence[str], word: str, name: str) -> int:
    """The number that stands for a word in C."""
    if word not in words:
        raise ArgumentError(f"{name} is one of {', '.join(words)}, not {word!r}")
    return words.index(word)
