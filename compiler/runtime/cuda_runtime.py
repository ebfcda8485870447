"""Launch compiled programs on a GPU, as NVIDIA's driver wants it; what AMD's wants otherwise is in `hip_runtime`."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from ..errors import DeviceError
from ..ir.types import SCALARS
from ..targets.gpu_bins import ALIGNMENT
from ..targets.gpu_ordered import tiles_bytes
from ..targets.gpu_reduction import THREADS
from ..targets.gpu_versions import BLOCKS, GRID_LIMIT, WIDE_BYTES, Version
from ..targets.team_shapes import BLOCK_LIMIT, STATIC_LIMIT, WARP, reduction_shared
from ..targets.text import symbol_name
from . import refusals
from .binding import Arguments, accept
from .borrows import Borrows
from .device_errors import device_error, device_errors, launched
from .exchange import exchange_of
from .expression_text import evaluate
from .faults import GpuFaults, check_all
from .geometry import fitted_block, grid_of
from .inspecting import Verdict
from .library_calls import library_function
from .manifest import WITHOUT_RESULTS, Manifest, put
from .memories import memory_at, place_here
from .packing import pack_slots
from .plan import CallPlan, Plan, SlotPlan
from .results import Result, Results
from .runners import (
    LOST_RESULTS,
    PROGRAMMATIC_STREAM_SERIALIZATION,
    RUN,
    GpuLaunch,
    GpuProgram,
    LaunchAttribute,
    LaunchConfig,
    driver_error,
    gpu_runner,
)
from .schedule import Schedule
from .streams import current_stream

_INDEX_LIMIT = 2**31 - 1
_DYNAMIC_SHARED_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_BLOCKS_PER_MULTIPROCESSOR = 8  # 2,048 threads, 256 a block
_FEW_ELEMENTS = 8  # of a thread


class CudaBound:
    """A program bound to arrays of the GPU."""

    on_gpu = True
    target = "cuda"
    _last: int | None = None  # stream of the latest launch

    def __init__(self, plan: Plan, module: Any, arguments: Arguments, borrows: Borrows | None = None) -> None:
        self._borrows = borrows
        self._plan, self._arguments, self._module = plan, arguments, module
        self._results = Results(plan.manifest) if plan.manifest.returned else None
        self._faults: dict[str, GpuFaults] = {}
        # The kernels wait for the launch before them by themselves, so the driver may start them early.
        self._overlap = LaunchAttribute(PROGRAMMATIC_STREAM_SERIALIZATION, 0, 1)
        self._multiprocessors = self._attribute("MultiProcessorCount")
        self._scratch: dict[tuple[str, int], Any] = {}
        self._made_on = current_stream()  # unless the program makes its launches later
        self._exchange = exchange_of(plan.manifest, arguments, self.target)
        messages = (GpuLaunch(parameters=self._exchange.address), self._exchange) if self._exchange else None
        checked = borrows is not None
        self._schedule = Schedule(plan, arguments, GpuLaunch, self._launch, checked=checked, exchange=messages)
        if borrows is not None:
            borrows.at_bind(current_stream(), self._schedule.inspected)
        self._runner, address = gpu_runner(self.target)
        self._run = RUN(address)

    def run(self, repetitions: int = 1, *, first: int = 0, stream: int = 0, bring_back: bool = True) -> None:
        """Launch; returns when everything is enqueued, or when the last scalars have come back."""
        table = self._schedule.table(first, repetitions)
        if self._borrows is not None:
            self._borrows.begin(stream, self._schedule.inspected, self._schedule.used(first, repetitions))
        flags = 0 if bring_back else WITHOUT_RESULTS
        program = GpuProgram(table, self._results.host if self._results else None)
        launched.append(self._plan.manifest.program)
        self._last = stream
        status = self._run(ctypes.addressof(program), first, repetitions, stream or None, flags)
        if self._borrows is not None and not status:
            self._borrows.end(stream)
        if status == LOST_RESULTS:
            raise DeviceError(f"`{self._plan.manifest.program}` finished on the GPU without delivering its results")
        if status:
            answer = driver_error(self.target, status)
            raise device_error(status, answer, f"launching `{self._plan.manifest.program}`")
        if self._results is not None and bring_back:
            check_all(self._faults.values())

    def __del__(self) -> None:
        # CuPy's pool hands scratch memory on in the order of the stream that it was made on, which may be another one.
        if self._last is not None and self._last != self._made_on and self._scratch and not sys.is_finalizing():
            memory_at(place_here(on_gpu=True)).wait(self._last)

    def finish(self) -> None:
        """Wait for the current stream where accesses are tested; raises AccessError if one failed."""
        import cupy

        if self._faults:
            cupy.cuda.get_current_stream().synchronize()
            check_all(self._faults.values())

    def forget_arrays(self) -> bool:
        """Hold the arrays given no longer, if nothing but their addresses is needed; says whether."""
        return self._borrows is not None and self._borrows.forget(self._arguments, self._schedule)

    @property
    def borrows(self) -> Borrows:
        """What its launches borrow; of a program whose arguments are checked."""
        assert self._borrows is not None
        return self._borrows

    @property
    def inspection_seconds(self) -> float:
        """What inspecting index arrays took so far."""
        return self._borrows.inspection_seconds if self._borrows is not None else 0.0

    def results(self) -> dict[str, Result]:
        """Return the scalars last brought back."""
        return self._results.values() if self._results else {}

    # -- one launch ---------------------------------------------------------------------------------------------------

    def _launch(self, call: CallPlan, arguments: Arguments) -> tuple[GpuLaunch, object] | None:
        if call.library:
            passed = library_function(*call.library, target=self.target).block(call, arguments, self._memory)
            return GpuLaunch(parameters=ctypes.addressof(passed)), passed
        counts = [evaluate(s.source, arguments.values) for s in call.slots if s.kind == "count"]
        reduces = any(s.kind == "reducer" for s in call.slots)
        if min(counts) <= 0 and not reduces:
            return None  # no threads: nothing to launch
        version, grid, block = self._choose(call, counts, arguments, reduces)
        function = self._module.get_function(symbol_name(call.symbol) + version.suffix)
        parameters, sequence, values = self._parameters(call, arguments, grid[0])
        shared = _bin_bytes(call, arguments) if version.private else self._shared_bytes(call, arguments, function)
        attribute = ctypes.addressof(self._overlap)
        config = LaunchConfig((ctypes.c_uint32 * 3)(*grid), (ctypes.c_uint32 * 3)(*block), shared, None, attribute, 0)
        launch = GpuLaunch(
            config,
            int(version.overlap and self._exchange is None and not any(c.library for c in self._plan.calls)),
            function.ptr,
            ctypes.addressof(parameters),
            sequence,
        )
        return launch, (function, parameters, values)

    def _choose(
        self, call: CallPlan, counts: list[int], arguments: Arguments, reduces: bool
    ) -> tuple[Version, tuple[int, int, int], tuple[int, int, int]]:
        """Return the version to launch, its grid and its block: the fastest whose limits hold."""
        narrow = self._is_small(call, counts, arguments)
        aligned = all(arguments.addresses[a] % WIDE_BYTES == 0 for _, a, _ in call.arrays)
        block = (THREADS, 1, 1) if reduces else BLOCKS[len(counts)]
        if call.team:
            block = (self._block_threads(call, arguments), 1, 1)
        for version in (Version(*v) for v in call.versions):
            if (version.wide and not aligned) or (version.narrow and not narrow):
                continue
            if version.private and _bin_bytes(call, arguments) > STATIC_LIMIT:
                continue
            if any(s.kind == "tiles" for s in call.slots):
                return version, (max(1, -(-prod(counts) // (THREADS * version.items))), 1, 1), (THREADS, 1, 1)
            if reduces:
                return version, self._reduction_grid(counts, 1 if call.team else THREADS), block
            if version.fitted:
                block = fitted_block(counts, self._multiprocessors)
            grid = grid_of(counts, (1, 1, 1) if call.team else block, version.items)
            if version.narrow and any(g > GRID_LIMIT for g in grid[1:]):
                continue
            if grid[0] > _INDEX_LIMIT:
                raise refusals.too_many_blocks(call.kernel, grid[0], _INDEX_LIMIT)
            return version, (grid[0], min(grid[1], GRID_LIMIT), min(grid[2], GRID_LIMIT)), block
        raise AssertionError("the last version has no limits")

    @staticmethod
    def _is_small(call: CallPlan, counts: list[int], arguments: Arguments) -> bool:
        """Whether 32-bit index arithmetic is exact: every array and the whole range below 2^31 elements."""
        sizes = [prod(arguments.views[argument].shape) for _, argument, _ in call.arrays]
        # A grid-stride loop looks 4 strides ahead of the last element.
        return max([prod(counts) + (1 << 22), *sizes]) <= _INDEX_LIMIT

    def _reduction_grid(self, counts: list[int], each: int) -> tuple[int, int, int]:
        """As many blocks as the device holds at once; half of them where each thread would have only a few elements.

        A block does `each` elements (one team) at a time.
        """
        total = prod(counts)
        resident = self._multiprocessors * _BLOCKS_PER_MULTIPROCESSOR
        wanted = resident if total > resident * each * _FEW_ELEMENTS else resident // 2
        return max(1, min(-(-total // each), wanted)), 1, 1

    @staticmethod
    def _block_threads(call: CallPlan, arguments: Arguments) -> int:
        """Threads of a team kernel's block."""
        assert call.team is not None
        needed = evaluate(call.team.threads, arguments.values)
        limit = call.team.block or BLOCK_LIMIT
        if needed > limit:
            raise refusals.too_many_private(call.kernel, needed, limit)
        return call.team.block or max(1, -(-needed // WARP)) * WARP

    @staticmethod
    def _attribute(name: str) -> int:
        """Return a number of the current device by CuPy's name of it."""
        import cupy

        return int(cupy.cuda.Device().attributes[name])

    def _most_shared(self) -> int:
        """Bytes of shared memory that a block can have if its kernel asks for them."""
        return self._attribute("MaxSharedMemoryPerBlockOptin")

    def _ask(self, function: Any, most: int) -> None:
        """Say beforehand that launches of a function may want more shared memory than every one gets."""
        import cupy

        cupy.cuda.driver.funcSetAttribute(function.ptr, _DYNAMIC_SHARED_BYTES, most)

    def _shared_bytes(self, call: CallPlan, arguments: Arguments, function: Any) -> int:
        """Bytes of shared memory to ask for."""
        wanted = int(evaluate(call.team.dynamic, arguments.values)) if call.team else 0
        static = reduction_shared(sum(int(s.source) for s in call.slots if s.kind == "partials"))
        if wanted + static > STATIC_LIMIT and wanted:
            most = self._most_shared() - static
            if wanted > most:
                raise refusals.too_much_memory(call.kernel, "shared memory", wanted, most)
            self._ask(function, most)  # the device's limit, not this launch's wish: other launches may want more
        return wanted

    def _parameters(
        self, call: CallPlan, arguments: Arguments, blocks: int
    ) -> tuple[ctypes.Array[ctypes.c_void_p], int | None, object]:
        """Return the addresses of the parameters, that of the repetition's number if there is one, and their memory."""
        values, starts = pack_slots(call, arguments.addresses, arguments.blobs, arguments.values, self._copied)
        start = ctypes.addressof(values)
        sequence: int | None = None
        for slot, at in zip(call.slots, starts, strict=True):
            self._fill(slot, call, values, at, blocks)
            if slot.kind == "sequence" and self._results is not None:
                sequence = start + at
        pointers = (ctypes.c_void_p * len(call.slots))(*(start + at for at in starts))
        return pointers, sequence, values

    def _fill(
        self, slot: SlotPlan, call: CallPlan, values: ctypes.Array[ctypes.c_char], offset: int, blocks: int
    ) -> None:
        """Fill a slot that only a GPU has."""
        if slot.kind in ("partials", "counter"):
            size = blocks * int(slot.source) if slot.kind == "partials" else 4
            put(values, offset, "pointer", self._zeros(f"{slot.kind} of {call.symbol}", size).data.ptr)
        elif slot.kind == "tiles":
            put(values, offset, "pointer", self._zeros(f"tiles of {call.symbol}", tiles_bytes(blocks)).data.ptr)
        elif slot.kind == "results":
            delivers = self._results is not None and any(r >= 0 for r in call.returned)
            put(values, offset, "pointer", self._results.device if delivers and self._results else None)
        elif slot.kind == "faults":
            if call.symbol not in self._faults:
                self._faults[call.symbol] = GpuFaults(call)
            put(values, offset, "pointer", self._faults[call.symbol].address)

    def _copied(self, content: bytes) -> int:
        """Return the address of a copy of bytes on the device; equal ones have one."""
        import cupy

        name = (f"copy of {content.hex()}", len(content))
        if name not in self._scratch:
            self._scratch[name] = cupy.empty(len(content), cupy.uint8)
            self._scratch[name].set(np.frombuffer(content, np.uint8))
            cupy.cuda.get_current_stream().synchronize()  # launches may go to another stream
        address: int = self._scratch[name].data.ptr
        return address

    def _memory(self, purpose: str, size: int) -> int:
        address: int = self._zeros(purpose, size).data.ptr
        return address

    def _zeros(self, purpose: str, size: int) -> Any:
        """Return scratch memory, one for all launches of a purpose: they follow each other."""
        import cupy

        if (purpose, size) not in self._scratch:
            with device_errors(f"{size:,} bytes for {purpose}"):
                self._scratch[purpose, size] = cupy.zeros(size, cupy.uint8)
                cupy.cuda.get_current_stream().synchronize()  # launches may go to another stream
        return self._scratch[purpose, size]


class CudaExecutable:
    """A program compiled for the current GPU."""

    target = "cuda"
    _bound: type[CudaBound] = CudaBound

    def __init__(self, plan: Plan, code: bytes, inspectors: Sequence[CudaExecutable] = ()) -> None:
        import cupy

        self.plan = plan
        self._inspectors = inspectors
        self._passed: dict[Verdict, None] = {}
        self._module = cupy.cuda.function.Module()
        with device_errors(f"loading the code of `{plan.manifest.program}`"):
            self._module.load(code)
        for c in (c for c in plan.calls if c.library):
            library_function(*c.library, target=self.target)  # says what is missing

    @property
    def manifest(self) -> Manifest:
        """Layout of the program's argument struct."""
        return self.plan.manifest

    def bind(self, arguments: Mapping[str, Any]) -> CudaBound:
        """Check the arguments and pack them; raises LaunchError."""
        accepted = accept(self.plan, arguments, on_gpu=True, target=self.target)
        borrows = Borrows(self.plan, accepted, self._inspectors, self._passed, on_gpu=True)
        return self._bound(self.plan, self._module, accepted, borrows)

    def launchable(self, arguments: Arguments) -> CudaBound:
        """Return arguments that need no check, packed."""
        return self._bound(self.plan, self._module, arguments)


def _bin_bytes(call: CallPlan, arguments: Arguments) -> int:
    """Bytes of a block's own bins."""
    counts = {s.name: evaluate(s.source, arguments.values) for s in call.slots if s.kind == "bins"}
    sizes = [counts[s.name] * SCALARS[s.type].bytes for s in call.slots if s.kind == "reducer" and s.name in counts]
    return sum(-(-size // ALIGNMENT) * ALIGNMENT for size in sizes)
