"""asv's history as the gate's baseline: the nights of the best level that lasted, not the last night alone.

A window of the latest nights slides past a slowdown and then calls it normal. So the series is cut at its steps by
asv's own step detection, and the fastest level that lasted five nights is what tonight must keep, until a slower one
is accepted by naming the night from which the history counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from .. import ledger, quantity
from ..asv_store import Point, Store, StoreError, point_of, series
from ..cell_summary import CellSummary, summarize
from ..recording import machine_of
from ..records import Campaign
from ..statistics import FEWEST_PROCESSES, change_since
from .code_rules import static_findings, tier_findings
from .findings import Finding, Verdict
from .judge import Measured, must_run_findings, refuse_unknown_kernels, time_findings
from .rules import Rules

Night = Mapping[tuple[str, Point], float | None]  # benchmark and parameters -> seconds; None: it failed


def judge_by_history(campaign: Campaign, configuration: Path, rules: Rules, name: str) -> Verdict:
    """Return what the gate says of a campaign against the nights that asv's database holds of its machine.

    Proofs and code are not in the database: of them only what does not need a baseline is judged.

    Parameters
    ----------
    campaign : Campaign
        In the database already or not; itself and what came after it are not its history.
    configuration : Path
        `asv.conf.json`.
    rules : Rules
    name : str
        What to call the campaign.

    Raises
    ------
    LedgerError, StoreError
        There is no ledger, or the database cannot be read.
    """
    store = Store(configuration)
    nights = _nights_before(store.repository, campaign, rules)
    cells = summarize(campaign.records)
    best = _fastest(cells.values())
    refuse_unknown_kernels(rules, [cell.kernel for cell in cells])
    found = list(must_run_findings(campaign, rules))
    measured = []
    known: set[tuple[str, str, int]] = set()
    for target in dict.fromkeys(cell.target for cell in cells):
        machine = machine_of(campaign, target).name
        history = list(_history(store, machine, rules.history.channel, nights))
        known |= {place for night in history[-1:] for place in _places(night) if place[1] == target}
        own = [cell for cell in best if cell.cell.target == target and not rules.ignored(cell.cell.kernel)]
        for cell in own:
            place = f"{target} {quantity.size_text(cell.cell.size)}"
            times = _series(history, cell, rules)
            found.append(_correctness(cell, place, times))
            if cell.status == "ok":
                measured.append(_against(cell, place, times, rules, machine))
    found += time_findings(measured, rules)
    found += _missing(known, best, rules)
    for kernel in dict.fromkeys(cell.kernel for cell in cells if not rules.ignored(cell.kernel)):
        now = campaign.kernels.get(kernel, {})
        found += [*tier_findings(kernel, {}, now, rules), *static_findings(kernel, {}, now, rules)]
    return Verdict(name, f"asv's history, {len(nights)} nights", tuple(found))


def level(times: Sequence[float]) -> list[float]:
    """Return the nights of the fastest level that lasted at least five of them; all nights if none did.

    Parameters
    ----------
    times : sequence of float, seconds
        One a night, the oldest first.
    """
    from asv.step_detect import detect_steps

    segments = [list(times[left:right]) for left, right, *_ in detect_steps(list(times))]
    lasting = [segment for segment in segments if len(segment) >= FEWEST_PROCESSES]
    return min(lasting, key=lambda segment: float(np.median(segment)), default=list(times))


def _nights_before(repository: Path, campaign: Campaign, rules: Rules) -> list[str]:
    """Return the ledger's commits before the campaign, the oldest first."""
    commits = ledger.commits(repository)
    runs = [run for _, run in commits]
    end = runs.index(campaign.run) if campaign.run in runs else len(commits)
    start = 0
    if since := rules.history.since:
        places = [i for i, (commit, run) in enumerate(commits) if run == since or commit.startswith(since)]
        if not places:
            raise StoreError(f"[gate.history] since = {since!r}: neither a campaign nor a commit of the ledger")
        start = places[0]
    return [commit for commit, _ in commits[start:end]][-rules.history.nights :]


