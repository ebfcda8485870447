"""The names of one kernel and what is known of them while its body is read."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..ir.nodes import Array, Read, Reducer, Variable
from ..ir.source import Span
from .faults import Faults, Poisoned
from .syntax import Syntax, span_of


@dataclass(slots=True)
class Scope:
    """What names mean at the current statement.

    Attributes
    ----------
    parameters : dict
        Arrays, reducers, scalar parameters and extents, by name.
    indices : dict
        Thread and loop indices that are visible here.
    local_variables : dict
        Local variables of the kernel; None for a name whose definition had a fault: it is poisoned.
    assigned : set
        Locals that every path to here has assigned.
    first_assigned : dict
        Where a local was first assigned, for messages.
    assigned_below : dict
        Every name that the body assigns anywhere, and where.
    repetition : Variable or None
        What `repetition()` stands for; None in a kernel.
    """

    syntax: Syntax
    faults: Faults
    repetition: Variable | None = None
    parameters: dict[str, Array | Reducer | Variable] = field(default_factory=dict)
    indices: dict[str, Variable] = field(default_factory=dict)
    local_variables: dict[str, Variable | None] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    first_assigned: dict[str, Span] = field(default_factory=dict)
    assigned_below: dict[str, Span] = field(default_factory=dict)

    def known(self) -> list[str]:
        """Every name that could have been meant, for suggestions."""
        numbers = [k for k, v in self.syntax.environment.items() if isinstance(v, (int, float))]
        return [*self.parameters, *self.indices, *self.local_variables, *numbers]

    def poison(self, names: Iterable[str]) -> None:
        """Silence uses of names whose definition had a fault, unless they mean something else already."""
        for name in names:
            if name not in self.parameters and name not in self.indices:
                self.local_variables.setdefault(name, None)
                self.assigned.add(name)

    def number_of_repetition(self, call: ast.Call) -> Read:
        """Read `repetition()`: programs know it, and may pass it to their kernels."""
        if call.args:
            raise self.faults.wrong_arguments("repetition", "takes no arguments", span_of(call), "")
        if self.repetition is None:
            raise self.faults.unsupported_expression(
                "`repetition()` in a kernel", span_of(call), "pass it as a scalar from a program: `k(x, repetition())`"
            )
        return Read(self.repetition, span_of(call))

    def refuse_poisoned(self, name: str) -> None:
        """Raise Poisoned if the fault behind a name has been reported."""
        if name in self.local_variables and self.local_variables[name] is None:
            raise Poisoned

    @contextmanager
    def indexed(self, variables: list[Variable]) -> Iterator[None]:
        """Make loop indices visible for the body of their loop."""
        before = dict(self.indices)
        self.indices.update({v.name: v for v in variables})
        try:
            yield
        finally:
            self.indices = before
