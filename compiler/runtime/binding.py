"""Check a launch's arguments against its plan: shapes, types, guards and borrows, before anything runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from . import refusals
from .arguments import (
    View,
    check_device,
    check_scalar,
    check_view,
    fitting,
    members_of,
    memory_for,
    missing_and_unknown,
    overlapping,
    view_of,
)
from .device_errors import device_errors
from .expression_text import evaluate
from .member_plan import MemberPlan
from .memories import place_here
from .packing import pack_words, struct_of, table_bytes, words
from .plan import CallPlan, Plan
from .residence import Place
from .team_plan import MEMORY_LIMIT

THREAD_LIMIT = 2**62  # of one launch: numbers of threads are i64 in every target


@dataclass(frozen=True, slots=True)
class Arguments:
    """Accepted arguments.

    Attributes
    ----------
    views : dict
        Memory of each array, reducer, and member of a pack.
    values : dict
        Scalars, structs and extents, as launch expressions name them.
    owners : dict
        What was given: the array objects, so that their memory outlives the launch.
    blobs : dict
        Bytes of what is passed by value.
    """

    views: dict[str, View]
    values: dict[str, Any]
    owners: dict[str, Any]
    blobs: dict[str, bytes] = field(default_factory=dict)

    @property
    def addresses(self) -> dict[str, int]:
        """Where each array, reducer, and member of a pack starts."""
        return {name: view.address for name, view in self.views.items()}


def accept(plan: Plan, given: Mapping[str, Any], *, on_gpu: bool, target: str, place: Place | None = None) -> Arguments:
    """Return the arguments, or raise LaunchError with what is wrong and what to do.

    `place` says which memory of owned arrays is meant, if not that of the host or of the current GPU.
    """
    place = place or place_here(on_gpu)
    wanted = [p for p in plan.manifest.parameters if p.kind not in ("extent", "lengths", "results", "exchange")]
    missing_and_unknown(plan.manifest.program, given, [p.name for p in wanted])
    values: dict[str, Any] = {n: check_scalar(n, t, given[n]) for n, t in plan.scalars}
    blobs: dict[str, bytes] = {}
    members: dict[str, Any] = {}
    for p in wanted:
        if p.kind == "table":
            blobs[p.name] = table_bytes(p, given[p.name])
        elif p.kind == "struct":
            fields, blobs[p.name] = struct_of(p, given[p.name])
            for path, number in fields.items():
                set_value(values, f"{p.name}.{path}", number)
        elif p.kind == "pack":
            members |= {f"{p.name}[{m}]": a for m, a in enumerate(members_of(p, given[p.name]))}
    views = {}
    for array in plan.arrays:
        value = members[array.name] if array.name in members else given[array.name]
        views[array.name] = check_view(array, view_of(array.name, value, place), on_gpu, target)
    if on_gpu:
        check_device(views, target)
    _bind_extents(plan, views, values)
    blobs |= pack_words(plan.manifest, views)
    for p in plan.manifest.parameters:
        if p.kind == "lengths":
            blobs[p.name] = words([values[f"{p.name}[{m}]"] for m in range(p.members)])
    owners = {**given, **members}
    for own in plan.scratch:
        with device_errors(f"memory for `{own.name}` of `{plan.manifest.program}`"):
            owners[own.name] = memory_for(own, values, on_gpu)
        views[own.name] = view_of(own.name, owners[own.name])
    _check_borrows(plan, views)
    return Arguments(views, values, owners, blobs)


def check_call(call: CallPlan, values: Mapping[str, Any]) -> None:
    """Raise LaunchError unless a launch with these values is one that was proved."""
    _check_values(call, values)
    _check_guards(call, values)
    _check_ranges(call, values)
    _check_memory(call, values)


def member_of(call: CallPlan, member: MemberPlan, values: Mapping[str, Any]) -> str:
    """Return which member of a pack a call takes; raises LaunchError if the pack has none of that number."""
    number = int(_evaluated(call, member.number, values))
    if not 0 <= number < member.count:
        raise refusals.no_member(call.kernel, member.name, number, member.pack, member.count)
    return member.possible[number]


def call_values(call: CallPlan, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kernel's own scalars and extents, as launch expressions name them."""
    own: dict[str, Any] = {}
    for name, text in call.values.items():
        set_value(own, name, evaluate(text, values))
    return own


