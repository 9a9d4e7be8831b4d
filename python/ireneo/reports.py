"""How work on linear memories ended, and what memories answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Dict, List, NamedTuple, Optional

from .arrays import Array
from .display import Report
from .proof import Certificate


class Status(str, Enum):
    """How storing ended. Compares equal to its word: info.status == "stored"."""

    #: All facts are recalled; a full pass over all candidates found no exception.
    STORED = "stored"
    #: No memory of this shape recalls all facts; the certificate proves it.
    IMPOSSIBLE = "impossible"
    #: Some facts were given up, the rest is stored.
    PARTIAL = "partial"
    #: A limit was reached before an answer; the memory is the best one found.
    UNDECIDED = "undecided"
    #: The progress function asked to stop; the memory is the best one found and can be gone on from.
    INTERRUPTED = "interrupted"
    #: All new facts are recalled and all protected ones kept (`edit`).
    EDITED = "edited"

    def __str__(self) -> str:
        return self.value


STATUSES = tuple(Status)


@dataclass(frozen=True)
class StoreInfo(Report):
    """How `store` ended."""

    status: Status
    facts: int
    recalled: int
    #: What the law says about this shape, with the ranks of the data as dimensions.
    facts_capacity: float
    fraction_of_capacity: float
    #: Smallest gap between a target and its best competitor, in score spreads; negative when not all are recalled.
    margin: float
    #: Passes over all candidates, and iterations of the inner minimiser.
    scans: int
    iterations: int
    seconds: float
    peak_bytes: int
    #: Dimensions that keys and values span.
    span_in: int
    span_out: int
    #: Loss at the end, and the norm of its gradient over that at the start.
    loss: float
    gradient_ratio: float
    #: When impossible: no memory of smaller norm recalls all facts with margin 1, on normalised data.
    certificate_norm_bound: float
    #: When impossible: the angular margin that the proof excludes, and whether it excludes every real matrix.
    angular_margin_bound: float
    exact: bool
    #: Why the facts do not fit, where it can be said of single facts; "" otherwise.
    reason: str
    #: Seconds by phase.
    phases: Dict[str, float] = field(repr=False)
    #: The proof, when impossible.
    certificate: Optional[Certificate] = field(default=None, repr=False)
    #: With overload: for each fact, whether it was kept.
    kept: Optional[Array] = field(default=None, repr=False)

    @property
    def stored(self) -> bool:
        return self.status is Status.STORED


@dataclass(frozen=True)
class CheckReport(Report):
    """What a full pass over all candidates finds."""

    facts: int
    recalled: int
    margin: float
    #: Smallest score of a target minus that of its best competitor, as the scores come.
    gap: float
    #: Pairs that float32 could not decide and float64 did, of facts that had not failed by then.
    recomputed: int
    #: For each fact, whether it is recalled.
    mask: Array = field(repr=False)


@dataclass(frozen=True)
class NoiseReport(Report):
    """Recall from noisy keys."""

    #: Share of recalled facts, averaged over the draws, and its standard error.
    recall: float
    error: float
    facts: int
    draws: int
    #: The noise in the keys' own units.
    deviation: float


class Answers(NamedTuple):
    """Best candidates of each query, best first: indices and scores, (queries, top). Where fewer candidates exist,
    -1 and -inf."""

    indices: Array
    scores: Array


class Extras(NamedTuple):
    """What a file holds beside a memory; None: not there."""

    #: (P, dim_out), and their names.
    values: Optional[Array]
    value_labels: Optional[List[str]]
    #: (n, dim_in), and their names.
    keys: Optional[Array]
    key_labels: Optional[List[str]]
