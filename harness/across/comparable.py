"""Whether campaigns can be compared, what with, and what they differ in.

A difference of times has one cause only if the campaigns differ in one respect: the machine, the tools, or the sources.
Where they differ in more, nobody can tell which it was, and a comparison is made on demand alone. Where they measured
different things (another size, another protocol) there is nothing to compare at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..cell_summary import summarize
from ..errors import UsageError
from ..provenance import DEVICE_IDENTITY, DEVICE_SOFTWARE, SHAPING_VARIABLES
from .places import Side

RESPECTS = ("machine", "toolchain", "sources")


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact that differs from the first campaign to another.

    Attributes
    ----------
    respect : str
        `machine`, `toolchain` or `sources`.
    name : str
        `devices cuda driver`.
    values : tuple of str
        One a side; empty where a campaign does not say.
    """

    respect: str
    name: str
    values: tuple[str, ...]


def differences(sides: Sequence[Side]) -> list[Difference]:
    """Return what differs between the campaigns, respect by respect."""
    measured = [{record.cell.target for record in side.campaign.records} for side in sides]
    facts = [dict(_facts(side, set.intersection(*measured))) for side in sides]
    names = dict.fromkeys(name for own in facts for name in own)
    found = [Difference(*name, tuple(own.get(name, "") for own in facts)) for name in names]
    return sorted((d for d in found if len(set(d.values)) > 1), key=lambda d: RESPECTS.index(d.respect))


def objections(sides: Sequence[Side], across: Collection[str] = ()) -> list[str]:
    """Return why the campaigns cannot be compared, one sentence each; empty if they can.

    Parameters
    ----------
    sides : sequence of Side
        The first is what the others are compared with.
    across : collection of str
        Respects in which the campaigns are meant to differ.
    """
    first, *others = sides
    found = [text for side in others for text in (*_settings(first, side), *_sizes(first, side))]
    respects = list(dict.fromkeys(d.respect for d in differences(sides)))
    surprising = [respect for respect in respects if respect not in across]
    if surprising and len(respects) > 1:
        found.append(
            f"the campaigns differ in {' and '.join(respects)}, so a difference of times has no one cause; if that is "
            f"what is wanted, say --across {' '.join(respects)}"
        )
    return found


def refuse_incomparable(sides: Sequence[Side], across: Collection[str] = ()) -> None:
    """Raise UsageError with every reason why the campaigns cannot be compared."""
    if found := objections(sides, across):
        reasons = "".join(f"\n  - {text}" for text in found)
        raise UsageError(f"these campaigns are not comparable:{reasons}\ncompare them --anyway if you know better")


def _settings(first: Side, other: Side) -> Iterator[str]:
    """Yield what makes two campaigns different experiments."""
    names = {
        "protocol": "protocol",
        "passes": "passes of RAJAPerf's protocol",
        "repetitions": "fixed number of repetitions",
        "suite": "suite",
    }
    mine, theirs = (side.campaign.provenance.get("settings") or {} for side in (first, other))
    for key, words in names.items():
        if key in mine and key in theirs and mine[key] != theirs[key]:
            yield f"{words}: {mine[key]} in {first.label}, {theirs[key]} in {other.label}"
    verdicts = [bool(side.campaign.provenance.get("gives_verdicts", True)) for side in (first, other)]
    if verdicts[0] != verdicts[1]:
        without = first if not verdicts[0] else other
        yield f"{without.label} was planned without verdicts (quick mode, a check run, or RAJAPerf's protocol)"


def _sizes(first: Side, other: Side) -> Iterator[str]:
    """Yield the kernels that both have, but at no common size, or that made different sizes of the requested one."""
    mine, theirs = _sizes_of(first), _sizes_of(other)
    apart = [place for place in mine if place in theirs and not mine[place].keys() & theirs[place].keys()]
    if apart:
        kernel, target = apart[0]
        sizes = [", ".join(map(str, sorted(side[apart[0]]))) for side in (mine, theirs)]
        more = f" (and {len(apart) - 1} more)" if len(apart) > 1 else ""
        yield f"no common size: {kernel} {target}{more} has {sizes[0]} in {first.label}, {sizes[1]} in {other.label}"
    for place in mine:
        for size in mine[place].keys() & theirs.get(place, {}).keys():
            if mine[place][size] != theirs[place][size]:
                yield (
                    f"size {size} of {place[0]} is {mine[place][size]} elements in {first.label}, "
                    f"{theirs[place][size]} in {other.label}"
                )


def _sizes_of(side: Side) -> dict[tuple[str, str], dict[int, int]]:
    """Return, for each kernel and target, the requested sizes and what became of them."""
    found: dict[tuple[str, str], dict[int, int]] = {}
    for cell, summary in summarize(side.campaign.records).items():
        if summary.status == "ok":
            place = (cell.kernel, "" if side.target else cell.target)
            found.setdefault(place, {})[cell.size] = summary.actual_size
    return found


def _facts(side: Side, shared: Collection[str]) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the facts that two comparable campaigns share: respect and name, and the value as text."""
    known = side.campaign.provenance
    for name in ("host", "cpu", "cores"):
        if name in known:
            yield ("machine", name), str(known[name])
    for target, described in _of_targets(side, "devices", shared):
        for name, value in described.items():
            respect = "machine" if name in DEVICE_IDENTITY else "toolchain" if name in DEVICE_SOFTWARE else ""
            if respect:
                yield (respect, f"devices {target} {name}".replace("  ", " ")), str(value)
    for target, compiler in _of_targets(side, "compilers", shared):
        yield ("toolchain", f"compilers {target}".strip()), str(compiler)
    for package, version in known.get("packages", {}).items():
        yield ("sources" if package == "kparity" else "toolchain", f"packages {package}"), str(version)
    for name, value in known.get("environment", {}).items():
        if name.startswith(SHAPING_VARIABLES):
            yield ("toolchain", f"environment {name}"), str(value)
    for name in ("commit", "sources"):
        if name in known:
            yield (
                ("sources", name),
                str(known[name]) + (" + changes" if name == "commit" and known.get("dirty") else ""),
            )


def _of_targets(side: Side, key: str, shared: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Yield what provenance has for each target that all sides measured; nameless where a side is about one target."""
    table: Mapping[str, Any] = side.campaign.provenance.get(key, {})
    for target, value in table.items():
        if target == side.target or (target in shared and not side.target):
            yield "" if side.target else target, value
