"""Arrays on disk through the library's own readers: .npy, .npz, .safetensors, text, and "file:name"."""

from __future__ import annotations

import ctypes
import os
from ctypes import c_char_p, c_size_t, c_void_p
from typing import Any, Dict, Mapping, Optional, Tuple, Union

import numpy as np

from . import archives
from . import structures as s
from .arrays import Array, plain_array
from .errors import ArgumentError
from .library import check, encode_path, lib, take_text

PathLike = Union[str, "os.PathLike[str]"]

_BFLOAT16 = s.CONSTANTS["IRENEO_DTYPE_BFLOAT16"]
#: By the library's number. NumPy has no bfloat16: its place is held by the bits.
_DTYPES = (
    np.float16, np.float32, np.float64, np.int32, np.int64, np.uint16,
    np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.uint64, np.bool_,
)  # fmt: skip


#: Wheels carry a library without libzip.
_NPZ_BY_NUMPY = hasattr(lib, "ireneo_npz_absent")


def _prepare(array: Any, name: str) -> Tuple[Array, int]:
    given = plain_array(array, name)
    plain = np.ascontiguousarray(given) if np.ndim(given) > 0 else np.array(given)
    for code, dtype in enumerate(_DTYPES):
        if plain.dtype == np.dtype(dtype) and code != _BFLOAT16:
            if plain.ndim > s.MAX_AXES:
                raise ArgumentError(f"{name}: at most {s.MAX_AXES} axes can be written, not {plain.ndim}")
            return plain, code
    raise ArgumentError(f"{name}: files hold bool, integers and float16 to float64, not {plain.dtype}")


def load_array(location: PathLike) -> Array:
    """Reads "file", or "file:name" where files hold several arrays: .npy, .npz, .safetensors, its index.json, and
    numbers in .csv, .tsv or .txt. bfloat16 comes as float32, which holds it exactly.

    >>> save_array("x.npy", [[1.0, 2.0], [3.0, 4.0]])
    >>> load_array("x.npy").tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    by_numpy = archives.load(os.fsdecode(location)) if _NPZ_BY_NUMPY else None
    if by_numpy is not None:
        return by_numpy
    opened = s.ireneo_array()
    check(lib.ireneo_array_open(encode_path(location), opened))
    try:
        shape = tuple(opened.shape[: opened.axes])
        dtype = np.dtype(_DTYPES[opened.dtype])
        result = np.empty(shape, dtype=dtype)
        if opened.count > 0:
            ctypes.memmove(result.ctypes.data, opened.data, opened.count * dtype.itemsize)
        if opened.dtype == _BFLOAT16:
            return (result.astype(np.uint32) << 16).view(np.float32)
        return result
    finally:
        lib.ireneo_array_close(opened)


def save_array(path: PathLike, array: Any) -> None:
    """Writes a .npy file, atomically.

    >>> save_array("whole.npy", [1, 2, 3])
    >>> load_array("whole.npy").tolist()
    [1, 2, 3]
    """
    plain, code = _prepare(array, "array")
    shape = (c_size_t * s.MAX_AXES)(*plain.shape)
    check(lib.ireneo_save_npy(encode_path(path), code, plain.ndim, shape, plain.ctypes.data))


def save_tensors(path: PathLike, tensors: Mapping[str, Any], metadata: Optional[Mapping[str, str]] = None) -> None:
    """Writes a .safetensors file, atomically.

    >>> save_tensors("x.safetensors", {"W": np.eye(2)}, {"made by": "hand"})
    >>> load_array("x.safetensors:W").tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    kept: Dict[str, Array] = {}
    rows = (s.ireneo_tensor * max(1, len(tensors)))()
    for row, (name, array) in zip(rows, tensors.items()):
        kept[name], row.dtype = _prepare(array, name)
        row.name, row.axes = name.encode(), kept[name].ndim
        row.shape[: row.axes] = kept[name].shape
        row.data = kept[name].ctypes.data
    pairs = [text.encode() for item in (metadata or {}).items() for text in item]
    words = (c_char_p * max(1, len(pairs)))(*pairs)
    check(lib.ireneo_save_safetensors(encode_path(path), rows, len(tensors), words, len(pairs) // 2))


def tensor_metadata(path: PathLike, key: str) -> Optional[str]:
    """One metadata value of a .safetensors file; None when the key is not there.

    >>> save_tensors("y.safetensors", {"W": np.eye(2)}, {"made by": "hand"})
    >>> tensor_metadata("y.safetensors", "made by")
    'hand'
    """
    text = c_void_p()
    check(lib.ireneo_safetensors_metadata(encode_path(path), key.encode(), text))
    return take_text(text)