def _bind_extents(plan: Plan, views: dict[str, View], values: dict[str, Any]) -> None:
    bound_by: dict[str, str] = {}
    for array in plan.arrays:
        for position, ((lower, upper, _), size) in enumerate(zip(array.dims, views[array.name].shape, strict=True)):
            if lower == "0" and upper in plan.extents and upper not in values:
                set_value(values, upper, size)
                bound_by[upper] = f"`{array.name}`, dimension {position}"
    for array in plan.arrays:
        for position, ((lower, upper, text), size) in enumerate(zip(array.dims, views[array.name].shape, strict=True)):
            wanted = evaluate(upper, values) - evaluate(lower, values)
            if wanted == size:
                continue
            origin = f" (`{text}` is set by {bound_by[text]})" if text in bound_by else ""
            numbers = {n: v for n, v in values.items() if isinstance(v, (int, float))}
            shown = ", ".join(f"{n} = {v}" for n, v in numbers.items() if _mentions(text, n) and n != text)
            with_ = f" with {shown}" if shown else ""
            raise refusals.extents_disagree(array.name, position, size, text, wanted, with_, origin)


def set_value(values: dict[str, Any], name: str, value: Any) -> None:
    """Set `n`; of `n[2]` and `m.rho` also what launch expressions read: an element of `n`, an attribute of `m`."""
    values[name] = value
    base, bracket, member = name.rstrip("]").partition("[")
    if bracket:
        values.setdefault(base, {})[int(member)] = value
    *outer, last = name.split(".")
    if outer:
        holder = values.setdefault(outer[0], SimpleNamespace())
        for part in outer[1:]:
            holder = holder.__dict__.setdefault(part, SimpleNamespace())
        setattr(holder, last, value)


def _check_values(call: CallPlan, values: Mapping[str, Any]) -> None:
    """Refuse values that a call computes but a kernel's scalar cannot hold: guards are about what a kernel receives."""
    for slot in call.slots:
        if slot.kind == "scalar":
            fitting(f"`{slot.name}` of `{call.kernel}`", slot.type, _evaluated(call, slot.source, values))


def _check_ranges(call: CallPlan, values: Mapping[str, Any]) -> None:
    threads = 1
    for slot in call.slots:
        if slot.kind in ("lower", "count"):
            number = _evaluated(call, slot.source, values)
            threads *= number if slot.kind == "count" else 1
    if threads > THREAD_LIMIT:
        raise refusals.too_many_threads(call.kernel, threads, THREAD_LIMIT)


def _check_memory(call: CallPlan, values: Mapping[str, Any]) -> None:
    if call.team and (needed := _evaluated(call, call.team.memory, values)) > MEMORY_LIMIT:
        raise refusals.too_much_memory(call.kernel, "memory of its own", needed, MEMORY_LIMIT)


def _evaluated(call: CallPlan, text: str, values: Mapping[str, Any]) -> Any:
    try:
        return evaluate(text, values)
    except (ArithmeticError, ValueError) as error:
        raise refusals.no_value(call.kernel, text, error) from error


def _check_guards(call: CallPlan, values: Mapping[str, Any]) -> None:
    for guard in call.guards:
        if _evaluated(call, guard.condition, values):
            continue
        used = {n: v for n, v in call_values(call, values).items() if _mentions(guard.text, n)}
        if guard.access:
            raise refusals.guard_fails(call.kernel, guard.text, guard.access, guard.place, used)
        raise refusals.requirement_fails(call.kernel, guard.text, guard.place, used)


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _check_borrows(plan: Plan, views: Mapping[str, View]) -> None:
    """No two arrays share memory unless every call borrows both of them as `Ref`, or both as `Atomic` of one type.

    For the whole program, not call by call: a launch may read what the program never writes while another still runs.
    """
    exclusive: dict[str, tuple[str, str, str]] = {}
    borrows: dict[str, set[str]] = {name: set() for name in views}
    standing_for = {name: names for names in plan.swapped for name in names}
    passed = [
        (c.kernel, p, a, access)
        for c in plan.calls
        for p, named, access in c.arrays
        for a in standing_for.get(named) or next((m.possible for m in c.members if m.name == named), [named])
    ]
    for p in (p for p in plan.manifest.parameters if p.kind == "exchange"):
        for pack, access in zip(p.dims[:2], ("Ref", "Mut"), strict=True):
            passed += [(p.name, pack, f"{pack}[{m}]", access) for m in range(plan.manifest[pack].members)]
    for kernel, parameter, argument, access in passed:
        borrows[argument].add(access)
        if access != "Ref" and exclusive.get(argument, ("", "", "Atomic"))[2] == "Atomic":
            exclusive[argument] = (kernel, parameter, access)
    names = list(views)
    for position, a in enumerate(names):
        for b in names[position + 1 :]:
            borrow = exclusive.get(a) or exclusive.get(b)
            # Atomic operations of different sizes on the same bytes have no defined order on any device.
            atomic = borrows[a] | borrows[b] == {"Atomic"} and views[a].dtype == views[b].dtype
            if borrow and not atomic and overlapping(views[a], views[b]):
                raise refusals.overlap(*borrow, (a, _extent(views[a])), (b, _extent(views[b])))


def _extent(view: View) -> str:
    return f"{view.address:#x} .. {view.address + view.bytes:#x}"
