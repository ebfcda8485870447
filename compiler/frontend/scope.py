"""The names of one kernel and what is known of them while its body is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..ir.nodes import Array, Buffer, Range, Reducer, Storage, Variable
from ..ir.source import Span
from .faults import Faults, Poisoned
from .syntax import Syntax


@dataclass(frozen=True, slots=True)
class PhaseHeader:
    """The threads of a phase, and the names that its text assigns."""

    indices: tuple[Variable, ...]
    ranges: tuple[Range, ...] | None  # None: at fault
    names: frozenset[str]


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
        Every name that the body (of the kernel, or of the phase) assigns anywhere, and where.
    buffers : dict
        Memory of the kernel's own, by name.
    team : Team or None
        Of a team kernel.
    """

    syntax: Syntax
    faults: Faults
    parameters: dict[str, Array | Reducer | Variable] = field(default_factory=dict)
    indices: dict[str, Variable] = field(default_factory=dict)
    local_variables: dict[str, Variable | None] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    first_assigned: dict[str, Span] = field(default_factory=dict)
    assigned_below: dict[str, Span] = field(default_factory=dict)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    team: Team | None = None

    @property
    def is_team_scope(self) -> bool:
        """Whether what is read now is the same for all threads of a team: in a `teams`, outside phases."""
        return self.team is not None and self.team.phase is None

    def storage(self, name: str) -> Storage | Reducer | Variable | None:
        """Return the parameter, extent or buffer of a name."""
        return self.buffers.get(name) or self.parameters.get(name)

    def is_taken(self, name: str) -> bool:
        """Whether a new index cannot have a name."""
        return any(name in names for names in (self.parameters, self.buffers, self.indices, self.local_variables))

    def known(self) -> list[str]:
        """Every name that could have been meant, for suggestions."""
        numbers = [k for k, v in self.syntax.environment.items() if isinstance(v, (int, float))]
        return [*self.parameters, *self.buffers, *self.indices, *self.local_variables, *numbers]

    def poison(self, names: Iterable[str]) -> None:
        """Silence uses of names whose definition had a fault, unless they mean something else already."""
        for name in names:
            if not (name in self.parameters or name in self.buffers or name in self.indices):
                self.local_variables.setdefault(name, None)
                self.assigned.add(name)

    def refuse_poisoned(self, name: str) -> None:
        """Raise Poisoned if the fault behind a name has been reported."""
        if name in self.local_variables and self.local_variables[name] is None:
            raise Poisoned

    @contextmanager
    def indexed(self, variables: Iterable[Variable]) -> Iterator[None]:
        """Make loop indices visible for the body of their loop."""
        before = dict(self.indices)
        self.indices.update({v.name: v for v in variables})
        try:
            yield
        finally:
            self.indices = before
