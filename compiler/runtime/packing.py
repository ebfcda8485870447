"""Arguments as bytes: what is passed by value, and the argument block of one kernel call."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..targets.abi import offsets
from . import refusals
from .arguments import DTYPES, View, check_scalar
from .expression_text import evaluate
from .foreign import lies_on_gpu
from .manifest import Manifest, Parameter, put
from .plan import CallPlan


def table_bytes(p: Parameter, value: Any) -> bytes:
    """Return the elements of a table, row-major; raises LaunchError unless shape and type are the parameter's."""
    shape = tuple(map(int, p.dims))
    array = np.asarray(value) if _has_shape(value, shape) else None
    if array is None or array.dtype.kind not in "biuf":
        needed = f"a table of {' x '.join(map(str, shape))} numbers in host memory"
        found = (
            f"a {type(value).__name__} of shape {value.shape}"
            if hasattr(value, "shape")
            else f"a {type(value).__name__}"
        )
        raise refusals.not_needed(p.name, found, needed, "pass a list, tuple or NumPy array of exactly that shape")
    given = isinstance(value, (np.ndarray, np.generic))
    if given and array.dtype != np.dtype(DTYPES[p.type]):
        raise refusals.wrong_element(p.name, array.dtype.name, f"Table[{p.type}]", DTYPES[p.type])
    numbers = [check_scalar(f"{p.name}[{i}]", p.type, v) for i, v in enumerate(array.ravel().tolist())]
    return np.array(numbers, DTYPES[p.type]).tobytes()


def _has_shape(value: Any, shape: tuple[int, ...]) -> bool:
    try:
        return np.shape(value) == shape and not lies_on_gpu(value)
    except ValueError:  # rows of different lengths
        return False


def struct_of(p: Parameter, value: Any) -> tuple[dict[str, Any], bytes]:
    """Return a struct's fields by path, and its bytes; raises LaunchError."""
    layout = getattr(type(value), "__kparity_struct__", None)
    if layout is None or layout.name != p.type or [(n, t.name, at) for n, t, at in layout.fields] != list(p.fields):
        help_ = f"pass `{p.type}(...)`, with the fields {', '.join(f'`{n}`' for n, _, _ in p.fields)}"
        raise refusals.not_needed(p.name, f"a {type(value).__name__}", f"the struct `{p.type}`", help_)
    block = ctypes.create_string_buffer(p.size)
    fields = {n: check_scalar(f"{p.name}.{n}", t, operator.attrgetter(n)(value)) for n, t, _ in p.fields}
    for path, type_, offset in p.fields:
        put(block, offset, type_, fields[path])
    return fields, block.raw


def words(numbers: Sequence[int]) -> bytes:
    """Return addresses or extents, 8 bytes each."""
    return np.array([n % 2**64 for n in numbers], np.uint64).tobytes()


def pack_words(manifest: Manifest, views: Mapping[str, View]) -> dict[str, bytes]:
    """Return the addresses of the members of every pack."""
    packs = [p for p in manifest.parameters if p.kind == "pack"]
    return {p.name: words([views[f"{p.name}[{m}]"].address for m in range(p.members)]) for p in packs}


def pack_slots(
    call: CallPlan,
    addresses: Mapping[str, int],
    blobs: Mapping[str, bytes],
    values: Mapping[str, Any],
    copied: Callable[[bytes], int] | None = None,
) -> tuple[ctypes.Array[ctypes.c_char], list[int]]:
    """Return the argument block of a kernel call, and where each slot starts in it.

    Parameters
    ----------
    addresses, blobs, values : mapping
        Of arrays and reducers; bytes of what is passed by value; scalars and extents. Slots of the target's runtime
        are left empty.
    copied : callable, optional
        Returns the address of a copy in the device's memory, for slots that hold such an address.
    """
    starts, size = offsets(s.bytes for s in call.slots)
    block = ctypes.create_string_buffer(max(1, size))
    for slot, start in zip(call.slots, starts, strict=True):
        match slot.kind:
            case "array" | "reducer":
                put(block, start, "pointer", addresses[slot.source])
            case "table" | "pack" | "struct" | "lengths":
                content = words(evaluate(slot.source, values)) if slot.kind == "lengths" else blobs[slot.source]
                if slot.indirect:
                    assert copied is not None, "only a GPU's launches have too little room"
                    put(block, start, "pointer", copied(content))
                else:
                    put(block, start, slot.type, content)
            case "partials" | "counter" | "tiles" | "results" | "sequence" | "faults":
                pass
            case _:
                put(block, start, slot.type, evaluate(slot.source, values))
    return block, starts
