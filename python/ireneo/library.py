"""Finds libireneo, declares its functions, and turns error codes into exceptions.

Looked for, in this order: the file named by the environment variable IRENEO_LIBRARY, next to this package, in the
build/ folder of a source tree, and where the system keeps libraries."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_ubyte, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

from . import errors
from . import structures as s
from .version import __version__

_FLOATS = POINTER(c_float)
_DOUBLES = POINTER(c_double)
_SIZES = POINTER(c_size_t)

#: Result and arguments of every function that the binding calls. A result of ERROR is checked by `call`.
ERROR = c_int
PROTOTYPES: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    # common.h
    "ireneo_last_error": (c_char_p, ()),
    "ireneo_version": (c_char_p, ()),
    # arrays.h
    "ireneo_array_describe": (ERROR, (c_char_p, POINTER(s.ireneo_array))),
    "ireneo_array_open": (ERROR, (c_char_p, POINTER(s.ireneo_array))),
    "ireneo_array_close": (None, (POINTER(s.ireneo_array),)),
    "ireneo_save_npy": (ERROR, (c_char_p, c_int, c_int, _SIZES, c_void_p)),
    "ireneo_save_safetensors": (ERROR, (c_char_p, POINTER(s.ireneo_tensor), c_size_t, POINTER(c_char_p), c_size_t)),
    "ireneo_safetensors_metadata": (ERROR, (c_char_p, c_char_p, POINTER(c_void_p))),
    "ireneo_free": (None, (c_void_p,)),
    # random.h
    "ireneo_random_normals_float": (ERROR, (c_uint64, c_uint64, c_uint64, c_size_t, c_int, _FLOATS)),
    "ireneo_random_normals": (ERROR, (c_uint64, c_uint64, c_uint64, c_size_t, c_int, _DOUBLES)),
    "ireneo_random_uniforms": (ERROR, (c_uint64, c_uint64, c_uint64, c_size_t, c_int, _DOUBLES)),
    # linear.h: the capacity law
    "ireneo_capacity": (ERROR, (POINTER(s.ireneo_shape), POINTER(s.ireneo_capacity_report))),
    "ireneo_effective_dimension": (c_double, (POINTER(s.ireneo_shape),)),
    "ireneo_capacity_probability": (ERROR, (POINTER(s.ireneo_shape), _DOUBLES)),
    "ireneo_capacity_margin": (ERROR, (POINTER(s.ireneo_shape), _DOUBLES)),
    "ireneo_capacity_dim": (ERROR, (POINTER(s.ireneo_shape), c_double, POINTER(c_size_t))),
    "ireneo_capacity_rank": (ERROR, (POINTER(s.ireneo_shape), c_double, POINTER(c_size_t))),
    "ireneo_capacity_overload": (ERROR, (POINTER(s.ireneo_shape), _DOUBLES)),
    "ireneo_capacity_top": (ERROR, (POINTER(s.ireneo_shape), c_size_t, _DOUBLES)),
    "ireneo_listwise_capacity": (c_double, (c_double,)),
    "ireneo_free_entropy_asymptotic": (c_double, (c_double,)),
    "ireneo_free_entropy": (ERROR, (c_double, c_size_t, c_size_t, c_uint64, POINTER(s.ireneo_free_entropy_report))),
    "ireneo_free_entropy_of_rank": (
        ERROR,
        (c_double, c_size_t, c_double, c_double, c_size_t, c_uint64, POINTER(s.ireneo_free_entropy_report)),
    ),
    "ireneo_solution_spectrum": (ERROR, (c_double, c_double, c_double, c_size_t, _DOUBLES, _DOUBLES)),
    # linear.h: facts and random instances
    "ireneo_facts_hash": (ERROR, (POINTER(s.ireneo_facts), POINTER(c_ubyte))),
    "ireneo_sample_keys": (ERROR, (POINTER(s.ireneo_sample), c_size_t, c_size_t, _FLOATS)),
    "ireneo_sample_values": (ERROR, (POINTER(s.ireneo_sample), c_size_t, c_size_t, _FLOATS)),
    "ireneo_sample_targets": (
        ERROR,
        (POINTER(s.ireneo_sample), c_int, c_double, c_size_t, c_size_t, c_size_t, POINTER(c_int64)),
    ),
    "ireneo_sample_own_candidates": (None, (c_void_p, c_size_t, c_size_t, c_size_t, _FLOATS)),
    # linear.h: storing
    "ireneo_solver_name": (c_char_p, (c_int,)),
    "ireneo_problem_kind_name": (c_char_p, (c_int,)),
    "ireneo_targets_name": (c_char_p, (c_int,)),
    "ireneo_store_require_ram": (ERROR, (POINTER(s.ireneo_facts), c_int)),
    "ireneo_store": (
        ERROR,
        (
            POINTER(s.ireneo_facts),
            POINTER(s.ireneo_store_settings),
            POINTER(POINTER(s.ireneo_memory)),
            POINTER(s.ireneo_store_result),
            POINTER(s.ireneo_store_info),
        ),
    ),
    "ireneo_memory_free": (None, (POINTER(s.ireneo_memory),)),
    # linear.h: using it
    "ireneo_check": (
        ERROR,
        (
            POINTER(s.ireneo_memory),
            POINTER(s.ireneo_facts),
            POINTER(s.ireneo_run_settings),
            POINTER(c_ubyte),
            POINTER(s.ireneo_check_report),
        ),
    ),
    "ireneo_check_top": (
        ERROR,
        (
            POINTER(s.ireneo_memory),
            POINTER(s.ireneo_facts),
            c_size_t,
            POINTER(s.ireneo_run_settings),
            POINTER(c_ubyte),
            POINTER(s.ireneo_check_report),
        ),
    ),
    "ireneo_recall": (
        ERROR,
        (
            POINTER(s.ireneo_memory),
            _FLOATS,
            c_size_t,
            _FLOATS,
            c_size_t,
            c_size_t,
            POINTER(s.ireneo_run_settings),
            POINTER(c_int64),
            _FLOATS,
        ),
    ),
    "ireneo_recall_with_residuals": (
        ERROR,
        (
            POINTER(s.ireneo_memory),
            _FLOATS,
            _FLOATS,
            c_size_t,
            _FLOATS,
            c_size_t,
            c_size_t,
            POINTER(s.ireneo_run_settings),
            POINTER(c_int64),
            _FLOATS,
        ),
    ),
    "ireneo_memory_save": (
        ERROR,
        (
            POINTER(s.ireneo_memory),
            c_char_p,
            POINTER(s.ireneo_memory_extras),
            POINTER(s.ireneo_store_settings),
            POINTER(s.ireneo_store_info),
        ),
    ),
    "ireneo_memory_load": (ERROR, (c_char_p, POINTER(POINTER(s.ireneo_memory)))),
    "ireneo_memory_load_extras": (ERROR, (c_char_p, POINTER(s.ireneo_memory), POINTER(s.ireneo_memory_extras))),
    "ireneo_memory_extras_free": (None, (POINTER(s.ireneo_memory_extras),)),
    # linear.h: proof of impossibility
    "ireneo_verify": (
        ERROR,
        (
            POINTER(s.ireneo_certificate),
            POINTER(s.ireneo_facts),
            POINTER(s.ireneo_verify_settings),
            POINTER(s.ireneo_verify_report),
        ),
    ),
    "ireneo_certificate_save": (ERROR, (POINTER(s.ireneo_certificate), c_char_p)),
    "ireneo_certificate_load": (ERROR, (c_char_p, POINTER(POINTER(s.ireneo_certificate)))),
    "ireneo_store_result_free": (None, (POINTER(s.ireneo_store_result),)),
    "ireneo_certificate_free": (None, (POINTER(s.ireneo_certificate),)),
    # linear.h: gradient training
    "ireneo_optimiser_name": (c_char_p, (c_int,)),
    "ireneo_train": (
        ERROR,
        (
            POINTER(s.ireneo_facts),
            POINTER(s.ireneo_train_settings),
            POINTER(POINTER(s.ireneo_memory)),
            POINTER(s.ireneo_train_info),
        ),
    ),
    "ireneo_cross_entropy": (
        ERROR,
        (POINTER(s.ireneo_memory), POINTER(s.ireneo_facts), POINTER(s.ireneo_run_settings), _DOUBLES),
    ),
    # linear.h: margin and noise
    "ireneo_max_margin": (
        ERROR,
        (
            POINTER(s.ireneo_facts),
            POINTER(s.ireneo_max_margin_settings),
            POINTER(POINTER(s.ireneo_memory)),
            POINTER(s.ireneo_store_result),
            POINTER(s.ireneo_max_margin_info),
        ),
    ),
    "ireneo_check_noise": (
        ERROR,
        (
            POINTER(s.ireneo_memory),
            POINTER(s.ireneo_facts),
            POINTER(s.ireneo_noise),
            POINTER(s.ireneo_run_settings),
            POINTER(s.ireneo_noise_report),
        ),
    ),
    # edit.h
    "ireneo_edit_rule_name": (c_char_p, (c_int,)),
    "ireneo_edit_result_free": (None, (POINTER(s.ireneo_edit_result),)),
    "ireneo_edit": (
        ERROR,
        (
            POINTER(s.ireneo_memory),
            POINTER(s.ireneo_facts),
            POINTER(s.ireneo_edit_settings),
            POINTER(POINTER(s.ireneo_memory)),
            POINTER(s.ireneo_edit_result),
            POINTER(s.ireneo_edit_info),
        ),
    ),
    # layer.h: moments of keys
    "ireneo_moments_new": (ERROR, (c_size_t, POINTER(c_void_p))),
    "ireneo_moments_add": (ERROR, (c_void_p, _FLOATS, c_size_t, POINTER(s.ireneo_run_settings))),
    "ireneo_moments_merge": (ERROR, (c_void_p, c_void_p)),
    "ireneo_moments_of_files": (
        ERROR,
        (POINTER(c_char_p), c_size_t, POINTER(s.ireneo_run_settings), POINTER(c_void_p)),
    ),
    "ireneo_moments_dim": (c_size_t, (c_void_p,)),
    "ireneo_moments_count": (c_uint64, (c_void_p,)),
    "ireneo_moments_read": (ERROR, (c_void_p, _DOUBLES, _DOUBLES)),
    "ireneo_moments_describe": (ERROR, (c_void_p, POINTER(s.ireneo_moments_report))),
    "ireneo_moments_save": (ERROR, (c_void_p, c_char_p)),
    "ireneo_moments_load": (ERROR, (c_char_p, POINTER(c_void_p))),
    "ireneo_moments_free": (None, (c_void_p,)),
    # layer.h: a layer
    "ireneo_layer": (
        ERROR,
        (
            _FLOATS,
            c_size_t,
            c_size_t,
            POINTER(s.ireneo_layer_settings),
            _DOUBLES,
            _DOUBLES,
            POINTER(s.ireneo_layer_report),
        ),
    ),
    # dense.h: phases and basins
    "ireneo_dense_ensemble_name": (c_char_p, (c_int,)),
    "ireneo_dense_phases": (ERROR, (POINTER(s.ireneo_dense_point), POINTER(s.ireneo_dense_phases_report))),
    "ireneo_dense_basins": (ERROR, (POINTER(s.ireneo_dense_point), POINTER(s.ireneo_dense_basins_report))),
    "ireneo_dense_scaled": (ERROR, (c_int, c_double, c_double, c_double, _DOUBLES, _DOUBLES)),
    # dense.h: retrieval
    "ireneo_dense_rule_name": (c_char_p, (c_int,)),
    "ireneo_dense_preparation_name": (c_char_p, (c_int,)),
    "ireneo_dense_verdict_name": (c_char_p, (c_int,)),
    "ireneo_dense_audit": (
        ERROR,
        (
            _FLOATS,
            c_size_t,
            c_size_t,
            POINTER(s.ireneo_dense_audit_settings),
            POINTER(s.ireneo_dense_audit_report),
        ),
    ),
    "ireneo_dense_recall": (
        ERROR,
        (
            _FLOATS,
            c_size_t,
            c_size_t,
            _FLOATS,
            c_size_t,
            POINTER(s.ireneo_dense_recall_settings),
            POINTER(s.ireneo_dense_recall_result),
            POINTER(s.ireneo_dense_recall_info),
        ),
    ),
    # dense.h: simulation
    "ireneo_dense_method_name": (c_char_p, (c_int,)),
    "ireneo_dense_measure_name": (c_char_p, (c_int,)),
    "ireneo_dense_simulate": (
        ERROR,
        (
            POINTER(s.ireneo_dense_experiment),
            c_size_t,
            POINTER(s.ireneo_run_settings),
            POINTER(s.ireneo_dense_draw),
            POINTER(s.ireneo_dense_summary),
        ),
    ),
    # attention.h: theory
    "ireneo_attention_layer": (ERROR, (POINTER(s.ireneo_attention_input), POINTER(s.ireneo_attention_report))),
    "ireneo_transformer_defaults": (None, (POINTER(s.ireneo_transformer),)),
    "ireneo_transformer_preset": (ERROR, (c_char_p, POINTER(s.ireneo_transformer))),
    "ireneo_beta_from_std": (c_double, (c_double, c_double, c_double, c_double)),
    "ireneo_attention_propagate_last": (
        ERROR,
        (POINTER(s.ireneo_transformer), c_double, POINTER(s.ireneo_attention_propagation)),
    ),
    "ireneo_attention_propagation_free": (None, (POINTER(s.ireneo_attention_propagation),)),
    "ireneo_attention_critical_residual": (ERROR, (POINTER(s.ireneo_transformer), c_double, _DOUBLES, _DOUBLES)),
    "ireneo_attention_assess": (
        ERROR,
        (POINTER(s.ireneo_transformer), POINTER(s.ireneo_attention_collapse_settings), POINTER(s.ireneo_attention_assessment)),
    ),
    "ireneo_attention_trainability_diagram": (
        ERROR,
        (
            POINTER(s.ireneo_transformer),
            _DOUBLES,
            c_size_t,
            _DOUBLES,
            c_size_t,
            POINTER(s.ireneo_attention_collapse_settings),
            POINTER(s.ireneo_attention_trainability),
        ),
    ),
    "ireneo_attention_trainability_free": (None, (POINTER(s.ireneo_attention_trainability),)),
    "ireneo_attention_recommend": (
        ERROR,
        (
            POINTER(s.ireneo_transformer),
            POINTER(s.ireneo_attention_recommend_settings),
            POINTER(s.ireneo_attention_recommendation),
        ),
    ),
    "ireneo_transformer_read_config": (ERROR, (c_char_p, POINTER(s.ireneo_transformer_config))),
    "ireneo_attention_conventions": (
        ERROR,
        (POINTER(s.ireneo_transformer), c_int, POINTER(s.ireneo_attention_convention)),
    ),
    # attention.h: models on disk
    "ireneo_attention_diagnose": (
        ERROR,
        (c_char_p, POINTER(s.ireneo_attention_diagnose_settings), POINTER(s.ireneo_attention_diagnosis)),
    ),
    "ireneo_attention_diagnosis_free": (None, (POINTER(s.ireneo_attention_diagnosis),)),
    # attention.h: real networks
    "ireneo_attention_simulate": (
        ERROR,
        (POINTER(s.ireneo_transformer), POINTER(s.ireneo_attention_simulate_settings), POINTER(s.ireneo_attention_depth)),
    ),
    "ireneo_attention_tokens_keys": (ERROR, (POINTER(s.ireneo_attention_tokens), c_double, c_size_t, _DOUBLES)),
    "ireneo_attention_gradient_depth": (ERROR, (POINTER(s.ireneo_transformer), _DOUBLES)),
    "ireneo_attention_train": (
        ERROR,
        (
            POINTER(s.ireneo_transformer),
            c_char_p,
            c_size_t,
            POINTER(s.ireneo_attention_train_settings),
            POINTER(s.ireneo_attention_train_report),
        ),
    ),
    "ireneo_attention_train_tokens": (
        ERROR,
        (
            POINTER(s.ireneo_transformer),
            POINTER(s.ireneo_attention_tokens),
            POINTER(s.ireneo_attention_train_settings),
            POINTER(s.ireneo_attention_train_report),
        ),
    ),
}


def _places() -> Iterator[str]:
    package = Path(__file__).resolve().parent
    for folder in (package, package.parent.parent / "build"):
        for name in ("libireneo.so", "libireneo.so.0", "libireneo.dylib"):
            if (folder / name).exists():
                yield str(folder / name)
    found = ctypes.util.find_library("ireneo")
    if found is not None:
        yield found


def _open() -> Tuple[ctypes.CDLL, str]:
    named = os.environ.get("IRENEO_LIBRARY")
    faults = []
    for place in [named] if named else _places():
        try:
            return ctypes.CDLL(place), place
        except OSError as fault:
            faults.append(str(fault))
    raise ImportError(
        "libireneo was not found"
        + (" (" + "; ".join(faults) + ")" if faults else "")
        + "; build it with 'make build', install it, or name the file in the environment variable IRENEO_LIBRARY"
    )


def _load() -> Tuple[ctypes.CDLL, str]:
    library, place = _open()
    for name, (result, arguments) in PROTOTYPES.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{place} has no function {name}: it is another version than this binding, {__version__}")
        function.restype = result
        function.argtypes = arguments
    version = library.ireneo_version().decode()
    if version.split(".")[:2] != __version__.split(".")[:2]:
        raise ImportError(f"{place} is version {version}, but this binding is for {__version__}")
    return library, place


#: The library and the file it came from.
lib, path = _load()


def last_error() -> str:
    """The library's sentence about the last failure in this thread."""
    return str(lib.ireneo_last_error().decode("utf-8", "replace"))


def check(code: int) -> None:
    """Raises the exception that belongs to an error code."""
    if code != 0:
        raise errors.BY_CODE.get(code, errors.IreneoError)(last_error())


def names(function: Any) -> Tuple[str, ...]:
    """The words that a name function of the library has for the enumerators 0, 1, ..."""
    found: List[str] = []
    while function(len(found)) != b"unknown":
        found.append(function(len(found)).decode())
    return tuple(found)


def encode_path(name: "os.PathLike[str] | str") -> bytes:
    """A path as the bytes that C wants."""
    encoded = os.fsencode(name)
    if b"\0" in encoded:
        raise errors.ArgumentError("a path must not hold a zero byte")
    return encoded


def take_text(pointer: c_void_p) -> Optional[str]:
    """Copies a text that the library allocated, and releases it."""
    if not pointer.value:
        return None
    text = ctypes.string_at(pointer.value).decode("utf-8", "replace")
    lib.ireneo_free(pointer)
    return text
