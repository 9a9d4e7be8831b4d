"""From whatever the caller has (lists, float16, float64, other memory orders) to the arrays that the library takes,
and from pointers back to NumPy."""

from __future__ import annotations

import ctypes
import operator
from ctypes import c_ubyte
from typing import TYPE_CHECKING, Any, Optional, Tuple

import numpy as np

from .errors import ArgumentError, DataError
from .structures_linear import HASH_BYTES
from .torch_tensors import as_numpy, is_tensor

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]
else:
    Array = np.ndarray  # NumPy before 1.22 takes no parameters


def plain_array(data: Any, name: str) -> Array:
    """Whatever holds numbers as an array of NumPy: lists, DataFrames, tensors of PyTorch in main memory."""
    if is_tensor(data):
        data = as_numpy(data, name)
    try:
        array = np.asarray(data)
    except ValueError:
        raise DataError(f"{name}: rows of different lengths do not make a matrix") from None
    except (TypeError, RuntimeError) as fault:  # of libraries that refuse to give up their numbers
        raise DataError(f"{name}: {fault}") from None
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def _numbers(data: Any, name: str) -> Array:
    array = plain_array(data, name)
    if array.dtype == object or array.dtype.kind not in "fiu":
        raise DataError(f"{name}: expected real numbers, not {array.dtype}")
    return array


def _refuse_bad_entries(wide: Array, narrow: Array, name: str) -> None:
    bad = ~np.isfinite(narrow)
    if not bad.any():
        return
    place = tuple(int(k) for k in np.argwhere(bad)[0])
    where = ", ".join(f"{axis} {k}" for axis, k in zip(("row", "column", "entry"), place))
    if narrow.ndim == 3:
        where = f"fact {place[0]}, candidate {place[1]}, column {place[2]}"
    entry = wide[place]
    what = "NaN" if np.isnan(entry) else "infinite" if np.isinf(entry) else f"{entry:g}, beyond float32"
    raise DataError(f"{name}: {where} is {what}")


def as_floats(data: Any, name: str, axes: Tuple[int, ...] = (2,)) -> Array:
    """A float32 array in C order with a permitted number of axes; NaN, infinity and empty arrays are refused."""
    wide = _numbers(data, name)
    if wide.ndim not in axes:
        wanted = " or ".join(f"{k} axes" if k != 1 else "1 axis" for k in axes)
        raise DataError(f"{name}: expected {wanted}, got shape {wide.shape}")
    if wide.size == 0:
        raise DataError(f"{name}: shape {wide.shape} holds no numbers")
    with np.errstate(over="ignore"):
        narrow = np.ascontiguousarray(wide, dtype=np.float32)
    _refuse_bad_entries(wide, narrow, name)
    return narrow


def as_indices(data: Any, name: str) -> Array:
    """A vector of int64 in C order, from whole numbers of any width."""
    array = plain_array(data, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.dtype.kind not in "iu":
        raise DataError(f"{name}: expected whole numbers, not {array.dtype}")
    if array.ndim != 1 or array.size == 0:
        raise DataError(f"{name}: expected a vector of whole numbers, got shape {array.shape}")
    if array.dtype.kind == "u" and array.max() > np.iinfo(np.int64).max:
        raise DataError(f"{name}: {array.max()} does not fit in 64 bits with a sign")
    return np.ascontiguousarray(array, dtype=np.int64)


def size(value: Any, name: str, least: int = 0) -> int:
    """A whole number that C can take as a size. Floats with a whole value, such as 1e6, are fine."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name} must be a whole number, not {value!r}") from None
    if not least <= number < 2**63:
        raise ArgumentError(f"{name} must be at least {least}, not {value!r}")
    return number


def hash_bytes(value: bytes) -> Any:
    """A fingerprint as C keeps it."""
    if len(value) != HASH_BYTES:
        raise DataError(f"a fingerprint has {HASH_BYTES} bytes, not {len(value)}")
    return (c_ubyte * HASH_BYTES).from_buffer_copy(value)


def seed64(value: Any, name: str = "seed") -> int:
    """A whole number from 0 to 2^64 - 1."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name} must be a whole number, not {value!r}") from None
    if not 0 <= number < 2**64:
        raise ArgumentError(f"{name} must lie between 0 and 2^64 - 1, not {value!r}")
    return number


def real(value: Any, name: str) -> float:
    """A number, as float."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} must be a number, not {value!r}") from None


def pointer(array: Optional[Array], ctype: Any) -> Any:
    """A typed pointer to the array's numbers; the caller keeps the array alive. None: NULL."""
    if array is None:
        return ctypes.POINTER(ctype)()
    return array.ctypes.data_as(ctypes.POINTER(ctype))


def copy_of(source: Any, shape: Tuple[int, ...]) -> Array:
    """A NumPy copy of the numbers behind a typed pointer."""
    return np.ctypeslib.as_array(source, shape=shape).copy()
