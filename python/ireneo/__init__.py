"""Ireneo: how many facts a neural memory holds, storing them, and proving it.

    import ireneo

    ireneo.capacity(100).facts_capacity            # 1208 facts fit in a 100 x 100 matrix
    keys, values = ireneo.sample(100, facts=1073)  # random facts, or your own arrays
    memory, info = ireneo.store(keys, values)      # info.status == "stored"
    memory.recall(keys[:3], values, top=5)         # indices and scores
    memory.save("memory.safetensors")              # tensor W, as PyTorch loads it
    ireneo.dense.phases(1.0).alpha_1               # dense memories: log(P)/N that softmax attention holds
    ireneo.attention.recommend(layers=24)          # weight scales that keep a transformer's signal alive

Everything takes NumPy arrays of any float type, or lists. Failures raise IreneoError with one sentence."""

from . import attention, dense
from .editing import EditInfo, edit
from .errors import (
    ArgumentError,
    CancelledError,
    DataError,
    FileError,
    Interrupted,
    IreneoError,
    NotEnoughMemoryError,
    NumericError,
)
from .files import load_array, save_array, save_tensors, tensor_metadata
from .law import (
    Capacity,
    FreeEntropy,
    capacity,
    capacity_margin,
    capacity_probability,
    capacity_top,
    effective_dimension,
    free_entropy,
    free_entropy_asymptotic,
    listwise_capacity,
    solution_spectrum,
)
from .layers import Layer, layer
from .library import path as library_path
from .margin import MaxMarginInfo, max_margin
from .memory import Memory, store
from .moments import Moments, MomentsReport, moments
from .proof import Certificate, VerifyReport
from .reports import Answers, CheckReport, Extras, NoiseReport, Status, StoreInfo
from .sampling import OwnCandidates, random_normals, random_uniforms, sample
from .training import TrainInfo, train
from .version import __version__

__all__ = [
    "Answers",
    "ArgumentError",
    "CancelledError",
    "Capacity",
    "Certificate",
    "CheckReport",
    "DataError",
    "EditInfo",
    "Extras",
    "FileError",
    "FreeEntropy",
    "Interrupted",
    "IreneoError",
    "Layer",
    "MaxMarginInfo",
    "Memory",
    "Moments",
    "MomentsReport",
    "NoiseReport",
    "NotEnoughMemoryError",
    "NumericError",
    "OwnCandidates",
    "Status",
    "StoreInfo",
    "TrainInfo",
    "VerifyReport",
    "__version__",
    "attention",
    "capacity",
    "capacity_margin",
    "capacity_probability",
    "capacity_top",
    "dense",
    "edit",
    "effective_dimension",
    "free_entropy",
    "free_entropy_asymptotic",
    "layer",
    "library_path",
    "listwise_capacity",
    "load_array",
    "max_margin",
    "moments",
    "random_normals",
    "random_uniforms",
    "sample",
    "save_array",
    "save_tensors",
    "solution_spectrum",
    "store",
    "tensor_metadata",
    "train",
]
