"""Linear memories: storing facts, asking for them, checking, files."""

from __future__ import annotations

import ctypes
import difflib
import os
from ctypes import POINTER, c_char_p, c_double, c_float, c_int64, c_ubyte
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import structures as s
from .arrays import Array, as_floats, copy_of, hash_bytes, plain_array, pointer, real, seed64, size
from .display import picture, table
from .errors import ArgumentError, CancelledError, DataError, Interrupted
from .facts import Facts
from .library import check, encode_path, lib, names
from .moments import Moments
from .progress import Progress, Watch
from .proof import Certificate, copy_certificate
from .records import choice, record
from .reports import STATUSES, Answers, CheckReport, Extras, NoiseReport, StoreInfo
from .structures_linear import HASH_BYTES
from .torch_tensors import is_tensor, linear_layer, torch

PathLike = Union[str, "os.PathLike[str]"]


_SOLVERS = names(lib.ireneo_solver_name)
#: What a memory remembers of the settings it was made with; the rest points into arrays that are gone.
_KEPT_SETTINGS = ("solver", "rank", "margin", "top")


class Memory:
    """A matrix W (dim_out, dim_in), or two factors with W = U V^T. The score of value y for key x is y^T W x.

    >>> memory = Memory([[0.0, 1.0], [1.0, 0.0]])
    >>> memory([1.0, 2.0]).tolist()
    [2.0, 1.0]
    >>> memory.recall([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]], top=2).indices.tolist()
    [0, 1]
    >>> memory.check([[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]).recalled
    2
    >>> memory.save("memory.safetensors")
    >>> Memory.load("memory.safetensors")
    Memory(2 x 2)
    """

    def __init__(self, W: Any = None, *, U: Any = None, V: Any = None) -> None:
        if (W is None) == (U is None) or (U is None) != (V is None):
            raise ArgumentError("a memory is a matrix W, or two factors U and V")
        self._W = as_floats(W, "W") if W is not None else None
        self.U: Optional[Array] = as_floats(U, "U") if U is not None else None
        self.V: Optional[Array] = as_floats(V, "V") if V is not None else None
        if self.U is not None and self.V is not None and self.U.shape[1] != self.V.shape[1]:
            raise DataError(f"U has {self.U.shape[1]} columns and V has {self.V.shape[1]}; they must agree")
        self.facts_hash = bytes(HASH_BYTES)
        #: What its file held beside it; None for a memory that was not loaded.
        self.extras: Optional[Extras] = None
        self._settings: Optional[s.ireneo_store_settings] = None
        self._info: Optional[s.ireneo_store_info] = None

    @property
    def W(self) -> Array:
        """The matrix (dim_out, dim_in), float32; computed when the memory is kept as factors."""
        if self._W is not None:
            return self._W
        assert self.U is not None and self.V is not None
        return self.U @ self.V.T

    @property
    def rank(self) -> Optional[int]:
        """Columns of the factors; None for a full matrix."""
        return None if self.U is None else int(self.U.shape[1])

    @property
    def dim_in(self) -> int:
        return int(self._W.shape[1] if self._W is not None else self.V.shape[0])  # type: ignore[union-attr]

    @property
    def dim_out(self) -> int:
        return int(self._W.shape[0] if self._W is not None else self.U.shape[0])  # type: ignore[union-attr]

    def __call__(self, keys: Any) -> Any:
        """W x for keys x (..., dim_in): the vectors (..., dim_out) whose inner products with the values are the scores. A
        tensor of PyTorch gives one, on its device, with gradients."""
        if is_tensor(keys):
            return self._linear(keys, lambda matrix: torch().from_numpy(matrix).to(keys))
        x = plain_array(keys, "keys")
        if x.ndim == 0 or x.shape[-1] != self.dim_in:
            raise DataError(f"keys of shape {x.shape} do not fit: the memory ({self!r}) needs {self.dim_in} dimensions")
        return self._linear(x, lambda matrix: matrix)

    def _linear(self, x: Any, take: Any) -> Any:
        for matrix in self._factors():
            x = x @ take(matrix).T
        return x

    def _factors(self) -> List[Array]:
        """The matrices that a key passes, one after the other."""
        if self._W is not None:
            return [self._W]
        assert self.U is not None and self.V is not None
        return [np.ascontiguousarray(self.V.T), self.U]

    def linear(self) -> Any:
        """The memory as torch.nn.Linear without bias, or as two of them, one after the other, for factors."""
        return linear_layer(self._factors())

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Array:
        return np.array(self.W, dtype=dtype, copy=True)

    def __getstate__(self) -> Dict[str, Any]:
        """What pickle and copy keep: structs of C are kept as their bytes."""
        state = dict(self.__dict__)
        if self._settings is not None:
            state["_settings"] = {name: getattr(self._settings, name) for name in _KEPT_SETTINGS}
        if self._info is not None:
            state["_info"] = bytes(self._info)
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        if state["_settings"] is not None:
            self._settings = s.ireneo_store_settings(**state["_settings"])
        if state["_info"] is not None:
            known = len(state["_info"]) == ctypes.sizeof(s.ireneo_store_info)  # or it is of another version
            self._info = s.ireneo_store_info.from_buffer_copy(state["_info"]) if known else None

    def _repr_html_(self) -> str:
        rows: List[Tuple[str, Any]] = [("shape", f"{self.dim_out} x {self.dim_in}")]
        if self.rank is not None:
            rows.append(("rank", self.rank))
        rows.append(("parameters", sum(matrix.size for matrix in self._factors())))
        rows.append(("norm", float(np.linalg.norm(self.W))))
        if self._info is not None:
            rows.append(("facts recalled", f"{self._info.recalled} of {self._info.facts}"))
        return table("Memory", rows) + picture(self.W)

    def __repr__(self) -> str:
        kind = "" if self.rank is None else f", rank {self.rank}"
        return f"Memory({self.dim_out} x {self.dim_in}{kind})"

    def _struct(self) -> s.ireneo_memory:
        """The memory as C sees it: a view of the arrays, valid while self is."""
        return s.ireneo_memory(
            self.dim_in,
            self.dim_out,
            self.rank or 0,
            pointer(self._W, c_float),
            pointer(self.U, c_float),
            pointer(self.V, c_float),
            hash_bytes(self.facts_hash),
        )

    def _remember(self, settings: s.ireneo_store_settings, info: s.ireneo_store_info) -> None:
        """How the memory was made, which `save` writes into the file; for the functions that make memories."""
        self._settings = s.ireneo_store_settings(**{name: getattr(settings, name) for name in _KEPT_SETTINGS})
        self._info = info

    def _columns(self, data: Any, name: str, wanted: int, axes: Tuple[int, ...] = (2,)) -> Array:
        array = as_floats(data, name, axes)
        if array.shape[-1] != wanted:
            raise DataError(f"{name} have {array.shape[-1]} dimensions, but the memory ({self!r}) needs {wanted}")
        return array

    def recall(
        self, queries: Any, values: Any, top: int = 5, threads: int = 0, progress: Optional[Progress] = None, *,
        residuals: Any = None,
    ) -> Answers:
        """The `top` best of the values (P, dim_out) for each query (count, dim_in), or for one query (dim_in). With
        residuals, of the queries' shape but for the last axis (dim_out), scores are y^T (W x + r)."""
        q = self._columns(queries, "queries", self.dim_in, (1, 2))
        r = self._columns(residuals, "residuals", self.dim_out, (1, 2)) if residuals is not None else None
        if r is not None and r.shape[:-1] != q.shape[:-1]:
            raise DataError(f"residuals have shape {r.shape}, but queries {q.shape}")
        v = self._columns(values, "values", self.dim_out)
        single = q.ndim == 1
        count, top = 1 if single else q.shape[0], size(top, "top", 1)
        indices = np.empty((count, min(top, 501)), dtype=np.int64)  # more is refused by the library
        scores = np.empty(indices.shape, dtype=np.float32)
        with Watch(progress) as watch:
            code = lib.ireneo_recall_with_residuals(
                self._struct(),
                pointer(q, c_float),
                pointer(r, c_float),
                count,
                pointer(v, c_float),
                v.shape[0],
                top,
                s.ireneo_run_settings(size(threads, "threads"), watch.pointer),
                pointer(indices, c_int64),
                pointer(scores, c_float),
            )
        watch.finish(code)
        return Answers(indices[0], scores[0]) if single else Answers(indices, scores)

    def check(
        self, keys: Any, values: Any, targets: Any = None, *, top: int = 1, residuals: Any = None, threads: int = 0,
        progress: Optional[Progress] = None,
    ) -> CheckReport:
        """Counts the facts that the memory recalls, by strict inequality, trusting nothing but the numbers. With top =
        K a fact counts when its value is among the K best; gap and margin are then those to the K-th best competitor."""
        facts = Facts(keys, values, targets, residuals)
        report = s.ireneo_check_report()
        mask = np.zeros(facts.struct.facts, dtype=np.uint8)
        with Watch(progress) as watch:
            code = lib.ireneo_check_top(
                self._struct(),
                facts.struct,
                size(top, "top", 1),
                s.ireneo_run_settings(size(threads, "threads"), watch.pointer),
                pointer(mask, c_ubyte),
                report,
            )
        watch.finish(code)
        return record(CheckReport, report, mask=mask.astype(bool))

    def check_noise(
        self,
        keys: Any,
        values: Any,
        targets: Any = None,
        *,
        strength: float,
        draws: int = 10,
        seed: int = 1,
        threads: int = 0,
        progress: Optional[Progress] = None,
    ) -> NoiseReport:
        """Share of the facts that are recalled when Gaussian noise is added to the keys; strength is its standard
        deviation, in units of the root-mean-square entry of the keys."""
        facts = Facts(keys, values, targets)
        noise = s.ireneo_noise(real(strength, "strength"), size(draws, "draws", 1), seed64(seed))
        report = s.ireneo_noise_report()
        with Watch(progress) as watch:
            code = lib.ireneo_check_noise(
                self._struct(),
                facts.struct,
                noise,
                s.ireneo_run_settings(size(threads, "threads"), watch.pointer),
                report,
            )
        watch.finish(code)
        return record(NoiseReport, report)

    def cross_entropy(self, keys: Any, values: Any, targets: Any = None, *, threads: int = 0) -> float:
        """Mean softmax cross-entropy of the facts, in nats."""
        facts, loss = Facts(keys, values, targets), c_double()
        settings = s.ireneo_run_settings(threads=size(threads, "threads"))
        check(lib.ireneo_cross_entropy(self._struct(), facts.struct, settings, loss))
        return loss.value

    def ask(self, word: str, top: int = 4, threads: int = 0) -> List[Tuple[str, float]]:
        """The `top` best answers to a key's name, as (name, score), for a memory whose file holds keys and names."""
        e = self.extras
        if e is None or e.keys is None or e.key_labels is None or e.values is None:
            raise ArgumentError("the memory knows no names; load it from a file that was saved with key_labels")
        if word not in e.key_labels:
            near = difflib.get_close_matches(word, e.key_labels)
            raise DataError(f"{word!r} is unknown" + (f"; near it: {', '.join(near)}" if near else ""))
        answers = self.recall(e.keys[e.key_labels.index(word)], e.values, top=top, threads=threads)
        names = e.value_labels if e.value_labels is not None else [str(k) for k in range(len(e.values))]
        return [(names[k], float(x)) for k, x in zip(answers.indices, answers.scores) if k >= 0]

    def save(
        self,
        path: PathLike,
        values: Any = None,
        *,
        keys: Any = None,
        key_labels: Optional[Sequence[str]] = None,
        value_labels: Optional[Sequence[str]] = None,
    ) -> None:
        """Writes a .safetensors file with tensor W, or U and V, and what is given of values, keys and the names of
        both, with which `ask` and the program's `ask` answer. The write is atomic."""
        v = self._columns(values, "values", self.dim_out) if values is not None else None
        k = self._columns(keys, "keys", self.dim_in) if keys is not None else None
        extras = s.ireneo_memory_extras(
            0 if v is None else v.shape[0], pointer(v, c_float), _texts(value_labels, v, "value_labels"),
            0 if k is None else k.shape[0], pointer(k, c_float), _texts(key_labels, k, "key_labels"),
        )  # fmt: skip
        check(
            lib.ireneo_memory_save(
                self._struct(),
                encode_path(path),
                extras,
                ctypes.pointer(self._settings) if self._settings is not None else None,
                ctypes.pointer(self._info) if self._info is not None else None,
            )
        )

    @classmethod
    def load(cls, path: PathLike) -> "Memory":
        """Reads a memory that `save` or the program wrote, or any .safetensors with a tensor W, or with U and V; what
        is beside it goes to `extras`."""
        loaded = POINTER(s.ireneo_memory)()
        check(lib.ireneo_memory_load(encode_path(path), loaded))
        memory = take_memory(loaded)
        raw = s.ireneo_memory_extras()
        check(lib.ireneo_memory_load_extras(encode_path(path), memory._struct(), raw))
        try:
            memory.extras = Extras(
                copy_of(raw.values, (raw.candidates, memory.dim_out)) if raw.values else None,
                [raw.value_labels[i].decode() for i in range(raw.candidates)] if raw.value_labels else None,
                copy_of(raw.keys, (raw.facts, memory.dim_in)) if raw.keys else None,
                [raw.key_labels[i].decode() for i in range(raw.facts)] if raw.key_labels else None,
            )
        finally:
            lib.ireneo_memory_extras_free(raw)
        return memory


