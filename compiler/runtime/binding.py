"""Check a launch's arguments against its plan: shapes, types, guards and borrows, before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import LaunchError
from .arguments import View, check_scalar, check_view, missing_and_unknown, overlapping, view_of
from .expression_text import evaluate
from .plan import CallPlan, Plan


@dataclass(frozen=True, slots=True)
class Arguments:
    """Accepted arguments.

    Attributes
    ----------
    views : dict
        Memory of each array and reducer.
    values : dict
        Scalars and extents.
    owners : tuple
        The array objects, so that their memory outlives the launch.
    """

    views: dict[str, View]
    values: dict[str, int | float]
    owners: tuple[Any, ...]


def accept(plan: Plan, given: Mapping[str, Any], *, on_gpu: bool, target: str) -> Arguments:
    """Return the arguments, or raise LaunchError with what is wrong and what to do."""
    missing_and_unknown(given, [a.name for a in plan.arrays] + [n for n, _ in plan.scalars])
    values: dict[str, int | float] = {n: check_scalar(n, t, given[n]) for n, t in plan.scalars}
    views = {}
    for array in plan.arrays:
        views[array.name] = view_of(array.name, given[array.name])
        check_view(array, views[array.name], on_gpu, target)
    _bind_extents(plan, views, values)
    for call in plan.calls:
        _check_guards(call, values)
        _check_borrows(call, views)
    return Arguments(views, values, tuple(given.values()))


def call_values(call: CallPlan, values: Mapping[str, int | float]) -> dict[str, int | float]:
    """Return the kernel's own scalars and extents."""
    return {name: evaluate(text, values) for name, text in call.values.items()}


def _bind_extents(plan: Plan, views: dict[str, View], values: dict[str, int | float]) -> None:
    bound_by: dict[str, str] = {}
    for array in plan.arrays:
        for position, ((lower, upper, _), size) in enumerate(zip(array.dims, views[array.name].shape, strict=True)):
            if lower == "0" and upper in plan.extents and upper not in values:
                values[upper] = size
                bound_by[upper] = f"`{array.name}`, dimension {position}"
    for array in plan.arrays:
        for position, ((lower, upper, text), size) in enumerate(zip(array.dims, views[array.name].shape, strict=True)):
            wanted = evaluate(upper, values) - evaluate(lower, values)
            if wanted == size:
                continue
            origin = f" (`{text}` is set by {bound_by[text]})" if text in bound_by else ""
            shown = ", ".join(f"{n} = {v}" for n, v in values.items() if n in text)
            raise LaunchError(
                f"error[KP0805]: dimension {position} of `{array.name}` has {size} elements, but its dim `{text}` is {wanted}"
                f"{f' with {shown}' if shown and shown != f'{text} = {wanted}' else ''}{origin}"
            )


def _check_guards(call: CallPlan, values: Mapping[str, int | float]) -> None:
    for guard in call.guards:
        if not evaluate(guard.condition, values):
            mine = call_values(call, values)
            used = {n: v for n, v in mine.items() if _mentions(guard.text, n)}
            shown = ", ".join(f"{n} = {v}" for n, v in used.items())
            raise LaunchError(
                f"error[KP0801]: launch guard of `{call.kernel}` does not hold: {guard.text}\n"
                f"  --> {guard.place}\n"
                f"  = note: the access `{guard.access}` would be outside of what was proved{f', with {shown}' if shown else ''}\n"
                "  = help: pass values that satisfy the condition; nothing was launched"
            )


def _mentions(text: str, name: str) -> bool:
    words = "".join(c if c.isalnum() or c == "_" else " " for c in text).split()
    return name in words


def _check_borrows(call: CallPlan, views: Mapping[str, View]) -> None:
    """No two borrows of one call share memory, unless both are `Ref`."""
    for position, (first, a, access_a) in enumerate(call.arrays):
        for second, b, access_b in call.arrays[position + 1 :]:
            if a == b or (access_a == access_b == "Ref") or not overlapping(views[a], views[b]):
                continue
            raise LaunchError(
                f"error[KP0803]: `{a}` and `{b}` overlap in memory, and `{call.kernel}` borrows "
                f"`{first if access_a != 'Ref' else second}` exclusively\n"
                f"  = note: `{a}` covers {_extent(views[a])}, `{b}` covers {_extent(views[b])}\n"
                "  = help: pass a copy of one of them; nothing was launched"
            )


def _extent(view: View) -> str:
    return f"{view.address:#x} .. {view.address + view.bytes:#x}"
