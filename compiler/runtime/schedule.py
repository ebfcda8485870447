"""The launches of each repetition, packed when the arguments are bound, in a table that a native loop walks."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakMethod

from . import refusals
from .binding import Arguments, check_call, member_of
from .inspecting import Inspected
from .plan import CallPlan, Plan
from .residence import follow
from .steps import EXCHANGE, launches


class Sequence(ctypes.Structure):
    """What one repetition launches."""

    _fields_ = (("entries", ctypes.c_void_p), ("count", ctypes.c_int64))


class Table(ctypes.Structure):
    """Sequences of the repetitions `origin`, `origin + 1`, ...; after `period` of them the first comes again."""

    _fields_ = (("sequences", ctypes.c_void_p), ("origin", ctypes.c_int64), ("period", ctypes.c_int64))


class Schedule:
    """Checks and packs launches: all before the first one where the program repeats itself, else those of each run.

    Parameters
    ----------
    entry : type
        The native record of a launch.
    pack : method (call, arguments) -> (entry, object) or None
        None for a call that has nothing to do; the object keeps alive what the entry points to. Its object is not kept
        alive, for it owns the schedule: arrays go when their last owner does, not when cycles are collected.
    checked : bool
        Whether launches may break the program's contract.
    exchange : (entry, object), optional
        Sends the program's messages.

    Attributes
    ----------
    inspected : list of (call, arguments)
        Launches of the table that rest on an inspection.
    """

    def __init__(
        self,
        plan: Plan,
        arguments: Arguments,
        entry: Any,
        pack: Callable[[CallPlan, Arguments], tuple[Any, object] | None],
        *,
        checked: bool,
        exchange: tuple[Any, object] | None = None,
    ) -> None:
        self._exchange = exchange
        self._plan, self._arguments, self._entry, self._checked = plan, arguments, entry, checked
        self._pack = WeakMethod(pack)
        self._packed: dict[int, _Packed] = {}
        self.inspected: Inspected = []
        self._table = self._tabled(0, plan.period) if plan.period else None

    @property
    def sends(self) -> bool:
        """Whether the program has messages."""
        return self._exchange is not None

    @property
    def is_fixed(self) -> bool:
        """Whether all launches are packed already, so that runs pack none."""
        return bool(self._plan.period)

    def table(self, first: int, repetitions: int) -> Table:
        """Return the table for some repetitions; raises LaunchError if one of them breaks the program's contract."""
        table = self._table
        if table is not None and (self._plan.period or _covers(table, first, repetitions)):
            return table
        self._table = self._tabled(first, repetitions)
        return self._table

    def used(self, first: int, repetitions: int) -> dict[str, str]:
        """Return what the launches of some repetitions come to for each array that they take, as one borrow of it."""
        period = self._plan.period
        found: dict[str, str] = {}
        for r in range(first, first + min(repetitions, period or repetitions)):
            for name, access in self._packed[r % period if period else r].used.items():
                found[name] = follow(found.get(name), access)
        return found

    def _tabled(self, origin: int, count: int) -> Table:
        self._packed = {r: self._packed.get(r) or self._pack_all(r) for r in range(origin, origin + count)}
        every = self._packed.values()
        self._sequences = (Sequence * count)(*(Sequence(ctypes.addressof(p.entries), len(p.entries)) for p in every))
        self.inspected = [launch for p in every for launch in p.inspected]
        return Table(ctypes.addressof(self._sequences), origin, count)

    def _pack_all(self, repetition: int) -> _Packed:
        plan, bound, pack = self._plan, self._arguments, self._pack()
        assert pack is not None
        values = {**bound.values, "repetition": repetition}
        packed: list[tuple[Any, object]] = []
        inspected: Inspected = []
        unwritten = {a.name for a in plan.arrays if a.access == "Out" and bound.views[a.name].bytes}
        fresh = {a.name for a in plan.scratch if bound.views[a.name].bytes}
        used: dict[str, str] = {}
        for number, known, roles in launches(plan.manifest.program, plan.steps, values):
            if number == EXCHANGE:
                assert self._exchange is not None
                packed.append(self._exchange)
                used |= {name: follow(used.get(name), access) for name, access in messages_of(plan)}
                continue
            call = plan.calls[number]
            arguments = replace(bound, values=known)
            roles = {**roles, **{m.name: member_of(call, m, known) for m in call.members}}
            if roles:
                views, owners = (
                    {**of, **{n: of[role] for n, role in roles.items()}} for of in (bound.views, bound.owners)
                )
                arguments = replace(arguments, views=views, owners=owners)
            if self._checked:
                check_call(call, known)
                for _, named, access in call.arrays:
                    if roles.get(named, named) in fresh and access != "Out":
                        raise refusals.unwritten_scratch(plan.manifest.program, named)
            for named, access in borrows_of(call):
                role = roles.get(named, named)
                used[role] = follow(used.get(role), access)
            one = pack(call, arguments)
            packed += [] if one is None else [one]
            inspected += [(call, arguments)] if call.inspections else []
            fresh -= {roles.get(argument, argument) for _, argument, access in call.arrays if access == "Out"}
            unwritten -= {argument for _, argument, access in call.arrays if access == "Out"}
        if self._checked and unwritten:
            raise refusals.never_written(plan.manifest.program, min(unwritten))
        entries = (self._entry * len(packed))(*(e for e, _ in packed))
        return _Packed(entries, [kept for _, kept in packed], inspected, used)


@dataclass(frozen=True, slots=True)
class _Packed:
    """One repetition: native records, what they point to, what has to be inspected before, and its borrows."""

    entries: Any
    kept: list[object]
    inspected: Inspected
    used: dict[str, str]


def borrows_of(call: CallPlan) -> list[tuple[str, str]]:
    """Return what a call takes of the program's arrays, by borrow; a reducer that starts afresh is overwritten."""
    fresh = {s.name for s in call.slots if s.kind == "fresh" and s.source == "1"}
    return [(argument, "Out" if parameter in fresh else access) for parameter, argument, access in call.arrays]


def messages_of(plan: Plan) -> list[tuple[str, str]]:
    """Return what the program's messages take of its arrays, by borrow."""
    for p in plan.manifest.parameters:
        if p.kind == "exchange":
            send, recv = p.dims[:2]
            packs = {send: "Ref", recv: "Mut"}
            named = ((a.name, packs.get(a.name.partition("[")[0])) for a in plan.arrays)
            return [(name, access) for name, access in named if access]
    return []


def _covers(table: Table, first: int, repetitions: int) -> bool:
    return bool(table.origin <= first and first + repetitions <= table.origin + table.period)
