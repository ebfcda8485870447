"""Stores in the order of the threads on the CPU: sums of the chunks first, then each chunk from its own start on.

A chunk that pushes knows how many items it will have. So it stores every item where the next one of the list stands,
without a branch, and those that stay move on; behind the last one that stays it ends, and has written nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.nodes import Order, Statement, Store
from . import reductions
from .body import BodyEmitter
from .environment import as_stored
from .ordered import Running
from .text import Function, Module

CELL = "%running."  # where a loop's sum comes from, and behind it the number of items at its end; or where its sum goes
CELL_BYTES = 16


class LoopOrder:
    """The stores of one loop over a chunk: `sums` only, or all that the kernel does."""

    def __init__(self, running: Running, f: Function, module: Module, *, sums: bool) -> None:
        self.running, self.f, self.module, self.sums = running, f, module, sums
        self.type = running.total.element.llvm
        self.sum = reductions.new_state(running.total, f)
        if not sums:
            f.emit(f"store {self.type} {f.value(f'load {self.type}, ptr {CELL}')}, ptr {self.sum.value}")
        if running.is_push and not sums:
            self.end = f.value(f"load i64, ptr {f.value(f'getelementptr i8, ptr {CELL}, i64 8')}")
            self.item = f.alloca(running.store.array.element.stored, "item")
            self.stays = f.alloca("i1", "stays")

    def take(self, store: Store, body: BodyEmitter) -> None:
        """Sum up, and store what the sum is where the sums are all."""
        f = self.f
        if self.running.is_push:
            if self.sums:
                reductions.accumulate(self.running.total, self.sum, ["1"], f, self.module)
                return
            item = as_stored(body.value(store.value), store.value.type, f)
            f.emit(f"store {store.array.element.stored} {item}, ptr {self.item}")
            f.emit(f"store i1 true, ptr {self.stays}")
            return
        value = body.value(store.value)
        address = "" if self.sums else body.addresses.address(store.array, store.index)
        if store.order is Order.BEFORE and not self.sums:
            self._store_sum(store, address, body)
        reductions.accumulate(self.running.total, self.sum, [value], f, self.module)
        if store.order is Order.UPTO and not self.sums:
            self._store_sum(store, address, body)

    def _store_sum(self, store: Store, address: str, body: BodyEmitter) -> None:
        value = self.f.value(f"load {self.type}, ptr {self.sum.value}")
        self.f.emit(f"store {self.type} {value}, ptr {address}{body.env.metadata(store.array)}")

    def thread(self, statements: Sequence[Statement], body: BodyEmitter) -> None:
        """Emit the body of one thread, in the loop over the chunk."""
        f = self.f
        if self.sums or not self.running.is_push:
            body.block(statements)
            return
        array, goes_on = self.running.store.array, f.name("more")
        place = f.value(f"load i64, ptr {self.sum.value}")
        f.branch(f.value(f"icmp slt i64 {place}, {self.end}"), goes_on, body.loop_end)
        f.block(goes_on)
        f.emit(f"store {array.element.stored} undef, ptr {self.item}")
        f.emit(f"store i1 false, ptr {self.stays}")
        body.block(statements)
        item = f.value(f"load {array.element.stored}, ptr {self.item}")
        address = f.value(f"getelementptr inbounds {array.element.stored}, ptr {body.env.pointers[array]}, i64 {place}")
        f.emit(f"store {array.element.stored} {item}, ptr {address}{body.env.metadata(array)}")
        step = f.value(f"zext i1 {f.value(f'load i1, ptr {self.stays}')} to i64")
        f.emit(f"store i64 {f.value(f'add nuw nsw i64 {place}, {step}')}, ptr {self.sum.value}")

    def finish(self) -> None:
        """Leave the sum."""
        if self.sums:
            f = self.f
            f.emit(f"store {self.type} {f.value(f'load {self.type}, ptr {self.sum.value}')}, ptr {CELL}")


def chunk_start(running: Running, f: Function, module: Module, cells: str, stride: int, thread: str) -> str:
    """Return the address of a cell with the sum of the threads before, and what it will be after this one's chunk.

    Parameters
    ----------
    cells : str
        Address of the first thread's sum; the others' are `stride` bytes apart.
    """
    type_ = running.total.element.llvm
    before = reductions.new_state(running.total, f)

    def sum_of(number: str) -> str:
        at = f.value(f"getelementptr i8, ptr {cells}, i64 {f.value(f'mul i64 {number}, {stride}')}")
        return f.value(f"load {type_}, ptr {at}")

    f.each("0", thread, "1", lambda t: reductions.accumulate(running.total, before, [sum_of(t)], f, module))
    cell = f.alloca(f"[{CELL_BYTES} x i8]", "cell", 8)
    start = f.value(f"load {type_}, ptr {before.value}")
    f.emit(f"store {type_} {start}, ptr {cell}")
    if running.is_push:
        end = f.value(f"add i64 {start}, {sum_of(thread)}")
        f.emit(f"store i64 {end}, ptr {f.value(f'getelementptr i8, ptr {cell}, i64 8')}")
    return cell
