"""Long work: how far it is, and Ctrl-C.

While C runs, Python cannot raise KeyboardInterrupt; and one raised inside a callback would be lost. So whatever the
handler of SIGINT raises meanwhile is kept, the callback asks the library to stop, the library does so at the next safe
point, and the exception is raised when it has returned: also when the work was done before it could be stopped."""

from __future__ import annotations

import ctypes
import signal
import threading
from types import TracebackType
from typing import Any, Callable, Optional, Type, Union

from . import structures as s
from .bar import Bar
from .errors import ArgumentError, Interrupted
from .library import check

#: progress(stage, done, total); anything true stops the work. True: a bar (tqdm where it is installed).
Progress = Union[Callable[[str, float, float], Any], bool]


class Watch:
    """Context in which a call that takes an ireneo_progress runs. `struct` is passed to C."""

    def __init__(self, progress: Optional[Progress] = None) -> None:
        self._bar = Bar() if progress is True else None
        call = self._bar if progress is True else None if progress is False else progress
        if call is not None and not callable(call):
            raise ArgumentError("progress must be a function of (stage, done, total), or True for a bar")
        self.interrupted = False
        self._fault: Optional[BaseException] = None
        self._progress = call
        self._previous: Any = None
        self._report = s.REPORT(self._on_report)  # kept here: C only borrows it
        self.struct = s.ireneo_progress(self._report, None)

    @property
    def pointer(self) -> Any:
        return ctypes.pointer(self.struct)

    def _on_report(self, _context: Any, stage: bytes, done: float, total: float) -> int:
        try:
            if self._progress is not None and self._fault is None:
                if self._progress(stage.decode("utf-8", "replace"), done, total):
                    return 1
        except BaseException as fault:
            self._fault = fault
        return int(self.interrupted or self._fault is not None)

    def _on_signal(self, number: int, frame: Any) -> None:
        try:
            self._previous(number, frame)
        except KeyboardInterrupt:
            self.interrupted = True
        except BaseException as fault:  # of a handler that is not Python's own
            self._fault = fault

    def __enter__(self) -> "Watch":
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):  # not SIG_IGN, SIG_DFL or one that is not of Python: they raise nothing
                self._previous = handler
                signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], fault: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._bar is not None:
            self._bar.close()
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)  # runs our handler first if a signal is still waiting
            self._previous = None
        if fault is not None and self.interrupted:
            raise Interrupted() from fault

    def raise_fault(self) -> None:
        """Raises what the caller's own progress function raised, unless Ctrl-C goes before it."""
        if self._fault is not None and self.interrupted:
            raise Interrupted() from self._fault
        if self._fault is not None:
            raise self._fault

    def finish(self, code: int) -> None:
        """Ends a call that has nothing to show when it was stopped: Ctrl-C, then the library's own error."""
        self.raise_fault()
        if self.interrupted:
            raise Interrupted()
        check(code)
