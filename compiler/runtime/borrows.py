"""What a launch needs of its arguments each time: owned arrays lent, index arrays inspected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .binding import Arguments
from .buffers import OwnedArray
from .inspecting import Inspected, Inspections, Inspector, Verdict
from .memories import Use, leave, memory_at, place_here
from .plan import Plan
from .residence import Place
from .schedule import Schedule


class Borrows:
    """The borrows of a bound program, taken anew by each of its launches.

    A launch on the CPU gives them back when it returns. What a launch on the GPU uses is used again only on the same
    stream, or after that has been waited for.

    Attributes
    ----------
    wanted : list of (name, access)
        Parameters that owned arrays were given for.
    """

    def __init__(
        self,
        plan: Plan,
        arguments: Arguments,
        inspectors: Sequence[Inspector],
        passed: dict[Verdict, None],
        on_gpu: bool,
        place: Place | None = None,
    ) -> None:
        self._memory, self._plan = memory_at(place or place_here(on_gpu)), plan
        given = [(a.name, arguments.owners[a.name], a.access) for a in plan.arrays]
        self._owned = [(name, owned, access) for name, owned, access in given if isinstance(owned, OwnedArray)]
        self.wanted = [(name, access) for name, _, access in self._owned]
        self._inspections = Inspections(inspectors, passed, on_gpu)
        self._uses: list[Use] = []

    @property
    def inspection_seconds(self) -> float:
        """What inspecting index arrays took so far."""
        return self._inspections.seconds

    def at_bind(self, stream: int, inspected: Inspected) -> None:
        """Inspect what has versions, so that launches need not."""
        lists = self._inspections.lists(inspected)
        self._lend(stream, [borrow for borrow in self._owned if any(borrow[1] is one for one in lists)])
        self._inspections.run(stream, inspected, versioned_only=True)
        self.end(stream)

    def begin(self, stream: int, inspected: Inspected, used: Mapping[str, str]) -> None:
        """Take the borrows of one launch; raises LaunchError, and then nothing has changed.

        Parameters
        ----------
        used : mapping
            Array -> what its launches come to: one that none of them takes goes nowhere, and one that they overwrite
            before they read it is not copied in, whatever the parameter is declared as.
        """
        for name, owned, access in self._owned:
            owned.check(name, access)
        taken = [(name, owned, used[name]) for name, owned, _ in self._owned if name in used]
        self._lend(stream, [borrow for borrow in taken if borrow[2] == "Ref"])
        self._inspections.run(stream, inspected)
        self._lend(stream, [borrow for borrow in taken if borrow[2] != "Ref"])

    def forget(self, arguments: Arguments, schedule: Schedule) -> bool:
        """Let go of the arrays given, if each launch needs their addresses only; says whether it does."""
        copied = any(p.kind in ("table", "struct") for p in self._plan.manifest.parameters)  # contents, not places
        if copied or schedule.inspected or schedule.sends or not schedule.is_fixed:
            return False
        own = {a.name for a in self._plan.scratch}
        for name in arguments.owners.keys() - own:
            arguments.owners[name] = None
        return True

    def end(self, stream: int) -> None:
        """Note that what was begun has been asked for: what waits for its arrays waits for no more than this."""
        if self._uses:
            leave(self._memory.mark(stream), self._uses)
            self._uses = []

    def take(self, given: Mapping[str, OwnedArray]) -> None:
        """Borrow these arrays, of the same form, by the next launch."""
        self._owned = [(name, given[name], access) for name, access in self.wanted]

    def let_go(self) -> None:
        """Hold no owned array until others are taken."""
        self._owned = []

    def _lend(self, stream: int, borrows: Sequence[tuple[str, OwnedArray, str]]) -> None:
        for name, owned, access in borrows:
            owned.check(name, access)
            use = owned.lend(access, self._memory, stream)
            self._uses += [use] if use else []
