"""Structs of ireneo/layer.h."""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_size_t, c_uint64

from .structures_linear import RESERVED


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
