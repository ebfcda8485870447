"""Contributions to a reducer's bins: in place, atomically, or gathered in registers while a thread stays in one bin."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..ir.nodes import Reducer
from . import reductions
from .atomics import emit_loop
from .text import Function, Module

_INSTRUCTIONS = {"Sum": "add", "And": "and", "Or": "or", "Min": "min", "Max": "max"}


@dataclass(slots=True)
class Bins:
    """Where contributions to bins go.

    Attributes
    ----------
    pointers : dict
        Reducer -> address of its first bin.
    scope : str or None
        Of the other threads that contribute there, as in `emit_atomic`; None: there are none.
    """

    pointers: dict[Reducer, str]
    scope: str | None

    def contribute(self, r: Reducer, offset: str, value: str, f: Function, module: Module) -> None:
        """Combine a value into the bin at an offset (i64, in elements)."""
        address = f.value(f"getelementptr inbounds {r.element.llvm}, ptr {self.pointers[r]}, i64 {offset}", "bin")
        combine_into(r, address, value, self.scope, f, module)


@dataclass(slots=True)
class RunningBins(Bins):
    """Keeps the last bin and its sum in registers: a run of one bin is one update, however many threads share it.

    Between `begin` and `settle` nothing is combined, so that the loads of several elements come first.
    """

    held: dict[Reducer, tuple[str, str]] = field(default_factory=dict)  # slots of the offset, -1 for none, and the sum
    waiting: list[tuple[Reducer, str, str]] | None = None

    def start(self, f: Function) -> None:
        """Begin with no bin."""
        for r in self.pointers:
            self.held[r] = f.alloca("i64", "bin"), f.alloca(r.element.llvm, "held")
            f.emit(f"store i64 -1, ptr {self.held[r][0]}")

    def begin(self) -> None:
        """From here on contributions of straight-line code wait."""
        self.waiting = []

    def settle(self, f: Function, module: Module) -> None:
        """Combine what has waited."""
        waiting, self.waiting = self.waiting or [], None
        for r, offset, value in waiting:
            self.contribute(r, offset, value, f, module)

    def contribute(self, r: Reducer, offset: str, value: str, f: Function, module: Module) -> None:
        """Combine a value with what is held, or let that go first if it is another bin's."""
        if self.waiting is not None:
            self.waiting.append((r, offset, value))
            return
        bin_slot, sum_slot = self.held[r]
        same, other, done = f.name("same"), f.name("other"), f.name("held")
        here = f.value(f"load i64, ptr {bin_slot}")
        f.branch(f.value(f"icmp eq i64 {here}, {offset}"), same, other)
        f.block(same)
        old = f.value(f"load {r.element.llvm}, ptr {sum_slot}")
        f.emit(f"store {r.element.llvm} {reductions.combined(r, old, value, f, module)}, ptr {sum_slot}")
        f.jump(done)
        f.block(other)
        self._let_go(r, f, module)
        f.emit(f"store i64 {offset}, ptr {bin_slot}")
        f.emit(f"store {r.element.llvm} {value}, ptr {sum_slot}")
        f.block(done)

    def finish(self, f: Function, module: Module) -> None:
        """Combine what is held into its bins."""
        for r in self.pointers:
            self._let_go(r, f, module)

    def _let_go(self, r: Reducer, f: Function, module: Module) -> None:
        bin_slot, sum_slot = self.held[r]
        some, none = f.name("some"), f.name("none")
        here = f.value(f"load i64, ptr {bin_slot}")
        f.branch(f.value(f"icmp sge i64 {here}, 0"), some, none)
        f.block(some)
        value = f.value(f"load {r.element.llvm}, ptr {sum_slot}")
        Bins.contribute(self, r, here, value, f, module)
        f.block(none)


def combine_into(r: Reducer, address: str, value: str, scope: str | None, f: Function, module: Module) -> None:
    """Combine a value into an element in memory."""
    type_ = r.element.llvm
    if scope is None:
        old = f.value(f"load {type_}, ptr {address}")
        f.emit(f"store {type_} {reductions.combined(r, old, value, f, module)}, ptr {address}")
        return
    name = _INSTRUCTIONS.get(r.reduction.name, "")
    if r.element.is_float:
        opcode = "fadd" if name == "add" else ""
    else:
        opcode = f"u{name}" if name in ("min", "max") and not r.element.is_signed else name
    if opcode:
        how = f"{scope} monotonic, align {r.element.bytes}{module.atomics}"
        f.emit(f"atomicrmw {opcode} ptr {address}, {type_} {value} {how}")
        return
    emit_loop(address, r.element, scope, lambda old: reductions.combined(r, old, value, f, module), f)


def element(r: Reducer, base: str, number: str, f: Function) -> str:
    """Return the address of a bin."""
    return f.value(f"getelementptr inbounds {r.element.llvm}, ptr {base}, i64 {number}")
