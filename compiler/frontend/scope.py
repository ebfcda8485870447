"""The names of one kernel and what is known of them while its body is read."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..ir.nodes import Buffer, Constants, Expr, Lengths, Parameter, Range, Read, Storage, Variable
from ..ir.source import Source, Span
from .faults import Fault, Faults, Poisoned
from .functions import Device
from .syntax import Syntax, span_of


@dataclass(frozen=True, slots=True)
class PhaseHeader:
    """The threads of a phase, and whether a loop of the team is around it."""

    indices: tuple[Variable, ...]
    ranges: tuple[Range, ...] | None  # None: at fault
    is_in_loop: bool


@dataclass(slots=True)
class Team:
    """What is known of a team kernel while its body is read.

    Attributes
    ----------
    own : dict
        Names that are assigned outside phases, and where: the same for every thread of the team.
    of_phases : dict
        Names that are assigned inside phases, and where.
    phases : int
        How many phases have been read.
    phase : PhaseHeader or None
        The phase that is being read; None outside.
    """

    own: dict[str, Span]
    of_phases: dict[str, Span]
    phases: int = 0
    phase: PhaseHeader | None = None


@dataclass(slots=True)
class Scope:
    """What names mean at the current statement.

    Attributes
    ----------
    parameters : dict
        Parameters, extents and lengths, by name.
    indices : dict
        Thread and loop indices that are visible here.
    local_variables : dict
        Local variables of the kernel; None for a name whose definition had a fault: it is poisoned.
    assigned : set
        Locals that every path to here has assigned.
    first_assigned : dict
        Where a local was first assigned, for messages.
    assigned_below : dict
        Every name that the body (of the kernel, or of the phase) assigns anywhere, and where.
    buffers : dict
        Memory of the kernel's own, by name, from its declaration to the end of the block.
    ended : dict
        Buffers whose block has ended, and where they were declared.
    loops : list
        Of each loop around: what is assigned at each `break` out of it.
    team : Team or None
        Of a team kernel.
    tables : dict
        Tables of the enclosing module that the body has indexed, by name.
    repetition : Variable or None
        What `repetition()` stands for; None in a kernel.
    found : list
        Every fault of the kernel so far.
    path : str
        Of the kernel's file, in a device function.
    calls : tuple of Device
        Device functions whose text is being read, outermost first.
    calls_of_file : list
        Text of each device function of this file that is called.
    read_only : dict
        In a device function, arrays that it borrows as `Ref`, and where.
    expressions : dict
        In a device function, names of the sizes of its arrays.
    number : Expr or None
        Of the thread, counted from 0, in the body of a `parallel` of one range.
    has_unread_parameter : bool
        Whether no extent has a name because the parameters had faults: unknown names may be theirs.
    """

    syntax: Syntax
    faults: Faults
    repetition: Variable | None = None
    parameters: dict[str, Parameter | Lengths] = field(default_factory=dict)
    indices: dict[str, Variable] = field(default_factory=dict)
    local_variables: dict[str, Variable | None] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    first_assigned: dict[str, Span] = field(default_factory=dict)
    assigned_below: dict[str, Span] = field(default_factory=dict)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    ended: dict[str, Span] = field(default_factory=dict)
    loops: list[list[set[str]]] = field(default_factory=list)
    team: Team | None = None
    tables: dict[str, Constants] = field(default_factory=dict)
    found: list[Fault] = field(default_factory=list)
    path: str = ""
    calls: tuple[Device, ...] = ()
    calls_of_file: list[Source] = field(default_factory=list)
    read_only: dict[str, Span] = field(default_factory=dict)
    expressions: dict[str, Expr] = field(default_factory=dict)
    number: Expr | None = None
    has_unread_parameter: bool = False

    @property
    def is_team_scope(self) -> bool:
        """Whether what is read now is the same for all threads of a team: in a `teams`, outside phases."""
        return self.team is not None and self.team.phase is None

    @property
    def is_in_loop_of_team(self) -> bool:
        """Whether what is read now is a phase's, in a loop of its team."""
        return self.team is not None and self.team.phase is not None and self.team.phase.is_in_loop

    @property
    def home(self) -> str:
        """Path of the kernel's file, whose lines spans count."""
        return self.path or self.syntax.source.path

    def storage(self, name: str) -> Storage | Parameter | None:
        """Return the parameter, extent or buffer of a name."""
        return self.buffers.get(name) or self.parameters.get(name)

    def is_taken(self, name: str) -> bool:
        """Whether a new index cannot have a name."""
        return any(
            name in names
            for names in (self.parameters, self.buffers, self.expressions, self.indices, self.local_variables)
        )

    def known(self) -> list[str]:
        """Every name that could have been meant, for suggestions."""
        numbers = [k for k, v in self.syntax.environment.items() if isinstance(v, (int, float))]
        return [*self.parameters, *self.buffers, *self.expressions, *self.indices, *self.local_variables, *numbers]

    def poison(self, names: Iterable[str]) -> None:
        """Silence uses of names whose definition had a fault, unless they mean something else already."""
        for name in names:
            if not (name in self.parameters or name in self.buffers or name in self.indices):
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

    def leave(self) -> None:
        """Go on with what no path reaches: everything counts as assigned."""
        self.assigned = set(self.assigned_below)

    def refuse_ended(self, name: str, span: Span) -> None:
        """Refuse a buffer whose block has ended."""
        if name in self.ended:
            raise self.faults.buffer_ended(name, span, self.ended[name])

    @contextmanager
    def block(self) -> Iterator[None]:
        """End the buffers that are declared inside."""
        before = dict(self.buffers)
        try:
            yield
        finally:
            self.ended.update({n: b.span for n, b in self.buffers.items() if n not in before})
            self.buffers = before

    @contextmanager
    def looping(self) -> Iterator[list[set[str]]]:
        """Enter a loop; yields what is assigned at each `break`, once its body is read."""
        breaks: list[set[str]] = []
        self.loops.append(breaks)
        try:
            yield breaks
        finally:
            self.loops.pop()

    @contextmanager
    def indexed(self, variables: Iterable[Variable]) -> Iterator[None]:
        """Make loop indices visible for the body of their loop."""
        before = dict(self.indices)
        self.indices.update({v.name: v for v in variables})
        try:
            yield
        finally:
            self.indices = before
