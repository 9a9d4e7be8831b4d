"""Structs of ireneo/layer.h."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_double, c_float, c_int, c_size_t, c_uint64, c_void_p

from .structures_linear import RESERVED, ireneo_progress


class ireneo_moments_report(ctypes.Structure):
    _fields_ = [
        ("dim", c_size_t),
        ("count", c_uint64),
        ("mean_square", c_double),
        ("mean_share", c_double),
        ("participation", c_double),
        ("participation_centred", c_double),
        ("reserved", RESERVED),
    ]


class ireneo_layer_settings(ctypes.Structure):
    _fields_ = [
        ("candidates", c_double),
        ("values", POINTER(c_float)),
        ("value_count", c_size_t),
        ("ordinary", c_void_p),
        ("share", c_double),
        ("threads", c_int),
        ("progress", POINTER(ireneo_progress)),
        ("reserved", RESERVED),
    ]


class ireneo_layer_report(ctypes.Structure):
    _fields_ = [
        ("dim_in", c_size_t),
        ("dim_out", c_size_t),
        ("norm", c_double),
        ("largest", c_double),
        ("median", c_double),
        ("smallest", c_double),
        ("rank", c_size_t),
        ("stable_rank", c_double),
        ("participation", c_double),
        ("effective_rank", c_double),
        ("span_in", c_size_t),
        ("span_out", c_size_t),
        ("candidates", c_double),
        ("delta", c_double),
        ("facts_capacity", c_double),
        ("facts_capacity_at_rank", c_double),
        ("key_participation", c_double),
        ("key_participation_centred", c_double),
        ("key_directions", c_double),
        ("facts_claimed", c_double),
        ("facts_left", c_double),
        ("output_square", c_double),
        ("facts_gentle", c_double),
        ("reserved", RESERVED),
    ]
