"""Reductions on a GPU: grid-stride accumulation, ordered partials, the last block combines and delivers.

Each thread accumulates over a grid-stride loop, unrolled so that several loads are in flight; a block combines its
threads by shuffles and leaves one partial in global memory; the block that arrives last combines the partials in block
order with what the buffer held. So the order of a result is fixed for a given geometry. The value is stored in the
reducer's buffer, and if the host wants it, in its mapped memory, followed by the number of the repetition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.nodes import Reducer
from . import reductions
from .body import Environment
from .reductions import STATE_BYTES, State
from .text import Function

if TYPE_CHECKING:
    from .cuda import KernelEmitter

THREADS = 256
WARPS = THREADS // 32
UNROLL = 4
FULL = -1  # all lanes of a warp
RESULT_VALUES = 16  # offset of the values in `kp_results`


def emit_reduction(k: KernelEmitter, returned: list[int], publishes: bool) -> None:
    """Emit one version of a kernel with reducers.

    Parameters
    ----------
    returned : list of int
        Slot in the results block of each reducer, or -1.
    publishes : bool
        Whether the repetition's number is stored behind the values.
    """
    _Reduction(k, returned, publishes).emit()


class _Reduction:
    def __init__(self, k: KernelEmitter, returned: list[int], publishes: bool) -> None:
        self.k, self.returned, self.publishes = k, returned, publishes
        self.kernel, self.module = k.kernel, k.module
        self.f: Function = k.function((THREADS, 1, 1))
        self.width = "i32" if k.small else "i64"
        for number, reducer in enumerate(self.kernel.reducers):
            name = self._shared(number)
            self.module.globals.append(
                f"@{name} = internal addrspace(3) global [{WARPS * STATE_BYTES} x i8] undef, align 16 ; {reducer.name}"
            )
        self.module.globals.append(f"@{k.symbol}.last = internal addrspace(3) global i32 undef, align 4")

    def _shared(self, number: int) -> str:
        return f"{self.k.symbol}.warps.{number}"

    def emit(self) -> None:
        f = self.f
        environment = self.k.environment(f)
        self.thread = self.k.register(f, "tid.x")
        self.block = self.k.register(f, "ctaid.x")
        self.blocks = self.k.register(f, "nctaid.x")
        states = [{r: reductions.new_state(r, f) for r in self.kernel.reducers} for _ in range(UNROLL)]
        self._accumulate(environment, states)
        merged = states[0]
        for other in states[1:]:
            for r in self.kernel.reducers:
                self._merge(r, merged[r], other[r])
        for number, r in enumerate(self.kernel.reducers):
            self._block_combine(number, r, merged[r])
        self._arrive(merged)
        self._finish(merged)
        f.block("end")
        f.ret()
        self.module.definitions.append(f.text())

    # -- each thread --------------------------------------------------------------------------------------------------

    def _accumulate(self, environment: Environment, states: list[dict[Reducer, State]]) -> None:
        """Grid-stride loop over all tuples of indices: `UNROLL` at once while they fit, then one by one."""
        f, w = self.f, self.width
        total = self._total()
        one = f.value(f"mul i32 {self.blocks}, {THREADS}")
        start = f.value(f"add i32 {f.value(f'mul i32 {self.block}, {THREADS}')}, {self.thread}")
        if w == "i64":
            one, start = f.value(f"zext i32 {one} to i64"), f.value(f"zext i32 {start} to i64")
        position = f.alloca(w, "position")
        f.emit(f"store {w} {start}, ptr {position}")
        reach = f.value(f"mul {w} {one}, {UNROLL - 1}")
        f.block("unrolled")
        current = f.value(f"load {w}, ptr {position}")
        f.branch(f.value(f"icmp slt {w} {f.value(f'add {w} {current}, {reach}')}, {total}"), "several", "single")
        f.block("several")
        for states_here in states:
            self._element(environment, current, states_here)
            current = f.value(f"add {w} {current}, {one}")
        f.emit(f"store {w} {current}, ptr {position}")
        f.jump("unrolled")
        f.block("single")
        current = f.value(f"load {w}, ptr {position}")
        f.branch(f.value(f"icmp slt {w} {current}, {total}"), "last.one", "accumulated")
        f.block("last.one")
        self._element(environment, current, states[0])
        f.emit(f"store {w} {f.value(f'add {w} {current}, {one}')}, ptr {position}")
        f.jump("single")
        f.block("accumulated")

    def _total(self) -> str:
        """Number of index tuples; 0 if any range is empty."""
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

    def _merge(self, r: Reducer, into: State, other: State) -> None:
        f = self.f
        value = f.value(f"load {r.element.llvm}, ptr {other.value}")
        location = f.value(f"load i64, ptr {other.location}") if other.location else None
        reductions.accumulate(r, into, value, location, f, self.module)

    # -- a block ------------------------------------------------------------------------------------------------------

    def _block_combine(self, number: int, r: Reducer, state: State) -> None:
        """Combine the accumulators of the block's threads into thread 0's."""
        f = self.f
        self._warp_combine(r, state)
        lane, warp = f.value(f"and i32 {self.thread}, 31"), f.value(f"lshr i32 {self.thread}, 5")
        leader, stored, read, done = (f.name(n) for n in ("leader", "stored", "read", "combined"))
        f.branch(f.value(f"icmp eq i32 {lane}, 0"), leader, stored)
        f.block(leader)
        self._store_shared(number, warp, r, state)
        f.block(stored)
        self._barrier()
        f.branch(f.value(f"icmp ult i32 {self.thread}, {WARPS}"), read, done)
        f.block(read)
        self._load_shared(number, self.thread, r, state)
        self._warp_combine(r, state, WARPS)
        f.block(done)
        self._barrier()  # the shared slots are used again by the final combination

    def _shared_address(self, number: int, slot: str) -> str:
        f = self.f
        offset = f.value(f"mul i32 {slot}, {STATE_BYTES}")
        return f.value(f"getelementptr inbounds i8, ptr addrspace(3) @{self._shared(number)}, i32 {offset}")

    def _store_shared(self, number: int, slot: str, r: Reducer, state: State) -> None:
        f, address = self.f, self._shared_address(number, slot)
        f.emit(f"store {r.element.llvm} {f.value(f'load {r.element.llvm}, ptr {state.value}')}, ptr addrspace(3) {address}")
        if state.location:
            at = f.value(f"getelementptr inbounds i8, ptr addrspace(3) {address}, i32 8")
            f.emit(f"store i64 {f.value(f'load i64, ptr {state.location}')}, ptr addrspace(3) {at}")

    def _load_shared(self, number: int, slot: str, r: Reducer, state: State) -> None:
        f, address = self.f, self._shared_address(number, slot)
        f.emit(f"store {r.element.llvm} {f.value(f'load {r.element.llvm}, ptr addrspace(3) {address}')}, ptr {state.value}")
        if state.location:
            at = f.value(f"getelementptr inbounds i8, ptr addrspace(3) {address}, i32 8")
            f.emit(f"store i64 {f.value(f'load i64, ptr addrspace(3) {at}')}, ptr {state.location}")

    def _warp_combine(self, r: Reducer, state: State, lanes: int = 32) -> None:
        """Halve the number of live lanes, `lanes` being a power of two."""
        f, distance = self.f, lanes // 2
        mask = FULL if lanes == 32 else (1 << lanes) - 1
        while distance:
            value = self._shuffle(r.element.llvm, f.value(f"load {r.element.llvm}, ptr {state.value}"), distance, mask)
            location = None
            if state.location:
                location = self._shuffle("i64", f.value(f"load i64, ptr {state.location}"), distance, mask)
            reductions.accumulate(r, state, value, location, f, self.module)
            distance //= 2

    def _shuffle(self, type_: str, value: str, distance: int, mask: int) -> str:
        """Value of the lane `distance` further on; 64 bits go in two halves."""
        f = self.f
        name = "llvm.nvvm.shfl.sync.down.i32"
        self.module.declare(name, f"declare i32 @{name}(i32, i32, i32, i32)")

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

    def _barrier(self) -> None:
        name = "llvm.nvvm.barrier.cta.sync.aligned.all"
        self.module.declare(name, f"declare void @{name}(i32)")
        self.f.emit(f"call void @{name}(i32 0)")

    # -- the grid -----------------------------------------------------------------------------------------------------

    def _partial(self, number: int, block: str) -> str:
        """Address of a block's partial of one reducer."""
        f = self.f
        wide = f.value(f"zext i32 {block} to i64")
        row = f.value(f"mul i64 {wide}, {STATE_BYTES * len(self.kernel.reducers)}")
        return f.value(f"getelementptr i8, ptr %partials., i64 {f.value(f'add i64 {row}, {STATE_BYTES * number}')}")

    def _arrive(self, states: dict[Reducer, State]) -> None:
        """Thread 0 leaves the block's partials and counts the block; the last block goes on."""
        f = self.f
        f.branch(f.value(f"icmp eq i32 {self.thread}, 0"), "leave", "left")
        f.block("leave")
        for number, (r, state) in enumerate(states.items()):
            address = self._partial(number, self.block)
            f.emit(f"store {r.element.llvm} {f.value(f'load {r.element.llvm}, ptr {state.value}')}, ptr {address}")
            if state.location:
                at = f.value(f"getelementptr i8, ptr {address}, i64 8")
                f.emit(f"store i64 {f.value(f'load i64, ptr {state.location}')}, ptr {at}")
        f.emit('fence syncscope("device") acq_rel')
        final = f.value(f"sub i32 {self.blocks}, 1")
        # Wraps to 0 at the last block, ready for the next launch.
        before = f.value(f'atomicrmw uinc_wrap ptr %counter., i32 {final} syncscope("device") acq_rel')
        is_last = f.value(f"icmp eq i32 {before}, {final}")
        f.emit(f"store i32 {f.value(f'zext i1 {is_last} to i32')}, ptr addrspace(3) @{self.k.symbol}.last")
        f.block("left")
        self._barrier()
        last = f.value(f"load i32, ptr addrspace(3) @{self.k.symbol}.last")
        f.branch(f.value(f"icmp ne i32 {last}, 0"), "final", "end")
        f.block("final")
        f.emit('fence syncscope("device") acq_rel')

    def _finish(self, states: dict[Reducer, State]) -> None:
        """The last block combines the partials, in an order that only the number of blocks decides."""
        f = self.f
        for number, r in enumerate(self.kernel.reducers):
            state = reductions.new_state(r, f)
            self._gather(number, r, state)
            self._block_combine(number, r, state)
            states[r] = state
        f.branch(f.value(f"icmp eq i32 {self.thread}, 0"), "deliver", "end")
        f.block("deliver")
        for number, r in enumerate(self.kernel.reducers):
            self._deliver(number, r, states[r])
        if self.publishes:
            f.branch(f.value("icmp ne ptr %results., null"), "publish", "end")
            f.block("publish")
            self.module.declare("llvm.nvvm.membar.sys", "declare void @llvm.nvvm.membar.sys()")
            f.emit("call void @llvm.nvvm.membar.sys()")
            f.emit("store volatile i64 %sequence., ptr %results.")
        f.jump("end")

    def _gather(self, number: int, r: Reducer, state: State) -> None:
        f = self.f
        head, inside, done = f.name("gather"), f.name("take"), f.name("gathered")
        position = f.alloca("i32", "block")
        f.emit(f"store i32 {self.thread}, ptr {position}")
        f.block(head)
        current = f.value(f"load i32, ptr {position}")
        f.branch(f.value(f"icmp ult i32 {current}, {self.blocks}"), inside, done)
        f.block(inside)
        address = self._partial(number, current)
        value = f.value(f"load volatile {r.element.llvm}, ptr {address}")
        location = None
        if state.location:
            location = f.value(f"load volatile i64, ptr {f.value(f'getelementptr i8, ptr {address}, i64 8')}")
        reductions.accumulate(r, state, value, location, f, self.module)
        f.emit(f"store i32 {f.value(f'add i32 {current}, {THREADS}')}, ptr {position}")
        f.jump(head)
        f.block(done)

    def _deliver(self, number: int, r: Reducer, state: State) -> None:
        """Combine with what the buffer held, store it, and hand it to the host if it wants it."""
        f, type_ = self.f, r.element.llvm
        buffer = f"%reducer.{r.name}"
        fresh = f.value(f"icmp ne i32 %fresh.{r.name}, 0")
        held = f.value(f"select i1 {fresh}, {type_} %initial.{r.name}, {type_} {f.value(f'load {type_}, ptr {buffer}')}")
        held_at: str | None = None
        if state.location:
            place = f.value(f"load i64, ptr {f.value(f'getelementptr i8, ptr {buffer}, i64 8')}")
            held_at = f.value(f"select i1 {fresh}, i64 {reductions.identity(r)[1]}, i64 {place}")
        mine = f.value(f"load {type_}, ptr {state.value}")
        mine_at = f.value(f"load i64, ptr {state.location}") if state.location else None
        value, at = reductions.combine(r, (held, held_at), (mine, mine_at), f, self.module)
        f.emit(f"store {type_} {value}, ptr {buffer}")
        if at is not None:
            f.emit(f"store i64 {at}, ptr {f.value(f'getelementptr i8, ptr {buffer}, i64 8')}")
        if self.returned[number] >= 0:
            wanted, skipped = f.name("returned"), f.name("kept")
            f.branch(f.value("icmp ne ptr %results., null"), wanted, skipped)
            f.block(wanted)
            slot = f.value(f"getelementptr i8, ptr %results., i64 {RESULT_VALUES + 8 * self.returned[number]}")
            f.emit(f"store volatile {type_} {value}, ptr {slot}")
            f.block(skipped)
