"""The body of a `teams`: what is the same for the whole team, and its phases.

Outside phases everything is uniform by construction: the names that are visible there are scalars, extents, indices
of teams and of loops, and locals made of these; arrays are read if they are `Ref`, and nothing is stored. So every loop
and condition around a phase is the same for all threads, and no barrier can be divergent.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..ir.nodes import Phase, Statement, VariableKind
from .buffers import declarations, read_buffer
from .faults import Fault, Poisoned
from .ranges import is_over, read_header
from .scope import PhaseHeader, Scope, Team
from .statements import Statements, assigned_in
from .syntax import span_of


def read_team(body: Sequence[ast.stmt], scope: Scope, found: list[Fault]) -> tuple[Statement, ...]:
    """Return the body of a `teams` whose indices are visible; faults are collected."""
    phases = [n for s in body for n in ast.walk(s) if is_over(n, "threads", scope)]
    inside = {id(n) for phase in phases for n in ast.walk(phase)}
    of_phases = {n.id: span_of(n) for phase in reversed(phases) for n in _stored(phase)}
    own = assigned_in(body, apart=inside)
    scope.team = Team(own, of_phases)
    scope.assigned_below = own
    return TeamStatements(scope, found, body).block(body)


def _stored(node: ast.AST) -> list[ast.Name]:
    """Return the names that a statement assigns or counts with, the first of each last."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return sorted(names, key=span_of, reverse=True)


class TeamStatements(Statements):
    """Reads statements outside phases; those inside are read as those of a `parallel` are."""

    def __init__(self, scope: Scope, found: list[Fault], body: Sequence[ast.stmt]) -> None:
        super().__init__(scope, found)
        self.outermost = {id(s) for s in body}
        assert scope.team is not None
        self.team = scope.team

    def _statement(self, node: ast.stmt) -> Sequence[Statement]:
        if isinstance(node, ast.For) and is_over(node, "threads", self.scope):
            return (self._phase(node),)
        if isinstance(node, ast.Assign) and id(node) in self.outermost:
            declared = declarations(node, self.scope)
            if declared:
                return [read_buffer(*d, self.scope) for d in declared]
        return super()._statement(node)

    def _poison(self, node: ast.stmt) -> None:
        self.scope.poison(name for name in assigned_in([node]) if name in self.team.own)

    def _phase(self, node: ast.For) -> Phase:
        scope, team = self.scope, self.team
        number, team.phases = team.phases, team.phases + 1
        indices, ranges, header = read_header(node, VariableKind.THREAD, scope, self.found, self.expressions.index)
        known, first = dict(scope.local_variables), dict(scope.first_assigned)
        assigned, below = set(scope.assigned), scope.assigned_below
        scope.assigned_below = {**below, **assigned_in(node.body)}
        team.phase = PhaseHeader(indices, ranges, bool(scope.loops))
        loops, scope.loops = scope.loops, []  # a thread does not leave a loop of its team
        with scope.indexed(indices):
            body = Statements(scope, self.found).block(node.body)
        team.phase, scope.loops = None, loops
        scope.local_variables, scope.first_assigned = known, first  # names of a phase end with it
        scope.assigned, scope.assigned_below = assigned, below
        if ranges is None:
            raise Poisoned
        return Phase(number, indices, ranges, body, header)
