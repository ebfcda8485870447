"""The gate's judgement of a campaign: each kernel's correctness, proofs, code and time against a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .. import quantity
from ..across.comparable import differences, objections
from ..across.places import Side
from ..across.side_by_side import Entry, Row, side_by_side
from ..across.texts import difference_text
from ..cell_summary import CellSummary
from ..comparison import Clock, compare, medians
from ..errors import UsageError
from ..records import Campaign
from ..selection import unknown_name
from ..statistics import FEWEST_PROCESSES, Ratio, change, holm, outside_p_value
from .code_rules import growth, static_findings, tier_findings
from .findings import Finding, Verdict
from .rules import Rules

CONFIRMED = 0.05  # of the adjusted p-value


@dataclass(frozen=True, slots=True)
class Measured:
    """A time against its baseline's, or why there is none.

    Attributes
    ----------
    kernel, place : str
    ratio : Ratio or None
        Baseline over now: below 1 the kernel became slower.
    reason : str
        Why there is no ratio.
    times : str
        `3.75 ms -> 4.10 ms`.
    causes : tuple of str
    """

    kernel: str
    place: str
    ratio: Ratio | None
    reason: str = ""
    times: str = ""
    causes: tuple[str, ...] = ()


def judge(campaign: Campaign, baseline: Campaign, rules: Rules, names: tuple[str, str]) -> Verdict:
    """Return what the gate says of `campaign` against `baseline`.

    Parameters
    ----------
    campaign, baseline : Campaign
    rules : Rules
    names : (str, str)
        What to call the two.

    Raises
    ------
    UsageError
        A rule is about a kernel that neither has.
    """
    refuse_unknown_kernels(rules, [r.cell.kernel for c in (campaign, baseline) for r in c.records])
    sides = [Side(names[1], baseline), Side(names[0], campaign)]
    differs = differences(sides)
    other_machine = [difference_text(d) for d in differs if d.respect == "machine"]
    obstacles = objections(sides, across=("machine", "toolchain", "sources"))
    clock: Clock | None = rules.clock or None
    table = side_by_side(sides, margin=rules.margin, clock=clock)
    rows = [row for row in (*table.rows, *table.partial) if not rules.ignored(row.kernel)]
    found = [*must_run_findings(campaign, rules), *_presence(rows, rules, comparable=not obstacles)]
    judged = [row for row in rows if row.is_shared and _is_right(row.entries[0]) and _is_right(row.entries[1])]
    blocked = "the campaigns are not comparable" if obstacles else ""
    if rules.measure == "time" and other_machine and "machine" not in rules.across:
        blocked = "times of different machines: " + "; ".join(other_machine[:2]) + '; measure = "speedup" can be judged'
    facts = (baseline.kernels, campaign.kernels)
    measured = [_measured(row, rules, table.clock, facts, blocked) for row in judged]
    found += time_findings(measured, rules)
    for kernel in dict.fromkeys(row.kernel for row in rows if row.entries[1]):
        before, now = (own.get(kernel, {}) for own in facts)
        found += [*tier_findings(kernel, before, now, rules), *static_findings(kernel, before, now, rules)]
    found += _ignored(campaign, rules)
    lines = tuple(f"{d.respect}: {difference_text(d)}" for d in differs)
    return Verdict(*names, tuple(found), tuple(obstacles), lines)


def refuse_unknown_kernels(rules: Rules, known: Sequence[str]) -> None:
    """Raise UsageError if a rule is about a kernel that is nowhere; the nearest is named."""
    for kernel in rules.kernels:
        if kernel not in known:
            raise UsageError(f"[gate.kernels]: {unknown_name(kernel, sorted(set(known)), 'kernel')}")


def must_run_findings(campaign: Campaign, rules: Rules) -> Iterator[Finding]:
    """Yield the kernels that must run, and did not or are not right."""
    results = compare(campaign) if rules.must_run else []
    for name in rules.must_run:
        own = [c for c in results if name.lower() in _answers_to(c.kernel)]
        if not own:
            yield Finding(name, "", "missing", "regression", "must run, and is not in the campaign")
        for c in own:
            if c.checked is None or c.checked.status != "ok":
                place = f"{c.target} {quantity.size_text(c.size)}"
                yield Finding(c.kernel, place, "correctness", "regression", f"must run: {_status(c.checked)}")


def time_findings(measured: Sequence[Measured], rules: Rules) -> Iterator[Finding]:
    """Yield one finding a time: confirmed slowdowns allow for the number of kernels (Holm)."""
    raw = [_p_slower(m.ratio, rules.margin_of(m.kernel)) for m in measured if m.ratio]
    adjusted = iter(holm(raw)) if raw else iter(())
    for m in measured:
        if m.ratio is None:
            yield Finding(m.kernel, m.place, "time", "undecided", m.reason)
            continue
        margin, p = rules.margin_of(m.kernel), next(adjusted)
        bound = 1 / (1 + margin)
        text = f"{_slowdown(m.ratio)}, margin {margin * 100:g} %"
        text += f": {m.times}" if m.times else ""
        if m.ratio.low > bound:
            yield Finding(m.kernel, m.place, "time", "ok", text)
        elif m.ratio.high < bound and p < CONFIRMED:
            yield Finding(m.kernel, m.place, "time", "regression", text, m.causes)
        else:
            doubt = "not confirmed with so many kernels" if m.ratio.high < bound else "more walks are needed"
            yield Finding(m.kernel, m.place, "time", "undecided", f"{text}; {doubt}")


def _presence(rows: Sequence[Row], rules: Rules, *, comparable: bool) -> Iterator[Finding]:
    """Yield what became of each row's correctness."""
    for row in rows:
        before, now = row.entries
        place = f"{row.target} {quantity.size_text(row.size)}"

        def finding(rule: str, state: str, message: str, kernel: str = row.kernel, place: str = place) -> Finding:
            return Finding(kernel, place, rule, state, message)  # type: ignore[arg-type]

        if now is None:
            state = "note" if rules.missing == "allow" else "regression" if comparable else "undecided"
            yield finding("missing", state, "the baseline has it, the campaign does not")
        elif before is None:
            new = "new: " + ("right" if _is_right(now) else _status(now.cell))
            yield finding("correctness", "note" if _is_right(now) else "regression", new)
        elif _is_right(now):
            yield finding("correctness", "ok", "right" if _is_right(before) else f"right now, was {before.cell.status}")
        elif _is_right(before):
            yield finding("correctness", "regression", f"lost correctness: {_status(now.cell)}")
        else:
            yield finding("correctness", "note", f"still not right: {_status(now.cell)}")


