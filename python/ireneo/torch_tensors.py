"""Tensors of PyTorch, in and out. PyTorch itself is imported only where a tensor or a layer is asked for."""

from __future__ import annotations

from typing import Any

from .errors import DataError


def is_tensor(data: Any) -> bool:
    """Whether this is a tensor, without importing PyTorch."""
    return any(f"{kind.__module__}.{kind.__name__}" == "torch.Tensor" for kind in type(data).__mro__)


def as_numpy(tensor: Any, name: str) -> Any:
    """A tensor's numbers as NumPy sees them; bfloat16, which NumPy lacks, as float32, which holds it exactly."""
    if tensor.device.type == "meta":
        raise DataError(f"{name}: a tensor on the device 'meta' has a shape but no numbers")
    if tensor.device.type != "cpu":
        raise DataError(f"{name}: the tensor is on {tensor.device}; move it to main memory with .cpu()")
    if str(tensor.layout) != "torch.strided":
        raise DataError(f"{name}: a tensor of layout {tensor.layout} is not read; make it dense with .to_dense()")
    if tensor.is_quantized:
        raise DataError(f"{name}: a quantized tensor is not read; use .dequantize()")
    plain = tensor.detach().resolve_conj().resolve_neg()
    return (plain.float() if str(plain.dtype) == "torch.bfloat16" else plain).numpy()


def torch() -> Any:
    """PyTorch."""
    try:
        import torch as module
    except ImportError:
        raise ImportError("this needs PyTorch; memory.W is the same matrix for NumPy") from None
    return module


def linear_layer(matrices: Any) -> Any:
    """torch.nn.Linear without bias for one matrix (outputs, inputs); a torch.nn.Sequential of them for several."""
    nn = torch().nn
    layers = []
    for matrix in matrices:
        layer = nn.Linear(matrix.shape[1], matrix.shape[0], bias=False)
        layer.load_state_dict({"weight": torch().from_numpy(matrix)})
        layers.append(layer)
    return layers[0] if len(layers) == 1 else nn.Sequential(*layers)
