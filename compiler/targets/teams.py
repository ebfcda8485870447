"""Team kernels as LLVM IR: what CPU and GPU share. Team scope is ordinary code; phases and buffers are the target's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from ..ir.nodes import Allocate, Buffer, Phase, Space, Statement, Variable
from .body import BodyEmitter
from .team_shapes import count, same_threads
from .text import literal


class TeamBody(BodyEmitter, ABC):
    """Emits the statements of a team."""

    def block(self, statements: Sequence[Statement]) -> None:
        """Emit statements in order: phases that no barrier parts, and buffers that begin together, at once."""
        for group in self._groups(statements):
            if isinstance(group[0], Phase):
                self.phases([s for s in group if isinstance(s, Phase)])
            elif isinstance(group[0], Allocate) and group[0].buffer.space is not Space.LOCAL:
                self.begin([s.buffer for s in group if isinstance(s, Allocate)])
            else:
                super().block(group)

    def _groups(self, statements: Sequence[Statement]) -> Iterator[list[Statement]]:
        group: list[Statement] = []
        for s in statements:
            if group and not self._joins(group[-1], s):
                yield group
                group = []
            group.append(s)
        if group:
            yield group

    def _joins(self, before: Statement, s: Statement) -> bool:
        match before, s:
            case Phase(), Phase():
                return before.number not in self.proved.barriers and same_threads(before, s)
            case Allocate(buffer=a), Allocate(buffer=b):
                return (a.space is Space.LOCAL) == (b.space is Space.LOCAL)
        own = (Phase, Allocate)
        return not isinstance(before, own) and not isinstance(s, own)

    @abstractmethod
    def phases(self, phases: Sequence[Phase]) -> None:
        """Emit phases of the same threads, one after the other in each thread, and the barrier behind the last."""

    @abstractmethod
    def begin(self, buffers: Sequence[Buffer]) -> None:
        """Emit the fills of shared and private buffers whose declarations follow each other."""

    def _begin_views(self, buffers: Sequence[Buffer]) -> None:
        for buffer in buffers:
            if buffer.base is not None:
                self.env.pointers[buffer] = self.env.pointers[buffer.memory]

    def elements(self, buffer: Buffer) -> str:
        """Emit the number of elements of a buffer."""
        if (known := count(buffer.dims)) is not None:
            return str(known)
        f, total = self.f, "1"
        self.module.declare("llvm.smax.i64", "declare i64 @llvm.smax.i64(i64, i64)")
        for dim in buffer.dims:
            size = f.value(f"sub i64 {self.value(dim.upper)}, {self.value(dim.lower)}")
            total = f.value(f"mul i64 {total}, {f.value(f'call i64 @llvm.smax.i64(i64 {size}, i64 0)')}")
        return total

    def fill(self, buffer: Buffer, element: Variable) -> None:
        """Emit the store of the fill into one element, counted in the order of memory."""
        assert buffer.fill is not None
        type_ = buffer.element
        place = f"getelementptr inbounds {type_.llvm}, ptr {self.env.pointers[buffer]}, i64 {self.env.values[element]}"
        self.f.emit(f"store {type_.llvm} {literal(buffer.fill.value, type_)}, ptr {self.f.value(place)}")
