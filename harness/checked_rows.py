"""What `kparity check` says of a kernel that compiles, before it is laid out: rows, guards and counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from kparity.compiler import Kernel

_FOLLOWS = "follows from the guards of other accesses"
_TIERS = {1: "static", 2: "guarded", 3: "inspected", 4: "checked", 5: "unsafe"}


@dataclass(frozen=True, slots=True)
class Row:
    """One obligation.

    Attributes
    ----------
    access : str
        As written; both accesses of a race, unless they are the same.
    guards : tuple of int
        Numbers of the kernel's guards that discharge it, from 1.
    """

    line: int
    access: str
    obligation: str
    tier: str
    evidence: str
    guards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """A kernel in numbers.

    Attributes
    ----------
    accesses : dict of int to int
        Tier -> how many accesses have it: that of the weakest of their obligations.
    barriers, phases : int
        Of a team kernel: phases that end with a barrier in the compiled code, and all.
    seconds : float
        Processor time of the front end and all proofs.
    """

    accesses: dict[int, int]
    obligations: int
    guards: int
    inspections: int
    barriers: int
    phases: int
    seconds: float

    @property
    def text(self) -> str:
        """All of it on one line."""
        tiers = ", ".join(f"{count} {_TIERS[tier]}" for tier, count in self.accesses.items())
        parts = [
            f"{counted(sum(self.accesses.values()), 'access', 'accesses')} ({tiers})" if tiers else "no access",
            counted(self.guards, "guard"),
        ]
        parts += [counted(self.inspections, "inspection")] if self.inspections else []
        parts += [f"{counted(self.barriers, 'barrier')} in {counted(self.phases, 'phase')}"] if self.phases else []
        return f"{', '.join(parts)}; checked in {self.seconds * 1e3:.1f} ms"


def rows_of(kernel: Kernel) -> list[Row]:
    """Return a kernel's obligations in source order, each once: `y[i] += ...` reads and writes one element."""
    proved = kernel.proved
    numbers = {guard.text: number for number, guard in enumerate(proved.guards, start=1)}
    rows = []
    for e in sorted(proved.evidence, key=lambda one: one.span):
        guards, said = [], []
        for part in dict.fromkeys(e.detail.split("; ")):
            if part in numbers:
                guards.append(numbers[part])
            else:
                said.append(part)
        if guards:
            said = [part for part in said if part != _FOLLOWS] or ["if its guards hold"]
        said = ["if other guards hold" if part == _FOLLOWS else part for part in said]
        first, _, second = e.access.partition(" / ")
        access = first if first == second else e.access
        tier = f"{int(e.tier)} {_TIERS[int(e.tier)]}"
        rows.append(Row(e.span.line, access, e.obligation, tier, "; ".join(said), tuple(guards)))
    return list(dict.fromkeys(rows))


def counts_of(kernel: Kernel) -> Counts:
    """Return a kernel in numbers."""
    proved = kernel.proved
    accesses = Counter[int]()
    for one in proved.evidence:
        if one.obligation == "bounds":
            accesses[max(int(e.tier) for e in proved.evidence if e.span == one.span)] += 1
    return Counts(
        dict(sorted(accesses.items())), len(proved.evidence), len(proved.guards), len(proved.inspections),
        len(proved.barriers), len(proved.phases), kernel.check_seconds,
    )  # fmt: skip


def counted(number: int, what: str, several: str = "") -> str:
    """Return a number with its noun; `no` for zero."""
    return f"{number or 'no'} {what if number == 1 else several or what + 's'}"
