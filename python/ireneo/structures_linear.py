"""Structs of ireneo.h that everything shares, and those of linear memories."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_ubyte, c_uint64, c_void_p

MAX_AXES = 8
HASH_BYTES = 32
#: Room for later versions at the end of structs.
RESERVED = c_uint64 * 4

#: int report(void *context, const char *stage, double done, double total)
REPORT = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_double, c_double)
#: void own_candidates(const void *context, size_t fact, size_t first, size_t count, float *values)
OWN_CANDIDATES = ctypes.CFUNCTYPE(None, c_void_p, c_size_t, c_size_t, c_size_t, POINTER(c_float))


class ireneo_progress(ctypes.Structure):
    _fields_ = [("report", REPORT), ("context", c_void_p)]


class ireneo_run_settings(ctypes.Structure):
    _fields_ = [("threads", c_int), ("progress", POINTER(ireneo_progress)), ("holding", c_void_p), ("reserved", RESERVED)]


class ireneo_array(ctypes.Structure):
    _fields_ = [
        ("dtype", c_int),
        ("axes", c_int),
        ("shape", c_size_t * MAX_AXES),
        ("count", c_size_t),
        ("data", c_void_p),
        ("block", c_void_p),
    ]


class ireneo_tensor(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("dtype", c_int),
        ("axes", c_int),
        ("shape", c_size_t * MAX_AXES),
        ("data", c_void_p),
    ]


class ireneo_shape(ctypes.Structure):
    _fields_ = [
        ("dim_in", c_size_t),
        ("dim_out", c_size_t),
        ("rank", c_size_t),
        ("candidates", c_double),
        ("facts", c_double),
        ("margin", c_double),
        ("problem", c_int),
        ("targets", c_int),
        ("zipf", c_double),
        ("frequencies", POINTER(c_double)),
        ("reserved", RESERVED),
    ]


class ireneo_capacity_report(ctypes.Structure):
    _fields_ = [
        ("facts_capacity", c_double),
        ("facts_capacity_decoupled", c_double),
        ("facts_capacity_asymptotic", c_double),
        ("facts_capacity_hebbian", c_double),
        ("facts_hebbian_half", c_double),
        ("candidates", c_double),
        ("delta", c_double),
        ("variance", c_double),
        ("correction", c_double),
        ("hull_probability", c_double),
        ("effective_dimension", c_double),
        ("parameters", c_double),
        ("bits_per_parameter", c_double),
        ("load", c_double),
        ("fraction_of_capacity", c_double),
        ("hebbian_accuracy", c_double),
        ("probability_all_fit", c_double),
        ("caveat", c_char * 200),
        ("reserved", RESERVED),
    ]


class ireneo_free_entropy_report(ctypes.Structure):
    _fields_ = [
        ("entropy", c_double),
        ("entropy_error", c_double),
        ("overlap", c_double),
        ("overlap_error", c_double),
        ("singular_low", c_double),
        ("singular_high", c_double),
        ("singular_fourth", c_double),
        ("reserved", RESERVED),
    ]


class ireneo_facts(ctypes.Structure):
    _fields_ = [
        ("facts", c_size_t),
        ("candidates", c_size_t),
        ("dim_in", c_size_t),
        ("dim_out", c_size_t),
        ("keys", POINTER(c_float)),
        ("values", POINTER(c_float)),
        ("targets", POINTER(c_int64)),
        ("own_candidates", OWN_CANDIDATES),
        ("own_context", c_void_p),
        ("residuals", POINTER(c_float)),
        ("holding", c_void_p),
        ("reserved", RESERVED),
    ]


class ireneo_sample(ctypes.Structure):
    _fields_ = [("seed", c_uint64), ("dim_in", c_size_t), ("dim_out", c_size_t)]


class ireneo_memory(ctypes.Structure):
    _fields_ = [
        ("dim_in", c_size_t),
        ("dim_out", c_size_t),
        ("rank", c_size_t),
        ("matrix", POINTER(c_float)),
        ("left", POINTER(c_float)),
        ("right", POINTER(c_float)),
        ("facts_hash", c_ubyte * HASH_BYTES),
        ("reserved", RESERVED),
    ]


class ireneo_memory_extras(ctypes.Structure):
    _fields_ = [
        ("candidates", c_size_t),
        ("values", POINTER(c_float)),
        ("value_labels", POINTER(c_char_p)),
        ("facts", c_size_t),
        ("keys", POINTER(c_float)),
        ("key_labels", POINTER(c_char_p)),
        ("reserved", RESERVED),
    ]


class ireneo_certificate(ctypes.Structure):
    _fields_ = [
        ("count", c_size_t),
        ("facts", POINTER(c_int64)),
        ("candidates", POINTER(c_int64)),
        ("weights", POINTER(c_double)),
        ("facts_hash", c_ubyte * HASH_BYTES),
        ("reason", c_char * 160),
        ("margins", POINTER(c_double)),
        ("reserved", RESERVED),
    ]


class ireneo_store_settings(ctypes.Structure):
    _fields_ = [
        ("solver", c_int),
        ("rank", c_size_t),
        ("threads", c_int),
        ("max_scans", c_size_t),
        ("max_iterations", c_size_t),
        ("settle", c_size_t),
        ("exact", c_int),
        ("margin", c_double),
        ("initial", POINTER(ireneo_memory)),
        ("overload", c_int),
        ("weights", POINTER(c_double)),
        ("progress", POINTER(ireneo_progress)),
        ("rate", c_double),
        ("ridge", c_double),
        ("moments", c_void_p),
        ("state", c_char_p),
        ("resume", c_int),
        ("top", c_size_t),
        ("reserved", RESERVED),
    ]


class ireneo_store_result(ctypes.Structure):
    _fields_ = [
        ("certificate", POINTER(ireneo_certificate)),
        ("kept", POINTER(c_ubyte)),
        ("reserved", RESERVED),
    ]


class ireneo_store_phases(ctypes.Structure):
    _fields_ = [
        ("whiten", c_double),
        ("start", c_double),
        ("scan", c_double),
        ("check", c_double),
        ("direction", c_double),
        ("line_search", c_double),
        ("gradient", c_double),
        ("history", c_double),
        ("certificate", c_double),
    ]


class ireneo_store_info(ctypes.Structure):
    _fields_ = [
        ("status", c_int),
        ("facts", c_size_t),
        ("recalled", c_size_t),
        ("facts_capacity", c_double),
        ("fraction_of_capacity", c_double),
        ("margin", c_double),
        ("scans", c_size_t),
        ("iterations", c_size_t),
        ("seconds", c_double),
        ("peak_bytes", c_size_t),
        ("span_in", c_size_t),
        ("span_out", c_size_t),
        ("loss", c_double),
        ("gradient_ratio", c_double),
        ("certificate_norm_bound", c_double),
        ("angular_margin_bound", c_double),
        ("exact", c_int),
        ("reason", c_char * 160),
        ("phases", ireneo_store_phases),
        ("state_kept", c_int),
        ("reserved", RESERVED),
    ]


class ireneo_check_report(ctypes.Structure):
    _fields_ = [
        ("facts", c_size_t),
        ("recalled", c_size_t),
        ("margin", c_double),
        ("gap", c_double),
        ("recomputed", c_size_t),
        ("reserved", RESERVED),
    ]


class ireneo_verify_settings(ctypes.Structure):
    _fields_ = [
        ("threads", c_int),
        ("exact", c_int),
        ("progress", POINTER(ireneo_progress)),
        ("reserved", RESERVED),
    ]


class ireneo_verify_report(ctypes.Structure):
    _fields_ = [
        ("accepted", c_int),
        ("exact", c_int),
        ("angular_margin_bound", c_double),
        ("norm_bound", c_double),
        ("weight_sum", c_double),
        ("residual", c_double),
        ("rounding_bound", c_double),
        ("weights", c_size_t),
        ("sentence", c_char * 320),
        ("reserved", RESERVED),
    ]


class ireneo_train_settings(ctypes.Structure):
    _fields_ = [
        ("optimiser", c_int),
        ("rank", c_size_t),
        ("threads", c_int),
        ("seed", c_uint64),
        ("rate", c_double),
        ("warm_up", c_double),
        ("max_steps", c_size_t),
        ("initial_scale", c_double),
        ("past_recall", c_int),
        ("tolerance", c_double),
        ("progress", POINTER(ireneo_progress)),
        ("reserved", RESERVED),
    ]


class ireneo_train_info(ctypes.Structure):
    _fields_ = [
        ("status", c_int),
        ("facts", c_size_t),
        ("recalled", c_size_t),
        ("loss", c_double),
        ("margin", c_double),
        ("steps", c_size_t),
        ("sweeps", c_size_t),
        ("seconds", c_double),
        ("reserved", RESERVED),
    ]


class ireneo_max_margin_settings(ctypes.Structure):
    _fields_ = [("store", ireneo_store_settings), ("duality_gap", c_double), ("reserved", RESERVED)]


class ireneo_max_margin_info(ctypes.Structure):
    _fields_ = [
        ("store", ireneo_store_info),
        ("margin", c_double),
        ("margin_bound", c_double),
        ("duality_gap", c_double),
        ("margin_law", c_double),
        ("newton_steps", c_size_t),
        ("products", c_size_t),
        ("reserved", RESERVED),
    ]


class ireneo_noise(ctypes.Structure):
    _fields_ = [("strength", c_double), ("draws", c_size_t), ("seed", c_uint64), ("reserved", RESERVED)]


class ireneo_noise_report(ctypes.Structure):
    _fields_ = [
        ("recall", c_double),
        ("error", c_double),
        ("facts", c_size_t),
        ("draws", c_size_t),
        ("deviation", c_double),
        ("reserved", RESERVED),
    ]
