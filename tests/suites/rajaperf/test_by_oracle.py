"""What the compiler believes of the suite's kernels, against runs that look at every access.

The oracle runs each launch of a repetition on the entry's own data, threads in random order, and notes who touches
what. It shares the typed kernel with the compiler, and none of the proofs: no access leaves its array, races or reads
garbage, without the barriers that were removed too; and nothing that is emitted as `noalias` is shared by two threads.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from kparity.compiler.checks.prove import prove
from kparity.compiler.checks.proved import Proved
from kparity.compiler.ir.nodes import Access, Array, Kernel, Variable
from kparity.compiler.targets import cpu
from kparity.suites import Entry, entries
from tests.compiler import interpreter
from tests.compiler.checks.oracle import Run

SIZE = 27
SLOW = ("EDGE3D", "FEMSWEEP", "HALO", "INTSC", "MASS3DEA")  # a minute and more each

proved = cache(prove)


@cache
def restricted(kernel: Kernel) -> frozenset[str]:
    """Return the arrays whose pointers are emitted as `noalias`; a library has no code of ours."""
    if kernel.library:
        return frozenset()
    text = cpu.emit_module([("k", proved(kernel))], threads=False).text()
    return frozenset(re.findall(r"ptr noalias (?:readonly )?align \d+ %array\.([\w.]+)", text))


def oracle_of(kernel: Kernel, result: Proved, memory: Mapping[Any, Any], variables: Mapping[Variable, Any]) -> Run:
    """Return a run that is about to happen on copies of the arrays of a launch."""
    sizes = {v.name: variables[v] for v in (*kernel.scalars, *kernel.extents)}
    run = Run(kernel, sizes, random.Random(3), result.barriers)
    run.prepare()
    for array, held in run.memories.items():
        assert isinstance(array, Array)
        contents = memory[array]
        parts = list(enumerate(contents)) if array.members else [(None, contents)]
        for member, part in parts:
            for place, value in np.ndenumerate(part):
                index = place if member is None else (member, *place)
                element = tuple(i + low for i, (low, _) in zip(index, held.limits, strict=True))
                assert element in held.values
                held.values[element] = value.item()
    return run


def launches(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Kernel, Run]]:
    """Return the first run of each kernel in two repetitions, after it."""
    seen: dict[Kernel, Run] = {}
    run_kernel = interpreter.run_kernel

    def watched(kernel: Kernel, memory: Mapping[Any, Any], variables: Mapping[Variable, Any]) -> None:
        if kernel not in seen:
            seen[kernel] = oracle_of(kernel, proved(kernel), memory, variables)
            seen[kernel].launch()
        run_kernel(kernel, memory, variables)

    monkeypatch.setattr(interpreter, "run_kernel", watched)
    arguments = entry.arguments(1 if entry.spec.name.startswith("INTSC") else SIZE)
    for repetition in range(2):
        interpreter.interpret(entry.spec.program, arguments, repetition)
    return list(seen.items())


FOUND = [
    pytest.param(e, id=e.full_name, marks=[pytest.mark.long] if e.spec.name.startswith(SLOW) else [])
    for e in entries("rajaperf")
]


@pytest.mark.parametrize("entry", FOUND)
def test_no_launch_does_what_was_excluded(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    found = launches(entry, monkeypatch)
    assert found
    for kernel, run in found:
        result = proved(kernel)
        assert not run.is_endless
        assert run.faults == set(), kernel.name
        assert not run.negative_divisions & result.non_negative
        written = {a.name for a in kernel.arrays if a.access is not Access.REF}
        assert not restricted(kernel) & run.aliased(), kernel.name
        assert restricted(kernel) <= result.unaliased | ({a.name for a in kernel.arrays} - written)


def test_most_arrays_are_restricted() -> None:
    """Else the test above would say nothing."""
    counts = {True: 0, False: 0}
    for entry in entries("rajaperf"):
        for kernel in {call.kernel for call in entry.spec.program.typed_program.calls}:
            for array in kernel.arrays if not kernel.library else ():
                counts[array.name in restricted(kernel)] += 1
    assert counts[True] > 4 * counts[False] > 0
