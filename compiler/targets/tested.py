"""Accesses that are tested on the device: one that would leave its array does not happen, and the first is recorded.

The record has 8 bytes a field: a claim, so that one thread writes it, and the address of what follows, which on a GPU
lies in memory of the host: the number of the access, the dimension, the index, its bounds, the indices of the thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..checks.proved import Proved
from ..ir.nodes import AtomicUpdate, Expr, Load, Phase, Statement, Storage, Store, Variable
from ..ir.source import Span
from ..ir.walk import blocks_of, expressions_of, walk
from .environment import as_stored
from .text import Function, Module, literal

if TYPE_CHECKING:
    from .body import BodyEmitter

INDICES = 6  # of a thread and its team, at most
FIELDS = 6 + INDICES  # whether it is written, site, dimension, index, lower and upper bound, indices
RECORD_BYTES = 8 * (2 + FIELDS)
_REPORT = "kp_report"


@dataclass(frozen=True, slots=True)
class Site:
    """An access that is tested, and the indices that name the thread there."""

    span: Span
    array: Storage
    indices: tuple[Variable, ...]


def sites(proved: Proved) -> list[Site]:
    """Return the tested accesses of a kernel, in the order of the text."""
    body = proved.kernel.body
    found = {site.span: site for site in _sites(body.body, body.indices) if site.span in proved.tested}
    return sorted(found.values(), key=lambda site: site.span)


def _sites(statements: Sequence[Statement], indices: tuple[Variable, ...]) -> Iterator[Site]:
    for s in statements:
        inner = (*indices, *s.indices) if isinstance(s, Phase) else indices
        if isinstance(s, Store):
            yield Site(s.target_span, s.array, inner)
        for e in (e for outer in expressions_of(s) for e in walk(outer)):
            if isinstance(e, Load | AtomicUpdate):
                yield Site(span_of(e), e.array, inner)
        for block in blocks_of(s):
            yield from _sites(block, inner)


def span_of(access: Load | AtomicUpdate | Store) -> Span:
    """Return where an access stands, without the value that is written."""
    return access.span if isinstance(access, Load) else access.target_span


def tested_value(body: BodyEmitter, e: Load | AtomicUpdate) -> str:
    """Emit a load or an atomic operation; where the test fails its value is 0."""
    f = body.f
    body.flush()
    test = _Test(body, span_of(e), e.array, e.index)
    arguments = [] if isinstance(e, Load) else [body.value(a) for a in e.arguments]
    result = f.alloca(e.type.llvm, "tested")
    f.emit(f"store {e.type.llvm} {literal(0, e.type)}, ptr {result}")
    test.begin()
    if isinstance(e, Load):
        value = body.addresses.load(e.array, e.index, test.values)
    else:
        value = body.atomic(e, body.addresses.address(e.array, e.index, test.values), arguments)
    f.emit(f"store {e.type.llvm} {value}, ptr {result}")
    test.end()
    return f.value(f"load {e.type.llvm}, ptr {result}")


def tested_store(body: BodyEmitter, s: Store) -> None:
    """Emit a store that is skipped where the test fails."""
    stored = as_stored(body.value(s.value), s.value.type, body.f)
    body.flush()
    test = _Test(body, s.target_span, s.array, s.index)
    test.begin()
    address = body.addresses.address(s.array, s.index, test.values)
    body.f.emit(f"store {s.array.element.stored} {stored}, ptr {address}{body.env.metadata(s.array)}")
    test.end()


class _Test:
    """The branches around one access, whose indices are evaluated here and once."""

    def __init__(self, body: BodyEmitter, span: Span, array: Storage, index: tuple[Expr, ...]) -> None:
        self.body, self.span, self.array, self.index = body, span, array, index
        self.values = {id(e): body.value(e) for e in index}
        self._end = body.f.name("tested")

    def begin(self) -> None:
        """Test every index, report a failure, and go on where all are inside."""
        body, f = self.body, self.body.f
        inside, outside = f.name("inside"), f.name("outside")
        checks = []
        for expression, dim in zip(self.index, self.array.dims, strict=True):
            value, low, high = self.values[id(expression)], body.value(dim.lower), body.value(dim.upper)
            offset, size = f.value(f"sub i64 {value}, {low}"), f.value(f"sub i64 {high}, {low}")
            checks.append((f.value(f"icmp ult i64 {offset}, {size}"), value, low, high))
        every = checks[0][0]
        for check, *_ in checks[1:]:
            every = f.value(f"and i1 {every}, {check}")
        f.branch(every, inside, outside)
        f.block(outside)
        self._report(checks)
        f.jump(self._end)
        f.block(inside)

    def end(self) -> None:
        """Go on behind the access."""
        self.body.f.block(self._end)

    def _report(self, checks: list[tuple[str, str, str, str]]) -> None:
        body, f = self.body, self.body.f
        number, site = next((n, s) for n, s in enumerate(sites(body.proved)) if s.span == self.span)
        failed = [str(len(checks) - 1), *checks[-1][1:]]
        for dimension in reversed(range(len(checks) - 1)):  # the first index that is out of range
            ok, *values = checks[dimension]
            chosen = zip([str(dimension), *values], failed, strict=True)
            failed = [f.value(f"select i1 {ok}, i64 {later}, i64 {ours}") for ours, later in chosen]
        indices = [body.env.values[v] for v in site.indices] + ["0"] * (INDICES - len(site.indices))
        arguments = ", ".join(f"i64 {v}" for v in (str(number), *failed, *indices))
        declare_report(body.module, body.env.atomics or "")
        f.emit(f"call void @{_REPORT}(ptr %faults., {arguments})")


def declare_report(module: Module, scope: str) -> None:
    """Define the function that records the first failure of a launch."""
    parameters = ", ".join(["ptr %record", *(f"i64 %p{n}" for n in range(FIELDS - 1))])
    f = Function(f"internal void @{_REPORT}({parameters})", "noinline cold nounwind")
    claim = f.value(f"cmpxchg ptr %record, i64 0, i64 1 {scope} monotonic monotonic")
    f.branch(f.value(f"extractvalue {{ i64, i1 }} {claim}, 1"), "first", "done")
    f.block("first")
    address = f.value(f"load ptr, ptr {f.value('getelementptr i8, ptr %record, i64 8')}")
    for n in range(FIELDS - 1):
        f.emit(f"store i64 %p{n}, ptr {f.value(f'getelementptr i8, ptr {address}, i64 {8 * (n + 1)}')}")
    f.emit(f"store i64 1, ptr {address}")
    f.block("done")
    f.ret()
    module.define_once(_REPORT, f.text())