def _history(store: Store, machine: str, channel: str, nights: Sequence[str]) -> Iterator[Night]:
    for commit in nights:
        if (found := store.read(commit, machine, channel)) is not None:
            yield found


def _fastest(cells: Iterable[CellSummary]) -> list[CellSummary]:
    """Return the checked side's fastest tuning of each kernel, target and size."""
    found: dict[tuple[str, str, str, int], CellSummary] = {}
    for cell in cells:
        if cell.cell.variant == "checked":
            rival = found.get(cell.cell.comparison)
            if rival is None or (cell.device_seconds or math.inf) < (rival.device_seconds or math.inf):
                found[cell.cell.comparison] = cell
    return list(found.values())


def _series(history: Sequence[Night], cell: CellSummary, rules: Rules) -> list[float | None]:
    """Return a cell's times, night by night; what nobody ran is left out."""
    name, point = _line(cell, rules)
    return [night[name, point] for night in history if (name, point) in night]


def _line(cell: CellSummary, rules: Rules) -> tuple[str, Point]:
    clock = rules.clock or ("device" if cell.device_medians or not cell.wall_medians else "wall")
    lines = [line.name for line in series([cell], {})]
    wanted = ".time" if clock == "device" else ".wall"
    return next((name for name in lines if name.endswith(wanted)), lines[0] if lines else ""), point_of(cell.cell)


def _correctness(cell: CellSummary, place: str, times: Sequence[float | None]) -> Finding:
    kernel = cell.cell.kernel
    if cell.status == "ok":
        return Finding(kernel, place, "correctness", "ok", "right")
    status = f"{cell.status.replace('_', ' ')}: {next(iter(cell.message.strip().splitlines()), '')}"
    if times and times[-1] is None:
        return Finding(kernel, place, "correctness", "note", f"still not right: {status}")
    return Finding(kernel, place, "correctness", "regression", f"lost correctness: {status}")


def _against(cell: CellSummary, place: str, times: Sequence[float | None], rules: Rules, machine: str) -> Measured:
    kernel = cell.cell.kernel
    if rules.measure == "speedup":
        return Measured(kernel, place, None, 'asv\'s history has no speedups of one process: use measure = "time"')
    own = cell.device_medians if _line(cell, rules)[0].endswith(".time") else cell.wall_medians
    if len(own) < FEWEST_PROCESSES:
        return Measured(kernel, place, None, f"{len(own)} valid walks in the campaign, {FEWEST_PROCESSES} are needed")
    valid = [time for time in times if time]
    if len(valid) < FEWEST_PROCESSES:
        reason = f"{len(valid)} nights of history on {machine}, {FEWEST_PROCESSES} are needed"
        return Measured(kernel, place, None, reason)
    nights, now = level(valid), float(np.median(own))
    before = float(np.exp(np.mean(np.log(nights))))
    text = f"{quantity.seconds_text(before)} over {len(nights)} nights -> {quantity.seconds_text(now)}"
    return Measured(kernel, place, change_since(nights, now), times=text)


def _places(night: Night) -> Iterator[tuple[str, str, int]]:
    """Yield kernel, target and size of what a night has of the checked side."""
    for name, (variant, target, _, size) in night:
        if variant == "'checked'" and name.endswith((".time", ".wall")):
            yield name.split(".", 1)[1].rsplit(".", 1)[0].replace(".", "_", 1), target.strip("'"), int(size)


def _missing(known: set[tuple[str, str, int]], best: Sequence[CellSummary], rules: Rules) -> Iterator[Finding]:
    mine = {(cell.cell.kernel, cell.cell.target, cell.cell.size) for cell in best}
    for kernel, target, size in sorted(known - mine):
        if not rules.ignored(kernel):
            state = "regression" if rules.missing == "fail" else "note"
            place = f"{target} {quantity.size_text(size)}"
            yield Finding(kernel, place, "missing", state, "the last night has it, the campaign does not")  # type: ignore[arg-type]
