"""Arguments as bytes: what is passed by value, and the argument block of one kernel call."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..targets.abi import offsets
from . import refusals
from .arguments import DTYPES, check_scalar
from .expression_text import evaluate
from .manifest import Parameter, put
from .plan import CallPlan


def table_bytes(p: Parameter, value: Any) -> bytes:
    """Return the elements of a table, row-major; raises LaunchError unless shape and type are the parameter's."""
    shape = tuple(map(int, p.dims))
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:  # an array of a GPU, or rows of different lengths
        raise refusals.not_a_table(p.name, value, shape) from error
    if array.dtype.kind not in "biuf" or array.shape != shape:
        raise refusals.not_a_table(p.name, value, shape)
    given = isinstance(value, (np.ndarray, np.generic))
    if given and array.dtype != np.dtype(DTYPES[p.type]):
        raise refusals.wrong_element(p.name, array.dtype.name, f"Table[{p.type}]", DTYPES[p.type])
    numbers = [check_scalar(f"{p.name}[{i}]", p.type, v) for i, v in enumerate(array.ravel().tolist())]
    return np.array(numbers, DTYPES[p.type]).tobytes()


def struct_of(p: Parameter, value: Any) -> tuple[dict[str, Any], bytes]:
    """Return a struct's fields by path, and its bytes; raises LaunchError."""
    layout = getattr(type(value), "__kparity_struct__", None)
    if layout is None or layout.name != p.type or [(n, t.name, at) for n, t, at in layout.fields] != list(p.fields):
        raise refusals.not_a_struct(p.name, value, p.type, [n for n, _, _ in p.fields])
    block = ctypes.create_string_buffer(p.size)
    fields = {n: check_scalar(f"{p.name}.{n}", t, operator.attrgetter(n)(value)) for n, t, _ in p.fields}
    for path, type_, offset in p.fields:
        put(block, offset, type_, fields[path])
    return fields, block.raw


def words(numbers: Sequence[int]) -> bytes:
    """Return addresses or extents, 8 bytes each."""
    return np.array([n % 2**64 for n in numbers], np.uint64).tobytes()


def pack_slots(
    call: CallPlan, addresses: Mapping[str, int], blobs: Mapping[str, bytes], values: Mapping[str, Any]
) -> tuple[ctypes.Array[ctypes.c_char], list[int]]:
    """Return the argument block of a kernel call, and where each slot starts in it.

    Parameters
    ----------
    addresses, blobs, values : mapping
        Of arrays and reducers; bytes of what is passed by value; scalars and extents. Slots of the target's runtime
        are left empty.
    """
    starts, size = offsets(s.bytes for s in call.slots)
    block = ctypes.create_string_buffer(max(1, size))
    for slot, start in zip(call.slots, starts, strict=True):
        match slot.kind:
            case "array" | "reducer":
                put(block, start, "pointer", addresses[slot.source])
            case "table" | "pack" | "struct":
                put(block, start, slot.type, blobs[slot.source])
            case "lengths":
                put(block, start, slot.type, words(evaluate(slot.source, values)))
            case "partials" | "counter" | "results" | "sequence" | "faults":
                pass
            case _:
                put(block, start, slot.type, evaluate(slot.source, values))
    return block, starts
