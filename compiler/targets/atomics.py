"""Atomic operations as LLVM IR: relaxed, among the threads of a launch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from ..ir import operations as ops
from ..ir.nodes import AtomicUpdate
from ..ir.types import Scalar
from .text import Function, Module

_MINIMUM = {"min": "minimum", "max": "maximum"}
_COMPARES = {"min": {True: "slt", False: "ult"}, "max": {True: "sgt", False: "ugt"}}


def emit_atomic(
    update: AtomicUpdate, address: str, arguments: Sequence[str], scope: str | None, f: Function, module: Module, *,
    is_dropped: bool = False,
) -> str:  # fmt: skip
    """Emit an operation on the element at `address`; returns what the element held.

    Parameters
    ----------
    scope : str or None
        LLVM's `syncscope("...")`, or empty for all threads; None: the launch has one thread, so plain accesses do.
    is_dropped : bool
        Whether nobody asks what the element held: an exchange is then a store, which takes a fraction of the time.
    """
    type_, opcode = update.type, update.operation.opcode(update.type)
    assert opcode is not None, "the verifier has seen that the type has the operation"
    if scope is None:
        return _plain(update.operation, opcode, address, arguments, type_, f, module)
    if opcode == "loop":
        best = functools.partial(_extreme, update.operation, b=arguments[0], type_=type_, f=f, module=module)
        return emit_loop(address, type_, scope, best, f)
    how = f"{scope} monotonic".lstrip()
    typed = f"{type_.llvm} {arguments[0]}"
    if is_dropped and update.operation is ops.ATOMICS["exchange"]:
        f.emit(f"store atomic {typed}, ptr {address} {how}, align {type_.bytes}")
        return ""
    if opcode == "cmpxchg":
        pair = f.value(
            f"cmpxchg ptr {address}, {typed}, {type_.llvm} {arguments[1]} {how} monotonic, align {type_.bytes}"
        )
        return f.value(f"extractvalue {{ {type_.llvm}, i1 }} {pair}, 0", update.array.name)
    how += f", align {type_.bytes}{module.atomics}"
    return f.value(f"atomicrmw {opcode} ptr {address}, {typed} {how}", update.array.name)


def _plain(
    operation: ops.AtomicOperation, opcode: str, address: str, arguments: Sequence[str], type_: Scalar, f: Function,
    module: Module,
) -> str:  # fmt: skip
    llvm_type = type_.llvm
    old, first = f.value(f"load {llvm_type}, ptr {address}"), arguments[0]
    match operation.name:
        case "exchange":
            new = first
        case "compare_exchange":
            same = f.value(f"icmp eq {llvm_type} {old}, {first}")
            new = f.value(f"select i1 {same}, {llvm_type} {arguments[1]}, {llvm_type} {old}")
        case "min" | "max":
            new = _extreme(operation, old, first, type_, f, module)
        case _:
            flags = " contract" if type_.is_float else ""
            new = f.value(f"{opcode}{flags} {llvm_type} {old}, {first}")
    f.emit(f"store {llvm_type} {new}, ptr {address}")
    return old


def _extreme(operation: ops.AtomicOperation, a: str, b: str, type_: Scalar, f: Function, module: Module) -> str:
    """Emit the lesser or greater of two values; NaN propagates."""
    llvm_type, name = type_.llvm, operation.name
    if type_.is_float:
        full = module.declare(
            f"llvm.{_MINIMUM[name]}.f{type_.bits}",
            f"declare {llvm_type} @llvm.{_MINIMUM[name]}.f{type_.bits}({llvm_type}, {llvm_type})",
        )
        return f.value(f"call {llvm_type} @{full}({llvm_type} {a}, {llvm_type} {b})")
    first = f.value(f"icmp {_COMPARES[name][type_.is_signed]} {llvm_type} {a}, {b}")
    return f.value(f"select i1 {first}, {llvm_type} {a}, {llvm_type} {b}")


def emit_loop(address: str, type_: Scalar, scope: str, new_of: Callable[[str], str], f: Function) -> str:
    """Emit an update as compare-and-swap on the bits, until no other thread came in between; returns the old value.

    Nothing is stored where the element stays as it is: most updates of a minimum find it lower already.

    Parameters
    ----------
    new_of : callable
        Emits the new value of an old one.
    """
    bits, how = f"i{type_.bits}", f"{scope} monotonic".lstrip()
    retry, swap, done = f.name("retry"), f.name("swap"), f.name("updated")
    seen = f.alloca(bits, "seen")
    f.emit(f"store {bits} {f.value(f'load atomic {bits}, ptr {address} {how}, align {type_.bytes}')}, ptr {seen}")
    f.block(retry)
    held = f.value(f"load {bits}, ptr {seen}")
    old = f.value(f"bitcast {bits} {held} to {type_.llvm}") if type_.is_float else held
    best = new_of(old)
    new = f.value(f"bitcast {type_.llvm} {best} to {bits}") if type_.is_float else best
    f.branch(f.value(f"icmp eq {bits} {new}, {held}"), done, swap)
    f.block(swap)
    pair = f.value(f"cmpxchg ptr {address}, {bits} {held}, {bits} {new} {how} monotonic, align {type_.bytes}")
    f.emit(f"store {bits} {f.value(f'extractvalue {{ {bits}, i1 }} {pair}, 0')}, ptr {seen}")
    f.branch(f.value(f"extractvalue {{ {bits}, i1 }} {pair}, 1"), done, retry)
    f.block(done)
    return old
