"""The structs and enums of ireneo.h, field by field. tests/python_binding.py holds them against the header with a C
compiler, so that a change on one side only cannot pass unnoticed."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_ubyte, c_uint64, c_void_p
from typing import Dict

MAX_AXES = 8
CURVE_POINTS = 20

#: int report(void *context, const char *stage, double done, double total)
REPORT = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_double, c_double)
#: void own_candidates(const void *context, size_t fact, size_t first, size_t count, float *values)
OWN_CANDIDATES = ctypes.CFUNCTYPE(None, c_void_p, c_size_t, c_size_t, c_size_t, POINTER(c_float))


class ireneo_progress(ctypes.Structure):
    _fields_ = [("report", REPORT), ("context", c_void_p)]


class ireneo_array(ctypes.Structure):
    _fields_ = [
        ("dtype", c_int),
        ("axes", c_int),
        ("shape", c_size_t * MAX_AXES),
        ("count", c_size_t),
        ("data", c_void_p),
        ("mapping", c_void_p),
        ("mapping_bytes", c_size_t),
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
    ]


class ireneo_capacity_report(ctypes.Structure):
    _fields_ = [
        ("facts_capacity", c_double),
        ("facts_capacity_asymptotic", c_double),
        ("facts_capacity_hebbian", c_double),
        ("candidates", c_double),
        ("delta", c_double),
        ("variance", c_double),
        ("effective_dimension", c_double),
        ("parameters", c_double),
        ("bits_per_parameter", c_double),
        ("load", c_double),
        ("fraction_of_capacity", c_double),
        ("hebbian_accuracy", c_double),
        ("probability_all_fit", c_double),
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
        ("facts_hash", c_uint64),
    ]


class ireneo_certificate(ctypes.Structure):
    _fields_ = [
        ("count", c_size_t),
        ("facts", POINTER(c_int64)),
        ("candidates", POINTER(c_int64)),
        ("weights", POINTER(c_double)),
        ("facts_hash", c_uint64),
        ("reason", c_char * 160),
    ]


class ireneo_store_settings(ctypes.Structure):
    _fields_ = [
        ("solver", c_int),
        ("rank", c_size_t),
        ("threads", c_int),
        ("max_scans", c_size_t),
        ("max_iterations", c_size_t),
        ("margin", c_double),
        ("initial", POINTER(ireneo_memory)),
        ("certificate", POINTER(POINTER(ireneo_certificate))),
        ("overload", c_int),
        ("weights", POINTER(c_double)),
        ("kept", POINTER(c_ubyte)),
        ("progress", POINTER(ireneo_progress)),
    ]


class ireneo_store_phases(ctypes.Structure):
    _fields_ = [
        ("whiten", c_double),
        ("start", c_double),
        ("scan", c_double),
        ("proof", c_double),
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
        ("phases", ireneo_store_phases),
    ]


class ireneo_check_report(ctypes.Structure):
    _fields_ = [
        ("facts", c_size_t),
        ("recalled", c_size_t),
        ("margin", c_double),
        ("gap", c_double),
        ("recomputed", c_size_t),
    ]


class ireneo_verify_report(ctypes.Structure):
    _fields_ = [
        ("accepted", c_int),
        ("norm_bound", c_double),
        ("weight_sum", c_double),
        ("residual", c_double),
        ("rounding_bound", c_double),
        ("weights", c_size_t),
        ("sentence", c_char * 320),
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
    ]


class ireneo_max_margin_settings(ctypes.Structure):
    _fields_ = [("store", ireneo_store_settings), ("duality_gap", c_double)]


class ireneo_max_margin_info(ctypes.Structure):
    _fields_ = [
        ("store", ireneo_store_info),
        ("margin", c_double),
        ("margin_bound", c_double),
        ("duality_gap", c_double),
        ("margin_law", c_double),
        ("newton_steps", c_size_t),
        ("products", c_size_t),
    ]


class ireneo_noise(ctypes.Structure):
    _fields_ = [("strength", c_double), ("draws", c_size_t), ("seed", c_uint64)]


class ireneo_noise_report(ctypes.Structure):
    _fields_ = [
        ("recall", c_double),
        ("error", c_double),
        ("facts", c_size_t),
        ("draws", c_size_t),
        ("deviation", c_double),
    ]


class ireneo_dense_point(ctypes.Structure):
    _fields_ = [
        ("ensemble", c_int),
        ("lambda", c_double),
        ("alpha", c_double),
        ("neurons", c_double),
        ("patterns", c_double),
    ]


class ireneo_phases_report(ctypes.Structure):
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
    ]


class ireneo_basins_report(ctypes.Structure):
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
    ]


class ireneo_recall_settings(ctypes.Structure):
    _fields_ = [
        ("rule", c_int),
        ("lambda", c_double),
        ("degree", c_int),
        ("steps", c_size_t),
        ("tolerance", c_double),
        ("top", c_size_t),
        ("threads", c_int),
        ("progress", POINTER(ireneo_progress)),
    ]


class ireneo_recall_result(ctypes.Structure):
    _fields_ = [
        ("states", POINTER(c_float)),
        ("energy_before", POINTER(c_double)),
        ("energy_after", POINTER(c_double)),
        ("steps", POINTER(c_size_t)),
        ("change", POINTER(c_double)),
        ("converged", POINTER(c_ubyte)),
        ("top_index", POINTER(c_size_t)),
        ("top_weight", POINTER(c_double)),
    ]


class ireneo_recall_info(ctypes.Structure):
    _fields_ = [
        ("converged", c_size_t),
        ("longest", c_size_t),
        ("steps", c_size_t),
        ("pattern_power", c_double),
        ("seconds", c_double),
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
    _fields_ = [("draws", c_size_t), ("value", c_double), ("error", c_double), ("seconds", c_double)]


class ireneo_attention_input(ctypes.Structure):
    _fields_ = [
        ("beta", c_double),
        ("context", c_double),
        ("keys", c_double),
        ("q", c_double),
        ("p", c_double),
        ("value_variance", c_double),
        ("value_bias_variance", c_double),
        ("width", c_size_t),
        ("gain_control", c_int),
    ]


class ireneo_attention_report(ctypes.Structure):
    _fields_ = [
        ("beta_c", c_double),
        ("beta_effective", c_double),
        ("participation", c_double),
        ("participation_limit", c_double),
        ("y3", c_double),
        ("y3_limit", c_double),
        ("y4", c_double),
        ("y4_limit", c_double),
        ("y2_squared", c_double),
        ("y2_squared_limit", c_double),
        ("entropy", c_double),
        ("entropy_limit", c_double),
        ("overlap", c_double),
        ("participation_exponent", c_double),
        ("overlap_exponent", c_double),
        ("q_out", c_double),
        ("p_out", c_double),
        ("q_out_limit", c_double),
        ("p_out_limit", c_double),
        ("finite_width_q", c_double),
        ("finite_width_p", c_double),
        ("gradient", c_double),
        ("gradient_limit", c_double),
        ("gradient_floor", c_double),
    ]


class ireneo_transformer(ctypes.Structure):
    _fields_ = [
        ("layers", c_size_t),
        ("width", c_size_t),
        ("heads", c_size_t),
        ("mlp_width", c_size_t),
        ("context", c_double),
        ("keys", c_double),
        ("normalisation", c_int),
        ("activation", c_int),
        ("gain_control", c_int),
        ("beta", c_double),
        ("value_variance", c_double),
        ("mlp_in_variance", c_double),
        ("mlp_out_variance", c_double),
        ("value_bias_variance", c_double),
        ("mlp_bias_variance", c_double),
        ("residual_attention", c_double),
        ("residual_mlp", c_double),
        ("rho_0", c_double),
        ("q_0", c_double),
    ]


class ireneo_propagation(ctypes.Structure):
    _fields_ = [
        ("layers", c_size_t),
        ("rho", POINTER(c_double)),
        ("rho_limit", POINTER(c_double)),
        ("distance", POINTER(c_double)),
        ("distance_limit", POINTER(c_double)),
        ("scale", POINTER(c_double)),
        ("scale_limit", POINTER(c_double)),
        ("participation", POINTER(c_double)),
        ("participation_limit", POINTER(c_double)),
        ("entropy", POINTER(c_double)),
        ("entropy_limit", POINTER(c_double)),
        ("chi", c_double),
        ("chi_attention", c_double),
        ("chi_mlp", c_double),
        ("correlation_depth", c_double),
        ("critical_residual", c_double),
        ("block", c_void_p),
    ]


class ireneo_collapse_settings(ctypes.Structure):
    _fields_ = [
        ("rank_limit", c_double),
        ("entropy_limit", c_double),
        ("threads", c_int),
        ("progress", POINTER(ireneo_progress)),
    ]


class ireneo_assessment(ctypes.Structure):
    _fields_ = [
        ("rho", c_double),
        ("rho_limit", c_double),
        ("entropy", c_double),
        ("participation", c_double),
        ("gradient", c_double),
        ("beta_line", c_double),
        ("beta_line_limit", c_double),
        ("beta_margin", c_double),
        ("residual_line", c_double),
        ("residual_line_limit", c_double),
        ("residual_margin", c_double),
        ("rank_collapse", c_int),
        ("entropy_collapse", c_int),
    ]


class ireneo_trainability_cell(ctypes.Structure):
    _fields_ = [
        ("beta", c_double),
        ("residual", c_double),
        ("rho", c_double),
        ("rho_limit", c_double),
        ("entropy", c_double),
        ("participation", c_double),
        ("rank_collapse", c_int),
        ("entropy_collapse", c_int),
        ("trainable", c_int),
        ("rank_collapse_limit", c_int),
        ("entropy_collapse_limit", c_int),
        ("trainable_limit", c_int),
    ]


class ireneo_trainability(ctypes.Structure):
    _fields_ = [
        ("betas", c_size_t),
        ("residuals", c_size_t),
        ("cells", POINTER(ireneo_trainability_cell)),
        ("rank_line", POINTER(c_double)),
        ("rank_line_limit", POINTER(c_double)),
        ("beta_line", c_double),
        ("beta_line_limit", c_double),
    ]


class ireneo_recommendation_settings(ctypes.Structure):
    _fields_ = [
        ("collapse", ireneo_collapse_settings),
        ("beta_margin", c_double),
        ("retention", c_double),
        ("tune_skips", c_int),
        ("no_output_projection", c_int),
    ]


class ireneo_recommendation(ctypes.Structure):
    _fields_ = [
        ("transformer", ireneo_transformer),
        ("std_query", c_double),
        ("std_key", c_double),
        ("std_value", c_double),
        ("std_output", c_double),
        ("std_mlp_in", c_double),
        ("std_mlp_out", c_double),
        ("branch_scale", c_double),
        ("assessment", ireneo_assessment),
    ]


class ireneo_network_settings(ctypes.Structure):
    _fields_ = [
        ("draws", c_size_t),
        ("causal", c_int),
        ("forward_only", c_int),
        ("seed", c_uint64),
        ("threads", c_int),
        ("progress", POINTER(ireneo_progress)),
    ]


class ireneo_estimate(ctypes.Structure):
    _fields_ = [("mean", c_double), ("error", c_double)]


class ireneo_network_depth(ctypes.Structure):
    _fields_ = [
        ("rho", ireneo_estimate),
        ("q", ireneo_estimate),
        ("participation", ireneo_estimate),
        ("entropy", ireneo_estimate),
        ("overlap", ireneo_estimate),
        ("gradient_tokens", ireneo_estimate),
        ("gradient_query", ireneo_estimate),
        ("gradient_key", ireneo_estimate),
        ("gradient_value", ireneo_estimate),
        ("gradient_mlp_in", ireneo_estimate),
        ("gradient_mlp_out", ireneo_estimate),
    ]


class ireneo_network_training_settings(ctypes.Structure):
    _fields_ = [
        ("steps", c_size_t),
        ("batch", c_size_t),
        ("warmup", c_size_t),
        ("rate", c_double),
        ("mask", c_double),
        ("clip", c_double),
        ("tied", c_int),
        ("seed", c_uint64),
        ("threads", c_int),
        ("progress", POINTER(ireneo_progress)),
    ]


class ireneo_network_training_report(ctypes.Structure):
    _fields_ = [
        ("symbols", c_size_t),
        ("parameters", c_size_t),
        ("steps", c_size_t),
        ("diverged", c_int),
        ("unigram_entropy", c_double),
        ("final_loss", c_double),
        ("held_out_loss", c_double),
        ("held_out_unigram", c_double),
        ("curve", c_double * CURVE_POINTS),
        ("rho_0_before", c_double),
        ("rho_before", c_double),
        ("entropy_first_before", c_double),
        ("entropy_before", c_double),
        ("rho_0_after", c_double),
        ("rho_after", c_double),
        ("entropy_first_after", c_double),
        ("entropy_after", c_double),
        ("seconds", c_double),
    ]


#: Constants of the header that the binding relies on.
CONSTANTS: Dict[str, int] = {
    "IRENEO_MAX_AXES": MAX_AXES,
    "IRENEO_CURVE_POINTS": CURVE_POINTS,
    "IRENEO_OK": 0,
    "IRENEO_ERROR_ARGUMENT": 1,
    "IRENEO_ERROR_DATA": 2,
    "IRENEO_ERROR_MEMORY": 3,
    "IRENEO_ERROR_IO": 4,
    "IRENEO_ERROR_NUMERIC": 5,
    "IRENEO_ERROR_CANCELLED": 6,
    "IRENEO_FLOAT16": 0,
    "IRENEO_FLOAT32": 1,
    "IRENEO_FLOAT64": 2,
    "IRENEO_INT32": 3,
    "IRENEO_INT64": 4,
    "IRENEO_STORED": 0,
    "IRENEO_IMPOSSIBLE": 1,
    "IRENEO_PARTIAL": 2,
    "IRENEO_UNDECIDED": 3,
    "IRENEO_INTERRUPTED": 4,
    "IRENEO_SOLVER_PROJECT": 0,
    "IRENEO_SOLVER_HEBBIAN": 1,
    "IRENEO_OPTIMISER_ADAM": 0,
    "IRENEO_OPTIMISER_LBFGS": 1,
    "IRENEO_SPHERICAL": 0,
    "IRENEO_GAUSSIAN": 1,
    "IRENEO_BINARY": 2,
    "IRENEO_RULE_SOFTMAX": 0,
    "IRENEO_RULE_POLYNOMIAL": 1,
    "IRENEO_RULE_SIGN": 2,
    "IRENEO_METHOD_DIRECT": 0,
    "IRENEO_METHOD_SCALARS": 1,
    "IRENEO_METHOD_TAIL": 2,
    "IRENEO_METHOD_CONDITIONING": 3,
    "IRENEO_METHOD_HYBRID": 4,
    "IRENEO_MEASURE_PROBABILITY": 0,
    "IRENEO_MEASURE_LAMBDA": 1,
    "IRENEO_MEASURE_ANGLE": 2,
    "IRENEO_POST_LN": 0,
    "IRENEO_PRE_LN": 1,
    "IRENEO_RELU": 0,
    "IRENEO_TANH": 1,
    "IRENEO_GELU": 2,
}


def struct_classes() -> Dict[str, type]:
    """Every struct above, by its C name."""
    found = {}
    for name, item in globals().items():
        if name.startswith("ireneo_") and isinstance(item, type) and issubclass(item, ctypes.Structure):
            found[name] = item
    return found
