"""Transformers at initialisation: which query-key scale and residual strength keep the signal alive at depth.

Attention that is too flat makes all tokens alike (rank collapse); attention that is too sharp condenses on a few keys
(entropy collapse). Every function takes a Transformer, from `transformer` or `preset`, and changes to it:

    propagate(preset("bert-base"), layers=48).rho
"""

from .attention_models import (
    Config,
    Convention,
    Deviations,
    Diagnosis,
    LayerScales,
    conventions,
    diagnose,
    read_config,
)
from .attention_networks import Estimates, NetworkDepths, TrainingReport, gradient_depth, simulate, train
from .attention_theory import (
    Assessment,
    CriticalResidual,
    Layer,
    Propagation,
    Recommendation,
    Trainability,
    Transformer,
    assess,
    beta_from_std,
    critical_residual,
    layer,
    preset,
    propagate,
    recommend,
    trainability,
    transformer,
)

__all__ = [
    "Assessment",
    "Config",
    "Convention",
    "CriticalResidual",
    "Deviations",
    "Diagnosis",
    "Estimates",
    "Layer",
    "LayerScales",
    "NetworkDepths",
    "Propagation",
    "Recommendation",
    "Trainability",
    "TrainingReport",
    "Transformer",
    "assess",
    "beta_from_std",
    "conventions",
    "critical_residual",
    "diagnose",
    "gradient_depth",
    "layer",
    "preset",
    "propagate",
    "read_config",
    "recommend",
    "simulate",
    "train",
    "trainability",
    "transformer",
]
