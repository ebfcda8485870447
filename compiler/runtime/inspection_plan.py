"""What the launcher knows of an inspection, as plain data: what each row of its table of faults means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..checks.proved import Affine, Check, Inspection
from ..ir.nodes import Load
from .expression_text import expression_text

MEMBER = "_kp_member"  # stands for the number of a pack's member in the limits of its other indices


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """One obligation that an inspection decides (`checks.proved.Check`); expressions use the kernel's own names.

    Attributes
    ----------
    place : str
        `file:line`.
    limits : list of (int, str, str)
        Each dimension that is tested, with its lower and upper bound.
    lists : list of (str, list of str)
        Index arrays, and where a thread reads them.
    """

    obligation: str
    access: str
    array: str
    verb: str
    place: str
    index: list[str]
    limits: list[tuple[int, str, str]]
    lists: list[tuple[str, list[str]]]


@dataclass(frozen=True, slots=True)
class InspectionPlan:
    """A kernel that must find no fault before a call (`checks.proved.Inspection`).

    Attributes
    ----------
    number : int
        Of its code, among the program's inspections.
    """

    number: int
    lists: list[str]
    second_pass: str
    checks: list[CheckPlan]

    @staticmethod
    def from_json(raw: dict[str, Any]) -> InspectionPlan:
        """Inverse of `dataclasses.asdict`."""
        return InspectionPlan(**{**raw, "checks": [CheckPlan(**c) for c in raw["checks"]]})


def inspection_plan(inspection: Inspection, number: int) -> InspectionPlan:
    """Return the plan of an inspection."""
    checks = [_check_plan(c, inspection.proved.kernel.source.path) for c in inspection.checks]
    arrays = [a for a in inspection.proved.kernel.arrays if a.name in inspection.lists]
    lists = [n for a in arrays for n in [f"{a.name}[{m}]" for m in range(a.members)] or [a.name]]
    return InspectionPlan(number, lists, inspection.second_pass, checks)


def _check_plan(c: Check, path: str) -> CheckPlan:
    dims = [(d, c.array.dims[d]) for d in c.dimensions]
    limits = [
        (d, expression_text(dim.lower, {}), f"{dim.upper.array.name}[{MEMBER}]" if isinstance(dim.upper, Load)
         else expression_text(dim.upper, {})) for d, dim in dims
    ]  # fmt: skip
    lists = [(name, [_affine_text(form) for form in position]) for name, position in c.lists]
    place = f"{path}:{c.span.line}"
    return CheckPlan(c.obligation, c.access, c.array.name, c.verb, place, list(c.index), limits, lists)


def _affine_text(form: Affine) -> str:
    return " + ".join([*(f"{c} * {n}" for n, c in form.terms), f"({form.constant})"])
