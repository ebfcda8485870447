"""Stores in the order of the threads on a GPU: one pass over tiles, each of which finds its start while others run.

A block takes the number of its tile from a counter, so that all earlier tiles are with blocks that run already: to wait
for them is safe in whatever order blocks start. It sums up its tile, tells the others (its *aggregate*), and adds up
the aggregates of the earlier tiles of its group, in an order that is fixed. What comes before the group is told by the
last tile of the group before. So a result is the same on every run, and tiles wait in a chain of groups, not of tiles.

What one tile tells another is written in words of 64 bits: 32 bits of the value, and a flag above them, which says that
they are there. Such a word is read and written in one piece, so no fence stands between a value and its flag. Every
launch writes all words, with a flag that differs from the one of the launch before, so nothing is ever cleared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..ir.nodes import Order, Reducer, Store
from . import reductions
from .body import BodyEmitter
from .environment import Environment, as_stored
from .gpu_lanes import combine_lanes, joined, value_of_lane, words_of
from .gpu_reduction import THREADS, Reduction
from .ordered import Running, running_of
from .reductions import State

if TYPE_CHECKING:
    from .gpu import KernelEmitter

RESIDENT = 3  # blocks of a multiprocessor: for a fourth ptxas spills
GROUPED = 2  # tiles of a group that one lane looks at; with more, what waits keeps the caches busy
LEAST_GROUP = 32 * GROUPED
CELL = 16  # bytes of what one tile tells: up to two words


def tiles_bytes(tiles: int) -> int:
    """Return the size of what tiles tell each other: the counter, a cell a tile, a cell a group and one more."""
    return CELL * (tiles + tiles // LEAST_GROUP + 3)


def emit_ordered(k: KernelEmitter, returned: list[int], publishes: bool) -> None:
    """Emit one version of a kernel that stores in the order of its threads; the rest as for `emit_reduction`."""
    running = running_of(k.kernel, narrow=k.small)
    assert running is not None
    _Ordered(k, returned, publishes, running).emit()


class _Ordered(Reduction):
    at_once = 4  # every tile is a block

    def __init__(self, k: KernelEmitter, returned: list[int], publishes: bool, running: Running) -> None:
        self.running, self.sum, self.type = running, running.total, running.total.element.llvm
        super().__init__(k, returned, publishes, reads_constants=False)
        f, self.items = self.f, k.version.items
        k.gpu.keep_resident(RESIDENT, f)
        self.near = math.gcd(self.group(), self.items) if k.version.wide else 1  # neighbours that one lane has
        held = running.store.array.element.stored if running.is_push else self.type
        self.values = [f.alloca(held, "own") for _ in range(self.items)]
        self.flags = [f.alloca("i1", "stays") for _ in range(self.items)] if running.is_push else []
        self.item = 0  # that is being evaluated

    def begin(self) -> None:
        """Declare the shared memory."""
        super().begin()
        for name, size in (("number", 4), ("sums", CELL * self.warps), ("start", CELL)):
            shared = f"@{self._shared(name)} = internal addrspace(3) global [{size} x i8] undef, align 16"
            self.module.globals.append(shared)

    def emit(self) -> None:
        f = self.f
        environment = self.k.environment(f)
        environment.ordered = self
        environment.states = {r: reductions.new_state(r, f) for r in self.kernel.totals}
        self.thread = self.k.register(f, "tid.x")
        self.k.wait_for_previous(f, self.k.register(f, "ctaid.x"))
        self.blocks = self.k.register(f, "nctaid.x")
        self.lane = f.value(f"and i32 {self.thread}, {self.lanes - 1}")
        self.warp = f.value(f"lshr i32 {self.thread}, {self.lanes.bit_length() - 1}")
        self._take_tile()
        initial = "i1 false" if self.flags else f"{self.type} {self._zero}"
        for slot in self.flags or self.values:
            f.emit(f"store {initial}, ptr {slot}")
        self._each(environment, self._evaluate)
        befores, own = self._ranks() if self.flags else self._sums()
        before, all_of_tile = self._scan_warps(own)
        if self.kernel.totals:
            self.block_combine("block", environment.states)
            self._leave(environment.states)
        self.start = self._add(self._start_of_tile(all_of_tile), before)
        self.befores = befores
        if self.flags:
            self._push(environment)
        else:
            self._each(environment, self._store)
        if self.kernel.totals:
            self._await_all()
            self.finish()
        f.block("end")
        f.ret()
        self.module.definitions.append(f.text())

    def _add(self, a: str, b: str) -> str:
        return reductions.combined(self.sum, a, b, self.f, self.module)

    def _place_of(self, name: str) -> str:
        return f"ptr addrspace(3) @{self._shared(name)}"

    # -- the elements of a thread -------------------------------------------------------------------------------------

    def _take_tile(self) -> None:
        """Thread 0 counts the block; the counter wraps to 0 every second launch, and says by that which flag to use."""
        f, w, number = self.f, self.width, self._place_of("number")
        f.branch(f.value(f"icmp eq i32 {self.thread}, 0"), "number", "numbered")
        f.block("number")
        most = f.value(f"sub i32 {f.value(f'shl i32 {self.blocks}, 1')}, 1")
        f.emit(f"store i32 {f.value(self._atomic(f'uinc_wrap ptr %tiles., i32 {most}'))}, {number}")
        f.block("numbered")
        self.k.barrier(f)
        counted = f.value(f"load i32, {number}")
        again = f.value(f"icmp uge i32 {counted}, {self.blocks}")
        self.flag = f.value(f"select i1 {again}, i64 {2 << 32}, i64 {1 << 32}")
        self.block = f.value(f"select i1 {again}, i32 {f.value(f'sub i32 {counted}, {self.blocks}')}, i32 {counted}")
        size = THREADS * self.items
        self.first = f.value(f"mul nuw nsw {w} {self._wide(self.block)}, {size}")
        self.count = self.total()
        self.is_whole = f.value(f"icmp sle {w} {f.value(f'add {w} {self.first}, {size}')}, {self.count}")

    def _atomic(self, what: str) -> str:
        return f"atomicrmw {what} {self.k.gpu.device} monotonic"

    def _wide(self, number: str) -> str:
        return number if self.width == "i32" else self.f.value(f"zext nneg i32 {number} to i64")

    def _place(self, item: int) -> str:
        """Return the number of an element: a warp has neighbours, each lane `near` of them in a row."""
        f = self.f
        row, column = divmod(item, self.near)
        of_lane = f.value(f"mul nuw nsw i32 {self.lane}, {self.near}")
        of_warp = f.value(f"mul nuw nsw i32 {self.warp}, {self.items * self.lanes}")
        column += row * self.near * self.lanes
        inside = f.value(f"add nuw nsw i32 {of_warp}, {f.value(f'add nuw nsw i32 {of_lane}, {column}')}")
        return f.value(f"add nuw nsw {self.width} {self.first}, {self._wide(inside)}")

    def _each(self, environment: Environment, emit: Callable[[BodyEmitter, int], None]) -> None:
        """Emit something for each element: in a whole tile all at once, else behind a test for each."""
        f, (index,) = self.f, self.kernel.body.indices
        whole, part, end = f.name("whole"), f.name("part"), f.name("end")
        f.branch(self.is_whole, whole, part)
        for label in (whole, part):
            f.block(label)
            for item in range(self.items):
                place, after = self._place(item), f.name("after")
                if label == part:
                    inside = f.name("inside")
                    f.branch(f.value(f"icmp slt {self.width} {place}, {self.count}"), inside, after)
                    f.block(inside)
                self.k.set_index(environment, f, index, place, self.width)
                body = self.k.body(f, environment)
                body.next_thread()
                emit(body, item)
                if label == part:
                    f.block(after)
            f.jump(end)
        f.block(end)

    def _evaluate(self, body: BodyEmitter, item: int) -> None:
        self.item = item
        body.block(self.kernel.body.body)

    def take(self, store: Store, body: BodyEmitter) -> None:
        """Keep the value of the element that is being evaluated."""
        f, value = self.f, as_stored(body.value(store.value), store.value.type, self.f)
        f.emit(f"store {store.array.element.stored} {value}, ptr {self.values[self.item]}")
        if self.flags:
            f.emit(f"store i1 true, ptr {self.flags[self.item]}")

    def _store(self, body: BodyEmitter, item: int) -> None:
        """Store the sum of an element."""
        f, store = self.f, self.running.store
        value = self._add(self.start, self.befores[item])
        if store.order is Order.UPTO:
            value = self._add(value, f.value(f"load {self.type}, ptr {self.values[item]}"))
        address = body.addresses.address(store.array, store.index)
        f.emit(f"store {self.type} {value}, ptr {address}{body.env.metadata(store.array)}")

    def _push(self, environment: Environment) -> None:
        """Store the items that stay."""
        f, array = self.f, self.running.store.array
        for item, flag in enumerate(self.flags):
            stays, after = f.name("stays"), f.name("after")
            f.branch(f.value(f"load i1, ptr {flag}"), stays, after)
            f.block(stays)
            place = f.value(f"add {self.type} {self.start}, {self.befores[item]}")
            place = place if self.type == "i64" else f.value(f"zext i32 {place} to i64")
            stored = array.element.stored
            address = f.value(f"getelementptr inbounds {stored}, ptr {environment.pointers[array]}, i64 {place}")
            value = f.value(f"load {stored}, ptr {self.values[item]}")
            f.emit(f"store {stored} {value}, ptr {address}{environment.metadata(array)}")
            f.block(after)

    # -- sums within the tile -----------------------------------------------------------------------------------------

    def _ranks(self) -> tuple[list[str], str]:
        """Return how many items of the warp stay before each of the lane's, and how many stay in all."""
        f, mask = self.f, f"i{self.lanes}"
        self.module.declare(f"llvm.ctpop.{mask}", f"declare {mask} @llvm.ctpop.{mask}({mask})")
        lane = self.lane if mask == "i32" else f.value(f"zext i32 {self.lane} to i64")
        lower = f.value(f"sub {mask} {f.value(f'shl {mask} 1, {lane}')}, 1")

        def bits(of: str) -> str:
            number = f.value(f"call {mask} @llvm.ctpop.{mask}({mask} {of})")
            if mask == self.type:
                return number
            return f.value(f"{'trunc' if mask == 'i64' else 'zext'} {mask} {number} to {self.type}")

        befores, row_start = [], "0"
        for row in range(0, self.items, self.near):
            flags = [f.value(f"load i1, ptr {flag}") for flag in self.flags[row : row + self.near]]
            votes = [self.k.gpu.ballot(flag, f, self.module) for flag in flags]
            place = row_start
            for vote in votes:
                place = self._add(place, bits(f.value(f"and {mask} {vote}, {lower}")))
            for flag in flags:
                befores.append(place)
                place = self._add(place, f.value(f"zext i1 {flag} to {self.type}"))
            for vote in votes:
                row_start = self._add(row_start, bits(vote))
        return befores, row_start

    def _sums(self) -> tuple[list[str], str]:
        """Return the sum of the warp's values before each of the lane's, and of all."""
        f, befores, row_start = self.f, [], "0"
        for row in range(0, self.items, self.near):
            values = [f.value(f"load {self.type}, ptr {v}") for v in self.values[row : row + self.near]]
            within = ["0"]
            for value in values:
                within.append(self._add(within[-1], value) if len(within) > 1 else value)
            upto, distance = within[-1], 1
            while distance < self.lanes:
                other = self._of_lane(upto, f.value(f"sub i32 {self.lane}, {distance}"))
                has_other = f.value(f"icmp uge i32 {self.lane}, {distance}")
                upto = f.value(f"select i1 {has_other}, {self.type} {self._add(other, upto)}, {self.type} {upto}")
                distance *= 2
            before = self._of_lane(upto, f.value(f"sub i32 {self.lane}, 1"))
            is_first = f.value(f"icmp eq i32 {self.lane}, 0")
            before = f.value(f"select i1 {is_first}, {self.type} {self._zero}, {self.type} {before}")
            before = self._add(row_start, before) if row else before
            befores += [self._add(before, part) if n else before for n, part in enumerate(within[:-1])]
            of_row = self._of_lane(upto, str(self.lanes - 1))
            row_start = self._add(row_start, of_row) if row else of_row
        return befores, row_start

    @property
    def _zero(self) -> str:
        return reductions.identity(self.sum)[0]

    def _of_lane(self, value: str, lane: str) -> str:
        return value_of_lane(self.k.gpu, self.type, value, lane, self.f, self.module)

    def _scan_warps(self, own: str) -> tuple[str, str]:
        """Return the sum of the warps before this one, and of all; `own` is this one's."""
        f = self.f
        f.emit(f"store {self.type} {own}, ptr addrspace(3) {self._of_warp(self.warp)}")
        self.k.barrier(f)
        before, upto = self._zero, self._zero
        for warp in range(self.warps):
            is_next = f.value(f"icmp eq i32 {self.warp}, {warp}")
            before = f.value(f"select i1 {is_next}, {self.type} {upto}, {self.type} {before}")
            value = f.value(f"load {self.type}, ptr addrspace(3) {self._of_warp(str(warp))}")
            upto = self._add(upto, value)
        return before, upto

    def _of_warp(self, warp: str) -> str:
        offset = self.f.value(f"mul i32 {warp}, {CELL}")
        return self.f.value(f"getelementptr inbounds i8, {self._place_of('sums')}, i32 {offset}")

    # -- what tiles tell each other -----------------------------------------------------------------------------------

    def _start_of_tile(self, own: str) -> str:
        """Return the sum of all tiles before this one; its first warp finds it for all."""
        f, shared = self.f, self._place_of("start")
        f.branch(f.value(f"icmp eq i32 {self.warp}, 0"), "look", "looked")
        f.block("look")
        is_first_thread = f.value(f"icmp eq i32 {self.thread}, 0")
        self._tell(is_first_thread, self.block, own)
        tiles = GROUPED * self.lanes
        group = f.value(f"udiv i32 {self.block}, {tiles}")
        first = f.value(f"mul i32 {group}, {tiles}")
        before = f.value(f"sub i32 {self.block}, {first}")  # tiles of the group
        tile = f.value(f"mul i32 {self.lane}, {GROUPED}")
        asked = []
        for number in range(GROUPED):
            here = f.value(f"add i32 {tile}, {number}")
            is_before = f.value(f"icmp ult i32 {here}, {before}")
            cell = f.value(f"add i32 {first}, {f.value(f'select i1 {is_before}, i32 {here}, i32 0')}")
            asked.append((cell, is_before))
        state = reductions.new_state(self.sum, f)
        for value in self._ask(asked):
            reductions.accumulate(self.sum, state, [value], f, self.module)
        combine_lanes(self.k.gpu, self.sum, state, f, self.module)
        f.branch(is_first_thread, "find", "looked")
        f.block("find")
        of_groups = f.value(f"add i32 {self.blocks}, {group}")
        (of_earlier,) = self._ask([(of_groups, f.value(f"icmp ne i32 {group}, 0"))])
        start = self._add(of_earlier, f.value(f"load {self.type}, ptr {state.value}"))
        is_last = f.value(f"icmp eq i32 {before}, {tiles - 1}")
        self._tell(is_last, f.value(f"add i32 {of_groups}, 1"), self._add(start, own))
        f.emit(f"store {self.type} {start}, {shared}")
        f.block("looked")
        self.k.barrier(f)
        return f.value(f"load {self.type}, {shared}")

    def _cell(self, number: str, word: int) -> str:
        f = self.f
        offset = f.value(f"mul i64 {f.value(f'zext i32 {number} to i64')}, {CELL}")
        return f.value(f"getelementptr i8, ptr %tiles., i64 {f.value(f'add i64 {offset}, {CELL + 8 * word}')}")

    def _tell(self, condition: str, cell: str, value: str) -> None:
        """Write a value, each word with its flag, where the condition holds."""
        f, tell, told = self.f, self.f.name("tell"), self.f.name("told")
        f.branch(condition, tell, told)
        f.block(tell)
        for number, word in enumerate(words_of(self.type, value, f)):
            flagged = f.value(f"or i64 {f.value(f'zext i32 {word} to i64')}, {self.flag}")
            f.emit(f"store atomic i64 {flagged}, ptr {self._cell(cell, number)} {self._order}, align 8")
        f.block(told)

    @property
    def _order(self) -> str:
        return f"{self.k.gpu.device} monotonic"

    def _ask(self, cells: list[tuple[str, str]]) -> list[str]:
        """Return the values of cells, read until all are there; 0 for one that is not wanted."""
        f, words_each = self.f, self.sum.element.bits // 32
        places = [[self._cell(cell, word) for word in range(words_each)] for cell, _ in cells]
        ask, told = f.name("ask"), f.name("told")
        f.block(ask)
        all_there, read = "true", []
        for (_, is_wanted), addresses in zip(cells, places, strict=True):
            words = [f.value(f"load atomic i64, ptr {a} {self._order}, align 8") for a in addresses]
            for word in words:
                flag = f.value(f"and i64 {word}, {3 << 32}")
                there = f.value(f"icmp eq i64 {flag}, {self.flag}")
                there = f.value(f"or i1 {there}, {f.value(f'xor i1 {is_wanted}, true')}")
                all_there = f.value(f"and i1 {all_there}, {there}")
            read.append(words)
        f.branch(all_there, told, ask)
        f.block(told)
        values = [joined(self.type, [f.value(f"trunc i64 {word} to i32") for word in words], f) for words in read]
        return [
            f.value(f"select i1 {is_wanted}, {self.type} {value}, {self.type} {self._zero}")
            for (_, is_wanted), value in zip(cells, values, strict=True)
        ]

    # -- reducers -----------------------------------------------------------------------------------------------------

    def _leave(self, states: dict[Reducer, State]) -> None:
        """Thread 0 leaves the block's partials, before anything is stored that a fence would wait for."""
        f = self.f
        f.branch(f.value(f"icmp eq i32 {self.thread}, 0"), "leave", "left")
        f.block("leave")
        self.leave_partials(states)
        f.emit(f"fence {self.k.gpu.device} release")
        f.block("left")

    def _await_all(self) -> None:
        """Thread 0 counts the block; the block with the last tile waits for all others, and goes on."""
        f = self.f
        final = f.value(f"sub i32 {self.blocks}, 1")
        is_last = f.value(f"icmp eq i32 {self.block}, {final}")
        f.branch(is_last, "last", "another")
        f.block("another")
        f.branch(f.value(f"icmp eq i32 {self.thread}, 0"), "count", "end")
        f.block("count")
        f.value(self._atomic("add ptr %counter., i32 1"))
        f.jump("end")
        f.block("last")
        f.branch(f.value(f"icmp eq i32 {self.thread}, 0"), "await", "final")
        f.block("await")
        counted = f.value(f"load atomic i32, ptr %counter. {self._order}, align 4")
        f.branch(f.value(f"icmp eq i32 {counted}, {final}"), "all", "await")
        f.block("all")
        f.emit("store i32 0, ptr %counter.")
        f.block("final")
        self.k.barrier(f)
        f.emit(f"fence {self.k.gpu.device} acquire")
