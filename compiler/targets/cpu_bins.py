"""Bins of an OpenMP team: a copy for each thread while they are few, combined in thread order at the end."""

from __future__ import annotations

from ..ir.nodes import Kernel, Reducer
from . import reductions
from .bins import element
from .text import Function, Module

CACHE_LINE = 64
MOST_BYTES = (
    1 << 20
)  # of all copies, on the stack of the calling thread; beyond that threads update one copy atomically


class PrivateBins:
    """Emits what happens to the copies, in one function."""

    def __init__(self, kernel: Kernel, f: Function) -> None:
        self.kernel, self.f = kernel, f

    def _layout(self) -> tuple[dict[Reducer, str], str]:
        """Return where a thread's bins of each reducer begin in its memory, and the size of that, in bytes."""
        f, offset, offsets = self.f, "0", {}
        for r in self.kernel.binned:
            offsets[r] = offset
            padded = f.value(f"add i64 {f.value(f'mul i64 %bins.{r.name}, {r.element.bytes}')}, {CACHE_LINE - 1}")
            offset = f.value(f"add i64 {offset}, {f.value(f'and i64 {padded}, {-CACHE_LINE}')}")
        return offsets, offset

    def allocate(self, threads: str) -> str:
        """Return memory for every thread, null if that were too much."""
        f = self.f
        total = f.value(f"mul i64 {threads}, {self._layout()[1]}")
        is_small = f.value(f"icmp ule i64 {total}, {MOST_BYTES}")
        size = f.value(f"select i1 {is_small}, i64 {total}, i64 0")
        return f.value(f"select i1 {is_small}, ptr {f.value(f'alloca i8, i64 {size}, align {CACHE_LINE}')}, ptr null")

    def begin(self, scratch: str, thread: str) -> list[str]:
        """Emit that a thread's bins hold the identity; returns their addresses."""
        f, (offsets, size) = self.f, self._layout()
        mine = f.value(f"getelementptr i8, ptr {scratch}, i64 {f.value(f'mul i64 {thread}, {size}')}")
        places = []
        for r, offset in offsets.items():
            places.append(base := f.value(f"getelementptr i8, ptr {mine}, i64 {offset}"))
            nothing = f"{r.element.llvm} {reductions.identity(r)[0]}"
            f.each("0", f"%bins.{r.name}", "1", lambda b, r=r, base=base, nothing=nothing: f.emit(  # type: ignore[misc]
                f"store {nothing}, ptr {element(r, base, b, f)}"
            ))  # fmt: skip
        return places

    def combine(self, scratch: str, threads: str, module: Module) -> None:
        """Emit the combination of all copies with what the buffers hold, in thread order."""
        f, copies, done = self.f, self.f.name("copies"), self.f.name("whole")
        f.branch(f.value(f"icmp ne ptr {scratch}, null"), copies, done)
        f.block(copies)
        offsets, size = self._layout()
        for r, offset in offsets.items():
            first = f.value(f"getelementptr i8, ptr {scratch}, i64 {offset}")
            total = f.alloca(r.element.llvm, r.name)

            def one_bin(b: str, r: Reducer = r, first: str = first, total: str = total) -> None:
                bin_, type_ = element(r, f"%reducer.{r.name}", b, f), r.element.llvm
                f.emit(f"store {type_} {f.value(f'load {type_}, ptr {bin_}')}, ptr {total}")

                def one_thread(t: str) -> None:
                    copy = f.value(f"getelementptr i8, ptr {first}, i64 {f.value(f'mul i64 {t}, {size}')}")
                    value = f.value(f"load {type_}, ptr {element(r, copy, b, f)}")
                    so_far = f.value(f"load {type_}, ptr {total}")
                    f.emit(f"store {type_} {reductions.combined(r, so_far, value, f, module)}, ptr {total}")

                f.each("0", threads, "1", one_thread)
                f.emit(f"store {type_} {f.value(f'load {type_}, ptr {total}')}, ptr {bin_}")

            f.each("0", f"%bins.{r.name}", "1", one_bin)
        f.block(done)
