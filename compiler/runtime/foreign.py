"""Arrays of other libraries, borrowed without a copy through the interfaces that they share.

NumPy and CUDA arrays are known by their own interfaces; PyTorch, JAX and CuPy speak DLPack; pandas and pyarrow lend
what `to_numpy` does not copy; everything else with a buffer (`bytearray`, `array.array`, `mmap`) lends that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import refusals

_CPU, _CUDA, _CUDA_HOST, _ROCM, _ROCM_HOST, _CUDA_MANAGED = 1, 2, 3, 10, 11, 13  # DLDeviceType
_GPUS = (_CUDA, _CUDA_MANAGED, _ROCM)


def lies_on_gpu(value: Any) -> bool:
    """Whether an array's memory is that of a GPU."""
    device = getattr(value, "__dlpack_device__", None)
    if device is not None:
        return int(device()[0]) in _GPUS
    return hasattr(value, "__cuda_array_interface__")


def cuda_interface(name: str, value: Any) -> dict[str, Any] | None:
    """Return `__cuda_array_interface__` of an array of the GPU, or None; raises LaunchError if its owner refuses."""
    if not lies_on_gpu(value):
        return None
    try:
        found: dict[str, Any] | None = getattr(value, "__cuda_array_interface__", None)
    except (RuntimeError, TypeError) as error:  # PyTorch, of a tensor with gradients
        raise refusals.does_not_lend(name, value, str(error)) from error
    if found is None and type(value).__module__.partition(".")[0] == "cupy":  # its build for ROCm has no such interface
        pointer, strides = (int(value.data.ptr), False), tuple(value.strides)
        return {"shape": value.shape, "typestr": value.dtype.str, "data": pointer, "strides": strides}
    return found


def is_immutable(value: Any) -> bool:
    """Whether an array's library holds it for unchangeable, though its interface does not say so."""
    return type(value).__module__.partition(".")[0] in ("jax", "jaxlib")


def lent(name: str, value: Any) -> Any:
    """Return what stands for the memory of a foreign array.

    Parameters
    ----------
    name : str
        The parameter, for messages.
    value : object
        What was passed.

    Returns
    -------
    numpy.ndarray or object with `__cuda_array_interface__`
        The same memory; read-only where the owner says so.

    Raises
    ------
    LaunchError
        It lends no memory, or could only be copied.
    """
    if isinstance(value, np.generic):
        raise refusals.not_an_array(name, value)
    library = type(value).__module__.partition(".")[0]
    if library == "pandas" and hasattr(value, "to_numpy"):
        return _column(name, value)
    if library == "pyarrow" and hasattr(value, "to_numpy"):
        return _arrow(name, value)
    if hasattr(value, "__dlpack_device__"):
        return _exchanged(name, value)
    try:
        return np.asarray(memoryview(value))
    except (TypeError, ValueError, NotImplementedError):
        raise refusals.not_an_array(name, value) from None


def _column(name: str, column: Any) -> Any:
    """Return the values of a pandas column, if they lie there as a plain array."""
    values = column.to_numpy()
    if not np.shares_memory(values, column.to_numpy()):
        raise refusals.only_a_copy(name, f"a column of pandas with dtype {column.dtype}", "`.to_numpy()`")
    return values


def _arrow(name: str, values: Any) -> Any:
    """Return the values of an Arrow array, if they lie there without gaps."""
    try:
        return values.to_numpy(zero_copy_only=True)
    except ValueError as error:
        raise refusals.does_not_lend(name, values, str(error)) from error


def _exchanged(name: str, value: Any) -> Any:
    """Return what DLPack hands over."""
    kind = int(value.__dlpack_device__()[0])
    try:
        if kind in (_CPU, _CUDA_HOST, _ROCM_HOST):
            return np.from_dlpack(value)
        if kind in _GPUS:
            import cupy

            return cupy.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise refusals.does_not_lend(name, value, str(error)) from error
    raise refusals.does_not_lend(name, value, f"its memory is of DLPack's device type {kind}")
