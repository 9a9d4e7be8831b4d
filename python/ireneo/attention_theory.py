"""Transformers at initialisation, theory: one attention layer, depth, the two collapses, recommended scales. Fields
called ..._limit are for infinitely many tokens, all others exact at the given number."""

from __future__ import annotations

import ctypes
from ctypes import c_double
from dataclasses import dataclass, field, fields, replace
from typing import Any, Dict, NamedTuple, Optional

import numpy as np

from . import structures as s
from .arrays import Array, copy_of, plain_array, pointer, real, size
from .display import Report
from .errors import ArgumentError, DataError
from .library import check, lib
from .progress import Progress, Watch
from .records import choice, record

NORMALISATIONS = ("post", "pre", "none", "branch", "sandwich")
ACTIVATIONS = ("relu", "tanh", "gelu", "silu", "reglu", "geglu", "swiglu")

FLAGS = ("gain_control", "causal", "rms_norm", "parallel", "output_projection")


@dataclass(frozen=True)
class Layer(Report):
    """What one attention layer does on average."""

    #: Where a row condenses when the number of tokens goes to infinity.
    beta_c: float
    #: Spread of the logits within a row, over sqrt(log keys); the transition is at sqrt 2.
    beta_effective: float
    #: Y2 = E sum_k A_k^2: one over the number of keys that count.
    participation: float
    participation_limit: float
    #: E sum_k A_k^3, E sum_k A_k^4 and E (sum_k A_k^2)^2.
    y3: float
    y3_limit: float
    y4: float
    y4_limit: float
    y2_squared: float
    y2_squared_limit: float
    #: Mean entropy of a row, in nats.
    entropy: float
    entropy_limit: float
    #: E sum_k A_sk A_tk for two rows.
    overlap: float
    #: Powers of T with which participation and overlap vanish in the limit.
    participation_exponent: float
    overlap_exponent: float
    #: Overlaps of the output tokens, values applied, no skip.
    q_out: float
    p_out: float
    q_out_limit: float
    p_out_limit: float
    #: What the finite width adds to them.
    finite_width_q: float
    finite_width_p: float
    #: Scaled size of the gradient of the query weights, and its floor of order 1 / width.
    gradient: float
    gradient_limit: float
    gradient_floor: float


@dataclass(frozen=True)
class Transformer(Report):
    """A transformer and the scales of its random weights. Make one with `transformer` or `preset`."""

    layers: int
    width: int
    heads: int
    mlp_width: int
    #: Tokens T, and keys that a row sees (0: all).
    context: float
    keys: float
    #: "post": x <- LN(a x + f(x)); "pre": a x + f(LN x); "none": a x + f(x); "branch": a x + g LN f(x);
    #: "sandwich": a x + g LN f(LN x).
    normalisation: str
    #: "relu", "tanh", "gelu", "silu", or gated: "reglu", "geglu", "swiglu".
    activation: str
    #: Whether the uniform part 1 / T is subtracted from the attention weights.
    gain_control: bool
    #: Entries of W_Q and W_K have variance beta sqrt(log T) / width.
    beta: float
    #: Variances of the entries times the number of inputs: of W_V (or W_O W_V), W_1 and W_2.
    value_variance: float
    mlp_in_variance: float
    mlp_out_variance: float
    value_bias_variance: float
    mlp_bias_variance: float
    #: Factors on the skip branches.
    residual_attention: float
    residual_mlp: float
    #: Cosine similarity and q of the input tokens.
    rho_0: float
    q_0: float
    #: A token sees only itself and those before it.
    causal: bool = False
    #: Norms do not take the mean away.
    rms_norm: bool = False
    #: Attention and MLP read the same tokens.
    parallel: bool = False
    #: Networks have a matrix W_O of their own.
    output_projection: bool = False
    #: Heads of keys and values (0: heads); width of a head (0: width / heads).
    key_heads: int = 0
    head_width: int = 0
    #: Keys that a row sees at most (0: all).
    window: float = 0.0
    #: Gain of the norm on a branch's output (0: 1).
    branch_gain: float = 0.0
    #: Variance of a gated MLP's gate times its inputs (0: that of W_1).
    mlp_gate_variance: float = 0.0
    #: Base of rotary positions; product of the gains of normalised queries and keys; cap of the logits (0: without).
    rope_base: float = 0.0
    query_key_norm: float = 0.0
    soft_cap: float = 0.0

    def _struct(self) -> s.ireneo_transformer:
        whole = {name: size(getattr(self, name), name) for name in ("layers", "width", "heads", "mlp_width", "key_heads", "head_width")}
        apart = {
            "normalisation": choice(NORMALISATIONS, self.normalisation, "normalisation"),
            "activation": choice(ACTIVATIONS, self.activation, "activation"),
            **{name: int(bool(getattr(self, name))) for name in FLAGS},
        }
        rest = {
            f.name: real(getattr(self, f.name), f.name) for f in fields(self) if f.name not in {**whole, **apart}
        }
        return s.ireneo_transformer(**whole, **apart, **rest)


