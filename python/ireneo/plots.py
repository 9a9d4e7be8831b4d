"""Pictures, where Matplotlib is installed: how many facts fit, where dense memories retrieve, where transformers train.

    ax = ireneo.plots.capacity()
    ax.figure.savefig("capacity.svg")

Every function draws into `ax`, or into a new figure, and returns the axes."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from . import attention as _attention
from . import dense as _dense
from .arrays import Array
from .attention_theory import Trainability, Transformer
from .errors import ArgumentError
from .law import capacity as _capacity

try:
    from matplotlib import pyplot
except ImportError:
    raise ImportError("ireneo.plots needs Matplotlib; the numbers themselves come from ireneo.capacity, dense and attention") from None

__all__ = ["capacity", "phases", "trainability"]

#: Colours that the colour-blind tell apart (Okabe and Ito).
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#00795a", "#666666"


def _axes(ax: Optional[Any]) -> Any:
    return pyplot.subplots(figsize=(6.0, 4.2), layout="constrained")[1] if ax is None else ax


def _finish(ax: Any, title: str, across: str, up: str) -> Any:
    ax.set_title(title, loc="left", fontsize="medium")
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _number(value: float) -> str:
    return f"{value:,.0f}".replace(",", "\u2009")


def _whole_powers(low: float, high: float, count: int) -> Array:
    return np.asarray(np.unique(np.round(np.geomspace(low, high, count)).astype(int)))


def capacity(
    dims: Optional[Sequence[int]] = None,
    *,
    candidates: Optional[float] = None,
    rank: Optional[int] = None,
    facts: Optional[float] = None,
    ax: Optional[Any] = None,
) -> Any:
    """Facts that fit against the dimension: the law, its limit formula and the Hebbian rule. candidates: values that every
    key competes over (None: one a fact). facts: a line at this number, and the dimension that holds it.

    >>> capacity([20, 50, 100], facts=500).get_xlabel()
    'dimension'
    """
    x = np.asarray(_whole_powers(16, 4096, 25) if dims is None else dims)
    if rank is not None:
        x = x[x >= rank]
    if x.ndim != 1 or x.size < 2:
        raise ArgumentError("dims: two or more dimensions make a line" + ("; none may be below the rank" if rank else ""))
    reports = [_capacity(int(d), candidates=candidates, rank=rank) for d in x]
    law = np.array([r.facts_capacity for r in reports])
    ax = _axes(ax)
    ax.loglog(x, law, color=BLUE, label="fits: the finite-size law")
    if rank is None:
        ax.loglog(x, [r.facts_capacity_asymptotic for r in reports], color=GREY, ls="--", label=r"limit, $n\,\log P = d^2/2$")
        ax.loglog(x, [r.facts_capacity_hebbian for r in reports], color=ORANGE, ls=":", label="the Hebbian rule")
    if facts is not None:
        ax.axhline(facts, color=GREEN, lw=1)
        needed = np.exp(np.interp(np.log(facts), np.log(law), np.log(x), left=np.nan, right=np.nan))
        note = _number(facts) + " facts" + (f": d = {int(np.ceil(needed))}" if np.isfinite(needed) else "")
        ax.annotate(note, (x[0], facts), (2, 3), textcoords="offset points", color=GREEN, fontsize="small")
    ax.legend(frameon=False, fontsize="small")
    kind = "" if rank is None else f", rank {rank}"
    among = "" if candidates is None else f" among {_number(candidates)} candidates"
    return _finish(ax, f"Facts that a d x d memory holds{kind}{among}", "dimension", "facts")


def phases(
    lambdas: Optional[Sequence[float]] = None, *, ensemble: str = "spherical", ax: Optional[Any] = None
) -> Any:
    """Load alpha = log(P)/N against the inverse temperature: below alpha_1 a given pattern is retrieved, below the lower line
    all patterns are.

    >>> phases([0.5, 1.0, 2.0]).get_ylim()[0]
    0.0
    """
    x = np.geomspace(0.05, 20.0, 60) if lambdas is None else np.asarray(lambdas, dtype=float)
    reports = [_dense.phases(float(v), ensemble=ensemble) for v in x]

    def line(name: str) -> Array:
        values = np.array([getattr(r, name) for r in reports])
        return np.where(np.isfinite(values), values, np.nan)

    ax = _axes(ax)
    one, every, star = line("alpha_1"), line("alpha_c_lower_bound"), line("alpha_star")
    ax.fill_between(x, 0, every, color=ORANGE, alpha=0.15, lw=0)
    ax.fill_between(x, every, one, color=BLUE, alpha=0.12, lw=0)
    proved = "" if all(r.alpha_c_exact for r in reports) else ", at least"
    ax.semilogx(x, one, color=BLUE, lw=2.5, label=r"$\alpha_1$: a given pattern is retrieved below")
    ax.semilogx(x, every, color=ORANGE, lw=1, label=rf"$\alpha_c$: all patterns are{proved}")
    ax.semilogx(x, np.where(star <= one, star, np.nan), color=GREY, ls="--", lw=1, label=r"$\alpha_*$: only the nearest patterns compete below")
    ax.set_xlim(x.min(), x.max())
    ax.set_ylim(0, 1.4 * np.nanmax(one))
    ax.legend(frameon=False, fontsize="small", loc="upper left")
    title = f"Dense memory, {ensemble} patterns: what is retrieved"
    return _finish(ax, title, r"inverse temperature $\lambda$", r"load $\alpha = \log P / N$")


def trainability(
    diagram: Optional[Trainability] = None,
    model: Optional[Transformer] = None,
    *,
    betas: Optional[Sequence[float]] = None,
    residuals: Optional[Sequence[float]] = None,
    ax: Optional[Any] = None,
    **changes: Any,
) -> Any:
    """Where a transformer can be trained, over query-key scale and attention residual strength. Takes a diagram of
    `attention.trainability`, or what makes one: a model, changes to it, and the grid. A cross marks the model.

    >>> trainability(betas=[0.5, 1.0, 2.0], residuals=[0.5, 1.0, 2.0], layers=6).get_ylabel()
    'attention residual strength'
    """
    if diagram is None:
        x = np.linspace(0.1, 4.0, 40) if betas is None else betas
        y = np.linspace(0.05, 3.0, 40) if residuals is None else residuals
        diagram = _attention.trainability(x, y, model, **changes)
    elif betas is not None or residuals is not None or changes:
        raise ArgumentError("a diagram has its own grid and transformer; give it alone, or leave it out")
    ax = _axes(ax)
    kind = np.where(diagram.trainable, 0, np.where(diagram.rank_collapse, 1, np.where(diagram.gradients_explode, 2, 3)))
    shades = pyplot.matplotlib.colors.ListedColormap(["#cfe8d9", "#f3d9c9", "#cfdcec", "#dddddd"])
    ax.pcolormesh(diagram.betas, diagram.residuals, kind.T, cmap=shades, vmin=0, vmax=3, shading="nearest", rasterized=True)
    ax.plot(diagram.betas, diagram.rank_line, color=ORANGE, lw=1.5)
    inside = diagram.betas.min() < diagram.beta_line < diagram.betas.max()
    if inside:
        ax.axvline(diagram.beta_line, color=BLUE, lw=1.5)
    ax.set_xlim(diagram.betas.min(), diagram.betas.max())
    ax.set_ylim(diagram.residuals.min(), diagram.residuals.max())
    names = ((0, "trainable", GREEN), (1, "rank collapse", ORANGE), (2, "gradients explode", BLUE), (3, "rate", "black"))
    for code, text, colour in names:
        where = np.argwhere(kind == code)
        if len(where):
            i, j = where[np.square(where - where.mean(axis=0)).sum(axis=1).argmin()]  # nearest to the middle
            ax.text(diagram.betas[i], diagram.residuals[j], text, color=colour, ha="center", va="center", fontsize="small")
    if model is not None or changes:
        subject = _attention.transformer(**changes) if model is None else model
        ax.plot([subject.beta], [subject.residual_attention], "x", color="black", ms=8, mew=2)
    return _finish(ax, "Where the signal lives", r"query-key scale $\beta$", "attention residual strength")
