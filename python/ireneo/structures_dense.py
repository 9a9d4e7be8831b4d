"""Structs of ireneo.h about dense memories."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_double, c_float, c_int, c_size_t, c_ubyte, c_uint64

from .structures_linear import RESERVED, ireneo_progress


class ireneo_dense_point(ctypes.Structure):
    _fields_ = [
        ("ensemble", c_int),
        ("lambda", c_double),
        ("alpha", c_double),
        ("neurons", c_double),
        ("patterns", c_double),
        ("reserved", RESERVED),
    ]


class ireneo_dense_phases_report(ctypes.Structure):
    _fields_ = [
        ("lambda", c_double),
        ("alpha", c_double),
        ("alpha_1", c_double),
        ("alpha_star", c_double),
        ("alpha_c_lower_bound", c_double),
        ("alpha_c_exact", c_int),
        ("alpha_1_large_lambda", c_double),
        ("lambda_c", c_double),
        ("lambda_c_all", c_double),
        ("lambda_star", c_double),
        ("ramsauer", c_double),
        ("ramsauer_separation_one", c_double),
        ("ramsauer_separation_pairs", c_double),
        ("noise_exponent", c_double),
        ("log_patterns_one_step", c_double),
        ("log_patterns_converged", c_double),
        ("log_patterns_limit", c_double),
        ("log_patterns_all", c_double),
        ("lambda_one_step", c_double),
        ("lambda_converged", c_double),
        ("lambda_converged_law", c_double),
        ("reserved", RESERVED),
    ]


class ireneo_dense_basins_report(ctypes.Structure):
    _fields_ = [
        ("lambda", c_double),
        ("alpha", c_double),
        ("log_patterns", c_double),
        ("retrieved", c_int),
        ("condensed", c_int),
        ("theta_c", c_double),
        ("theta_star", c_double),
        ("lambda_c", c_double),
        ("lambda_star", c_double),
        ("free_energy", c_double),
        ("fraction_of_capacity", c_double),
        ("flip_fraction", c_double),
        ("flip_fraction_star", c_double),
        ("lost_radius", c_double),
        ("theta_one_step", c_double),
        ("theta_converged", c_double),
        ("lambda_one_step", c_double),
        ("lambda_converged", c_double),
        ("retrieval_probability", c_double),
        ("reserved", RESERVED),
    ]


class ireneo_dense_recall_settings(ctypes.Structure):
    _fields_ = [
        ("rule", c_int),
        ("preparation", c_int),
        ("lambda", c_double),
        ("unaudited", c_int),
        ("degree", c_int),
        ("steps", c_size_t),
        ("look", c_int),
        ("tolerance", c_double),
        ("top", c_size_t),
        ("threads", c_int),
        ("progress", POINTER(ireneo_progress)),
        ("reserved", RESERVED),
    ]


class ireneo_dense_recall_result(ctypes.Structure):
    _fields_ = [
        ("states", POINTER(c_float)),
        ("verdict", POINTER(c_ubyte)),
        ("energy_before", POINTER(c_double)),
        ("energy_after", POINTER(c_double)),
        ("steps", POINTER(c_size_t)),
        ("change", POINTER(c_double)),
        ("converged", POINTER(c_ubyte)),
        ("top_index", POINTER(c_size_t)),
        ("top_weight", POINTER(c_double)),
        ("reserved", RESERVED),
    ]


class ireneo_dense_recall_info(ctypes.Structure):
    _fields_ = [
        ("converged", c_size_t),
        ("retrieved", c_size_t),
        ("mixtures", c_size_t),
        ("lost", c_size_t),
        ("longest", c_size_t),
        ("steps", c_size_t),
        ("pattern_power", c_double),
        ("shortest_pattern", c_double),
        ("longest_pattern", c_double),
        ("lambda", c_double),
        ("seconds", c_double),
        ("reserved", RESERVED),
    ]


class ireneo_dense_audit_settings(ctypes.Structure):
    _fields_ = [
        ("rule", c_int),
        ("preparation", c_int),
        ("lambda", c_double),
        ("degree", c_int),
        ("sample", c_size_t),
        ("seed", c_uint64),
        ("threads", c_int),
        ("progress", POINTER(ireneo_progress)),
        ("reserved", RESERVED),
    ]


class ireneo_dense_audit_report(ctypes.Structure):
    _fields_ = [
        ("patterns", c_size_t),
        ("audited", c_size_t),
        ("lambda", c_double),
        ("staying", c_size_t),
        ("stay", c_double),
        ("nearest_least", c_double),
        ("nearest_median", c_double),
        ("nearest_pair", c_size_t * 2),
        ("random_angle", c_double),
        ("random_share", c_double),
        ("worst_least", c_double),
        ("worst_median", c_double),
        ("shortest_pattern", c_double),
        ("longest_pattern", c_double),
        ("seconds", c_double),
        ("reserved", RESERVED),
    ]


class ireneo_dense_experiment(ctypes.Structure):
    _fields_ = [
        ("method", c_int),
        ("ensemble", c_int),
        ("measure", c_int),
        ("neurons", c_size_t),
        ("log_patterns", c_double),
        ("lambda", c_double),
        ("angle", c_double),
        ("steps", c_size_t),
        ("closeness", c_double),
        ("kept", c_double),
        ("search_lower", c_double),
        ("search_upper", c_double),
        ("seed", c_uint64),
        ("reserved", RESERVED),
    ]


class ireneo_dense_draw(ctypes.Structure):
    _fields_ = [
        ("value", c_double),
        ("log_ratio", c_double),
        ("first_overlap", c_double),
        ("overlap", c_double),
        ("length", c_double),
        ("steps", c_size_t),
    ]


class ireneo_dense_summary(ctypes.Structure):
    _fields_ = [("draws", c_size_t), ("value", c_double), ("error", c_double), ("seconds", c_double), ("reserved", RESERVED)]
