"""Reductions and moves over the lanes of a warp or wave."""

from __future__ import annotations

from collections.abc import Callable

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
    """Return the value of the lane `distance` further on."""
    return _in_words(
        type_, f.value(f"load {type_}, ptr {address}"), f, lambda w: gpu.shuffle(w, distance, count, f, module)
    )


def value_of_lane(gpu: Gpu, type_: str, value: str, lane: str, f: Function, module: Module) -> str:
    """Return the value of the lane of that number, modulo the number of lanes."""
    return _in_words(type_, value, f, lambda word: gpu.from_lane(word, lane, f, module))


def _in_words(type_: str, value: str, f: Function, move: Callable[[str], str]) -> str:
    """Move a value's words of 32 bits."""
    return joined(type_, [move(word) for word in words_of(type_, value, f)], f)


def words_of(type_: str, value: str, f: Function) -> list[str]:
    """Return the one or two i32 that a value consists of."""
    if type_ in ("i32", "float"):
        return [value if type_ == "i32" else f.value(f"bitcast float {value} to i32")]
    pair = f.value(f"bitcast {type_} {value} to <2 x i32>")
    return [f.value(f"extractelement <2 x i32> {pair}, i32 {part}") for part in (0, 1)]


def joined(type_: str, words: list[str], f: Function) -> str:
    """Return the value that consists of one or two i32."""
    if len(words) == 1:
        return words[0] if type_ == "i32" else f.value(f"bitcast i32 {words[0]} to float")
    pair = "undef"
    for part, word in enumerate(words):
        pair = f.value(f"insertelement <2 x i32> {pair}, i32 {word}, i32 {part}")
    return f.value(f"bitcast <2 x i32> {pair} to {type_}")