@dataclass(frozen=True)
class Propagation(Report):
    """How tokens change with depth. Index l counts blocks passed; 0 is the input."""

    #: (layers + 1) cosine similarity; 1 - rho, accurate near collapse; q.
    rho: Array = field(repr=False)
    rho_limit: Array = field(repr=False)
    distance: Array = field(repr=False)
    distance_limit: Array = field(repr=False)
    scale: Array = field(repr=False)
    scale_limit: Array = field(repr=False)
    #: (layers) of attention in block l + 1.
    participation: Array = field(repr=False)
    participation_limit: Array = field(repr=False)
    entropy: Array = field(repr=False)
    entropy_limit: Array = field(repr=False)
    #: 1 - rho shrinks by chi = chi_attention chi_mlp per block near rho = 1.
    chi: float
    chi_attention: float
    chi_mlp: float
    #: -1 / log(chi) blocks; infinite when chi >= 1.
    correlation_depth: float
    #: Attention residual strength above which rho = 1 is not the end, at infinite depth.
    critical_residual: float
    #: (layers + 1) under a causal mask: within the first and the last quarter of the rows; otherwise rho.
    rho_early: Array = field(repr=False)
    rho_late: Array = field(repr=False)


class CriticalResidual(NamedTuple):
    """The attention residual strength of rank collapse, exact and in the limit."""

    residual: float
    residual_limit: float


@dataclass(frozen=True)
class Assessment(Report):
    """Where a transformer stands between the two collapses."""

    #: Cosine similarity after the last block.
    rho: float
    rho_limit: float
    #: Of the first block's attention.
    entropy: float
    participation: float
    gradient: float
    #: The beta of entropy collapse, and how many times larger than the transformer's it is.
    beta_line: float
    beta_line_limit: float
    beta_margin: float
    #: The attention residual strength of rank collapse, and how many times smaller it is.
    residual_line: float
    residual_line_limit: float
    residual_margin: float
    rank_collapse: bool
    entropy_collapse: bool
    #: |dL/dx|^2 at the input over that at the output (NaN where its law is not known).
    growth: float
    #: What a step of Adam changes at the rate that was asked about, and the largest rate that still learns.
    update: float
    safe_rate: float
    gradients_explode: bool
    rate_too_large: bool
    rate_too_small: bool
    #: Neither rank nor gradients nor the rate stand in the way.
    trainable: bool


@dataclass(frozen=True)
class Trainability(Report):
    """The diagram over query-key scale and attention residual strength; arrays are (betas, residuals)."""

    betas: Array = field(repr=False)
    residuals: Array = field(repr=False)
    rho: Array = field(repr=False)
    rho_limit: Array = field(repr=False)
    entropy: Array = field(repr=False)
    participation: Array = field(repr=False)
    #: As in Assessment.
    growth: Array = field(repr=False)
    update: Array = field(repr=False)
    safe_rate: Array = field(repr=False)
    gradients_explode: Array = field(repr=False)
    rate_too_large: Array = field(repr=False)
    rate_too_small: Array = field(repr=False)
    rank_collapse: Array = field(repr=False)
    entropy_collapse: Array = field(repr=False)
    trainable: Array = field(repr=False)
    rank_collapse_limit: Array = field(repr=False)
    entropy_collapse_limit: Array = field(repr=False)
    trainable_limit: Array = field(repr=False)
    #: (betas): the residual strength of rank collapse at each beta.
    rank_line: Array = field(repr=False)
    rank_line_limit: Array = field(repr=False)
    #: The beta of entropy collapse.
    beta_line: float
    beta_line_limit: float


