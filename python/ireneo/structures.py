"""The structs and enums of ireneo.h, field by field. tests/python/header.py holds them against the header with a C
compiler, so that a change on one side only cannot pass unnoticed."""

from __future__ import annotations

import ctypes
from typing import Dict

from .structures_attention import *
from .structures_dense import *
from .structures_edit import *
from .structures_layer import *
from .structures_linear import *

#: Constants of the header that the binding relies on.
CONSTANTS: Dict[str, int] = {
    "IRENEO_MAX_AXES": MAX_AXES,
    "IRENEO_HASH_BYTES": HASH_BYTES,
    "IRENEO_CURVE_POINTS": CURVE_POINTS,
    "IRENEO_CONVENTIONS": CONVENTIONS,
    "IRENEO_OK": 0,
    "IRENEO_ERROR_ARGUMENT": 1,
    "IRENEO_ERROR_DATA": 2,
    "IRENEO_ERROR_MEMORY": 3,
    "IRENEO_ERROR_IO": 4,
    "IRENEO_ERROR_NUMERIC": 5,
    "IRENEO_ERROR_CANCELLED": 6,
    "IRENEO_DTYPE_FLOAT16": 0,
    "IRENEO_DTYPE_FLOAT32": 1,
    "IRENEO_DTYPE_FLOAT64": 2,
    "IRENEO_DTYPE_INT32": 3,
    "IRENEO_DTYPE_INT64": 4,
    "IRENEO_DTYPE_BFLOAT16": 5,
    "IRENEO_DTYPE_INT8": 6,
    "IRENEO_DTYPE_UINT8": 7,
    "IRENEO_DTYPE_INT16": 8,
    "IRENEO_DTYPE_UINT16": 9,
    "IRENEO_DTYPE_UINT32": 10,
    "IRENEO_DTYPE_UINT64": 11,
    "IRENEO_DTYPE_BOOL": 12,
    "IRENEO_STATUS_STORED": 0,
    "IRENEO_STATUS_IMPOSSIBLE": 1,
    "IRENEO_STATUS_PARTIAL": 2,
    "IRENEO_STATUS_UNDECIDED": 3,
    "IRENEO_STATUS_INTERRUPTED": 4,
    "IRENEO_STATUS_EDITED": 5,
    "IRENEO_RULE_LEAST_CHANGE": 0,
    "IRENEO_RULE_RIDGE": 1,
    "IRENEO_RULE_NULL_SPACE": 2,
    "IRENEO_PROBLEM_ORIGINAL": 0,
    "IRENEO_PROBLEM_DECOUPLED": 1,
    "IRENEO_TARGETS_EACH": 0,
    "IRENEO_TARGETS_ZIPF": 1,
    "IRENEO_SOLVER_PROJECT": 0,
    "IRENEO_SOLVER_HEBBIAN": 1,
    "IRENEO_SOLVER_HEBBIAN_WHITE": 2,
    "IRENEO_SOLVER_DELTA": 3,
    "IRENEO_SOLVER_LEAST_SQUARES": 4,
    "IRENEO_OPTIMISER_ADAM": 0,
    "IRENEO_OPTIMISER_LBFGS": 1,
    "IRENEO_DENSE_ENSEMBLE_SPHERICAL": 0,
    "IRENEO_DENSE_ENSEMBLE_GAUSSIAN": 1,
    "IRENEO_DENSE_ENSEMBLE_BINARY": 2,
    "IRENEO_DENSE_RULE_SOFTMAX": 0,
    "IRENEO_DENSE_RULE_POLYNOMIAL": 1,
    "IRENEO_DENSE_RULE_SIGN": 2,
    "IRENEO_DENSE_PREPARATION_NORMALISED": 0,
    "IRENEO_DENSE_PREPARATION_WHITENED": 1,
    "IRENEO_DENSE_PREPARATION_RAW": 2,
    "IRENEO_DENSE_VERDICT_RETRIEVED": 0,
    "IRENEO_DENSE_VERDICT_MIXTURE": 1,
    "IRENEO_DENSE_VERDICT_LOST": 2,
    "IRENEO_DENSE_METHOD_DIRECT": 0,
    "IRENEO_DENSE_METHOD_SCALARS": 1,
    "IRENEO_DENSE_METHOD_TAIL": 2,
    "IRENEO_DENSE_METHOD_CONDITIONING": 3,
    "IRENEO_DENSE_METHOD_HYBRID": 4,
    "IRENEO_DENSE_MEASURE_PROBABILITY": 0,
    "IRENEO_DENSE_MEASURE_LAMBDA": 1,
    "IRENEO_DENSE_MEASURE_ANGLE": 2,
    "IRENEO_NORMALISATION_POST": 0,
    "IRENEO_NORMALISATION_PRE": 1,
    "IRENEO_NORMALISATION_NONE": 2,
    "IRENEO_NORMALISATION_BRANCH": 3,
    "IRENEO_NORMALISATION_SANDWICH": 4,
    "IRENEO_ACTIVATION_RELU": 0,
    "IRENEO_ACTIVATION_TANH": 1,
    "IRENEO_ACTIVATION_GELU": 2,
    "IRENEO_ACTIVATION_SILU": 3,
    "IRENEO_ACTIVATION_REGLU": 4,
    "IRENEO_ACTIVATION_GEGLU": 5,
    "IRENEO_ACTIVATION_SWIGLU": 6,
}


def struct_classes() -> Dict[str, type]:
    """Every struct above, by its C name."""
    found = {}
    for name, item in globals().items():
        if name.startswith("ireneo_") and isinstance(item, type) and issubclass(item, ctypes.Structure):
            found[name] = item
    return found
