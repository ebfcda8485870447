"""What the gate says of a campaign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "regression", "undecided", "note"]
Rule = Literal["time", "correctness", "missing", "tier", "static"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule, applied to one kernel.

    Attributes
    ----------
    kernel : str
    place : str
        Target and size; the target alone, or nothing, for what does not depend on them.
    rule : str
    state : str
        `ok`; `regression`: it ends the gate with 1; `undecided`: the gate cannot judge it; `note`: worth a line, and no
        more.
    message : str
        What is wrong, with figures; for `ok`, what was compared.
    causes : tuple of str
        What else changed, so what to look at.
    """

    kernel: str
    place: str
    rule: Rule
    state: State
    message: str
    causes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Kernel and place."""
        return f"{self.kernel} {self.place}".strip()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's answer.

    Attributes
    ----------
    campaign, baseline : str
        What was compared.
    findings : tuple of Finding
    obstacles : tuple of str
        Why the campaign cannot be judged as a whole.
    differs : tuple of str
        What the two differ in, machine, tools and sources.
    """

    campaign: str
    baseline: str
    findings: tuple[Finding, ...]
    obstacles: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()

    @property
    def state(self) -> State:
        """`regression` if there is one; `undecided` if anything could not be judged, or nothing was; else `ok`."""
        counts = self.counts
        if counts["regression"]:
            return "regression"
        return "undecided" if self.obstacles or counts["undecided"] or not counts["ok"] else "ok"

    @property
    def counts(self) -> Counter[str]:
        """How many findings are in each state."""
        return Counter(finding.state for finding in self.findings)

    def of(self, state: State) -> Sequence[Finding]:
        """Return the findings in a state."""
        return [finding for finding in self.findings if finding.state == state]