@dataclass(frozen=True)
class Recommendation(Report):
    """Standard deviations of the weights' entries, biases zero, that keep away from both collapses."""

    std_query: float
    std_key: float
    std_value: float
    std_output: float
    std_mlp_in: float
    std_mlp_out: float
    #: Factor on the branches (1 when the skips are tuned).
    branch_scale: float
    #: The architecture with the recommended scales, and how it is judged.
    transformer: Transformer = field(repr=False)
    assessment: Assessment = field(repr=False)


def from_struct(raw: s.ireneo_transformer) -> Transformer:
    return record(
        Transformer, raw, normalisation=NORMALISATIONS[raw.normalisation], activation=ACTIVATIONS[raw.activation]
    )


def changed(base: Transformer, changes: Dict[str, Any]) -> Transformer:
    known = {f.name for f in fields(Transformer)}
    for name in changes:
        if name not in known:
            raise ArgumentError(f"a transformer has no '{name}'; it has {', '.join(sorted(known))}")
    return replace(base, **changes)


def transformer(**changes: Any) -> Transformer:
    """50 post-LN ReLU blocks of width 720, one head, 512 tokens (Giorlandino and Goldt's Figure 1), with changes.

    >>> transformer(layers=12).layers
    12
    """
    raw = s.ireneo_transformer()
    lib.ireneo_transformer_defaults(raw)
    return changed(from_struct(raw), changes)


def preset(name: str, **changes: Any) -> Transformer:
    """What a named model's usual initialisation amounts to: "bert-base", "gpt2-small", "gpt2-xl", "vit-b", "llama-3-8b",
    "qwen-3", "gemma-3", "olmo-2" or "deepnorm"; or "small", the network that `train` trains; with changes.

    >>> preset("bert-base").width
    768
    """
    raw = s.ireneo_transformer()
    check(lib.ireneo_transformer_preset(str(name).encode(), raw))
    return changed(from_struct(raw), changes)


def beta_from_std(std_query: float, std_key: float, width: float, context: float) -> float:
    """beta of query and key weights with these standard deviations: std_query std_key width / sqrt(log context).

    >>> round(beta_from_std(0.02, 0.02, 768, 512), 4)
    0.123
    """
    return float(
        lib.ireneo_beta_from_std(
            real(std_query, "std_query"), real(std_key, "std_key"), real(width, "width"), real(context, "context")
        )
    )


def layer(
    beta: float,
    context: float,
    *,
    rho: float = 0.0,
    q: float = 1.0,
    keys: float = 0,
    value_variance: float = 1.0,
    value_bias_variance: float = 0.0,
    width: int = 0,
    gain_control: bool = False,
    window: float = 0,
    rope_base: float = 0.0,
    query_key_norm: float = 0.0,
    soft_cap: float = 0.0,
    head_width: int = 0,
) -> Layer:
    """One attention layer over `context` tokens with overlaps q and q rho. keys: those a row really sees (0: all).
    width 0: infinite; head_width 0: one head. window, rope_base, query_key_norm, soft_cap: as of a Transformer.

    >>> one = layer(beta=2.0, context=512)
    >>> round(one.beta_c, 4), round(one.entropy, 3)
    (1.4142, 1.527)
    >>> round(layer(beta=1.0, context=512, rho=0.3, rope_base=1e4, head_width=128).participation, 3)
    0.08
    """
    question = s.ireneo_attention_input(
        beta=real(beta, "beta"),
        context=real(context, "context"),
        keys=real(keys, "keys"),
        q=real(q, "q"),
        p=real(q, "q") * real(rho, "rho"),
        value_variance=real(value_variance, "value_variance"),
        value_bias_variance=real(value_bias_variance, "value_bias_variance"),
        width=size(width, "width"),
        gain_control=int(bool(gain_control)),
        window=real(window, "window"),
        rope_base=real(rope_base, "rope_base"),
        query_key_norm=real(query_key_norm, "query_key_norm"),
        soft_cap=real(soft_cap, "soft_cap"),
        head_width=size(head_width, "head_width"),
    )
    report = s.ireneo_attention_report()
    check(lib.ireneo_attention_layer(question, report))
    return record(Layer, report)


