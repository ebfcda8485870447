"""Rules about what was compiled, not how long it ran: tiers of safety, and figures of the generated code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .findings import Finding
from .rules import Limit, Rules

TIERS = {1: "static (1)", 2: "guard (2)", 3: "inspected (3)", 4: "checked (4)", 5: "unsafe (5)"}
Facts = Mapping[str, Any]  # of one kernel, as a campaign keeps them


def tier_findings(kernel: str, before: Facts, now: Facts, rules: Rules) -> Iterator[Finding]:
    """Yield what became of a kernel's proofs.

    An access that both have is compared with itself; a new one with the worst that the kernel had.
    """
    mine = _tiers(now)
    worst = rules.worst_tier_of(kernel)
    for (obligation, access), tier in mine.items():
        if tier > worst:
            message = f"{obligation} of {access} is {TIERS[tier]}, at most {TIERS.get(worst, worst)} is allowed"
            yield Finding(kernel, "", "tier", "regression", message)
    theirs = _tiers(before)
    if not theirs or rules.weaker_tier == "allow":
        return
    if not mine:
        message = "the campaign recorded no proof of this kernel, the baseline did"
        yield Finding(kernel, "", "tier", "undecided", message)
        return
    weaker = [
        f"{obligation} of {access} was {TIERS[old]}, is {TIERS[tier]}"
        if (obligation, access) in theirs
        else f"new {obligation} of {access} is {TIERS[tier]}, the kernel's worst was {TIERS[old]}"
        for (obligation, access), tier in mine.items()
        if tier > (old := theirs.get((obligation, access), max(theirs.values())))
    ]
    for message in weaker:
        yield Finding(kernel, "", "tier", "regression", f"weaker tier: {message}")
    if not weaker:
        yield Finding(kernel, "", "tier", "ok", f"{len(mine)} obligations, none weaker than before")


def static_findings(kernel: str, before: Facts, now: Facts, rules: Rules) -> Iterator[Finding]:
    """Yield the figures of the checked kernel's code that pass a limit, target by target."""
    for target, sides in now.get("static", {}).items():
        figures = _largest(sides.get("checked", {}))
        old = _largest(before.get("static", {}).get(target, {}).get("checked", {}))
        for name, limit in rules.static_of(kernel).items():
            if name in figures:
                message = _beyond(name, old.get(name), figures[name], limit)
                state = "regression" if message else "ok"
                yield Finding(kernel, target, "static", state, message or f"{name} {figures[name]:g}")  # type: ignore[arg-type]


def growth(before: Facts, now: Facts, target: str) -> list[str]:
    """Return which figures of the checked kernel's code grew: what a slowdown may be due to."""
    sides = (_largest(f.get("static", {}).get(target, {}).get("checked", {})) for f in (before, now))
    old, new = sides
    return [f"{name} {old[name]:g} -> {new[name]:g}" for name in new if name in old and new[name] > old[name]]


def _beyond(name: str, old: float | None, new: float, limit: Limit) -> str:
    if limit.most is not None and new > limit.most:
        return f"{name} {new:g}, at most {limit.most:g} allowed"
    if limit.increase is not None and old is not None and new > old + limit.increase:
        return f"more {name}: {old:g} -> {new:g}, an increase of {limit.increase:g} is allowed"
    return ""


def _tiers(facts: Facts) -> dict[tuple[str, str], int]:
    """Return the worst tier of each obligation on each access; accesses of several kernels bear its name."""
    several = len({proof.get("kernel") for proof in facts.get("evidence", ())}) > 1
    found: dict[tuple[str, str], int] = {}
    for proof in facts.get("evidence", ()):
        access = f"{proof.get('kernel', '')}: {proof['access']}" if several else str(proof["access"])
        key = (str(proof["obligation"]), access)
        found[key] = max(found.get(key, 0), int(proof["tier"]))
    return found


def _largest(figures: Mapping[str, Any]) -> dict[str, float]:
    """Return each figure's largest value over the kernels of a program."""
    found: dict[str, float] = {}
    for name, value in figures.items():
        if isinstance(value, (int, float)):
            short = name.rsplit(": ", 1)[-1]
            found[short] = max(found.get(short, 0.0), float(value))
    return found
