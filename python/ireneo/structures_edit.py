"""The structs of edit.h, field by field."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char, c_double, c_float, c_int, c_int64, c_size_t, c_ubyte

from .structures_linear import RESERVED, ireneo_certificate, ireneo_facts, ireneo_progress

__all__ = ["ireneo_edit_info", "ireneo_edit_result", "ireneo_edit_settings"]


class ireneo_edit_settings(ctypes.Structure):
    _fields_ = [
        ("rule", c_int),
        ("threads", c_int),
        ("margin", c_double),
        ("nats", c_int),
        ("margins", POINTER(c_double)),
        ("covariance", POINTER(c_double)),
        ("ridge", c_double),
        ("protect_count", c_size_t),
        ("protect_keys", POINTER(c_float)),
        ("protect_residuals", POINTER(c_float)),
        ("protect_targets", POINTER(c_int64)),
        ("share", c_double),
        ("adopt", c_int),
        ("give_way", c_int),
        ("rounding", c_double),
        ("overload", c_int),
        ("lambda", c_double),
        ("dimensions", c_size_t),
        ("max_rounds", c_size_t),
        ("duality_gap", c_double),
        ("progress", POINTER(ireneo_progress)),
        ("reserved", RESERVED),
    ]


class ireneo_edit_result(ctypes.Structure):
    _fields_ = [
        ("certificate", POINTER(ireneo_certificate)),
        ("all", ireneo_facts),
        ("margins", POINTER(c_double)),
        ("kept", POINTER(c_ubyte)),
        ("reserved", RESERVED),
    ]


class ireneo_edit_info(ctypes.Structure):
    _fields_ = [
        ("status", c_int),
        ("facts", c_size_t),
        ("recalled", c_size_t),
        ("protected_facts", c_size_t),
        ("protected_kept", c_size_t),
        ("adopted", c_size_t),
        ("gave_way", c_size_t),
        ("change", c_double),
        ("change_relative", c_double),
        ("change_metric", c_double),
        ("bound", c_double),
        ("duality_gap", c_double),
        ("margin", c_double),
        ("shortfall", c_double),
        ("lambda", c_double),
        ("dimensions", c_size_t),
        ("rounds", c_size_t),
        ("steps", c_size_t),
        ("scans", c_size_t),
        ("active", c_size_t),
        ("seconds", c_double),
        ("peak_bytes", c_size_t),
        ("exact", c_int),
        ("certificate_norm_bound", c_double),
        ("reason", c_char * 160),
        ("reserved", RESERVED),
    ]
