"""Transformers on disk: config.json and .safetensors of real models, and how others initialise an architecture."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, List, NamedTuple, Optional, Tuple

from . import structures as s
from .arrays import real
from .attention_theory import Assessment, Transformer, changed, collapse, from_struct, given
from .display import Report
from .files import PathLike
from .library import check, encode_path, lib
from .progress import Progress, Watch
from .records import record


class Deviations(NamedTuple):
    """Standard deviations of the entries of a block's weight matrices."""

    query: float
    key: float
    value: float
    #: W_O; 0 without it.
    output: float
    #: The gate of a gated MLP; 0 otherwise.
    mlp_gate: float
    mlp_in: float
    mlp_out: float


@dataclass(frozen=True)
class Config(Report):
    """What a config.json of Hugging Face says."""

    #: "llama", "gpt2", ...
    model_type: str
    #: initializer_range, and rows of the embedding (0: not said).
    std: float
    vocabulary: int
    #: Fields that are not understood; what is understood and not part of the model here.
    unknown: Tuple[str, ...]
    note: str
    #: The architecture, with the weights that initializer_range amounts to.
    transformer: Transformer = field(repr=False)


@dataclass(frozen=True)
class Convention(Report):
    """A usual way to draw the weights of an architecture, and what follows."""

    #: "gpt2", "bert", "deepnorm", "mup" or "torch" (torch.nn.Linear as it comes).
    name: str
    std: Deviations
    #: Similarity after the last block, and 1 - rho; entropy of the first block's attention.
    rho: float
    distance: float
    entropy: float
    transformer: Transformer = field(repr=False)


@dataclass(frozen=True)
class LayerScales(Report):
    """One layer of a model on disk. What it lacks is NaN."""

    #: Of the entries as they are in the file.
    std: Deviations
    #: What they amount to behind the gains of the norms before them.
    beta: float
    value_variance: float
    mlp_in_variance: float
    mlp_gate_variance: float
    mlp_out_variance: float
    value_bias_variance: float
    mlp_bias_variance: float
    residual_attention: float
    residual_mlp: float
    #: Gains of the norms of queries and keys, and of the norms behind the branches; 0 without them.
    query_key_norm: float
    branch_gain: float
    #: Tokens after this layer of this model, and the entropy of its attention.
    rho: float
    q: float
    entropy: float
    #: Where the lines are for a model all of whose layers are like this one, and how many times away.
    beta_line: float
    beta_margin: float
    residual_line: float
    residual_margin: float
    #: Whether all matrices are there; whether a line is near.
    complete: bool
    near_entropy: bool
    near_rank: bool


@dataclass(frozen=True)
class Diagnosis(Report):
    """Where the weights of a model stand between the two collapses."""

    #: Whose names the tensors have, or the model_type of the config.json.
    family: str
    #: Mean cosine and mean square of the input; NaN without an embedding.
    rho_0: float
    q_0: float
    #: Rows of the embedding, and tokens that were measured.
    vocabulary: int
    tokens: int
    #: Names of tensors and fields that are not understood; what was assumed; why nothing was judged ("": all was).
    unknown: Tuple[str, ...]
    unknown_fields: Tuple[str, ...]
    note: str
    refusal: str
    layers: List[LayerScales] = field(repr=False)
    #: The architecture with means of the layers' scales, and its judgement (None when there is none).
    transformer: Transformer = field(repr=False)
    assessment: Optional[Assessment] = field(repr=False)


def _words(text: bytes) -> Tuple[str, ...]:
    return tuple(text.decode("utf-8", "replace").split(", ")) if text else ()


def _deviations(raw: s.ireneo_block_deviations) -> Deviations:
    return Deviations(*(getattr(raw, name) for name in Deviations._fields))


