"""Bins on a GPU: a copy for each block in shared memory where they fit, added to the result with one atomic a bin.

Each thread keeps its last bin in registers, so that data which stays in a bin for long costs few updates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..ir.nodes import Reducer
from . import reductions
from .bins import RunningBins, combine_into, element
from .gpu_teams import declare_dynamic, shared_address
from .gpu_versions import BLOCKS
from .text import Function

if TYPE_CHECKING:
    from .gpu import KernelEmitter

ALIGNMENT = 16


class GpuBins:
    """Emits what happens to bins in one version of a kernel."""

    def __init__(self, k: KernelEmitter, f: Function) -> None:
        self.k, self.f = k, f
        self.kernel, self.module = k.kernel, k.module
        self._copies: dict[Reducer, str] = {}
        pointers = {r: f"%reducer.{r.name}" for r in self.kernel.binned}
        if k.version.private:
            pointers = self._copies = self._shared()
        self.running = RunningBins(pointers, k.gpu.device)

    def _shared(self) -> dict[Reducer, str]:
        """Return where the block's copies are, one behind the other, as `dynamic_bytes` counts them."""
        f, offset, copies = self.f, "0", {}
        base = shared_address(declare_dynamic(self.module))
        for r in self.kernel.binned:
            copies[r] = f.value(f"getelementptr i8, ptr {base}, i64 {offset}")
            padded = f.value(f"add i64 {f.value(f'mul i64 %bins.{r.name}, {r.element.bytes}')}, {ALIGNMENT - 1}")
            offset = f.value(f"add i64 {offset}, {f.value(f'and i64 {padded}, {-ALIGNMENT}')}")
        return copies

    def begin(self, thread: str) -> RunningBins:
        """Emit that the block's bins hold the identity and the thread none; returns where contributions go."""
        f = self.f
        for r, copy in self._copies.items():
            nothing = f"{r.element.llvm} {reductions.identity(r)[0]}"
            self._share(thread, r, lambda b, r=r, copy=copy, nothing=nothing: f.emit(  # type: ignore[misc]
                f"store {nothing}, ptr {element(r, copy, b, f)}"
            ))  # fmt: skip
        if self._copies:
            self.k.barrier(f)
        self.running.start(f)
        return self.running

    def _share(self, thread: str, r: Reducer, emit: Callable[[str], None]) -> None:
        """Emit something for every bin, dealt to the threads of the block."""
        first = self.f.value(f"zext i32 {thread} to i64")
        self.f.each(first, f"%bins.{r.name}", str(BLOCKS[1][0]), emit)

    def finish(self) -> None:
        """Emit that each thread gives up its last bin."""
        self.running.finish(self.f, self.module)

    def deliver(self, thread: str) -> None:
        """Emit that the block's bins are combined into the result."""
        f = self.f
        if self._copies:
            self.k.barrier(f)
        for r, copy in self._copies.items():

            def one(b: str, r: Reducer = r, copy: str = copy) -> None:
                value = f.value(f"load {r.element.llvm}, ptr {element(r, copy, b, f)}")
                combine_into(r, element(r, f"%reducer.{r.name}", b, f), value, self.running.scope, f, self.module)

            self._share(thread, r, one)
