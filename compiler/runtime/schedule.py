"""The launches of each repetition, packed when the arguments are bound, in a table that a native loop walks."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from . import refusals
from .binding import Arguments, check_call
from .plan import CallPlan, Plan
from .steps import launches


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
    pack : callable (call, arguments) -> (entry, object) or None
        None for a call that has nothing to do; the object keeps alive what the entry points to.
    """

    def __init__(
        self,
        plan: Plan,
        arguments: Arguments,
        entry: Any,
        pack: Callable[[CallPlan, Arguments], tuple[Any, object] | None],
    ) -> None:
        self._plan, self._arguments, self._entry, self._pack = plan, arguments, entry, pack
        self._packed: dict[int, tuple[Any, list[object]]] = {}
        self._table = self._tabled(0, plan.period) if plan.period else None

    def table(self, first: int, repetitions: int) -> Table:
        """Return the table for some repetitions; raises LaunchError if one of them breaks the program's contract."""
        table = self._table
        if table is not None and (self._plan.period or _covers(table, first, repetitions)):
            return table
        self._table = self._tabled(first, repetitions)
        return self._table

    def _tabled(self, origin: int, count: int) -> Table:
        self._packed = {r: self._packed.get(r) or self._pack_all(r) for r in range(origin, origin + count)}
        self._sequences = (Sequence * count)(
            *(Sequence(ctypes.addressof(entries), len(entries)) for entries, _ in self._packed.values())
        )
        return Table(ctypes.addressof(self._sequences), origin, count)

    def _pack_all(self, repetition: int) -> tuple[Any, list[object]]:
        plan, bound = self._plan, self._arguments
        values = {**bound.values, "repetition": repetition}
        packed = []
        unwritten = {a.name for a in plan.arrays if a.access == "Out" and bound.views[a.name].bytes}
        for number, known, roles in launches(plan.manifest.program, plan.steps, values):
            call = plan.calls[number]
            check_call(call, known)
            views = bound.views
            if roles:
                views = {**views, **{name: bound.views[role] for name, role in roles.items()}}
            one = self._pack(call, replace(bound, values=known, views=views))
            packed += [] if one is None else [one]
            unwritten -= {argument for _, argument, access in call.arrays if access == "Out"}
        for name in sorted(unwritten):
            raise refusals.never_written(plan.manifest.program, name)
        return (self._entry * len(packed))(*(entry for entry, _ in packed)), [kept for _, kept in packed]


def _covers(table: Table, first: int, repetitions: int) -> bool:
    return bool(table.origin <= first and first + repetitions <= table.origin + table.period)
