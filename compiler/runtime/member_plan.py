"""Arguments of a call that are members of a pack, as plain data: which one is known when a launch is packed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..ir.programs import Argument, Member
from .expression_text import expression_text


@dataclass(frozen=True, slots=True)
class MemberPlan:
    """An argument that is a member of a pack: its name in `arrays`, and the launch expression of its number."""

    name: str
    pack: str
    number: str
    count: int

    @property
    def possible(self) -> list[str]:
        """The arrays that it may be."""
        return [f"{self.pack}[{m}]" for m in range(self.count)]


def member_plans(arguments: Iterable[Argument]) -> list[MemberPlan]:
    """Return a plan for each argument that is a member of a pack."""
    return [
        MemberPlan(a.name, a.pack.name, expression_text(a.number, {}), a.pack.members)
        for a in arguments if isinstance(a, Member)
    ]  # fmt: skip
