"""What a launch is given: arrays of other libraries, seen through their standard interfaces."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..errors import LaunchError
from ..ir.types import SCALARS
from .manifest import C_TYPES
from .plan import ArrayPlan

_DTYPES = {
    "f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32", "u64": "uint64", "u32": "uint32",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class View:
    """An array's memory.

    Attributes
    ----------
    address : int
        Of the first element.
    shape : tuple of int
    dtype : str
        NumPy's name of the element type.
    on_gpu, contiguous, writable : bool
        Where it lies; whether it is dense and row-major; whether it may be written.
    """

    address: int
    shape: tuple[int, ...]
    dtype: str
    on_gpu: bool
    contiguous: bool
    writable: bool
    bytes: int


@functools.lru_cache(maxsize=64)
def _dtype(typestr: str) -> np.dtype[Any]:
    return np.dtype(typestr)


def view_of(name: str, value: Any) -> View:
    """Return the memory of a NumPy-like or CUDA array; raises LaunchError for anything else."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        return View(
            value.__array_interface__["data"][0], value.shape, value.dtype.name, False, flags.c_contiguous,
            flags.writeable, value.nbytes,
        )  # fmt: skip
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is None:
        raise LaunchError(
            f"error[KP0802]: `{name}` is a {type(value).__name__}, not an array\n"
            "  = help: pass a NumPy array (CPU) or a CuPy array (GPU)"
        )
    dtype, shape = _dtype(interface["typestr"]), tuple(interface["shape"])
    strides = interface.get("strides")
    address, readonly = interface["data"]
    dense = strides is None or strides == _dense_strides(shape, dtype.itemsize)
    return View(address, shape, dtype.name, True, dense, not readonly, prod(shape) * dtype.itemsize)


def _dense_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    strides, step = [], itemsize
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def check_view(plan: ArrayPlan, view: View, on_gpu: bool, target: str) -> None:
    """Raise LaunchError unless the memory fits the parameter in place, layout, type and rank."""
    name = plan.name
    if view.on_gpu != on_gpu:
        where, needed = ("a GPU", "the host") if view.on_gpu else ("the host", "the GPU")
        raise LaunchError(
            f"error[KP0804]: `{name}` lies in memory of {where}, but target `{target}` needs {needed}\n"
            f"  = help: {'copy it with cupy.asarray(...)' if on_gpu else 'copy it back with cupy.asnumpy(...)'}"
        )
    if not view.contiguous:
        raise LaunchError(
            f"error[KP0804]: `{name}` is not contiguous in row-major order\n"
            f"  = help: pass `numpy.ascontiguousarray(...)` of it; strided and transposed views are not borrowed"
        )
    wanted = "structured (value, location)" if plan.located else _DTYPES[plan.type]
    if not plan.located and view.dtype != wanted:
        raise LaunchError(
            f"error[KP0802]: `{name}` has elements of type {view.dtype}, but `{plan.access}[{plan.type}]` needs {wanted}\n"
            f"  = help: convert it with `.astype({wanted!r})`, or change the parameter's type"
        )
    if plan.located and view.bytes != 16:
        raise LaunchError(
            f"error[KP0802]: reducer `{name}` needs one 16-byte element: a value of 8 bytes and an int64 location\n"
            "  = help: use a NumPy array of dtype [('value', 'f8'), ('location', 'i8')]"
        )
    if len(view.shape) != len(plan.dims):
        raise LaunchError(
            f"error[KP0802]: `{name}` has {len(view.shape)} dimensions, but the parameter has {len(plan.dims)}"
            f" ({', '.join(t for _, _, t in plan.dims)})"
        )
    if plan.access != "Ref" and not view.writable:
        raise LaunchError(f"error[KP0804]: `{name}` is read-only, but `{plan.access}` writes to it\n  = help: pass a writable copy")  # noqa: E501
    element = 8 if plan.located else SCALARS[plan.type].bytes
    if view.address % element:
        raise LaunchError(f"error[KP0804]: `{name}` is not aligned to its {element}-byte elements\n  = help: pass an aligned copy")  # noqa: E501


def check_scalar(name: str, type_: str, value: Any) -> int | float:
    """Return a scalar argument as a Python number of its type; raises LaunchError."""
    scalar = SCALARS[type_]
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise LaunchError(f"error[KP0802]: `{name}` is a {type(value).__name__}, but `{type_}` ({C_TYPES[type_]}) is needed")
    if scalar.is_float:
        return float(value)
    if not isinstance(value, (int, np.integer)):
        raise LaunchError(f"error[KP0802]: `{name}` is the float {value!r}, but the integer type `{type_}` is needed")
    number = int(value)
    if not scalar.lowest <= number <= scalar.highest:
        raise LaunchError(f"error[KP0802]: `{name}` = {number} does not fit into `{type_}`")
    return number


def overlapping(a: View, b: View) -> bool:
    """Whether two arrays share a byte."""
    return a.bytes > 0 and b.bytes > 0 and a.address < b.address + b.bytes and b.address < a.address + a.bytes


def missing_and_unknown(given: Mapping[str, Any], wanted: list[str]) -> None:
    """Raise LaunchError unless the names match."""
    missing = [n for n in wanted if n not in given]
    unknown = [n for n in given if n not in wanted]
    if missing or unknown:
        parts = [f"missing: {', '.join(missing)}"] * bool(missing) + [f"not a parameter: {', '.join(unknown)}"] * bool(unknown)
        raise LaunchError(f"error[KP0802]: arguments do not match the parameters ({'; '.join(parts)})\n  = help: the parameters are {', '.join(wanted)}")  # noqa: E501