def given(model: Optional[Transformer], changes: Dict[str, Any]) -> s.ireneo_transformer:
    """The transformer that a call asks about: a model or the default one, with changes."""
    if model is not None and not isinstance(model, Transformer):
        raise ArgumentError(f"expected a Transformer, from attention.transformer or attention.preset, not {model!r}")
    return (transformer(**changes) if model is None else changed(model, changes))._struct()


def propagate(model: Optional[Transformer] = None, *, last: float = 0, **changes: Any) -> Propagation:
    """Token similarity, attention entropy and participation block by block. last: under a causal mask, of that many last rows
    only (0: of all).

    >>> [round(float(r), 3) for r in propagate(layers=3, context=512).rho]
    [0.05, 0.065, 0.083, 0.103]
    """
    raw = s.ireneo_attention_propagation()
    check(lib.ireneo_attention_propagate_last(given(model, changes), real(last, "last"), raw))
    try:
        arrays = {}
        for name, kind in raw._fields_:
            if kind is ctypes.POINTER(c_double):
                short = name.startswith(("participation", "entropy"))
                arrays[name] = copy_of(getattr(raw, name), (raw.layers + (not short),))
        return record(Propagation, raw, **arrays)
    finally:
        lib.ireneo_attention_propagation_free(raw)


def critical_residual(
    model: Optional[Transformer] = None, *, rank_limit: float = 0.05, **changes: Any
) -> CriticalResidual:
    """The attention residual strength at which 1 - rho after the last block is rank_limit; 0: no skip is needed.

    >>> round(critical_residual(layers=24, context=512, beta=1.0).residual, 3)
    0.879
    """
    exact, limit = c_double(), c_double()
    check(lib.ireneo_attention_critical_residual(given(model, changes), real(rank_limit, "rank_limit"), exact, limit))
    return CriticalResidual(exact.value, limit.value)


def collapse(
    rank_limit: float,
    entropy_limit: float,
    threads: int,
    watch: Watch,
    growth_limit: float = 0.0,
    rate: float = 0.0,
    steps: float = 0.0,
) -> s.ireneo_attention_collapse_settings:
    return s.ireneo_attention_collapse_settings(
        real(rank_limit, "rank_limit"),
        real(entropy_limit, "entropy_limit"),
        real(growth_limit, "growth_limit"),
        real(rate, "rate"),
        real(steps, "steps"),
        size(threads, "threads"),
        watch.pointer,
    )


def assess(
    model: Optional[Transformer] = None,
    *,
    rank_limit: float = 0.0,
    entropy_limit: float = 0.0,
    growth_limit: float = 0.0,
    rate: float = 0.0,
    steps: float = 0.0,
    threads: int = 0,
    progress: Optional[Progress] = None,
    **changes: Any,
) -> Assessment:
    """Judges a transformer. rank_limit: 1 - rho after the last block that counts as rank collapse (0: 0.001);
    entropy_limit: share of log(keys) below which the first block's entropy counts as collapse (0: 1/3);
    growth_limit: growth of |dL/dx|^2 that counts as exploding (0: 1000 in post-LN, 1e5 elsewhere); rate and steps: of Adam, to judge them (0: not).

    >>> verdict = assess(preset("gpt2-small"))
    >>> verdict.rank_collapse, verdict.entropy_collapse
    (False, False)
    """
    subject, result = given(model, changes), s.ireneo_attention_assessment()
    with Watch(progress) as watch:
        settings = collapse(rank_limit, entropy_limit, threads, watch, growth_limit, rate, steps)
        code = lib.ireneo_attention_assess(subject, settings, result)
    watch.finish(code)
    return record(Assessment, result)


