"""One random kernel: the checker's verdict against the oracle's runs, and the table of what was seen."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from kparity.compiler import CompileError
from kparity.compiler.checks.prove import prove
from kparity.compiler.checks.proved import Guard, Proved
from kparity.compiler.ir.nodes import Kernel
from kparity.compiler.runtime.expression_text import evaluate, substituted

from .constructs import CONSTRUCTS, PROOFS, constructs, proofs
from .inspecting import faults_found
from .kernels import typed
from .oracle import Run, required

RUNS = 10  # launches of a kernel
_MORE = 25  # times as many before a refused kernel counts as clean
RARE = 0.1  # of the kernels: a construct that comes less often is pointed out
FAULTY = (0.3, 0.7)  # share of the kernels that should be at fault
MOST_IN_VAIN = 0.02  # of the clean kernels may be refused
_PRODUCTS = (8, 12, 18, 27)  # of a flattened array
_SIZES = {1: (0, 1, 2, 3, 4, 5, 6, 7, 9, 12), 2: (0, 1, 2, 3, 4, 5), 3: (0, 1, 2, 3, 4)}
# A guard may be wider than the faults where data, counters or products decide: of any other kernel it is exact.
_INEXACT = (
    "d[", "q[", "p[", "c1", "c2", "while", "break", "size", "teams", ", s):", "least", " l in ", "with ", "device",
    "Pack", "ORDER", "w32", "v32",
)  # fmt: skip


class Hole(AssertionError):
    """An accepted kernel is at fault, or gave the code generator a fact that is none."""


def _listed() -> dict[str, list[int]]:
    return defaultdict(list)


@dataclass
class Tally:
    """What was seen. Kernels are listed by their numbers."""

    kernels: int = 0
    accepted: int = 0
    faulty: int = 0  # at some size, guards ignored
    endless: int = 0  # refused, and a run did not end, or broke the author's word: nobody knows
    refused: Counter[str] = field(default_factory=Counter)  # by code of the first fault
    vain: dict[str, list[int]] = field(default_factory=_listed)  # refused, no fault found; by reason
    beyond: dict[str, list[int]] = field(default_factory=_listed)  # the same; the example is too large to run
    constructs: Counter[str] = field(default_factory=Counter)
    launches: Counter[str] = field(default_factory=Counter)  # by what becomes of them
    idle: dict[str, list[int]] = field(default_factory=_listed)  # have a launch refused, no fault found; by what
    inexact: list[int] = field(default_factory=list)  # kernels whose guards should be exact and are not
    untyped: dict[str, list[int]] = field(default_factory=_listed)  # by message: they are no kernels
    crashes: dict[str, list[int]] = field(default_factory=_listed)  # of compiler or oracle, by the exception
    holes: list[int] = field(default_factory=list)

    @property
    def clean(self) -> int:
        """Kernels without a fault at any size that was run."""
        return self.kernels - self.faulty - self.endless - sum(map(len, self.beyond.values()))

    @property
    def refused_in_vain(self) -> int:
        """Kernels refused for want of a proof."""
        return sum(map(len, self.vain.values()))

    @property
    def rare(self) -> dict[str, int]:
        """Constructs that too few kernels have."""
        return {c: n for c in (*CONSTRUCTS, *PROOFS) if (n := self.constructs[c]) < RARE * self.kernels}

    def add(self, other: Tally) -> None:
        """Count what another one saw as well."""
        for name in (f.name for f in fields(self)):
            mine, others = getattr(self, name), getattr(other, name)
            if isinstance(mine, Counter):
                mine.update(others)
            elif isinstance(mine, dict):
                for key, numbers in others.items():
                    mine[key].extend(numbers)
            else:
                setattr(self, name, mine + others)

    def __str__(self) -> str:
        def share(part: int, whole: int = self.kernels) -> str:
            return f"{part} ({100 * part / max(whole, 1):.1f} %)"

        def listed(title: str, found: Mapping[str, list[int]], most: int) -> list[str]:
            rows = sorted(found.items(), key=lambda row: (-len(row[1]), row[0]))
            return [title, *(f"    {len(n)} {what}: kernels {_shown(n, most)}" for what, n in rows)] if rows else []

        is_mixed = FAULTY[0] <= self.faulty / max(self.kernels, 1) <= FAULTY[1]
        exact = f"  guards that should be exact and are not: kernels {_shown(self.inexact, 100)}"
        lines = [
            f"{self.kernels} kernels: {share(self.accepted)} accepted, {share(self.refused.total())} refused",
            f"  at fault at some size: {share(self.faulty)}{_flag(is_mixed)}",
            "  refused for: " + ", ".join(f"{code} {share(n)}" for code, n in self.refused.most_common()),
            f"  nobody knows, for a run does not end, or breaks the author's word: {self.endless}",
            f"  refused for want of proof, of {self.clean} clean: {share(self.refused_in_vain, self.clean)}"
            + _flag(self.refused_in_vain <= MOST_IN_VAIN * self.clean),
            *listed("  these, by reason:", self.vain, 1000),
            *listed("  refused for sizes that are too large to run (not among the clean):", self.beyond, 1000),
            "  launches: " + ", ".join(f"{n} {what}" for what, n in sorted(self.launches.items())),
            *listed("  kernels with a launch that is refused, though no fault was found in it:", self.idle, 1000),
            *([exact] if self.inexact else []),
            "  constructs: " + ", ".join(f"{c} {share(self.constructs[c])}" for c in CONSTRUCTS),
            "  proofs with: " + ", ".join(f"{c} {share(self.constructs[c])}" for c in PROOFS),
            f"  in less than {100 * RARE:.0f} %: {', '.join(self.rare) or 'none'}{_flag(not self.rare)}",
            *listed("  no kernels, the front end refused them:", self.untyped, 8),
            *listed("  CRASHES:", self.crashes, 20),
        ]
        return "\n".join([*lines, f"  holes: {_shown(self.holes, 100) or 'none'}"])


def _flag(is_met: bool) -> str:
    return "" if is_met else "  <-- NOT MET"


def _shown(numbers: list[int], most: int) -> str:
    return ", ".join(map(str, sorted(numbers)[:most])) + (", ..." if len(numbers) > most else "")


def holds(guard: Guard, sizes: Mapping[str, int]) -> bool:
    """Whether a launch of these sizes passes a guard; in exact arithmetic."""
    names = {name: f"v{number}" for number, name in enumerate(sizes)}  # `par.s` and `n[0]` are no names of Python's
    values = {names[name]: size for name, size in sizes.items()}
    return any(
        all(
            form.constant + sum(c * evaluate(substituted(n, names), values) for n, c in form.terms) >= 0
            for form in forms
        )
        for forms in guard.alternatives
    )


def launches(kernel: Kernel, seed: int, more: int = 0) -> list[dict[str, int]]:
    """Small sizes, the smallest first, a few of them at both ends: scalars negative, extents zero.

    Parameters
    ----------
    more : int
        By how much sizes may be longer than usual.
    """
    chooser = random.Random(seed)
    names = [v.name for v in kernel.extents]
    extents = _SIZES[len(kernel.body.ranges)]
    extents = (*extents, *range(extents[-1] + 1, extents[-1] + 1 + more))
    found = []
    for _ in range(20 * RUNS):
        sizes = {name: chooser.choice((*extents, *_PRODUCTS) if name == "size" else extents) for name in names}
        for v in kernel.scalars:
            if not v.type.is_integer:
                sizes[v.name] = 1
            elif v.type.bits == 32 and chooser.random() < 0.1:  # no loop is as long
                sizes[v.name] = chooser.choice([v.type.lowest, v.type.highest])
            else:
                sizes[v.name] = chooser.randint(max(-3, v.type.lowest), max(extents))
        if required(kernel, sizes):
            found.append(sizes)
        if len(found) == RUNS:
            break
    return sorted(found, key=lambda sizes: sum(max(size, 0) for size in sizes.values()))


def compare(text: str, number: int, tally: Tally) -> None:
    """Compare verdict and runs of one kernel; raises Hole."""
    try:
        kernel = typed(text)
    except CompileError as error:
        tally.untyped[_reason(error)].append(number)
        return
    tally.kernels += 1
    tally.constructs.update(constructs(kernel))
    try:
        result = prove(kernel)
    except CompileError as error:
        tally.refused[error.diagnostics[0].code] += 1
        _judge_refused(kernel, error, number, tally)
        return
    tally.accepted += 1
    tally.constructs.update(proofs(result))
    found = [_launch(text, kernel, result, sizes, number, tally) for sizes in launches(kernel, number)]
    tally.faulty += any(found)


def _reason(error: CompileError) -> str:
    """Return code and message of the first fault, without names."""
    first = error.diagnostics[0]
    return f"{first.code} " + re.sub(r"`[^`]*`", "`...`", first.message)


def _judge_refused(kernel: Kernel, error: CompileError, number: int, tally: Tally) -> None:
    is_unclear = False
    witnessed = [found for d in error.diagnostics if (found := _witnessed(kernel, d.witness))]
    for more in range(_MORE):
        # Later ones are longer, and have the sizes of the checker's own examples.
        for sizes in [*(witnessed if more else []), *launches(kernel, number + more, 2 * (more // 5))]:
            run = Run(kernel, sizes, random.Random(number + more))
            if run.launch() and not run.is_void:
                tally.faulty += 1
                return
            is_unclear |= run.is_endless or run.is_void
    if is_unclear:
        tally.endless += 1
    elif error.diagnostics[0].witness and not witnessed:
        tally.beyond[_reason(error)].append(number)
    else:
        tally.vain[_reason(error)].append(number)


def _witnessed(kernel: Kernel, witness: str) -> dict[str, int] | None:
    """Return the sizes of the checker's example, if the oracle can run them."""
    given = dict(re.findall(r"([\w.\[\]]+) = (-?\d+)", witness.split(": ")[0]))
    sizes = {v.name: int(given.get(v.name, 1)) for v in (*kernel.scalars, *kernel.extents)}
    extents = [sizes[v.name] for v in kernel.extents]
    is_small = all(-1 < e <= 40 for e in extents) and all(abs(s) <= 40 for s in sizes.values())
    return sizes if given and is_small and required(kernel, sizes) else None


