"""Transformers at initialisation, real networks: random ones measured by layer, and a small one trained on text."""

from __future__ import annotations

import ctypes
from ctypes import c_double
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import structures as s
from .arrays import Array, pointer, real, seed64, size
from .attention_theory import Transformer, given, preset
from .attention_tokens import token_ids
from .display import Report
from .library import check, lib
from .progress import Progress, Watch
from .records import record


class Estimates(NamedTuple):
    """Means over random networks and their standard errors, (layers + 1)."""

    mean: Array
    error: Array


@dataclass(frozen=True)
class NetworkDepths(Report):
    """What was measured at every depth: 0 is the input, l the output of block l."""

    #: Mean cosine between different tokens, and mean squared length of a token over the width.
    rho: Estimates = field(repr=False)
    q: Estimates = field(repr=False)
    #: Of the attention rows of block l (NaN at depth 0).
    participation: Estimates = field(repr=False)
    entropy: Estimates = field(repr=False)
    overlap: Estimates = field(repr=False)
    #: Squared norms of gradients over that at the output: of the tokens at this depth, and of the weights of block l.
    gradient_tokens: Estimates = field(repr=False)
    gradient_query: Estimates = field(repr=False)
    gradient_key: Estimates = field(repr=False)
    gradient_value: Estimates = field(repr=False)
    gradient_mlp_in: Estimates = field(repr=False)
    gradient_mlp_out: Estimates = field(repr=False)
    #: rho among the first and among the last tokens, which differ under a causal mask.
    rho_early: Estimates = field(repr=False)
    rho_late: Estimates = field(repr=False)
    #: Of the output projection and of the gate; NaN where there is none.
    gradient_output: Estimates = field(repr=False)
    gradient_mlp_gate: Estimates = field(repr=False)


@dataclass(frozen=True)
class TrainingReport(Report):
    """How a training run ended. Losses are mean cross-entropies of the symbols asked for, in nats."""

    #: Different bytes or ids in the text; numbers that were trained.
    symbols: int
    parameters: int
    #: Steps made; fewer than asked for when the loss became infinite or NaN, and diverged is true then.
    steps: int
    diverged: bool
    #: Entropy of the symbols' frequencies: the best loss without a look at the neighbours.
    unigram_entropy: float
    #: Mean over the last tenth of the steps, and on the last tenth of the text, which is not trained on.
    final_loss: float
    held_out_loss: float
    #: What prediction by the frequencies of the whole text loses at the same positions.
    held_out_unigram: float
    #: What the symbol before alone gives a decoder; NaN for an encoder.
    held_out_bigram: float
    #: Mean loss over each twentieth of the steps.
    curve: Array = field(repr=False)
    #: Cosine between tokens at the input and the output, entropy of attention in the first layer and in all: before
    #: training and after.
    rho_0_before: float
    rho_before: float
    entropy_first_before: float
    entropy_before: float
    rho_0_after: float
    rho_after: float
    entropy_first_after: float
    entropy_after: float
    seconds: float