def _measured(
    row: Row, rules: Rules, clock: Clock, facts: tuple[Mapping[str, dict[str, object]], ...], blocked: str
) -> Measured:
    before, now = row.entries
    assert before is not None and now is not None
    place = f"{row.target} {quantity.size_text(row.size)}"
    ratio = now.change if rules.measure == "time" else now.relative
    known = Measured(row.kernel, place, None if blocked else ratio, blocked)
    if blocked:
        return known
    if ratio is None:
        return replace(known, reason=_why_not(before, now, clock, rules))
    times = " -> ".join(quantity.seconds_text(entry.seconds) for entry in (before, now))
    if rules.measure == "speedup":
        times = " -> ".join(f"speedup {quantity.ratio_text(entry.speedup.estimate)}" for entry in (before, now))
    own = tuple(own.get(row.kernel, {}) for own in facts)
    grown = growth(own[0], own[1], row.target)
    causes = [_native_cause(row, before, now, clock, rules)] + ([f"the code grew: {', '.join(grown)}"] if grown else [])
    return replace(known, times=times, causes=tuple(cause for cause in causes if cause))


def _native_cause(row: Row, before: Entry, now: Entry, clock: Clock, rules: Rules) -> str:
    """Return whether the C++ baseline slowed too: then the machine is to be looked at first."""
    sides = [entry.native for entry in (before, now)]
    known = [medians(side, clock) for side in sides if side is not None]
    if len(known) < 2 or min(map(len, known)) < FEWEST_PROCESSES:
        return ""
    native = change(known[0], known[1])
    if native.high < 1 / (1 + rules.margin_of(row.kernel)):
        return f"the C++ baseline became {_slowdown(native)} as well: look at machine, driver and clocks first"
    return f"the C++ baseline did not ({_slowdown(native)}): look at the checked kernel and its compiler"


def _why_not(before: Entry, now: Entry, clock: Clock, rules: Rules) -> str:
    if rules.measure == "speedup":
        return next(e.speedup.reason for e in (now, before) if e.speedup.ratio is None)
    counts = [len(medians(entry.cell, clock)) for entry in (before, now)]
    return f"{counts[0]} valid walks in the baseline, {counts[1]} in the campaign; {FEWEST_PROCESSES} each are needed"


def _ignored(campaign: Campaign, rules: Rules) -> Iterator[Finding]:
    for kernel in dict.fromkeys(r.cell.kernel for r in campaign.records):
        if reason := rules.ignored(kernel):
            yield Finding(kernel, "", "time", "note", f"not judged: {reason}")


def _p_slower(ratio: Ratio, margin: float) -> float:
    return outside_p_value(ratio, margin) if ratio.value < 1 else 1.0


def _slowdown(ratio: Ratio) -> str:
    """Return `slower by 20.3 % [19.1, 21.6]`; what is faster reads as such."""
    if ratio.value <= 1:
        value, ends = 1 / ratio.value - 1, (1 / ratio.high - 1, 1 / ratio.low - 1)
        return f"slower by {value * 100:.1f} % [{ends[0] * 100:.1f}, {ends[1] * 100:.1f}]"
    ends = (ratio.low - 1, ratio.high - 1)
    return f"faster by {(ratio.value - 1) * 100:.1f} % [{ends[0] * 100:.1f}, {ends[1] * 100:.1f}]"


def _is_right(entry: Entry | None) -> bool:
    return entry is not None and entry.cell.status == "ok"


def _status(cell: CellSummary | None) -> str:
    if cell is None:
        return "there is no checked side"
    message = next(iter(cell.message.strip().splitlines()), "")
    return cell.status.replace("_", " ") + (f": {message}" if message else "")


def _answers_to(kernel: str) -> set[str]:
    group, _, bare = kernel.lower().partition("_")
    return {kernel.lower(), group, bare}
