"""What can go wrong. Every exception carries the one sentence that the library wrote about the failure."""

from __future__ import annotations

from typing import Any, Dict, Type


class IreneoError(Exception):
    """A call failed; str() of it says what, where and what to do. `name` is the library's name of the error."""

    name = "error"


class ArgumentError(IreneoError, ValueError):
    """An argument is outside its range, or arguments contradict each other."""

    name = "argument"


class DataError(IreneoError, ValueError):
    """The data cannot be used: wrong shape or type, NaN, index out of range, malformed file."""

    name = "data"


class NotEnoughMemoryError(IreneoError, MemoryError):
    """The machine has not enough memory."""

    name = "memory"


class FileError(IreneoError, OSError):
    """A file could not be opened, read or written."""

    name = "io"


class NumericError(IreneoError, ArithmeticError):
    """A numerical method did not reach its accuracy."""

    name = "numeric"


class CancelledError(IreneoError):
    """The progress callback asked to stop, and nothing useful could be returned."""

    name = "cancelled"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during long work. After `store`, `memory` is the best memory found and `info` how far it is: go on with
    `store(..., initial=stop.memory)`."""

    def __init__(self, memory: Any = None, info: Any = None) -> None:
        super().__init__("interrupted")
        self.memory = memory
        self.info = info


#: ireneo_error, in the order of the header.
BY_CODE: Dict[int, Type[IreneoError]] = {
    1: ArgumentError,
    2: DataError,
    3: NotEnoughMemoryError,
    4: FileError,
    5: NumericError,
    6: CancelledError,
}
