"""What a launch is given: arrays of other libraries, seen through their standard interfaces."""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from ..checks.proved import LARGEST_EXTENT
from ..errors import LaunchError
from ..ir.types import BOOL, F32, SCALARS
from . import refusals
from .buffers import OwnedArray
from .expression_text import evaluate
from .foreign import cuda_interface, is_immutable, lent
from .manifest import Parameter
from .plan import ArrayPlan
from .residence import HOST, Place

DTYPES = {
    "f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32", "u64": "uint64", "u32": "uint32",
    "bool": "bool",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class View:
    """An array's memory.

    Attributes
    ----------
    address : int
        Of the first element.
    shape : tuple of int
    dtype : numpy.dtype
        Element type.
    strides : tuple of int, optional
        Bytes from one element to the next, by dimension; None for row-major.
    on_gpu, writable : bool
        Where it lies; whether it may be written.
    bytes : int
        From the first element to the end of the last.
    """

    address: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    strides: tuple[int, ...] | None
    on_gpu: bool
    writable: bool
    bytes: int


@functools.lru_cache(maxsize=64)
def _dtype(typestr: str) -> np.dtype[Any]:
    return np.dtype(typestr)


def view_of(name: str, value: Any, place: Place = HOST) -> View:
    """Return the memory of an array; raises LaunchError for anything else.

    Parameters
    ----------
    place : str
        Which memory of an owned array is meant.
    """
    if isinstance(value, OwnedArray):
        view = view_of(name, value.memory(name, place))
        return replace(view, writable=not value.frozen)
    if isinstance(value, np.ndarray):
        if isinstance(value, np.ma.MaskedArray):
            raise refusals.masked(name)
        address, writable = value.__array_interface__["data"][0], value.flags.writeable
        return View(address, value.shape, value.dtype, value.strides, False, writable, value.nbytes)
    interface = cuda_interface(name, value)
    if interface is None:
        return view_of(name, lent(name, value))
    if interface.get("mask") is not None:
        raise refusals.masked(name)
    dtype, shape = _dtype(interface["typestr"]), tuple(interface["shape"])
    address, is_readonly = interface["data"]
    strides = interface.get("strides")
    strides = None if strides is None else tuple(strides)
    writable = not is_readonly and not is_immutable(value)
    return View(address, shape, dtype, strides, True, writable, prod(shape) * dtype.itemsize)


def memory_for(plan: ArrayPlan, values: Mapping[str, Any], on_gpu: bool) -> Any:
    """Return new memory for an array of the program's own; raises LaunchError for sizes that it cannot have."""
    shape = []
    for position, (_, upper, text) in enumerate(plan.dims):
        size = evaluate(upper, values)
        if not 0 <= size <= LARGEST_EXTENT:
            raise refusals.no_such_size(plan.name, position, text, size, LARGEST_EXTENT)
        shape.append(size)
    if not on_gpu:
        return np.empty(shape, DTYPES[plan.type])
    import cupy

    return cupy.empty(shape, DTYPES[plan.type])


def dense_strides(shape: Sequence[int], itemsize: int, order: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the strides of elements that lie one after the other, `order` naming the dims from the slowest on."""
    strides, step = [0] * len(shape), itemsize
    for dim in reversed(order or range(len(shape))):
        strides[dim] = step
        step *= shape[dim]
    return tuple(strides)


def _check_layout(plan: ArrayPlan, view: View) -> None:
    """Raise LaunchError unless elements lie as the parameter says; the stride of a single one is of no account."""
    wanted = dense_strides(view.shape, view.dtype.itemsize, plan.order)
    strides = view.strides or dense_strides(view.shape, view.dtype.itemsize)
    differ = (w != s for size, w, s in zip(view.shape, wanted, strides, strict=True) if size != 1)
    if 0 not in view.shape and any(differ):
        raise refusals.wrong_layout(plan.name, view.shape, strides, wanted, plan.order)


def members_of(p: Parameter, value: Any) -> list[Any]:
    """Return the arrays of a pack; raises LaunchError unless it is a sequence of as many as the parameter has."""
    try:
        members = list(value)
    except TypeError as error:
        raise _no_pack(p, f"a {type(value).__name__}") from error
    if len(members) != p.members:
        raise _no_pack(p, f"a sequence of {len(members)}")
    return members


def _no_pack(p: Parameter, found: str) -> LaunchError:
    return refusals.not_needed(p.name, found, f"a pack of {p.members} arrays", f"pass a list of {p.members} arrays")


_DEVICE_MEMORY = 2  # cudaMemoryTypeDevice; managed memory belongs to every device
_MANAGED_MEMORY = 3  # hipMemoryTypeManaged


def check_device(views: Mapping[str, View], target: str) -> None:
    """Raise LaunchError unless every array lies in memory of the current GPU.

    The driver is asked, for ordinals depend on what this process can see. AMD's atomic instructions do nothing to
    memory that moves between host and device, so `hip` takes none.
    """
    import cupy

    current = cupy.cuda.Device().id
    for name, view in views.items():
        if view.bytes == 0:
            continue
        found = cupy.cuda.runtime.pointerGetAttributes(view.address)
        if found.type == _DEVICE_MEMORY and found.device != current:
            raise refusals.other_device(name, found.device, current)
        if found.type == _MANAGED_MEMORY and target == "hip":
            help_ = (
                "allocate it without `cupy.cuda.malloc_managed`: AMD's atomic instructions do nothing to such memory"
            )
            raise refusals.not_needed(name, "in managed memory", "memory of the GPU alone", help_)


def check_view(plan: ArrayPlan, view: View, on_gpu: bool, target: str) -> View:
    """Return the memory as the parameter has it; raises LaunchError unless it fits in place, layout, type and rank."""
    name = plan.name
    if view.on_gpu != on_gpu:
        raise refusals.wrong_place(name, target, needs_gpu=on_gpu)
    view = _check_element(plan, view)
    if len(view.shape) != len(plan.dims):
        raise refusals.wrong_rank(name, len(view.shape), [text for _, _, text in plan.dims])
    _check_layout(plan, view)
    for position, size in enumerate(view.shape):
        if size > LARGEST_EXTENT:
            raise refusals.too_long(name, position, size, LARGEST_EXTENT)
    if plan.access != "Ref" and not view.writable:
        raise refusals.read_only(name, plan.access)
    element = 8 if plan.fields else SCALARS[plan.type].bytes
    if view.address % element:
        raise refusals.misaligned(name, element)
    return view


def _check_element(plan: ArrayPlan, view: View) -> View:
    parameter = f"{plan.access}[{plan.type}]"
    found = view.dtype.name if view.dtype.isnative else f"{view.dtype.name} (bytes swapped)"
    if not plan.fields:
        if view.dtype != np.dtype(DTYPES[plan.type]):
            raise refusals.wrong_element(plan.name, found, parameter, DTYPES[plan.type])
        return view
    held = [(np.dtype(DTYPES[type_]), at) for type_, at in plan.fields]
    size = plan.element_bytes
    parts = [(part[0], part[1]) for part in (view.dtype.fields or {}).values()]
    if view.on_gpu and view.bytes == size and len(view.shape) == 1:
        # Libraries for GPUs have no structured types: there anything of that size is taken at its word.
        return replace(view, shape=(1,), dtype=np.dtype(f"V{size}"), strides=None)
    if view.dtype.itemsize != size or parts != held:
        raise refusals.wrong_fields(plan.name, found, parameter, size, DTYPES.get(plan.type, ""), plan.type)
    return view


def check_scalar(name: str, type_: str, value: Any) -> int | float:
    """Return a scalar argument as a Python number of its type; raises LaunchError."""
    scalar = SCALARS[type_]
    if scalar is BOOL:
        if not isinstance(value, (bool, np.bool_)):
            raise refusals.not_needed(name, f"a {type(value).__name__}", "a `bool`", "pass `True` or `False`")
        return bool(value)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise refusals.not_a_number(name, value, type_)
    if not scalar.is_float and not isinstance(value, (int, np.integer)):
        raise refusals.not_an_integer(name, value, type_)
    return fitting(f"`{name}`", type_, value)


def fitting(what: str, type_: str, value: Any) -> int | float:
    """Return a number as its type holds it, a float rounded; raises LaunchError if it is outside of the type."""
    scalar = SCALARS[type_]
    if scalar is BOOL:
        return bool(value)
    if scalar.is_float:
        form = "<f" if scalar is F32 else "<d"  # native formats would not notice an overflow
        try:
            (number,) = struct.unpack(form, struct.pack(form, float(value)))
        except OverflowError as error:
            raise refusals.does_not_fit(what, value, type_, "the range of the type") from error
        return float(number)
    if not scalar.lowest <= int(value) <= scalar.highest:
        raise refusals.does_not_fit(what, value, type_, f"{scalar.lowest} .. {scalar.highest}")
    return int(value)


def overlapping(a: View, b: View) -> bool:
    """Whether two arrays share a byte."""
    return a.bytes > 0 and b.bytes > 0 and a.address < b.address + b.bytes and b.address < a.address + a.bytes


def missing_and_unknown(program: str, given: Mapping[str, Any], wanted: Sequence[str]) -> None:
    """Raise LaunchError unless the names match."""
    missing = [n for n in wanted if n not in given]
    unknown = [n for n in given if n not in wanted]
    if missing or unknown:
        raise refusals.wrong_names(program, missing, unknown, wanted)
