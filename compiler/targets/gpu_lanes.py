"""Reductions over the lanes of a warp or wave."""

from __future__ import annotations

from ..ir.nodes import Reducer
from . import reductions
from .gpu_target import Gpu
from .reductions import State
from .text import Function, Module


def combine_lanes(gpu: Gpu, r: Reducer, state: State, f: Function, module: Module, count: int = 0) -> None:
    """Combine the first `count` lanes' accumulators (a power of two; 0: all) into the first lane's."""
    count = count or gpu.lanes
    if count == gpu.lanes:
        whole = gpu.reduce_lanes(r, f.value(f"load {r.element.llvm}, ptr {state.value}"), f, module)
        if whole is not None:
            f.emit(f"store {r.element.llvm} {whole}, ptr {state.value}")
            return
    distance = count // 2
    while distance:
        pairs = zip(r.fields, state.fields, strict=True)
        values = [_further(gpu, type_.llvm, address, distance, count, f, module) for (type_, _), address in pairs]
        reductions.accumulate(r, state, values, f, module)
        distance //= 2


def _further(gpu: Gpu, type_: str, address: str, distance: int, count: int, f: Function, module: Module) -> str:
    """Return the value of the lane `distance` further on; 64 bits go in two halves."""
    value = f.value(f"load {type_}, ptr {address}")
    if type_ in ("i32", "float"):
        bits = value if type_ == "i32" else f.value(f"bitcast float {value} to i32")
        moved = gpu.shuffle(bits, distance, count, f, module)
        return moved if type_ == "i32" else f.value(f"bitcast i32 {moved} to float")
    wide = value if type_ == "i64" else f.value(f"bitcast double {value} to i64")
    pair = f.value(f"bitcast i64 {wide} to <2 x i32>")
    moved = "undef"
    for part in (0, 1):
        shifted = gpu.shuffle(f.value(f"extractelement <2 x i32> {pair}, i32 {part}"), distance, count, f, module)
        moved = f.value(f"insertelement <2 x i32> {moved}, i32 {shifted}, i32 {part}")
    joined = f.value(f"bitcast <2 x i32> {moved} to i64")
    return joined if type_ == "i64" else f.value(f"bitcast i64 {joined} to double")