def _launch(text: str, kernel: Kernel, result: Proved, sizes: dict[str, int], number: int, tally: Tally) -> bool:
    """Return whether a launch is at fault, which must not be one that would run."""
    run = Run(kernel, sizes, random.Random(number), result.barriers).prepare()
    allowed = all(holds(g, sizes) for g in result.guards)
    seen = faults_found(result, run) if allowed else []
    faults = run.launch()
    if run.is_void:
        tally.launches["in which the author's word is broken"] += 1
        return False
    if not allowed or seen:
        by = "an inspection" if seen else "a guard"
        tally.launches[f"refused by {by}" + ("" if faults else ", no fault found")] += 1
        if not faults and not run.is_endless:
            if number not in tally.idle[by]:
                tally.idle[by].append(number)
            # A slice leaves out conditions on data, and `while` loops, which may never end.
            inexact = ("d[", "while", "with ") if seen else _INEXACT
            if not any(word in text for word in inexact):
                tally.inexact.append(number)
        return bool(faults)
    tally.launches["inspected and run" if result.inspections else "run"] += 1
    shown = f"{text}\nsizes {sizes}, faults {faults}, guards {[g.text for g in result.guards]}"
    for what, is_so in (
        ("accepted, but at fault", bool(faults)),
        ("threads share what earned noalias", bool(run.aliased() & result.unaliased)),
        ("a plain division has a negative operand", bool(run.negative_divisions & result.non_negative)),
        ("an access leaves its array, and is not tested", bool(run.escaped - result.tested)),
    ):
        if is_so:
            raise Hole(f"{what}:\n{shown}")
    return bool(faults)
