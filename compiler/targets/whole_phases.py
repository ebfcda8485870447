"""Tests that hold for every thread of a phase or fail for some: known before the phase, at one of its corners.

A tile that lies inside of its matrix needs none of the tests that keep the others in it. A comparison that is linear in
the thread indices holds for all threads if it holds for the one at its worst corner. Only what every thread evaluates
counts, so the corner's thread evaluates it too, and what is proved of its arithmetic is true of the corner's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..ir import operations as ops
from ..ir.nodes import (
    Assign,
    AtomicUpdate,
    Binary,
    Const,
    Expr,
    If,
    Inlined,
    Load,
    Logical,
    Phase,
    Read,
    Select,
    Statement,
    Unary,
    Variable,
)
from ..ir.types import I64
from ..ir.walk import expressions_of, operands, statements, walk
from .team_shapes import constant
from .text import Function

_UPWARDS = {ops.LT: True, ops.LE: True, ops.GT: False, ops.GE: False}  # whether the greatest left side is the worst


@dataclass
class Comparisons:
    """The comparisons of a phase that are decided at a corner.

    Attributes
    ----------
    found : list of (Binary, dict)
        Each with its slopes: how much its worst side grows with each thread index.
    meanings : dict
        Local of the phase that is assigned once -> its value.
    """

    phase: Phase
    found: list[tuple[Binary, dict[Variable, int]]] = field(default_factory=list)
    meanings: dict[Variable, Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assigned = [s.variable for s in statements(self.phase.body) if isinstance(s, Assign)]
        self._assigned = set(assigned)
        self._once = {v for v in assigned if assigned.count(v) == 1}
        self._block(self.phase.body)

    def _block(self, body: Sequence[Statement]) -> None:
        """Look at what every thread executes."""
        for s in body:
            if isinstance(s, If):
                if self._decided(s.condition):
                    self._block(s.then)
                continue
            for e in expressions_of(s):
                self._scan(e)
            if isinstance(s, Assign) and s.variable in self._once and self._slopes(s.value) is not None:
                self.meanings[s.variable] = s.value

    def _scan(self, e: Expr) -> None:
        """Look at an expression that every thread evaluates."""
        match e:
            case Logical(is_and=is_and, left=left, right=right):
                if self._decided(left) and is_and:
                    self._scan(right)
            case Select(condition=condition, then=then):
                if self._decided(condition):
                    self._scan(then)
            case Inlined():
                return
            case _:
                for operand in operands(e):
                    self._scan(operand)

    def _decided(self, e: Expr) -> bool:
        match e:
            case Logical(is_and=True, left=left, right=right):
                return self._decided(left) and self._decided(right)
            case Binary(operation=operation, left=left, right=right) if operation in _UPWARDS and left.type is I64:
                a, b = self._slopes(left), self._slopes(right)
                if a is not None and b is not None:
                    sign = 1 if _UPWARDS[operation] else -1
                    slopes = {v: sign * (a.get(v, 0) - b.get(v, 0)) for v in {*a, *b}}
                    self.found.append((e, slopes))
                    return True
        self._scan(e)
        return False

    def _slopes(self, e: Expr) -> dict[Variable, int] | None:
        """How a value grows with each thread index; None if it is not linear, or is not known at the corner."""
        match e:
            case Const():
                return {}
            case Read(variable=variable) if variable in self.phase.indices:
                return {variable: 1}
            case Read(variable=variable) if variable in self._assigned:
                return self._slopes(self.meanings[variable]) if variable in self.meanings else None
            case Unary(operation=ops.NEG, operand=operand):
                a = self._slopes(operand)
                return None if a is None else {v: -s for v, s in a.items()}
            case Binary(operation=ops.ADD | ops.SUB as operation, left=left, right=right):
                a, b = self._slopes(left), self._slopes(right)
                sign = 1 if operation is ops.ADD else -1
                if a is None or b is None:
                    return None
                return {v: a.get(v, 0) + sign * b.get(v, 0) for v in {*a, *b}}
            case Binary(operation=ops.MUL, left=left, right=right):
                a, b = self._slopes(left), self._slopes(right)
                factor = constant(right if a else left)
                if a is None or b is None or (a and b) or (factor is None and (a or b)):
                    return None
                return {v: s * (factor or 0) for v, s in (a or b).items()}
        return {} if self._is_uniform(e) else None

    def _is_uniform(self, e: Expr) -> bool:
        """Whether a value is the same for all threads, and may be computed even where no thread needs it."""
        own = {*self.phase.indices, *self._assigned}
        return not any(
            isinstance(part, (Load, AtomicUpdate, Inlined))
            or (isinstance(part, Read) and part.variable in own)
            or (isinstance(part, Binary) and part.operation in (ops.FLOORDIV, ops.MOD) and not constant(part.right))
            for part in walk(e)
        )

    def at_corner(self, e: Expr, corner: Mapping[Variable, str], emit: Callable[[Expr], str], f: Function) -> str:
        """Emit a side of a comparison for the thread whose indices are `corner`."""
        match e:
            case Read(variable=variable) if variable in corner:
                return corner[variable]
            case Read(variable=variable) if variable in self.meanings:
                return self.at_corner(self.meanings[variable], corner, emit, f)
            case Unary(operation=ops.NEG, operand=operand):
                return f.value(f"sub i64 0, {self.at_corner(operand, corner, emit, f)}")
            case Binary(operation=ops.ADD | ops.SUB | ops.MUL as operation, left=left, right=right):
                a, b = (self.at_corner(side, corner, emit, f) for side in (left, right))
                return f.value(f"{operation.signed} i64 {a}, {b}")
        return emit(e)
