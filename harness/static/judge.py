"""Which side's code uses less: a verdict from the figures that cost occupancy or memory traffic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .occupancy import PROCESSORS, rounded
from .sides import Figures

Standing = Literal["better", "same", "worse"]

# What a figure may be above the baseline's before it is worse. Shared memory is compared as it is given out; the values
# of 32 warps in a reduction, where the baseline has eight, are allowed for.
ALLOWED = {"spills": 0, "private bytes": 0, "shared bytes": 256, "occupancy": 0}


@dataclass(frozen=True, slots=True)
class Finding:
    """One figure in which the sides differ; `standing` is the checked side's."""

    figure: str
    native: int
    checked: int
    standing: Standing

    def __str__(self) -> str:
        return f"{self.figure} {self.native} -> {self.checked}"


def findings(native: Figures, checked: Figures, architecture: str) -> list[Finding]:
    """Return the figures in which the checked side differs from the baseline."""
    found = []
    for figure, (theirs, ours) in _compared(native, checked, architecture).items():
        less_is_better = figure != "occupancy"
        excess = (ours - theirs) if less_is_better else (theirs - ours)
        if excess:
            found.append(
                Finding(
                    figure, theirs, ours, "worse" if excess > ALLOWED[figure] else "better" if excess < 0 else "same"
                )
            )
    return found


def standing(found: list[Finding]) -> Standing:
    """Return the verdict: worse if it is in anything."""
    each = {finding.standing for finding in found}
    return "worse" if "worse" in each else "better" if "better" in each else "same"


def _compared(native: Figures, checked: Figures, architecture: str) -> dict[str, tuple[int, int]]:
    granule = PROCESSORS[architecture].shared_granule if architecture in PROCESSORS else 1
    sides = (native, checked)
    spills, private, shared = ([f(side) for side in sides] for f in (_spills, _private, _shared))
    compared = {
        "spills": (spills[0], spills[1]), "private bytes": (private[0], private[1]),
        "shared bytes": (rounded(shared[0], granule), rounded(shared[1], granule)),
    }  # fmt: skip
    if native.waves is not None and checked.waves is not None:
        compared["occupancy"] = (native.waves, checked.waves)
    return compared


def _spills(side: Figures) -> int:
    return sum(side.numbers.get(name, 0) for name in ("spills", "scalar_spills", "spill_bytes"))


def _private(side: Figures) -> int:
    return side.numbers.get("private_bytes", 0)


def _shared(side: Figures) -> int:
    return side.numbers["shared_bytes"]
