"""Transformers at initialisation: which query-key scale and residual strength keep the signal alive at depth.

Attention that is too flat makes all tokens alike (rank collapse); attention that is too sharp condenses on a few keys
(entropy collapse). Every function takes a Transformer, from `transformer` or `preset`, and changes to it:

    propagate(preset("bert-base"), layers=48).rho
"""

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
    "CriticalResidual",
    "Estimates",
    "Layer",
    "NetworkDepths",
    "Propagation",
    "Recommendation",
    "Trainability",
    "TrainingReport",
    "Transformer",
    "assess",
    "beta_from_std",
    "critical_residual",
    "gradient_depth",
    "layer",
    "preset",
    "propagate",
    "recommend",
    "simulate",
    "train",
    "trainability",
    "transformer",
]
