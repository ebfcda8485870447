"""What the launcher knows of an inspection, as plain data: what each row of its table of faults means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..checks.proved import Affine, Check, Inspection
from .expression_text import expression_text


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
    return InspectionPlan(number, list(inspection.lists), inspection.second_pass, checks)


def _check_plan(c: Check, path: str) -> CheckPlan:
    dims = [(d, c.array.dims[d]) for d in c.dimensions]
    limits = [(d, expression_text(dim.lower, {}), expression_text(dim.upper, {})) for d, dim in dims]
    lists = [(name, [_affine_text(form) for form in position]) for name, position in c.lists]
    place = f"{path}:{c.span.line}"
    return CheckPlan(c.obligation, c.access, c.array.name, c.verb, place, list(c.index), limits, lists)


def _affine_text(form: Affine) -> str:
    return " + ".join([*(f"{c} * {n}" for n, c in form.terms), f"({form.constant})"])