def _texts(labels: Optional[Sequence[str]], rows: Optional[Array], name: str) -> Any:
    """Labels as C sees them, one a row."""
    if labels is None:
        return None
    if rows is None or len(labels) != len(rows):
        raise DataError(f"{name}: {len(labels)} names for {0 if rows is None else len(rows)} rows")
    if any("\0" in label for label in labels):
        raise DataError(f"{name} hold a zero byte")
    return (c_char_p * len(labels))(*[label.encode() for label in labels])


def take_memory(source: Any) -> Memory:
    """Copies a memory out of the library's hands, and releases it."""
    try:
        m = source.contents
        if m.rank == 0:
            memory = Memory(copy_of(m.matrix, (m.dim_out, m.dim_in)))
        else:
            memory = Memory(U=copy_of(m.left, (m.dim_out, m.rank)), V=copy_of(m.right, (m.dim_in, m.rank)))
        memory.facts_hash = bytes(m.facts_hash)
        return memory
    finally:
        lib.ireneo_memory_free(source)


def take_result(result: s.ireneo_store_result, facts: int) -> Tuple[Optional[Certificate], Optional[Array]]:
    """Copies what a store left beside the memory out of the library's hands, and releases it."""
    try:
        certificate = copy_certificate(result.certificate.contents) if result.certificate else None
        return certificate, copy_of(result.kept, (facts,)) if result.kept else None
    finally:
        lib.ireneo_store_result_free(result)