def _grid(values: Any, name: str) -> Array:
    plain = plain_array(values, name)
    try:
        grid = np.ascontiguousarray(plain, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name}: expected a vector of numbers") from None
    if grid.ndim != 1 or grid.size == 0:
        raise DataError(f"{name}: expected a vector of numbers, got shape {grid.shape}")
    return grid


def trainability(
    betas: Any,
    residuals: Any,
    model: Optional[Transformer] = None,
    *,
    rank_limit: float = 0.0,
    entropy_limit: float = 0.0,
    growth_limit: float = 0.0,
    rate: float = 0.0,
    steps: float = 0.0,
    threads: int = 0,
    progress: Optional[Progress] = None,
    **changes: Any,
) -> Trainability:
    """Judges a transformer at every beta and attention residual strength; its own values of the two do not matter.
    Settings as in `assess`.

    >>> diagram = trainability([0.5, 4.0], [0.5, 2.0], layers=12)
    >>> diagram.trainable.tolist()
    [[True, True], [False, True]]
    """
    x, y = _grid(betas, "betas"), _grid(residuals, "residuals")
    subject, raw = given(model, changes), s.ireneo_attention_trainability()
    with Watch(progress) as watch:
        settings = collapse(rank_limit, entropy_limit, threads, watch, growth_limit, rate, steps)
        code = lib.ireneo_attention_trainability_diagram(
            subject, pointer(x, c_double), x.size, pointer(y, c_double), y.size, settings, raw
        )
    watch.finish(code)
    try:
        dtype = np.dtype([(name, kind) for name, kind in s.ireneo_attention_trainability_cell._fields_], align=True)
        count = x.size * y.size
        cells = np.frombuffer(ctypes.string_at(raw.cells, count * dtype.itemsize), dtype=dtype).reshape(x.size, y.size)
        arrays = {"betas": x, "residuals": y}
        for name, kind in s.ireneo_attention_trainability_cell._fields_:
            if name not in ("beta", "residual"):
                arrays[name] = cells[name].copy() if kind is c_double else cells[name].astype(bool)
        for name in ("rank_line", "rank_line_limit"):
            arrays[name] = copy_of(getattr(raw, name), (x.size,))
        return record(Trainability, raw, **arrays)
    finally:
        lib.ireneo_attention_trainability_free(raw)


def recommend(
    model: Optional[Transformer] = None,
    *,
    beta_margin: float = 0.0,
    retention: float = 0.0,
    tune_skips: Optional[bool] = None,
    output_projection: bool = True,
    rank_limit: float = 0.0,
    entropy_limit: float = 0.0,
    rate: float = 0.0,
    threads: int = 0,
    progress: Optional[Progress] = None,
    **changes: Any,
) -> Recommendation:
    """Weight scales for an architecture, its context, rho_0 and q_0.

    beta_margin: beta is this many times below entropy collapse (0: 7). retention: share of the input's 1 - rho left
    after the last block (0: 0.99). tune_skips: True makes the skips strong, False the branches small, None does both
    in post-LN and the latter elsewhere. `assessment.safe_rate` is the largest safe learning rate of Adam; rate: one that
    the assessment judges, too (0: none).

    >>> advice = recommend(layers=24, width=512, context=256)
    >>> 0.0 < advice.std_query < 1.0, advice.assessment.rank_collapse
    (True, False)
    """
    subject, raw = given(model, changes), s.ireneo_attention_recommendation()
    with Watch(progress) as watch:
        settings = s.ireneo_attention_recommend_settings(
            collapse(rank_limit, entropy_limit, threads, watch, rate=rate),
            real(beta_margin, "beta_margin"),
            real(retention, "retention"),
            0 if tune_skips is None else 1 if tune_skips else -1,
            int(not output_projection),
        )
        code = lib.ireneo_attention_recommend(subject, settings, raw)
    watch.finish(code)
    return record(
        Recommendation, raw, transformer=from_struct(raw.transformer), assessment=record(Assessment, raw.assessment)
    )
