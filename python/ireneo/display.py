"""Reports and memories in notebooks: small tables, with curves and matrices drawn."""

from __future__ import annotations

import math
from dataclasses import fields
from enum import Enum
from html import escape
from typing import Any, List, Sequence, Tuple

import numpy as np

from .arrays import Array

_CELL = 'style="text-align:left;padding:1px 1em 1px 0"'
_NAME = 'style="text-align:left;padding:1px 1em 1px 0;white-space:nowrap"'


def _number(value: float) -> str:
    if value != value:
        return "&ndash;"
    if math.isinf(value):
        return "&infin;" if value > 0 else "&minus;&infin;"
    text = f"{value:,.0f}" if value == round(value) and 1e3 <= abs(value) < 1e15 else f"{value:.6g}"
    return text.replace(",", "&thinsp;").replace("-", "&minus;")


def curve(values: Array, width: int = 160, height: int = 28) -> str:
    """A vector as a line, in SVG. What is not finite is left out."""
    y = np.asarray(values, dtype=float)
    points = [(k, v) for k, v in enumerate(y[:: max(1, y.size // width)]) if np.isfinite(v)]
    if len(points) < 2:
        return ""
    low, high = min(v for _, v in points), max(v for _, v in points)
    across, up = (width - 2) / points[-1][0], (height - 2) / (high - low or 1.0)
    path = " ".join(f"{1 + k * across:.1f},{height - 1 - (v - low) * up:.1f}" for k, v in points)
    line = f'<polyline points="{path}" fill="none" stroke="#1b6ca8" stroke-width="1.5"/>'
    return f'<svg width="{width}" height="{height}" role="img" aria-label="curve">{line}</svg>'


def _blocks(matrix: Array, most: int) -> Array:
    """A matrix of at most `most` rows and columns: the root mean square of each block."""
    rows, columns = (np.linspace(0, n, min(n, most) + 1).astype(int) for n in matrix.shape)
    square = np.add.reduceat(np.add.reduceat(np.square(matrix, dtype=float), rows[:-1], 0), columns[:-1], 1)
    return np.asarray(np.sqrt(square / np.outer(np.diff(rows), np.diff(columns))))


def picture(matrix: Array, most: int = 24, side: int = 5) -> str:
    """The size of a matrix' entries, in SVG: darker is larger."""
    shade = _blocks(matrix, most)
    shade = shade / (shade.max() or 1.0)
    squares = [
        f'<rect x="{x * side}" y="{y * side}" width="{side}" height="{side}" fill-opacity="{shade[y, x]:.2f}"/>'
        for y in range(shade.shape[0])
        for x in range(shade.shape[1])
    ]
    size = f'width="{shade.shape[1] * side}" height="{shade.shape[0] * side}"'
    return f'<svg {size} role="img" aria-label="matrix"><g fill="#1b6ca8">{"".join(squares)}</g></svg>'


def _array(value: Array) -> str:
    shape = " &times; ".join(str(n) for n in value.shape)
    if value.size == 0 or value.dtype.kind not in "fiub":
        return f"{shape} of {escape(str(value.dtype))}"
    if value.dtype.kind == "b":
        return f"{_number(int(value.sum()))} of {_number(value.size)}"
    finite = value[np.isfinite(value)]
    range_ = f"{_number(float(finite.min()))} to {_number(float(finite.max()))}" if finite.size else "nothing finite"
    return f"{shape} numbers, {range_} " + (curve(value) if value.ndim == 1 and value.dtype.kind == "f" else "")


def cell(value: Any) -> str:
    """A value as HTML."""
    if isinstance(value, Enum):
        return escape(str(value.value))
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "&ndash;"}[value]
    if isinstance(value, (int, float, np.number)):
        return _number(float(value))
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, dict):
        return ", ".join(f"{escape(str(k))} {cell(v)}" for k, v in value.items())
    if isinstance(value, tuple):
        return ", ".join(cell(v) for v in value)
    return escape(str(value))


def table(title: str, rows: Sequence[Tuple[str, Any]]) -> str:
    """A table of names and values."""
    lines: List[str] = []
    for name, value in rows:
        words = escape(name.rstrip("_").replace("_", " "))
        lines.append(f"<tr><th {_NAME}>{words}</th><td {_CELL}>{cell(value)}</td></tr>")
    return f"<table><caption {_NAME}><b>{escape(title)}</b></caption>{''.join(lines)}</table>"


class Report:
    """A dataclass that notebooks show as a table. Empty texts and what is None are left out."""

    def _repr_html_(self) -> str:
        rows = [(f.name, getattr(self, f.name)) for f in fields(self)]
        shown = [(name, value) for name, value in rows if not (value is None or isinstance(value, str) and value == "")]
        return table(type(self).__name__, shown)
