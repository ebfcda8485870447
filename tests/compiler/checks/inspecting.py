"""Inspections on the oracle's memory, by the interpreter: what they find before the oracle runs the kernel itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from kparity.compiler.checks.proved import Check, Inspection, Proved
from kparity.compiler.ir.nodes import Array, Variable
from tests.compiler.interpreter import NUMPY, _Thread, run_kernel

from .oracle import Run, _exact


def faults_found(result: Proved, run: Run) -> list[Check]:
    """Return the checks that fail for the arrays of a prepared run; one that leaves an array fails at once."""
    return [check for inspection in result.inspections for check in _found(inspection, result, run)]


def _found(inspection: Inspection, result: Proved, run: Run) -> list[Check]:
    kernel = inspection.proved.kernel
    variables: dict[Variable, Any] = {
        v: run.sizes.get(v.name, 0) for v in (*result.kernel.scalars, *result.kernel.extents, *kernel.scalars)
    }
    host = _Thread({}, variables)
    if any(host.value(r.upper) <= host.value(r.lower) for r in result.kernel.body.ranges):
        return []
    memory = {array: _contents(array, variables, run) for array in kernel.arrays}
    second = next((v for v in kernel.scalars if v.name == inspection.second_pass), None)
    (table,) = (memory[a] for a in kernel.arrays if a.name == "kp.faults")
    for number in (0, 1) if second else (0,):
        if not table.any():
            run_kernel(kernel, memory, {**variables, **({second: number} if second else {})})
    return [check for check, row in zip(inspection.checks, table, strict=True) if row[0]]


def _contents(array: Array, variables: dict[Variable, Any], run: Run) -> np.ndarray[Any, Any]:
    limits = [(_exact(d.lower, variables), _exact(d.upper, variables)) for d in array.dims]
    contents = np.zeros([high - low for low, high in limits], NUMPY[array.element.name])
    if not array.name.startswith("kp."):
        for element, value in run.memories[array].values.items():
            contents[tuple(i - low for i, (low, _) in zip(element, limits, strict=True))] = value
    return contents
