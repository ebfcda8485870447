"""The CPU: each kernel is a loop over rows, cut into equal chunks for the threads of the process's OpenMP runtime."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ..checks.proved import Proved
from ..ir.nodes import Kernel, Reducer, Teams, Variable
from . import reductions
from .abi import Slot, kernel_slots, offsets
from .aliases import alias_metadata, slot_attributes
from .bins import Bins
from .body import BodyEmitter
from .combinations import define_combinations
from .cpu_bins import PrivateBins
from .cpu_loops import reads_windows, tightened
from .cpu_math import CpuMath
from .cpu_ordered import CELL, CELL_BYTES, LoopOrder, chunk_start
from .cpu_teams import CpuTeams
from .environment import Environment, arguments_of
from .llvm import Machine, data_layout, host_machine
from .ordered import running_of
from .reductions import state_offsets
from .text import Function, Module

CACHE_LINE = 64
MAX_THREADS = 1024
SUMS = ".sums"  # the variant of a loop that sums up what the threads behind its chunk start from
SHARED = ".shared"  # the variant of a loop whose bins all threads update


def emit_module(kernels: Sequence[tuple[str, Proved]], *, threads: bool) -> Module:
    """Return a module with one `void name(ptr block)` a kernel; `block` holds its slots, as `abi.offsets` says.

    Parameters
    ----------
    threads : bool
        Whether a kernel uses all threads of the OpenMP runtime, or the calling one only.
    """
    machine = host_machine()
    module = Module(machine.triple, data_layout(machine))
    for name, proved in kernels:
        if proved.kernel.library:
            continue
        _KernelEmitter(name, proved, module, machine, threads).emit()
    vectors = sorted(i for i in module.imports if i.startswith("_ZGV"))
    if vectors:  # LLVM drops declarations that nothing calls before the vectoriser could use them
        listed = ", ".join(f"ptr @{v}" for v in vectors)
        module.globals.append(
            f'@llvm.compiler.used = appending global [{len(vectors)} x ptr] [{listed}], section "llvm.metadata"'
        )
    return module


class _KernelEmitter:
    def __init__(self, name: str, proved: Proved, module: Module, machine: Machine, threads: bool) -> None:
        self.name, self.proved, self.module, self.threads = name, proved, module, threads
        self.kernel: Kernel = proved.kernel
        self.slots = kernel_slots(proved, device_reduction=False)
        # LLVM prefers 256 bits on processors that run 512-bit loops faster.
        self.wide = "+avx512f" in machine.features
        self.tuning = f'nounwind "target-cpu"="{machine.cpu}" "target-features"="{machine.features}"'
        self.small_threads = "+avx512dq" not in machine.features  # the launcher sees to the +-2^50
        self.tuning += ' "prefer-vector-width"="512"' if self.wide else ""
        body = self.kernel.body
        has_rows = not isinstance(body, Teams) and len(body.indices) > 1
        self.running = running_of(self.kernel, narrow=False)
        self.tightened = tightened(body.indices[-1], body.body) if has_rows else None

        self.order: LoopOrder | None = None

    def emit(self) -> None:
        define_combinations(self.proved, self.module, CpuMath(), self.tuning)
        self._loop_function()
        if self.running is not None:
            self._loop_function(SUMS)
        if self.threads:
            if self.kernel.binned:
                self._loop_function(SHARED, "")
            self._thread_function()
        self._call_function()

    # -- the loop over rows [first, last) -----------------------------------------------------------------------------

    def _parameters(self) -> list[str]:
        """Parameters of the loop function: the slots, the rows, one accumulator address a reducer."""
        return [f"{s.llvm} {self._attributes(s)}{s.operand}" for s in self._loop_slots()] + [
            "i64 %first", "i64 %last", *(f"ptr %state.{r.name}" for r in self.kernel.totals),
            *(f"ptr %place.{r.name}" for r in self.kernel.binned), *([f"ptr {CELL}"] if self.running else []),
        ]  # fmt: skip

    def _loop_slots(self) -> list[Slot]:
        return [s for s in self.slots if s.kind not in ("reducer", "fresh", "initial")]

    def _attributes(self, slot: Slot) -> str:
        return slot_attributes(self.proved, slot)

    def _loop_function(self, variant: str = "", bins_scope: str | None = None) -> None:
        signature = f"internal void @{self.name}.loop{variant}({', '.join(self._parameters())})"
        f = Function(signature, f"noinline {self.tuning}")
        pointers, values = arguments_of(self.kernel, f)
        states = {r: reductions.new_state(r, f, apart=True) for r in self.kernel.totals}
        environment = Environment(
            pointers, values, None, states, self.small_threads, separate_chains=True,
            atomics="" if self.threads else None, aliases=alias_metadata(self.proved, self.module),
            bins=Bins({r: f"%place.{r.name}" for r in self.kernel.binned}, bins_scope),
        )  # fmt: skip
        if self.running is not None:
            environment.ordered = self.order = LoopOrder(self.running, f, self.module, sums=variant == SUMS)
        if isinstance(self.kernel.body, Teams):
            environment.small_threads = False  # bounds of phases may come out of arrays
            teams = CpuTeams(self.proved, environment, f, self.module, CpuMath())
            teams.lanes = 8 if self.wide else 4
            teams.teams()
        else:
            self._rows(f, BodyEmitter(self.proved, environment, f, self.module, CpuMath()))
        if self.order is not None:
            self.order.finish()
        for reducer in self.kernel.totals if variant != SUMS else ():
            self._store_state(f, reducer, states[reducer], f"%state.{reducer.name}")
        f.ret()
        self.module.definitions.append(f.text())

    def _rows(self, f: Function, body: BodyEmitter) -> None:
        """Emit the outer dimensions as one range of rows, the last one as the loop that is vectorised."""
        indices = self.kernel.body.indices

        def position(variable: Variable, number: str) -> str:
            return f.value(f"add nsw i64 {number}, %lower.{variable.name}", variable.name)

        def inner(variable: Variable) -> None:
            lower = f"%lower.{variable.name}"
            upper = f.value(f"add nsw i64 {lower}, %count.{variable.name}")
            inside, after = self.kernel.body.body, f.name("row.end")
            if self.tightened is not None:
                # In an empty range nothing is evaluated: what `end` reads might not be there.
                some = f.name("row.some")
                f.branch(f.value(f"icmp sgt i64 %count.{variable.name}, 0"), some, after)
                f.block(some)
                end, inside = self.tightened
                self.module.declare("llvm.smin.i64", "declare i64 @llvm.smin.i64(i64, i64)")
                upper = f.value(f"call i64 @llvm.smin.i64(i64 {upper}, i64 {body.value(end)})")
            # Rows are short: with LLVM's usual four vectors at a time much of a row would be remainder.
            hint = self.module.metadata('!{!"llvm.loop.interleave.count", i32 2}')
            body.counted_loop(variable, lower, upper, 1, lambda: body.block(inside), hint)
            if self.tightened is not None:
                f.block(after)

        if len(indices) == 1:
            only = indices[0]
            first, last = position(only, "%first"), position(only, "%last")
            four = not self.kernel.totals and reads_windows(self.kernel.body.body)
            hint = self.module.metadata('!{!"llvm.loop.interleave.count", i32 4}') if four else ""
            order, inside = self.order, self.kernel.body.body
            each = body.block if order is None else functools.partial(order.thread, body=body)
            body.counted_loop(only, first, last, 1, lambda: each(inside), hint)
            return
        row = Variable("row", indices[0].type, indices[0].kind, indices[0].span)
        if len(indices) == 2:

            def each_row() -> None:
                body.env.values[indices[0]] = position(indices[0], body.env.values[row])
                inner(indices[-1])

            body.counted_loop(row, "%first", "%last", 1, each_row)
            return
        # Three dimensions: one division at the start, then the row's two indices are counted on.
        width = f.value(f"call i64 @llvm.smax.i64(i64 %count.{indices[1].name}, i64 1)")
        self.module.declare("llvm.smax.i64", "declare i64 @llvm.smax.i64(i64, i64)")
        plane, line = f.alloca("i64", "plane"), f.alloca("i64", "line")
        f.emit(f"store i64 {f.value(f'udiv i64 %first, {width}')}, ptr {plane}")
        f.emit(f"store i64 {f.value(f'urem i64 %first, {width}')}, ptr {line}")

        def each_line() -> None:
            here, at = f.value(f"load i64, ptr {plane}"), f.value(f"load i64, ptr {line}")
            body.env.values[indices[0]] = position(indices[0], here)
            body.env.values[indices[1]] = position(indices[1], at)
            inner(indices[-1])
            following = f.value(f"add nsw i64 {at}, 1")
            wraps = f.value(f"icmp eq i64 {following}, {width}")
            f.emit(f"store i64 {f.value(f'select i1 {wraps}, i64 0, i64 {following}')}, ptr {line}")
            carry = f.value(f"zext i1 {wraps} to i64")
            f.emit(f"store i64 {f.value(f'add nsw i64 {here}, {carry}')}, ptr {plane}")

        body.counted_loop(row, "%first", "%last", 1, each_line)

    def _store_state(self, f: Function, reducer: Reducer, state: reductions.State, address: str) -> None:
        reductions.put_at(reducer, address, reductions.settled(reducer, state, f), f)

    # -- the entry: unpack, distribute, combine -----------------------------------------------------------------------

    def _unpack(self, f: Function) -> None:
        starts, _ = offsets(s.bytes for s in self.slots)
        for slot, start in zip(self.slots, starts, strict=True):
            address = f"getelementptr i8, ptr %block, i64 {start}"
            f.emit(
                f"{slot.operand} = " + (address if slot.is_by_value else f"load {slot.llvm}, ptr {f.value(address)}")
            )

    def _total_rows(self, f: Function) -> str:
        """Emit the number of rows, or teams; 0 if any range is empty."""
        counts = [f"%count.{v.name}" for v in self.kernel.body.indices]
        clamped = [f.value(f"call i64 @llvm.smax.i64(i64 {c}, i64 0)") for c in counts]
        self.module.declare("llvm.smax.i64", "declare i64 @llvm.smax.i64(i64, i64)")
        if not isinstance(self.kernel.body, Teams):
            clamped = clamped[: max(1, len(clamped) - 1)]
        total = clamped[0]
        for more in clamped[1:]:
            total = f.value(f"mul i64 {total}, {more}")
        return total

    def _call_loop(
        self, f: Function, first: str, last: str, states: str, state_offset: str, places: Sequence[str] = (),
        variant: str = "", cell: str = "",
    ) -> None:  # fmt: skip
        """Call the loop for some rows; bins are at `places`, by default where the caller has them."""
        arguments = [f"{s.llvm} {s.operand}" for s in self._loop_slots()] + [f"i64 {first}", f"i64 {last}"]
        for offset in state_offsets(self.kernel.totals)[:-1]:
            base = f.value(f"getelementptr i8, ptr {states}, i64 {state_offset}")
            arguments.append(f"ptr {f.value(f'getelementptr i8, ptr {base}, i64 {offset}')}")
        arguments += [f"ptr {place}" for place in places or [f"%reducer.{r.name}" for r in self.kernel.binned]]
        arguments += [f"ptr {cell}"] if cell else []
        f.emit(f"call void @{self.name}.loop{variant}({', '.join(arguments)})")

    def _call_in_order(self, f: Function, first: str, last: str, states: str, offset: str, thread: str) -> None:
        """Call a loop that stores in the order of the threads: its sums, unless they are of no use, then the rest."""
        running, threads = self.running, f.value("call i32 @omp_get_num_threads()") if self.threads else "1"
        assert running is not None
        cells = f.value(f"getelementptr i8, ptr {states}, i64 {state_offsets(self.kernel.totals)[-1]}")
        summing, summed = f.name("sum"), f.name("summed")
        f.branch("true" if running.is_push else f.value(f"icmp sgt i32 {threads}, 1"), summing, summed)
        f.block(summing)
        own = f.value(f"getelementptr i8, ptr {cells}, i64 {offset}")
        self._call_loop(f, first, last, states, offset, variant=SUMS, cell=own)
        if self.threads:
            f.emit("call void @GOMP_barrier()")
        f.block(summed)
        cell = chunk_start(running, f, self.module, cells, self._stride, thread)
        self._call_loop(f, first, last, states, offset, cell=cell)

    @property
    def _stride(self) -> int:
        """Bytes of one thread's accumulators, in cache lines of their own."""
        size = state_offsets(self.kernel.totals)[-1] + CELL_BYTES * (self.running is not None)
        return -(-max(1, size) // CACHE_LINE) * CACHE_LINE

    def _thread_function(self) -> None:
        """Emit what runs on each thread: one contiguous chunk, as g++'s static schedule cuts it."""
        f = Function(f"internal void @{self.name}.thread(ptr %frame)", self.tuning)
        self._declare_openmp()
        f.emit("%block = load ptr, ptr %frame")
        states = f.value(f"load ptr, ptr {f.value('getelementptr i8, ptr %frame, i64 8')}")
        self._unpack(f)
        thread = f.value(f"sext i32 {f.value('call i32 @omp_get_thread_num()')} to i64")
        threads = f.value(f"sext i32 {f.value('call i32 @omp_get_num_threads()')} to i64")
        # The team may be smaller than asked for: only accumulators of threads that ran are combined.
        f.emit(f"store atomic i64 {threads}, ptr {f.value('getelementptr i8, ptr %frame, i64 16')} monotonic, align 8")
        rows = self._total_rows(f)
        share, rest = f.value(f"udiv i64 {rows}, {threads}"), f.value(f"urem i64 {rows}, {threads}")
        longer = f.value(f"icmp ult i64 {thread}, {rest}")
        before = f.value(f"select i1 {longer}, i64 {thread}, i64 {rest}")
        first = f.value(f"add i64 {f.value(f'mul i64 {thread}, {share}')}, {before}")
        size = f.value(f"add i64 {share}, {f.value(f'zext i1 {longer} to i64')}")
        offset = f.value(f"mul i64 {thread}, {self._stride}")
        last = f.value(f"add i64 {first}, {size}")
        if self.kernel.binned:
            own, joined = f.name("own"), f.name("joined")
            scratch = f.value(f"load ptr, ptr {f.value('getelementptr i8, ptr %frame, i64 24')}")
            f.branch(f.value(f"icmp ne ptr {scratch}, null"), own, "shared")
            f.block(own)
            self._call_loop(f, first, last, states, offset, PrivateBins(self.kernel, f).begin(scratch, thread))
            f.jump(joined)
            f.block("shared")
            self._call_loop(f, first, last, states, offset, variant=SHARED)
            f.block(joined)
        elif self.running is not None:
            self._call_in_order(f, first, last, states, offset, thread)
        elif self.tightened is not None and not self.kernel.totals:  # rows of unequal length: dealt out one by one
            f.each(thread, rows, threads, lambda r: self._call_loop(f, r, f.value(f"add i64 {r}, 1"), states, offset))
        else:
            self._call_loop(f, first, last, states, offset)
        f.ret()
        self.module.definitions.append(f.text())

    def _declare_openmp(self) -> None:
        self.module.declare("omp_get_thread_num", "declare i32 @omp_get_thread_num()")
        self.module.declare("omp_get_num_threads", "declare i32 @omp_get_num_threads()")
        self.module.declare("omp_get_max_threads", "declare i32 @omp_get_max_threads()")
        self.module.declare("GOMP_parallel", "declare void @GOMP_parallel(ptr, ptr, i32, i32)")
        self.module.imports |= {"omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads", "GOMP_parallel"}
        if self.running is not None:
            self.module.declare("GOMP_barrier", "declare void @GOMP_barrier()")
            self.module.imports.add("GOMP_barrier")

    def _call_function(self) -> None:
        f = Function(f"void @{self.name}(ptr %block)", self.tuning)
        self._unpack(f)
        if not self.threads:
            states = f.alloca(f"[{self._stride} x i8]", "states", CACHE_LINE)
            if self.running is None:
                self._call_loop(f, "0", self._total_rows(f), states, "0")
            else:
                self._call_in_order(f, "0", self._total_rows(f), states, "0", "0")
            self._combine(f, states, "1")
        else:
            # More than `MAX_THREADS` would need more stack for accumulators than a thread may have.
            most = f.value(
                f"call i32 @llvm.smin.i32(i32 {f.value('call i32 @omp_get_max_threads()')}, i32 {MAX_THREADS})"
            )
            self.module.declare("llvm.smin.i32", "declare i32 @llvm.smin.i32(i32, i32)")
            threads = f.value(f"sext i32 {most} to i64")
            states = f.alloca("i8", "none")
            if self.kernel.totals or self.running is not None:
                states = f.value(f"alloca i8, i64 {f.value(f'mul i64 {threads}, {self._stride}')}, align {CACHE_LINE}")
            frame = f.alloca("[4 x ptr]", "frame", 8)
            bins = PrivateBins(self.kernel, f)
            scratch = bins.allocate(threads) if self.kernel.binned else "null"
            f.emit(f"store ptr {scratch}, ptr {f.value(f'getelementptr i8, ptr {frame}, i64 24')}")
            f.emit(f"store ptr %block, ptr {frame}")
            f.emit(f"store ptr {states}, ptr {f.value(f'getelementptr i8, ptr {frame}, i64 8')}")
            wanted = f.value(f"trunc i64 {threads} to i32")
            f.emit(f"call void @GOMP_parallel(ptr @{self.name}.thread, ptr {frame}, i32 {wanted}, i32 0)")
            team = f.value(f"load i64, ptr {f.value(f'getelementptr i8, ptr {frame}, i64 16')}")
            self._combine(f, states, team)
            if self.kernel.binned:
                bins.combine(scratch, team, self.module)
        f.ret()
        self.module.definitions.append(f.text())

    def _combine(self, f: Function, states: str, threads: str) -> None:
        """Combine what the buffer held with the threads' accumulators, in thread order: fixed for their number."""
        for offset, reducer in zip(state_offsets(self.kernel.totals), self.kernel.totals, strict=False):
            state = reductions.new_state(reducer, f)
            reductions.put(reducer, state, reductions.held(reducer, f), f)
            self._combine_loop(f, reducer, state, states, offset, threads)
            self._store_state(f, reducer, state, f"%reducer.{reducer.name}")

    def _combine_loop(
        self, f: Function, reducer: Reducer, state: reductions.State, states: str, start: int, threads: str
    ) -> None:
        counter = f.alloca("i64", "thread")
        head, inside, end = f.name("combine"), f.name("one"), f.name("combined")
        f.emit(f"store i64 0, ptr {counter}")
        f.block(head)
        current = f.value(f"load i64, ptr {counter}")
        f.branch(f.value(f"icmp ult i64 {current}, {threads}"), inside, end)
        f.block(inside)
        offset = f.value(f"add i64 {f.value(f'mul i64 {current}, {self._stride}')}, {start}")
        address = f.value(f"getelementptr i8, ptr {states}, i64 {offset}")
        reductions.accumulate(reducer, state, reductions.taken_from(reducer, address, f), f, self.module)
        f.emit(f"store i64 {f.value(f'add i64 {current}, 1')}, ptr {counter}")
        f.jump(head)
        f.block(end)
