"""Structs of ireneo.h about transformers."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

from .structures_linear import RESERVED, ireneo_progress

CURVE_POINTS = 20
CONVENTIONS = 5


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
        ("window", c_double),
        ("rope_base", c_double),
        ("query_key_norm", c_double),
        ("soft_cap", c_double),
        ("head_width", c_size_t),
        ("reserved", RESERVED),
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
        ("reserved", RESERVED),
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
        ("causal", c_int),
        ("rms_norm", c_int),
        ("parallel", c_int),
        ("output_projection", c_int),
        ("key_heads", c_size_t),
        ("head_width", c_size_t),
        ("window", c_double),
        ("branch_gain", c_double),
        ("mlp_gate_variance", c_double),
        ("rope_base", c_double),
        ("query_key_norm", c_double),
        ("soft_cap", c_double),
        ("reserved", RESERVED),
    ]


class ireneo_attention_propagation(ctypes.Structure):
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
        ("rho_early", POINTER(c_double)),
        ("rho_late", POINTER(c_double)),
        ("block", c_void_p),
        ("reserved", RESERVED),
    ]


class ireneo_attention_collapse_settings(ctypes.Structure):
    _fields_ = [
        ("rank_limit", c_double),
        ("entropy_limit", c_double),
        ("growth_limit", c_double),
        ("rate", c_double),
        ("steps", c_double),
        ("threads", c_int),
        ("progress", POINTER(ireneo_progress)),
        ("reserved", RESERVED),
    ]


class ireneo_attention_assessment(ctypes.Structure):
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
        ("growth", c_double),
        ("update", c_double),
        ("safe_rate", c_double),
        ("gradients_explode", c_int),
        ("rate_too_large", c_int),
        ("rate_too_small", c_int),
        ("trainable", c_int),
        ("reserved", RESERVED),
    ]


class ireneo_attention_trainability_cell(ctypes.Structure):
    _fields_ = [
        ("beta", c_double),
        ("residual", c_double),
        ("rho", c_double),
        ("rho_limit", c_double),
        ("entropy", c_double),
        ("participation", c_double),
        ("growth", c_double),
        ("update", c_double),
        ("safe_rate", c_double),
        ("gradients_explode", c_int),
        ("rate_too_large", c_int),
        ("rate_too_small", c_int),
        ("rank_collapse", c_int),
        ("entropy_collapse", c_int),
        ("trainable", c_int),
        ("rank_collapse_limit", c_int),
        ("entropy_collapse_limit", c_int),
        ("trainable_limit", c_int),
    ]


class ireneo_attention_trainability(ctypes.Structure):
    _fields_ = [
        ("betas", c_size_t),
        ("residuals", c_size_t),
        ("cells", POINTER(ireneo_attention_trainability_cell)),
        ("rank_line", POINTER(c_double)),
        ("rank_line_limit", POINTER(c_double)),
        ("beta_line", c_double),
        ("beta_line_limit", c_double),
        ("reserved", RESERVED),
    ]


class ireneo_attention_recommend_settings(ctypes.Structure):
    _fields_ = [
        ("collapse", ireneo_attention_collapse_settings),
        ("beta_margin", c_double),
        ("retention", c_double),
        ("tune_skips", c_int),
        ("no_output_projection", c_int),
        ("reserved", RESERVED),
    ]


class ireneo_attention_recommendation(ctypes.Structure):
    _fields_ = [
        ("transformer", ireneo_transformer),
        ("std_query", c_double),
        ("std_key", c_double),
        ("std_value", c_double),
        ("std_output", c_double),
        ("std_mlp_in", c_double),
        ("std_mlp_out", c_double),
        ("branch_scale", c_double),
        ("assessment", ireneo_attention_assessment),
        ("reserved", RESERVED),
    ]


class ireneo_attention_tokens(ctypes.Structure):
    _fields_ = [
        ("ids", POINTER(c_int64)),
        ("sequences", c_size_t),
        ("length", c_size_t),
        ("block", c_void_p),
        ("reserved", RESERVED),
    ]


class ireneo_attention_simulate_settings(ctypes.Structure):
    _fields_ = [
        ("draws", c_size_t),
        ("forward_only", c_int),
        ("seed", c_uint64),
        ("threads", c_int),
        ("progress", POINTER(ireneo_progress)),
        ("tokens", POINTER(ireneo_attention_tokens)),
        ("positions", c_double),
        ("last", c_size_t),
        ("reserved", RESERVED),
    ]


class ireneo_attention_estimate(ctypes.Structure):
    _fields_ = [("mean", c_double), ("error", c_double)]


class ireneo_attention_depth(ctypes.Structure):
    _fields_ = [
        ("rho", ireneo_attention_estimate),
        ("q", ireneo_attention_estimate),
        ("participation", ireneo_attention_estimate),
        ("entropy", ireneo_attention_estimate),
        ("overlap", ireneo_attention_estimate),
        ("gradient_tokens", ireneo_attention_estimate),
        ("gradient_query", ireneo_attention_estimate),
        ("gradient_key", ireneo_attention_estimate),
        ("gradient_value", ireneo_attention_estimate),
        ("gradient_mlp_in", ireneo_attention_estimate),
        ("gradient_mlp_out", ireneo_attention_estimate),
        ("rho_early", ireneo_attention_estimate),
        ("rho_late", ireneo_attention_estimate),
        ("gradient_output", ireneo_attention_estimate),
        ("gradient_mlp_gate", ireneo_attention_estimate),
    ]


class ireneo_attention_train_settings(ctypes.Structure):
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
        ("reserved", RESERVED),
    ]


class ireneo_attention_train_report(ctypes.Structure):
    _fields_ = [
        ("symbols", c_size_t),
        ("parameters", c_size_t),
        ("steps", c_size_t),
        ("diverged", c_int),
        ("unigram_entropy", c_double),
        ("final_loss", c_double),
        ("held_out_loss", c_double),
        ("held_out_unigram", c_double),
        ("held_out_bigram", c_double),
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
        ("reserved", RESERVED),
    ]


class ireneo_block_deviations(ctypes.Structure):
    _fields_ = [
        ("query", c_double),
        ("key", c_double),
        ("value", c_double),
        ("output", c_double),
        ("mlp_gate", c_double),
        ("mlp_in", c_double),
        ("mlp_out", c_double),
    ]


class ireneo_transformer_config(ctypes.Structure):
    _fields_ = [
        ("transformer", ireneo_transformer),
        ("std", c_double),
        ("vocabulary", c_size_t),
        ("model_type", c_char * 32),
        ("unknown", c_char * 512),
        ("note", c_char * 256),
        ("reserved", RESERVED),
    ]


class ireneo_attention_convention(ctypes.Structure):
    _fields_ = [
        ("name", c_char * 16),
        ("std", ireneo_block_deviations),
        ("transformer", ireneo_transformer),
        ("rho", c_double),
        ("distance", c_double),
        ("entropy", c_double),
        ("reserved", RESERVED),
    ]


class ireneo_attention_diagnose_settings(ctypes.Structure):
    _fields_ = [
        ("config", c_char_p),
        ("tokens", c_char_p),
        ("context", c_double),
        ("norm_first", c_int),
        ("near", c_double),
        ("collapse", ireneo_attention_collapse_settings),
        ("reserved", RESERVED),
    ]


class ireneo_attention_layer_scales(ctypes.Structure):
    _fields_ = [
        ("std", ireneo_block_deviations),
        ("beta", c_double),
        ("value_variance", c_double),
        ("mlp_in_variance", c_double),
        ("mlp_gate_variance", c_double),
        ("mlp_out_variance", c_double),
        ("value_bias_variance", c_double),
        ("mlp_bias_variance", c_double),
        ("residual_attention", c_double),
        ("residual_mlp", c_double),
        ("query_key_norm", c_double),
        ("branch_gain", c_double),
        ("rho", c_double),
        ("q", c_double),
        ("entropy", c_double),
        ("beta_line", c_double),
        ("beta_margin", c_double),
        ("residual_line", c_double),
        ("residual_margin", c_double),
        ("complete", c_int),
        ("near_entropy", c_int),
        ("near_rank", c_int),
    ]


class ireneo_attention_diagnosis(ctypes.Structure):
    _fields_ = [
        ("transformer", ireneo_transformer),
        ("assessment", ireneo_attention_assessment),
        ("layers", c_size_t),
        ("scales", POINTER(ireneo_attention_layer_scales)),
        ("rho_0", c_double),
        ("q_0", c_double),
        ("vocabulary", c_size_t),
        ("tokens", c_size_t),
        ("family", c_char * 32),
        ("unknown", POINTER(c_char_p)),
        ("unknown_count", c_size_t),
        ("unknown_fields", c_char * 512),
        ("note", c_char * 512),
        ("refusal", c_char * 256),
        ("block", c_void_p),
        ("reserved", RESERVED),
    ]
