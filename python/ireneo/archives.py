"""Archives of numpy.savez, read by NumPy: for wheels, whose library does without libzip."""

from __future__ import annotations

import os
import zipfile
import zlib
from typing import Any, Optional, Tuple

import numpy as np

from .arrays import Array
from .errors import DataError

_read: Any = np.lib.format.read_array


def _split(location: str) -> Tuple[str, Optional[str]]:
    """File and name of "file:name". Both may hold colons: the longest prefix that is a file wins."""
    end = len(location)
    while end > 0 and not os.path.isfile(location[:end]):
        end = location.rfind(":", 0, end)
    return (location, None) if end <= 0 else (location[:end], location[end + 1 :] if end < len(location) else None)


def _choose(path: str, held: zipfile.ZipFile, name: Optional[str]) -> str:
    arrays = [member for member in held.namelist() if member.endswith(".npy")]
    if not arrays:
        raise DataError(f"{path} is a zip file without arrays of NumPy (.npy)")
    wanted = arrays if name is None else [member for member in arrays if name in (member, member[:-4])]
    if len(wanted) == 1:
        return wanted[0]
    names = ", ".join(member[:-4] for member in arrays)
    if name is None:
        raise DataError(f"{path} holds {len(arrays)} arrays; choose one as '{path}:name' from {names}")
    if wanted:
        raise DataError(f"{path} holds {len(wanted)} arrays '{name}'")
    raise DataError(f"{path} holds no array '{name}'; it holds {names}")


def load(location: str) -> Optional[Array]:
    """The array at "file" or "file:name" when the file is a zip file; None when it is not."""
    path, name = _split(location)
    if not os.path.isfile(path) or not zipfile.is_zipfile(path):
        return None
    try:
        with zipfile.ZipFile(path) as held, held.open(_choose(path, held, name)) as member:
            array: Array = _read(member, allow_pickle=False)
            if member.read(1):
                raise DataError(f"{location}: something follows the array in its member of the archive")
    except (ValueError, EOFError, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error) as fault:
        raise fault if isinstance(fault, DataError) else DataError(f"{location}: {fault}") from None
    if array.dtype.kind not in "fiub":
        raise DataError(f"{location}: expected real numbers, not {array.dtype}")
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False))
