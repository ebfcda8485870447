"""The argument list of one lowered kernel: what the host packs and the device receives, slot by slot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

from ..checks.proved import Proved
from ..ir.nodes import Array, Const, Kernel, Lengths, Load, Reducer, Struct
from ..ir.ordered import ordered_store
from ..ir.types import I32, I64, Scalar
from ..ir.walk import expressions_of, statements, walk

SlotKind = Literal[
    "array",
    "scalar",
    "extent",
    "lower",
    "count",
    "reducer",
    "bins",
    "fresh",
    "initial",
    "partials",
    "counter",
    "tiles",
    "results",
    "sequence",
    "table",
    "pack",
    "struct",
    "lengths",
    "faults",
]
_POINTERS = ("array", "reducer", "partials", "counter", "tiles", "results", "faults")
_BY_VALUE = ("table", "pack", "struct", "lengths")
PARAMETER_LIMIT = 4096  # bytes of a launch on any NVIDIA GPU; from some driver on more, but a copy costs little
WORD = 8  # slots start at multiples of it; no type of the language has a larger alignment


@dataclass(frozen=True, slots=True)
class Slot:
    """One argument of the lowered kernel.

    Attributes
    ----------
    kind : str
        `bins`: number of a reducer's bins;
        `lower`/`count`: first value and number of values of a thread index; `fresh`/`initial`: whether a reducer starts
        from the given value instead of what its buffer holds; `partials`, `counter`: scratch of a device reduction;
        `tiles`: what the tiles of a kernel that stores in the order of its threads tell each other;
        `results`, `sequence`: the block that brings scalars back, and the number of the repetition; `table`, `pack`,
        `struct`, `lengths`: elements, addresses of the members, fields, or extents of the members, by value; `faults`:
        the record of the first access that was tested and failed.
    name : str
        Of the parameter, extent or index that it belongs to.
    type : Scalar
        Of the value; for a pointer, of what it points to; of a struct any.
    size, alignment : int
        Bytes of what is passed by value; 0 for scalars and pointers, which are as their type says.
    indirect : bool
        Whether such an aggregate is a copy in the device's memory, and the argument its address: a launch has no room
        for it among its parameters.
    """

    kind: SlotKind
    name: str
    type: Scalar
    size: int = 0
    alignment: int = 0
    indirect: bool = False

    @property
    def is_by_value(self) -> bool:
        """Whether the slot holds an aggregate: the emitted function has its address."""
        return self.kind in _BY_VALUE and not self.indirect

    @property
    def is_pointer(self) -> bool:
        """Whether the slot holds an address."""
        return self.kind in _POINTERS or self.indirect

    @property
    def llvm(self) -> str:
        """Type of the argument in LLVM IR."""
        return "ptr" if self.is_pointer or self.is_by_value else self.type.stored

    @property
    def bytes(self) -> int:
        """Size of the argument."""
        return 8 if self.is_pointer else self.size or self.type.bytes

    @property
    def align(self) -> int:
        """Alignment of the argument."""
        return self.bytes if self.is_pointer else self.alignment or self.bytes

    @property
    def operand(self) -> str:
        """The argument's name in the emitted function."""
        return f"%{self.kind}.{self.name}"


def kernel_slots(proved: Proved, *, device_reduction: bool) -> tuple[Slot, ...]:
    """Return the argument list of a kernel, in order.

    Parameters
    ----------
    device_reduction : bool
        Whether the target combines partial results on a device of its own (a GPU).
    """
    kernel = proved.kernel
    slots: list[Slot] = []
    for p in kernel.parameters:
        if isinstance(p, Array):
            slots.append(_array_slot(p))
        elif isinstance(p, Struct):
            slots.append(Slot("struct", p.name, I64, p.type.size, p.type.alignment))
        elif isinstance(p, Reducer):
            slots.append(Slot("reducer", p.name, p.element))
            slots += [Slot("bins", p.name, I64)] if p.dims else [Slot("fresh", p.name, I32)]
            slots += [] if p.dims or p.combination else [Slot("initial", p.name, p.element)]
        else:
            slots.append(Slot("scalar", p.name, p.type))
    own = lengths_of(kernel)
    slots += [Slot("lengths", n.name, I64, 8 * len(n.extents), 8) for n in own]
    listed = {v for n in own for v in n.extents}
    slots += [Slot("extent", v.name, I64) for v in kernel.extents if v not in listed]
    for index in kernel.body.indices:
        slots += [Slot("lower", index.name, I64), Slot("count", index.name, I64)]
    if kernel.totals and device_reduction:
        slots += [
            Slot("partials", "", I64),
            Slot("counter", "", I32),
            Slot("results", "", I64),
            Slot("sequence", "", I64),
        ]
    if device_reduction and ordered_store(kernel.body) is not None:
        slots.append(Slot("tiles", "", I64))
    if proved.tested:
        slots.append(Slot("faults", "", I64))
    if device_reduction and offsets(s.bytes for s in slots)[1] > PARAMETER_LIMIT:
        slots = [replace(s, indirect=s.is_by_value) for s in slots]
    return tuple(slots)


def _array_slot(p: Array) -> Slot:
    if p.members:
        return Slot("pack", p.name, p.element, 8 * p.members, 8)
    if p.is_table:
        elements = prod(int(d.upper.value) for d in p.dims if isinstance(d.upper, Const))
        return Slot("table", p.name, p.element, elements * p.element.bytes, p.element.bytes)
    return Slot("array", p.name, p.element)


def lengths_of(kernel: Kernel) -> tuple[Lengths, ...]:
    """Return the lengths that packs of a kernel bind, or its body reads, each once."""
    bound = [a.lengths for a in kernel.arrays if a.lengths is not None]
    loads = (e for s in statements(kernel.body.body) for x in expressions_of(s) for e in walk(x))
    read = [e.array for e in loads if isinstance(e, Load) and isinstance(e.array, Lengths)]
    return tuple(dict.fromkeys([*bound, *read]))


def offsets(sizes: Iterable[int]) -> tuple[list[int], int]:
    """Return where each slot of an argument block starts, and the bytes of the block."""
    starts, offset = [], 0
    for size in sizes:
        starts.append(offset)
        offset += -(-size // WORD) * WORD
    return starts, offset