def read_config(path: PathLike, **changes: Any) -> Config:
    """Reads a config.json of Hugging Face; changes are made to its transformer.

    >>> import json, tempfile
    >>> sizes = {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024, "colour": "red"}
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     json.dump(sizes, file), file.flush()
    ...     config = read_config(file.name)
    (None, None)
    >>> config.transformer.width, config.transformer.mlp_width, config.unknown
    (768, 3072, ('colour',))
    """
    raw = s.ireneo_transformer_config()
    check(lib.ireneo_transformer_read_config(encode_path(path), raw))
    return record(
        Config,
        raw,
        model_type=raw.model_type.decode(),
        unknown=_words(raw.unknown),
        note=raw.note.decode("utf-8", "replace"),
        transformer=changed(from_struct(raw.transformer), changes),
    )


def conventions(
    model: Optional[Transformer] = None, *, no_output_projection: bool = False, **changes: Any
) -> List[Convention]:
    """How GPT-2, BERT, DeepNorm, muP and torch.nn.Linear draw the weights of an architecture, and what follows. The
    transformer's own scales do not matter.

    >>> [row.name for row in conventions(layers=4, width=64, mlp_width=256, context=32)]
    ['gpt2', 'bert', 'deepnorm', 'mup', 'torch']
    """
    raw = (s.ireneo_attention_convention * s.CONVENTIONS)()
    check(lib.ireneo_attention_conventions(given(model, changes), int(bool(no_output_projection)), raw))
    return [
        record(Convention, row, name=row.name.decode(), std=_deviations(row.std), transformer=from_struct(row.transformer))
        for row in raw
    ]


def diagnose(
    model: PathLike,
    *,
    config: Optional[PathLike] = None,
    tokens: Optional[PathLike] = None,
    context: float = 0.0,
    norm_first: bool = False,
    near: float = 0.0,
    rank_limit: float = 0.0,
    entropy_limit: float = 0.0,
    progress: Optional[Progress] = None,
) -> Diagnosis:
    """Where the weights of a model in .safetensors files stand, as if they were random numbers of the standard deviations
    that they have.

    model: a .safetensors file, or the .index.json of several. config: its config.json (None: what names and shapes tell).
    tokens: a file of token ids whose vectors are measured (None: all tokens). norm_first: layers of
    torch.nn.TransformerEncoder have their norms before the branches.

    >>> import numpy as np, os, tempfile
    >>> from ireneo import save_tensors
    >>> draw = np.random.default_rng(1).standard_normal
    >>> shapes = {"self_attn.in_proj_weight": (192, 64), "self_attn.out_proj.weight": (64, 64),
    ...           "linear1.weight": (256, 64), "linear2.weight": (64, 256)}
    >>> tensors = {f"layers.0.{name}": (0.1 * draw(shape)).astype(np.float32) for name, shape in shapes.items()}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.safetensors")
    ...     save_tensors(path, tensors)
    ...     found = diagnose(path, context=128)
    >>> found.family, round(found.layers[0].std.output, 2), found.refusal
    ('torch', 0.1, '')
    """
    raw = s.ireneo_attention_diagnosis()
    settings = s.ireneo_attention_diagnose_settings(
        config=None if config is None else encode_path(config),
        tokens=None if tokens is None else encode_path(tokens),
        context=real(context, "context"),
        norm_first=int(bool(norm_first)),
        near=real(near, "near"),
    )
    with Watch(progress) as watch:
        settings.collapse = collapse(rank_limit, entropy_limit, 0, watch)
        code = lib.ireneo_attention_diagnose(encode_path(model), settings, raw)
    watch.finish(code)
    try:
        return _diagnosis(raw)
    finally:
        lib.ireneo_attention_diagnosis_free(raw)


def _diagnosis(raw: s.ireneo_attention_diagnosis) -> Diagnosis:
    refusal = raw.refusal.decode("utf-8", "replace")
    return record(
        Diagnosis,
        raw,
        family=raw.family.decode(),
        unknown=tuple(raw.unknown[i].decode("utf-8", "replace") for i in range(raw.unknown_count)),
        unknown_fields=_words(raw.unknown_fields),
        note=raw.note.decode("utf-8", "replace"),
        refusal=refusal,
        layers=[record(LayerScales, raw.scales[i], std=_deviations(raw.scales[i].std)) for i in range(raw.layers)],
        transformer=from_struct(raw.transformer),
        assessment=None if refusal else record(Assessment, raw.assessment),
    )
