"""Reductions on a GPU: grid-stride accumulation, ordered partials, the last block combines and delivers.

Each thread accumulates over a grid-stride loop, unrolled so that several loads are in flight; a block combines its
threads by shuffles and leaves one partial in global memory; the block that arrives last combines the partials in block
order with what the buffer held. So the order of a result is fixed for a given geometry. The value is stored in the
reducer's buffer, and if the host wants it, in its mapped memory, followed by the number of the repetition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..ir.nodes import Reducer, Teams
from . import reductions
from .body import Environment
from .combinations import define_combinations
from .gpu_bins import GpuBins
from .gpu_lanes import combine_lanes
from .gpu_teams import accumulate_teams
from .gpu_versions import has_branches
from .reductions import State
from .text import Function

if TYPE_CHECKING:
    from .gpu import KernelEmitter

THREADS = 256
_SHARED = "addrspace(3) "
RESULT_VALUES = 16  # offset of the values in `kp_results`


def emit_reduction(k: KernelEmitter, returned: list[int], publishes: bool, reads_constants: bool) -> None:
    """Emit one version of a kernel with reducers.

    Parameters
    ----------
    returned : list of int
        Slot in the results block of each reducer, or -1.
    publishes : bool
        Whether the repetition's number is stored behind the values.
    reads_constants : bool
        Whether the arrays are written by no launch of the program, so that they can be read before the launch in front
        has ended.
    """
    Reduction(k, returned, publishes, reads_constants).emit()


class Reduction:
    """Emits one version of a kernel with reducers."""

    at_once = 1  # blocks whose partials a thread reads before it combines any

    def __init__(self, k: KernelEmitter, returned: list[int], publishes: bool, reads_constants: bool) -> None:
        self.k, self.returned, self.publishes, self.reads_constants = k, returned, publishes, reads_constants
        self.kernel, self.module = k.kernel, k.module
        self.f: Function = k.function((THREADS, 1, 1))
        self.width = "i32" if k.small else "i64"
        self.lanes, self.warps = k.gpu.lanes, THREADS // k.gpu.lanes
        self.bins = GpuBins(k, self.f) if self.kernel.binned else None
        self.begin()

    def begin(self) -> None:
        """Declare the shared memory."""
        if not self.kernel.totals:
            return
        define_combinations(self.k.proved, self.module, self.k.gpu, stack=self.f.stack)
        *self.offsets, self.bytes = reductions.state_offsets(self.kernel.totals)
        # One slot a warp and reducer for the block's combination, and again for the grid's: no barrier between them.
        for stage in ("block", "grid"):
            size = self.warps * self.bytes
            self.module.globals.append(
                f"@{self._shared(stage)} = internal addrspace(3) global [{size} x i8] undef, align 16"
            )
        self.module.globals.append(f"@{self.k.symbol}.last = internal addrspace(3) global i32 undef, align 4")

    def _shared(self, stage: str) -> str:
        return f"{self.k.symbol}.{stage}"

    def emit(self) -> None:
        """Emit the function."""
        f = self.f
        environment = self.k.environment(f)
        self.thread = self.k.register(f, "tid.x")
        self.block = self.k.register(f, "ctaid.x")
        reads_first = self.reads_constants and (self.bins is None or self.k.version.private)
        if not reads_first:
            self.block = self.k.wait_for_previous(f, self.block)
        self.blocks = self.k.register(f, "nctaid.x")
        states = [{r: reductions.new_state(r, f) for r in self.kernel.totals} for _ in range(self.k.version.items)]
        if self.bins is not None:
            environment.bins = self.bins.begin(self.thread)
        self._accumulate(environment, states)
        if self.bins is not None:
            self._share_bins(self.bins)
            self.bins.finish()
        merged = states[0]
        for other in states[1:]:
            for r in self.kernel.totals:
                self._merge(r, merged[r], other[r])
        if merged:
            self.block_combine("block", merged)
        if reads_first:
            self.block = self.k.wait_for_previous(f, self.block)
        if self.bins is not None:
            self.bins.deliver(self.thread)
        if merged:
            self._arrive(merged)
            self.finish()
        f.block("end")
        f.ret()
        self.module.definitions.append(f.text())

    # -- each thread --------------------------------------------------------------------------------------------------

    def _accumulate(self, environment: Environment, states: list[dict[Reducer, State]]) -> None:
        """Grid-stride loop over all tuples of indices: several at once while they fit, then one by one.

        In the wide version groups of neighbours are counted; the elements behind the last whole group come after.
        """
        f, w = self.f, self.width
        if isinstance(self.kernel.body, Teams):
            accumulate_teams(self.k, f, environment, self.thread, self.block, states[0])
            return
        total = self.total()
        one = f.value(f"mul i32 {self.blocks}, {THREADS}")
        start = f.value(f"add i32 {f.value(f'mul i32 {self.block}, {THREADS}')}, {self.thread}")
        if w == "i64":
            one, start = f.value(f"zext i32 {one} to i64"), f.value(f"zext i32 {start} to i64")
        if self.bins is not None:
            start, one, total = self._chunk(total)
        if not self.k.version.wide:
            self._strided(
                "each", start, one, total, states, lambda number, mine: self._element(environment, number, mine)
            )
            return
        group = self.group()
        groups = f.value(f"udiv {w} {total}, {group}")
        whole = f.value(f"mul {w} {groups}, {group}")
        self._strided(
            "group", start, one, groups, states, lambda number, mine: self._neighbours(environment, number, mine)
        )
        behind = f.value(f"add {w} {whole}, {start}")
        self._strided(
            "rest", behind, one, total, states[:1], lambda number, mine: self._element(environment, number, mine)
        )

    def _chunk(self, total: str) -> tuple[str, str, str]:
        """Return start, stride and end of a block's contiguous share: what is alike often stands side by side."""
        f, w = self.f, self.width
        block, blocks, thread = self.block, self.blocks, self.thread
        if w == "i64":
            block, blocks, thread = (f.value(f"zext i32 {v} to i64") for v in (block, blocks, thread))
        rows = f.value(f"udiv {w} {f.value(f'add {w} {total}, {THREADS - 1}')}, {THREADS}")
        padded = f.value(f"add {w} {rows}, {f.value(f'sub {w} {blocks}, 1')}")
        share = f.value(f"udiv {w} {padded}, {blocks}")
        size = f.value(f"mul {w} {share}, {THREADS}")
        first = f.value(f"mul {w} {block}, {size}")
        end, name = f.value(f"add {w} {first}, {size}"), f"llvm.smin.{w}"
        self.module.declare(name, f"declare {w} @{name}({w}, {w})")
        last = f.value(f"call {w} @{name}({w} {end}, {w} {total})")
        return f.value(f"add {w} {first}, {thread}"), str(THREADS), last

    def group(self) -> int:
        """Neighbours that one 16-byte load takes of the array with the smallest elements."""
        return max(2, 16 // min(a.element.bytes for a in self.kernel.arrays))

    def _neighbours(self, environment: Environment, number: str, states: dict[Reducer, State]) -> None:
        first = self.f.value(f"mul nuw nsw {self.width} {number}, {self.group()}")
        for place in range(self.group()):
            at = self.f.value(f"add nuw nsw {self.width} {first}, {place}") if place else first
            self._element(environment, at, states)

    def _strided(
        self, name: str, start: str, stride: str, total: str, states: list[dict[Reducer, State]],
        element: Callable[[str, dict[Reducer, State]], None],
    ) -> None:  # fmt: skip
        """Emit `for number in range(start, total, stride)`: unrolled over the accumulators while that many fit."""
        f, w = self.f, self.width
        position = f.alloca(w, "position")
        f.emit(f"store {w} {start}, ptr {position}")
        if len(states) > 1:
            reach = f.value(f"mul {w} {stride}, {len(states) - 1}")
            f.block(f"{name}.unrolled")
            current = f.value(f"load {w}, ptr {position}")
            f.branch(
                f.value(f"icmp slt {w} {f.value(f'add {w} {current}, {reach}')}, {total}"),
                f"{name}.several",
                f"{name}.single",
            )
            f.block(f"{name}.several")
            with self._together():
                for mine in states:
                    element(current, mine)
                    current = f.value(f"add {w} {current}, {stride}")
            f.emit(f"store {w} {current}, ptr {position}")
            f.jump(f"{name}.unrolled")
        f.block(f"{name}.single")
        current = f.value(f"load {w}, ptr {position}")
        f.branch(f.value(f"icmp slt {w} {current}, {total}"), f"{name}.one", f"{name}.done")
        f.block(f"{name}.one")
        element(current, states[0])
        f.emit(f"store {w} {f.value(f'add {w} {current}, {stride}')}, ptr {position}")
        f.jump(f"{name}.single")
        f.block(f"{name}.done")

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Let the loads of several elements come before what any of them adds to bins."""
        running = self.bins.running if self.bins is not None else None
        if running is not None and not has_branches(self.kernel):
            running.begin()
        yield
        if running is not None:
            running.settle(self.f, self.module)

    def total(self) -> str:
        """Return the number of index tuples; 0 if any range is empty."""
        f, total = self.f, ""
        self.module.declare("llvm.smax.i64", "declare i64 @llvm.smax.i64(i64, i64)")
        for index in self.kernel.body.indices:
            count = f.value(f"call i64 @llvm.smax.i64(i64 %count.{index.name}, i64 0)")
            total = f.value(f"mul i64 {total}, {count}") if total else count
        return f.value(f"trunc i64 {total} to i32") if self.width == "i32" else total

    def _element(self, environment: Environment, number: str, states: dict[Reducer, State]) -> None:
        """Emit the body for one linear number of an index tuple, last index fastest."""
        f, w = self.f, self.width
        environment.states = states
        rest = number
        for index in reversed(self.kernel.body.indices[1:]):
            count = f"%count.{index.name}"
            if w == "i32":
                count = f.value(f"trunc i64 {count} to i32")
            self.k.set_index(environment, f, index, f.value(f"urem {w} {rest}, {count}"), w)
            rest = f.value(f"udiv {w} {rest}, {count}")
        self.k.set_index(environment, f, self.kernel.body.indices[0], rest, w)
        self.k.body(f, environment).block(self.kernel.body.body)

    def _share_bins(self, bins: GpuBins) -> None:
        """Combine what the lanes of a warp hold where that is one bin, which they would update in turns."""
        f, lane = self.f, self.f.value(f"and i32 {self.thread}, {self.lanes - 1}")
        comparable = bins.running.held if self.k.small else {}  # lanes compare 32 bits
        for r, (bin_slot, sum_slot) in comparable.items():
            held = f.value(f"load i64, ptr {bin_slot}")
            equal = self.k.gpu.all_equal(f.value(f"trunc i64 {held} to i32"), f, self.module)
            same, apart = f.name("same"), f.name("apart")
            f.branch(equal, same, apart)
            f.block(same)
            combine_lanes(self.k.gpu, r, State((sum_slot,)), f, self.module)
            left = f.value(f"select i1 {f.value(f'icmp eq i32 {lane}, 0')}, i64 {held}, i64 -1")
            f.emit(f"store i64 {left}, ptr {bin_slot}")
            f.block(apart)

    def _merge(self, r: Reducer, into: State, other: State) -> None:
        f = self.f
        reductions.accumulate(r, into, reductions.taken(r, other, f), f, self.module)

    # -- a block ------------------------------------------------------------------------------------------------------

    def block_combine(self, stage: str, states: dict[Reducer, State]) -> None:
        """Combine the accumulators of the block's threads into thread 0's; one barrier for all reducers."""
        f = self.f
        for r, state in states.items():
            combine_lanes(self.k.gpu, r, state, f, self.module)
        lane = f.value(f"and i32 {self.thread}, {self.lanes - 1}")
        warp = f.value(f"lshr i32 {self.thread}, {self.lanes.bit_length() - 1}")
        leader, stored, read, done = (f.name(n) for n in ("leader", "stored", "read", "combined"))
        f.branch(f.value(f"icmp eq i32 {lane}, 0"), leader, stored)
        f.block(leader)
        for number, (r, state) in enumerate(states.items()):
            slot = self._slot(stage, number, r, warp)
            reductions.put_at(r, slot, reductions.taken(r, state, f), f, space=_SHARED)
        f.block(stored)
        self.k.barrier(f)
        f.branch(f.value(f"icmp ult i32 {self.thread}, {self.warps}"), read, done)
        f.block(read)
        for number, (r, state) in enumerate(states.items()):
            slot = self._slot(stage, number, r, self.thread)
            reductions.put(r, state, reductions.taken_from(r, slot, f, space=_SHARED), f)
            combine_lanes(self.k.gpu, r, state, f, self.module, self.warps)
        f.block(done)

    def _slot(self, stage: str, number: int, r: Reducer, warp: str) -> str:
        """Address in shared memory of a warp's element of one reducer."""
        f = self.f
        row = f.value(f"mul i32 {warp}, {reductions.state_bytes(r)}")
        offset = f.value(f"add i32 {row}, {self.warps * self.offsets[number]}")
        return f.value(f"getelementptr inbounds i8, ptr addrspace(3) @{self._shared(stage)}, i32 {offset}")

    # -- the grid -----------------------------------------------------------------------------------------------------

    def _partial(self, number: int, block: str) -> str:
        """Address of a block's partial of one reducer."""
        f = self.f
        wide = f.value(f"zext i32 {block} to i64")
        row = f.value(f"mul i64 {wide}, {self.bytes}")
        return f.value(f"getelementptr i8, ptr %partials., i64 {f.value(f'add i64 {row}, {self.offsets[number]}')}")

    def leave_partials(self, states: dict[Reducer, State]) -> None:
        """Store what the block has, which thread 0 holds."""
        f = self.f
        for number, (r, state) in enumerate(states.items()):
            reductions.put_at(r, self._partial(number, self.block), reductions.taken(r, state, f), f)

    def _arrive(self, states: dict[Reducer, State]) -> None:
        """Thread 0 leaves the block's partials and counts the block; the last block goes on."""
        f = self.f
        f.branch(f.value(f"icmp eq i32 {self.thread}, 0"), "leave", "left")
        f.block("leave")
        self.leave_partials(states)
        f.emit(f"fence {self.k.gpu.device} acq_rel")
        final = f.value(f"sub i32 {self.blocks}, 1")
        # Wraps to 0 at the last block, ready for the next launch.
        how = f"{self.k.gpu.device} acq_rel{self.module.atomics}"
        before = f.value(f"atomicrmw uinc_wrap ptr %counter., i32 {final} {how}")
        is_last = f.value(f"icmp eq i32 {before}, {final}")
        f.emit(f"store i32 {f.value(f'zext i1 {is_last} to i32')}, ptr addrspace(3) @{self.k.symbol}.last")
        f.block("left")
        self.k.barrier(f)
        last = f.value(f"load i32, ptr addrspace(3) @{self.k.symbol}.last")
        f.branch(f.value(f"icmp ne i32 {last}, 0"), "final", "end")
        f.block("final")
        f.emit(f"fence {self.k.gpu.device} acq_rel")

    def finish(self) -> None:
        """In the last block, combine the partials in an order that only the number of blocks decides."""
        f = self.f
        states = {r: reductions.new_state(r, f) for r in self.kernel.totals}
        self._gather(states)
        self.block_combine("grid", states)
        f.branch(f.value(f"icmp eq i32 {self.thread}, 0"), "deliver", "end")
        f.block("deliver")
        for number, r in enumerate(self.kernel.totals):
            self._deliver(number, r, states[r])
        if self.publishes:
            f.branch(f.value("icmp ne ptr %results., null"), "publish", "end")
            f.block("publish")
            self.k.gpu.system_fence(f, self.module)
            f.emit("store volatile i64 %sequence., ptr %results.")
        f.jump("end")

    def _gather(self, states: dict[Reducer, State]) -> None:
        """Each thread takes every `THREADS`-th block's partials, of several blocks at once where there are many."""
        f = self.f

        def take(current: str) -> None:
            first, read = f.value(f"trunc i64 {current} to i32"), []
            for ahead in range(self.at_once):
                block = f.value(f"add i32 {first}, {ahead * THREADS}") if ahead else first
                exists = f.value(f"icmp ult i32 {block}, {self.blocks}")
                block = f.value(f"select i1 {exists}, i32 {block}, i32 {first}") if ahead else block
                for number, (r, state) in enumerate(states.items()):
                    left = reductions.taken_from(r, self._partial(number, block), f, how="volatile ")
                    read.append((r, state, exists, left))
            for r, state, exists, left in read:
                rows = zip(r.fields, left, reductions.identity(r), strict=True)
                own = [f.value(f"select i1 {exists}, {t.llvm} {v}, {t.llvm} {none}") for (t, _), v, none in rows]
                reductions.accumulate(r, state, own, f, self.module)

        start, end = (f.value(f"zext i32 {v} to i64") for v in (self.thread, self.blocks))
        f.each(start, end, str(self.at_once * THREADS), take, "gather")

    def _deliver(self, number: int, r: Reducer, state: State) -> None:
        """Combine with what the buffer held, store it, and hand it to the host if it wants it."""
        f, buffer = self.f, f"%reducer.{r.name}"
        held, mine = reductions.held(r, f), reductions.taken(r, state, f)
        result = reductions.combine(r, held, mine, f, self.module)
        reductions.put_at(r, buffer, result, f)
        if self.returned[number] >= 0:
            wanted, skipped = f.name("returned"), f.name("kept")
            f.branch(f.value("icmp ne ptr %results., null"), wanted, skipped)
            f.block(wanted)
            slot = f.value(f"getelementptr i8, ptr %results., i64 {RESULT_VALUES + 8 * self.returned[number]}")
            reductions.put_at(r, slot, result, f, how="volatile ", step=8)
            f.block(skipped)
