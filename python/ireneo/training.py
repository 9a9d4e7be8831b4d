"""Linear memories trained by gradients, the usual way: full-batch softmax cross-entropy. For comparison; `store`
reaches capacity, sooner."""

from __future__ import annotations

from ctypes import POINTER
from dataclasses import dataclass
from typing import Any, Optional, Tuple

from . import structures as s
from .arrays import real, seed64, size
from .display import Report
from .errors import CancelledError, Interrupted
from .facts import Facts
from .library import check, lib, names
from .memory import Memory, take_memory
from .progress import Progress, Watch
from .records import choice, record
from .reports import STATUSES, Status

_OPTIMISERS = names(lib.ireneo_optimiser_name)


@dataclass(frozen=True)
class TrainInfo(Report):
    """How `train` ended."""

    #: "stored", "undecided" (a limit was reached with facts missing) or "interrupted".
    status: Status
    facts: int
    recalled: int
    #: Mean cross-entropy at the last weights, in nats.
    loss: float
    #: As in StoreInfo.
    margin: float
    #: Steps taken, and sweeps over all candidates that they needed.
    steps: int
    sweeps: int
    seconds: float


def train(
    keys: Any,
    values: Any,
    targets: Any = None,
    *,
    optimiser: str = "adam",
    rank: Optional[int] = None,
    seed: int = 1,
    rate: float = 0.0,
    warm_up: float = 0.0,
    max_steps: int = 0,
    initial_scale: float = 0.0,
    past_recall: bool = False,
    tolerance: float = 0.0,
    threads: int = 0,
    progress: Optional[Progress] = None,
) -> Tuple[Memory, TrainInfo]:
    """Trains a memory from small random weights; the facts are those of `store`.

    optimiser: "adam" with linear warm-up and cosine decay, or "lbfgs", which finds the minimum of the cross-entropy.
    rate, warm_up, max_steps, initial_scale, tolerance: 0 means 0.03, 0.05, 5000, 0.01 and 1e-5. past_recall: do not
    stop when all facts are recalled.

    >>> import numpy as np
    >>> keys, values = np.random.default_rng(1).standard_normal((2, 20, 16))
    >>> memory, info = train(keys, values, optimiser="lbfgs")
    >>> print(info.status, info.recalled)
    stored 20
    """
    facts = Facts(keys, values, targets)
    settings = s.ireneo_train_settings(
        optimiser=choice(_OPTIMISERS, optimiser, "optimiser"),
        rank=0 if rank is None else size(rank, "rank", 1),
        threads=size(threads, "threads"),
        seed=seed64(seed),
        rate=real(rate, "rate"),
        warm_up=real(warm_up, "warm_up"),
        max_steps=size(max_steps, "max_steps"),
        initial_scale=real(initial_scale, "initial_scale"),
        past_recall=int(bool(past_recall)),
        tolerance=real(tolerance, "tolerance"),
    )
    trained, raw = POINTER(s.ireneo_memory)(), s.ireneo_train_info()
    with Watch(progress) as watch:
        settings.progress = watch.pointer
        code = lib.ireneo_train(facts.struct, settings, trained, raw)
    memory = take_memory(trained) if trained else None
    info = record(TrainInfo, raw, status=STATUSES[raw.status]) if memory is not None else None
    watch.raise_fault()
    if watch.interrupted:
        raise Interrupted(memory, info)
    check(code)
    if memory is None or info is None:
        raise CancelledError("the work was stopped before there was a memory")
    return memory, info