def store_info(
    raw: s.ireneo_store_info, certificate: Optional[Certificate], kept: Optional[Array] = None
) -> StoreInfo:
    """How storing ended, in Python's words."""
    phases = {name: getattr(raw.phases, name) for name, _ in raw.phases._fields_}
    mask = None if kept is None else kept.astype(bool)
    reason = raw.reason.decode("utf-8", "replace")
    return record(
        StoreInfo, raw, status=STATUSES[raw.status], reason=reason, phases=phases, certificate=certificate, kept=mask
    )


def _weights(data: Any, count: int) -> Array:
    weights = np.ascontiguousarray(plain_array(data, "weights"), dtype=np.float64)
    if weights.shape != (count,):
        raise DataError(f"weights have shape {weights.shape}, but there are {count} facts")
    return weights


def store(
    keys: Any,
    values: Any,
    targets: Any = None,
    *,
    residuals: Any = None,
    rank: Optional[int] = None,
    top: int = 1,
    solver: str = "project",
    margin: float = 0.0,
    initial: Optional[Memory] = None,
    overload: bool = False,
    weights: Any = None,
    max_scans: int = 0,
    max_iterations: int = 0,
    settle: int = 0,
    exact: bool = False,
    rate: float = 0.0,
    ridge: float = 0.0,
    moments: Optional[Moments] = None,
    state: Optional[PathLike] = None,
    resume: bool = False,
    threads: int = 0,
    progress: Optional[Progress] = None,
) -> Tuple[Memory, StoreInfo]:
    """Stores facts in a matrix, or says that it cannot be done.

    keys (n, dim_in); values (P, dim_out) that all keys compete over; targets (n): index of each key's value, without
    them fact i has value i. See `Facts` for values of each fact's own. residuals (n, dim_out): what is added to W x, so
    that scores are y^T (W x + r).

    rank: largest rank of the matrix (None: full). top: a fact counts when its value is among so many best; for more
    than one there are no proofs, and what is not stored is undecided. solver: "project" reaches capacity, "hebbian" is
    one pass and a quarter of it, "delta" (with its rate, 0: 1) and "least-squares" (with its ridge, 0: 1e-6) are one pass too; with
    moments, in coordinates in which the keys of the moments are white. margin: margin of the loss in score spreads (0: chosen by load). initial: a memory to start from.
    overload: when more facts are offered than fit, choose which to keep (info.kept) and store those; weights (n), all
    above 0, tell how much each fact matters.
    max_scans, max_iterations, threads: 0 means 200, 3000, all cores. settle: close cases of memories with at most this
    many entries are settled exactly (0: 2500, seconds; 6400 takes a minute). exact: a proof of impossibility excludes every
    real matrix also above 2500 entries. progress: a function of (stage, done, total);
    anything true it returns stops the work with status "interrupted". state: a file that keeps the state of the solver
    "project", before every pass over the values and when it is stopped; resume: goes on from there, to the very memory
    that the work would have found without a break.

    Returns the memory and how it ended; check info.status. Ctrl-C raises `Interrupted`, a KeyboardInterrupt that
    carries the memory and the info.

    >>> keys, values = np.random.default_rng(1).standard_normal((2, 100, 16))
    >>> memory, info = store(keys[:25], values, targets=np.arange(25))
    >>> print(info.status, info.recalled)
    stored 25
    >>> memory.recall(keys[:3], values, top=1).indices.ravel().tolist()
    [0, 1, 2]
    >>> _, info = store(keys, values)
    >>> print(info.status, bool(info.certificate.verify(keys, values)))
    impossible True
    >>> memory, info = store(keys[:60], values, targets=np.arange(60), top=5)
    >>> print(info.status, memory.check(keys[:60], values, np.arange(60), top=5).recalled)
    stored 60
    """
    facts = Facts(keys, values, targets, residuals)
    if weights is not None and not overload:
        raise ArgumentError("weights only make sense with overload")
    heavy = _weights(weights, facts.struct.facts) if weights is not None else None
    start = initial._struct() if initial is not None else None
    settings = s.ireneo_store_settings(
        solver=choice(_SOLVERS, solver, "solver"),
        rank=0 if rank is None else size(rank, "rank", 1),
        threads=size(threads, "threads"),
        max_scans=size(max_scans, "max_scans"),
        max_iterations=size(max_iterations, "max_iterations"),
        settle=size(settle, "settle"),
        exact=int(exact),
        margin=real(margin, "margin"),
        overload=int(bool(overload)),
        weights=pointer(heavy, c_double),
        rate=real(rate, "rate"),
        ridge=real(ridge, "ridge"),
        moments=moments._pointer if moments is not None else None,
        state=encode_path(state) if state is not None else None,
        resume=int(bool(resume)),
        top=size(top, "top", 1),
    )
    if start is not None:
        settings.initial = ctypes.pointer(start)
    stored = POINTER(s.ireneo_memory)()
    result, raw = s.ireneo_store_result(), s.ireneo_store_info()
    with Watch(progress) as watch:
        settings.progress = watch.pointer
        code = lib.ireneo_store(facts.struct, settings, stored, result, raw)
    certificate, kept = take_result(result, facts.struct.facts)
    memory = take_memory(stored) if stored else None
    watch.raise_fault()
    if watch.interrupted:
        raise Interrupted(memory, store_info(raw, certificate, kept) if memory is not None else None)
    check(code)
    if memory is None:
        raise CancelledError("the work was stopped before there was a memory")
    memory._remember(settings, raw)
    return memory, store_info(raw, certificate, kept)
