"""The argument list of one lowered kernel: what the host packs and the device receives, slot by slot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..ir.nodes import Array, Kernel, Reducer
from ..ir.types import I32, I64, Scalar

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
    "results",
    "sequence",
]
_POINTERS = ("array", "reducer", "partials", "counter", "results")


@dataclass(frozen=True, slots=True)
class Slot:
    """One argument of the lowered kernel.

    Attributes
    ----------
    kind : str
        `bins`: number of a reducer's bins;
        `lower`/`count`: first value and number of values of a thread index; `fresh`/`initial`: whether a reducer starts
        from the given value instead of what its buffer holds; `partials`, `counter`: scratch of a device reduction;
        `results`, `sequence`: the block that brings scalars back, and the number of the repetition.
    name : str
        Of the parameter, extent or index that it belongs to.
    type : Scalar
        Of the value; for a pointer, of what it points to.
    """

    kind: SlotKind
    name: str
    type: Scalar

    @property
    def is_pointer(self) -> bool:
        """Whether the slot holds an address."""
        return self.kind in _POINTERS

    @property
    def llvm(self) -> str:
        """Type of the argument in LLVM IR."""
        return "ptr" if self.is_pointer else self.type.llvm

    @property
    def bytes(self) -> int:
        """Size of the argument."""
        return 8 if self.is_pointer else self.type.bytes

    @property
    def operand(self) -> str:
        """The argument's name in the emitted function."""
        return f"%{self.kind}.{self.name}"


def kernel_slots(kernel: Kernel, *, device_reduction: bool) -> tuple[Slot, ...]:
    """Return the argument list of a kernel, in order.

    Parameters
    ----------
    device_reduction : bool
        Whether the target combines partial results on a device of its own (a GPU).
    """
    slots: list[Slot] = []
    for p in kernel.parameters:
        if isinstance(p, Array):
            slots.append(Slot("array", p.name, p.element))
        elif isinstance(p, Reducer):
            slots.append(Slot("reducer", p.name, p.element))
            slots += [Slot("bins", p.name, I64)] if p.dims else [
                Slot("fresh", p.name, I32), Slot("initial", p.name, p.element),
            ]  # fmt: skip
        else:
            slots.append(Slot("scalar", p.name, p.type))
    slots += [Slot("extent", v.name, I64) for v in kernel.extents]
    for index in kernel.body.indices:
        slots += [Slot("lower", index.name, I64), Slot("count", index.name, I64)]
    if kernel.totals and device_reduction:
        slots += [
            Slot("partials", "", I64),
            Slot("counter", "", I32),
            Slot("results", "", I64),
            Slot("sequence", "", I64),
        ]
    return tuple(slots)
