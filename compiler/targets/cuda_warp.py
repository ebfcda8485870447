"""Reductions over the 32 lanes of a warp."""

from __future__ import annotations

from ..ir.nodes import Reducer
from . import reductions
from .reductions import State
from .text import Function, Module

FULL = -1  # all lanes of a warp take part


def warp_combine(r: Reducer, state: State, f: Function, module: Module, lanes: int = 32) -> None:
    """Halve the number of live lanes, `lanes` being a power of two; 32-bit integers have an instruction for it."""
    distance = lanes // 2
    if lanes == 32 and r.element.llvm == "i32" and (name := _one_instruction(r)):
        module.declare(name, f"declare i32 @{name}(i32, i32)")
        whole = f.value(f"call i32 @{name}(i32 {f.value(f'load i32, ptr {state.value}')}, i32 {FULL})")
        f.emit(f"store i32 {whole}, ptr {state.value}")
        return
    mask = FULL if lanes == 32 else (1 << lanes) - 1
    while distance:
        value = _shuffle(
            r.element.llvm, f.value(f"load {r.element.llvm}, ptr {state.value}"), distance, mask, f, module
        )
        location = None
        if state.location:
            location = _shuffle("i64", f.value(f"load i64, ptr {state.location}"), distance, mask, f, module)
        reductions.accumulate(r, state, value, location, f, module)
        distance //= 2


def _one_instruction(r: Reducer) -> str:
    """Return the intrinsic that reduces a warp (sm_80 and later), or nothing."""
    unsigned = "" if r.element.is_signed else "u"
    operation = {"Sum": "add", "Min": f"{unsigned}min", "Max": f"{unsigned}max", "And": "and", "Or": "or"}
    name = operation.get(r.reduction.name)
    return f"llvm.nvvm.redux.sync.{name}" if name else ""


def _shuffle(type_: str, value: str, distance: int, mask: int, f: Function, module: Module) -> str:
    """Value of the lane `distance` further on; 64 bits go in two halves."""
    name = "llvm.nvvm.shfl.sync.down.i32"
    module.declare(name, f"declare i32 @{name}(i32, i32, i32, i32)")

    def half(bits: str) -> str:
        return f.value(f"call i32 @{name}(i32 {mask}, i32 {bits}, i32 {distance}, i32 31)")

    if type_ in ("i32", "float"):
        bits = value if type_ == "i32" else f.value(f"bitcast float {value} to i32")
        moved = half(bits)
        return moved if type_ == "i32" else f.value(f"bitcast i32 {moved} to float")
    wide = value if type_ == "i64" else f.value(f"bitcast double {value} to i64")
    pair = f.value(f"bitcast i64 {wide} to <2 x i32>")
    moved = "undef"
    for part in (0, 1):
        shifted = half(f.value(f"extractelement <2 x i32> {pair}, i32 {part}"))
        moved = f.value(f"insertelement <2 x i32> {moved}, i32 {shifted}, i32 {part}")
    joined = f.value(f"bitcast <2 x i32> {moved} to i64")
    return joined if type_ == "i64" else f.value(f"bitcast i64 {joined} to double")