def simulate(
    model: Optional[Transformer] = None,
    *,
    tokens: Any = None,
    padding: Optional[int] = None,
    positions: Optional[float] = None,
    last: int = 0,
    draws: int = 10,
    forward_only: bool = False,
    seed: int = 1,
    threads: int = 0,
    progress: Optional[Progress] = None,
    **changes: Any,
) -> NetworkDepths:
    """Gaussian tokens of overlap rho_0 through random networks, and a random gradient back. forward_only leaves out
    the gradients, which are NaN then.

    tokens: ids of a text, a stream or sequences in rows, instead of Gaussian tokens; equal ids get equal random vectors, to which those of
    positions are added, `positions` times as long (1, or 0 with rotary positions). Negative ids, or those equal to padding, are left out. Draw k reads window k of at
    most `context` tokens. last: measure the last so many tokens only.

    >>> depths = simulate(layers=2, width=32, mlp_width=32, context=16, draws=2, forward_only=True)
    >>> depths.rho.mean.shape
    (3,)
    >>> text = simulate(layers=1, width=512, mlp_width=8, context=16, tokens=[5, 7, 5, 9, 5, -1], positions=0, draws=50, forward_only=True)
    >>> 0.27 < text.rho.mean[0] < 0.33  # three of ten pairs are equal
    True
    """
    subject = given(model, changes)
    text = None if tokens is None else token_ids(tokens, padding)
    settings = s.ireneo_attention_simulate_settings(
        draws=size(draws, "draws", 1),
        forward_only=int(bool(forward_only)),
        seed=seed64(seed),
        threads=size(threads, "threads"),
        positions=0.0 if positions is None else real(positions, "positions") or -1.0,
        last=size(last, "last"),
    )
    if text is not None:
        settings.tokens = ctypes.pointer(text.struct)
    depths = (s.ireneo_attention_depth * (subject.layers + 1))()
    with Watch(progress) as watch:
        settings.progress = watch.pointer
        code = lib.ireneo_attention_simulate(subject, settings, depths)
    watch.finish(code)
    names = [name for name, _ in s.ireneo_attention_depth._fields_]
    table = np.frombuffer(depths, dtype=np.float64).reshape(subject.layers + 1, len(names), 2)
    return NetworkDepths(**{name: Estimates(*table[:, k].T.copy()) for k, name in enumerate(names)})


def gradient_depth(model: Optional[Transformer] = None, **changes: Any) -> Array:
    """The law for the squared gradient of the tokens at every depth (layers + 1), over that at the output; post-LN.

    >>> law = gradient_depth(layers=4)
    >>> law.shape, float(law[-1])
    ((5,), 1.0)
    """
    subject = given(model, changes)
    law = np.empty(subject.layers + 1)
    check(lib.ireneo_attention_gradient_depth(subject, pointer(law, c_double)))
    return law


def train(
    text: Union[str, bytes, Array],
    model: Optional[Transformer] = None,
    *,
    padding: Optional[int] = None,
    steps: int = 0,
    batch: int = 0,
    warmup: int = 0,
    rate: float = 0.0,
    mask: float = 0.0,
    clip: float = 0.0,
    tied: bool = False,
    seed: int = 1,
    threads: int = 0,
    progress: Optional[Progress] = None,
    **changes: Any,
) -> TrainingReport:
    """Trains a transformer on a text with Adam, to fill masked positions, or (causal=True) to predict what follows: byte by byte, or id by
    id when the text is an array of token ids. Sequences in rows are put one after the other; negative ids, or those equal to
    padding, are left out.

    Without a model: the preset "small", 24 post-LN blocks of width 64, 4 heads, 32 tokens, beta 0.5, attention
    residual 2. steps, batch, warmup, rate, mask, clip: 0 means 1000, 24, a tenth of the steps, 0.001, 0.2 and 1.

    >>> report = train("abcd" * 200, layers=1, width=16, heads=1, mlp_width=16, context=8, steps=20)
    >>> report.symbols, report.diverged
    (4, False)
    >>> train(np.arange(400) % 5, layers=1, width=16, heads=1, mlp_width=16, context=8, steps=20).symbols
    5
    """
    content = text.encode() if isinstance(text, str) else text
    ids = None if isinstance(content, bytes) else token_ids(text, padding)
    if model is None:
        model = preset("small")
    subject, report = given(model, changes), s.ireneo_attention_train_report()
    settings = s.ireneo_attention_train_settings(
        steps=size(steps, "steps"),
        batch=size(batch, "batch"),
        warmup=size(warmup, "warmup"),
        rate=real(rate, "rate"),
        mask=real(mask, "mask"),
        clip=real(clip, "clip"),
        tied=int(bool(tied)),
        seed=seed64(seed),
        threads=size(threads, "threads"),
    )
    with Watch(progress) as watch:
        settings.progress = watch.pointer
        if ids is None:
            code = lib.ireneo_attention_train(subject, content, len(content), settings, report)
        else:
            code = lib.ireneo_attention_train_tokens(subject, ids.struct, settings, report)
    watch.finish(code)
    return record(TrainingReport, report, curve=np.array(report.curve))
