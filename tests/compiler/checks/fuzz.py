"""Compare checker and oracle on random kernels.

    python -m tests.compiler.checks.fuzz --kernels 20000 --minutes 60 --first 1
    python -m tests.compiler.checks.fuzz --kernels 1 --first 4711 --show         # one again, with its text

An accepted kernel is clean in every launch that its guards and inspections let through, without the barriers that the
checker removes; no two threads share an array that earned `noalias`; no dividend of a plain division is negative. What
breaks this is a hole: it is printed with the smallest kernel that shows it, and the exit status is 1. Prints what was
seen: verdicts by reason, the share of kernels at fault, what the kernels are made of, and what is refused in vain.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kparity.compiler import CompileError
from kparity.compiler.checks.prove import prove
from kparity.compiler.checks.proved import Guard, Proved
from kparity.compiler.ir.nodes import Kernel
from kparity.compiler.runtime.expression_text import evaluate, substituted

from .constructs import CONSTRUCTS, constructs
from .generate import KINDS, text_of
from .inspecting import faults_found
from .kernels import typed
from .oracle import Run, required

RUNS = 10  # launches of a kernel
_MORE = 5  # times as many before a refused kernel counts as clean
_PRODUCTS = (8, 12, 18, 27)  # of a flattened array
_SIZES = {1: (0, 1, 2, 3, 4, 5, 6, 7, 9, 12), 2: (0, 1, 2, 3, 4, 5), 3: (0, 1, 2, 3, 4)}
# A guard may be wider than the faults where data, counters or products decide: of any other kernel it is exact.
_INEXACT = ("d[", "q[", "p[", "c1", "c2", "while", "break", "size", "teams", ", s):", "least", " l in ")


class Hole(AssertionError):
    """An accepted kernel is at fault, or gave the code generator a fact that is none."""


@dataclass
class Tally:
    """What was seen."""

    kernels: int = 0
    accepted: int = 0
    faulty: int = 0  # at some size, guards ignored
    endless: int = 0  # refused, and no run ended: nobody knows
    refused: Counter[str] = field(default_factory=Counter)  # by code of the first fault
    clean: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))  # refused all the same: numbers
    constructs: Counter[str] = field(default_factory=Counter)
    launches: Counter[str] = field(default_factory=Counter)  # by what becomes of them
    inexact: list[int] = field(default_factory=list)  # kernels whose guards should be exact and are not
    holes: list[int] = field(default_factory=list)

    @property
    def refused_clean(self) -> int:
        """Kernels refused for want of a proof."""
        return sum(map(len, self.clean.values()))

    def __str__(self) -> str:
        def share(part: int, whole: int = self.kernels) -> str:
            return f"{part} ({100 * part / max(whole, 1):.1f} %)"

        def shown(numbers: list[int]) -> str:
            return ", ".join(map(str, numbers[:8])) + (", ..." if len(numbers) > 8 else "")

        lines = [
            f"{self.kernels} kernels: {share(self.accepted)} accepted, {share(self.refused.total())} refused",
            f"  at fault at some size: {share(self.faulty)}",
            "  refused for: " + ", ".join(f"{code} {share(n)}" for code, n in self.refused.most_common()),
            f"  refused, no fault found: {share(self.refused_clean)}, and {self.endless} that never end",
            *(f"    {code}: {len(n)}, kernels {shown(n)}" for code, n in sorted(self.clean.items())),
            "  launches: " + ", ".join(f"{n} {what}" for what, n in sorted(self.launches.items())),
            "  constructs: " + ", ".join(f"{c} {share(self.constructs[c])}" for c in CONSTRUCTS),
        ]
        if self.inexact:
            lines.append(f"  guards that should be exact and are not: kernels {shown(self.inexact)}")
        return "\n".join([*lines, f"  holes: {shown(self.holes) or 'none'}"])


def holds(guard: Guard, sizes: Mapping[str, int]) -> bool:
    """Whether a launch of these sizes passes a guard; in exact arithmetic."""
    names = {name: name for name in sizes}
    return any(
        all(
            form.constant + sum(c * evaluate(substituted(n, names), sizes) for n, c in form.terms) >= 0
            for form in forms
        )
        for forms in guard.alternatives
    )


def launches(kernel: Kernel, seed: int) -> list[dict[str, int]]:
    """Small sizes, the smallest first, a few of them at both ends: scalars negative, extents zero."""
    chooser = random.Random(seed)
    names = [v.name for v in kernel.extents]
    extents = _SIZES[len(kernel.body.ranges)]
    found = []
    for _ in range(20 * RUNS):
        sizes = {name: chooser.choice((*extents, *_PRODUCTS) if name == "size" else extents) for name in names}
        sizes |= {v.name: chooser.randint(-3, max(extents)) for v in kernel.scalars if v.type.is_integer}
        sizes |= {v.name: 1 for v in kernel.scalars if not v.type.is_integer}
        if required(kernel, sizes):
            found.append(sizes)
        if len(found) == RUNS:
            break
    return sorted(found, key=lambda sizes: sum(max(size, 0) for size in sizes.values()))


def compare(text: str, number: int, tally: Tally) -> None:
    """Compare verdict and runs of one kernel; raises Hole."""
    kernel = typed(text)
    tally.kernels += 1
    tally.constructs.update(constructs(kernel))
    try:
        result = prove(kernel)
    except CompileError as error:
        _judge_refused(kernel, error.diagnostics[0].code, number, tally)
        return
    tally.accepted += 1
    found = [_launch(text, kernel, result, sizes, number, tally) for sizes in launches(kernel, number)]
    tally.faulty += any(found)


def _judge_refused(kernel: Kernel, code: str, number: int, tally: Tally) -> None:
    tally.refused[code] += 1
    is_endless = False
    for more in range(_MORE):
        for sizes in launches(kernel, number + more):
            run = Run(kernel, sizes, random.Random(number + more))
            if run.launch():
                tally.faulty += 1
                return
            is_endless |= run.is_endless
    if is_endless:
        tally.endless += 1
    else:
        tally.clean[code].append(number)


def _launch(text: str, kernel: Kernel, result: Proved, sizes: dict[str, int], number: int, tally: Tally) -> bool:
    """Return whether a launch is at fault, which must not be one that would run."""
    run = Run(kernel, sizes, random.Random(number), result.barriers).prepare()
    allowed = all(holds(g, sizes) for g in result.guards)
    seen = faults_found(result, run) if allowed else []
    faults = run.launch()
    shown = f"{text}\nsizes {sizes}, faults {faults}, guards {[g.text for g in result.guards]}"
    if not allowed or seen:
        by = "an inspection" if seen else "a guard"
        tally.launches[f"refused by {by}" + ("" if faults else ", no fault found")] += 1
        # A slice leaves out conditions on data, and `while` loops, which may never end.
        inexact = ("d[", "while") if seen else _INEXACT
        if not faults and not run.is_endless and not any(word in text for word in inexact):
            tally.inexact.append(number)
        return bool(faults)
    tally.launches["inspected and run" if result.inspections else "run"] += 1
    for what, is_so in (
        ("accepted, but at fault", bool(faults)),
        ("threads share what earned noalias", bool(run.aliased() & result.unaliased)),
        ("a plain division has a negative operand", bool(run.negative_divisions & result.non_negative)),
    ):
        if is_so:
            raise Hole(f"{what}:\n{shown}")
    return bool(faults)


def smallest(text: str, is_hole: Callable[[str], bool]) -> str:
    """Return a kernel as short as leaving out lines, with what is inside of them, can make it."""
    lines = text.split("\n")
    position = len(lines) - 1
    while position > 0:
        depth = len(lines[position]) - len(lines[position].lstrip())
        end = position + 1
        while end < len(lines) and len(lines[end]) - len(lines[end].lstrip()) > depth:
            end += 1
        shorter = lines[:position] + lines[end:]
        if is_hole("\n".join(shorter)):
            lines = shorter
        position = min(position, len(lines)) - 1
    return "\n".join(lines)


def _is_hole(text: str, number: int) -> bool:
    try:
        compare(text, number, Tally())
    except Hole:
        return True
    except (CompileError, SyntaxError, AssertionError):
        return False
    return False


def fuzz(numbers: range, kind: str = "", tally: Tally | None = None) -> Tally:
    """Compare the kernels of some numbers; the first hole is raised with the smallest kernel that shows it."""
    tally = tally if tally is not None else Tally()
    for number in numbers:
        text = text_of(number, kind)
        try:
            compare(text, number, tally)
        except Hole as hole:
            tally.holes.append(number)
            if (short := smallest(text, lambda shorter, n=number: _is_hole(shorter, n))) == text:  # type: ignore[misc]
                raise
            compare(short, number, Tally())
            raise AssertionError("a hole that is none the second time") from hole
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare checker and oracle on random kernels.")
    parser.add_argument("--kind", choices=[*KINDS], default="", help="indices of a `parallel`, teams, or flattened")
    parser.add_argument("--first", type=int, default=1, help="number of the first kernel (default 1)")
    parser.add_argument("--kernels", type=int, default=2000, help="how many (default 2000)")
    parser.add_argument("--minutes", type=float, default=60.0, help="at most (default 60)")
    parser.add_argument("--show", action="store_true", help="print the text of each kernel")
    options = parser.parse_args()
    end, tally = time.monotonic() + 60 * options.minutes, Tally()
    for number in range(options.first, options.first + options.kernels):
        if options.show:
            print(text_of(number, options.kind))
        try:
            fuzz(range(number, number + 1), options.kind, tally)
        except Hole as hole:
            print(f"kernel {number}: {hole}", flush=True)
        if tally.kernels % 100 == 0:
            print(tally, flush=True)
        if time.monotonic() > end:
            break
    print(tally)
    return 1 if tally.holes else 0


if __name__ == "__main__":
    sys.exit(main())
