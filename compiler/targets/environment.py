"""What a kernel's names and functions are in the code that is being emitted: what a target gives to its body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from ..ir.nodes import Buffer, Kernel, Reducer, Space, Storage, Store, Struct, Variable
from ..ir.types import BOOL, Scalar
from .abi import lengths_of
from .bins import Bins
from .reductions import State
from .text import Function, Module

if TYPE_CHECKING:
    from .body import BodyEmitter


class OrderedStores(Protocol):
    """What a target does where a body stores in the order of the threads."""

    def take(self, store: Store, body: BodyEmitter) -> None:
        """Emit the value, and what becomes of it."""


class MathLibrary(Protocol):
    """How a target calls a mathematical function that is not an LLVM intrinsic."""

    def call(self, name: str, type_: Scalar, arguments: Sequence[str], f: Function, module: Module) -> str:
        """Emit the call and return its result."""


@dataclass(slots=True)
class Environment:
    """What the names of a kernel are in the function being emitted.

    Attributes
    ----------
    pointers : dict
        Array or buffer -> its address.
    values : dict
        Scalar parameter, extent, thread or loop index -> operand of its own type.
    narrow : dict or None
        The same for `i64` names as `i32` operands, in a function for arrays below 2^31 elements. There an index is
        computed in 32 bits: `+ - *` are exact modulo 2^32, and the final index is proved to lie within its array.
    states : dict
        Reducer -> accumulator of this thread.
    small_threads : bool
        Whether thread indices lie within +-2^50 and the processor converts no 64-bit integers in vectors.
    separate_chains : bool
        Whether a sum that a loop carries is left unfused: where a fused step has the longer latency.
    atomics : str or None
        Scope of atomic operations, as in `emit_atomic`.
    team_atomics : str or None
        The same for memory of a team.
    aliases : dict
        Array -> metadata of its accesses: which other arrays they never touch.
    bins : Bins or None
        Where contributions to bins go; None in a kernel that has none.
    group : str
        Metadata of accesses in a loop whose iterations touch nothing of each other's.
    is_gpu : bool
        Whether memory has address spaces.
    ordered : OrderedStores or None
        What takes the stores in the order of the threads.
    """

    pointers: dict[Storage, str]
    values: dict[Variable, str]
    narrow: dict[Variable, str] | None
    states: dict[Reducer, State]
    small_threads: bool = False
    separate_chains: bool = False
    atomics: str | None = None
    team_atomics: str | None = None
    aliases: Mapping[Storage, str] = field(default_factory=dict)
    group: str = ""
    bins: Bins | None = None
    is_gpu: bool = False
    ordered: OrderedStores | None = None
    slots: dict[Variable, str] = field(default_factory=dict)  # local variable -> stack slot

    def metadata(self, storage: Storage) -> str:
        """Return what is known of a plain access to storage, as the end of its instruction."""
        is_local = isinstance(storage, Buffer) and storage.space is Space.LOCAL  # used again by the next iteration
        return self.aliases.get(storage, "") + ("" if is_local else self.group)


def arguments_of(kernel: Kernel, f: Function) -> tuple[dict[Storage, str], dict[Variable, str]]:
    """Return the addresses of a kernel's arrays, and the values of its scalars and extents, as arguments of `f`.

    Fields of structs, bools and lengths are read out of what holds them.
    """
    pointers: dict[Storage, str] = {
        a: f"%{'pack' if a.members else 'table' if a.is_table else 'array'}.{a.name}" for a in kernel.arrays
    }
    pointers |= {n: f"%lengths.{n.name}" for n in lengths_of(kernel)}
    values: dict[Variable, str] = {}

    def read(variable: Variable, address: str, offset: int) -> None:
        type_ = variable.type
        at = f.value(f"getelementptr inbounds i8, ptr {address}, i64 {offset}")
        values[variable] = as_value(f.value(f"load {type_.stored}, ptr {at}", variable.name), type_, f)

    for parameter in kernel.parameters:
        if isinstance(parameter, Struct):
            for field_, (_, _, offset) in zip(parameter.fields, parameter.type.fields, strict=True):
                read(field_, f"%struct.{parameter.name}", offset)
        elif isinstance(parameter, Variable):
            values[parameter] = as_value(f"%scalar.{parameter.name}", parameter.type, f)
    for lengths in lengths_of(kernel):
        for member, extent in enumerate(lengths.extents):
            read(extent, pointers[lengths], 8 * member)
    return pointers, values | {v: f"%extent.{v.name}" for v in kernel.extents if v not in values}


def as_value(stored: str, type_: Scalar, f: Function) -> str:
    """Return what was loaded or passed as a value: a bool is a byte that is not 0."""
    return f.value(f"icmp ne i8 {stored}, 0") if type_ is BOOL else stored


def as_stored(value: str, type_: Scalar, f: Function) -> str:
    """Return a value as memory holds it."""
    return f.value(f"zext i1 {value} to i8") if type_ is BOOL else value
