"""What a kernel's names and functions are in the code that is being emitted: what a target gives to its body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..ir.nodes import Buffer, Reducer, Space, Storage, Variable
from ..ir.types import Scalar
from .bins import Bins
from .reductions import State
from .text import Function, Module


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
    slots: dict[Variable, str] = field(default_factory=dict)  # local variable -> stack slot

    def metadata(self, storage: Storage) -> str:
        """Return what is known of a plain access to storage, as the end of its instruction."""
        is_local = isinstance(storage, Buffer) and storage.space is Space.LOCAL  # used again by the next iteration
        return self.aliases.get(storage, "") + ("" if is_local else self.group)
