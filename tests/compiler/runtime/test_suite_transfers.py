"""Every kernel of the suite on owned arrays, on a device that counts: what is moved is what `kparity plan` says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kparity.compiler import OwnedArray, array, empty, planned_transfers
from kparity.suites import Entry, entries

from .fake_device import devices

SIZE = 500
REPETITIONS = 2
ON_NOISE = {"FEMSWEEP"}  # of the suite's own data some systems are nearly singular
QUICK = {"Basic_INIT3", "Basic_REDUCE_STRUCT", "Polybench_FLOYD_WARSHALL", "Apps_ENERGY"}
CASES = [
    pytest.param(e, marks=() if e.full_name in QUICK else pytest.mark.long)
    for e in entries("rajaperf")
    if e.spec.name != "EMPTY"
]


def owned(name: str, value: Any, entry: Entry) -> Any:
    """Return arrays that lie row-major as owned ones, with nothing in those that are written only."""
    parameters = {p.name: p for p in entry.spec.program.typed_program.parameters}
    parameter: Any = parameters[name.partition("[")[0]]
    if isinstance(value, (list, tuple)) or (getattr(parameter, "members", 0) and "[" not in name):
        return [owned(f"{name}[{m}]", one, entry) for m, one in enumerate(value)]  # a pack may be an array's rows
    if not isinstance(value, np.ndarray) or not value.flags.c_contiguous:
        return value
    if getattr(parameter, "is_table", False):
        return value
    if getattr(getattr(parameter, "access", None), "value", "") == "Out":
        return empty(value.shape, value.dtype)
    return array(value)


@pytest.mark.parametrize("entry", CASES, ids=lambda e: e.full_name)
@pytest.mark.usefixtures("nothing_stays_alive")
def test_what_is_planned_is_what_is_moved(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    (device,) = devices(1, monkeypatch)
    if entry.spec.name in ON_NOISE:
        assert entry.spec.random is not None
        arguments = entry.spec.random(SIZE, np.random.default_rng(1))
    else:
        arguments = entry.arguments(SIZE)
    given = {name: owned(name, value, entry) for name, value in arguments.items()}
    bound = device.bind(entry.spec.program, **given)
    bound.run(REPETITIONS)
    names = {name: one for name, one in bound._arguments.owners.items() if isinstance(one, OwnedArray)}
    device.wait(0)
    for one in names.values():
        one.to_host()
    plan = planned_transfers(entry.spec.program, bound._arguments.values, REPETITIONS)
    planned = [t.size.bytes for t in plan.transfers if t.when != "never" and t.array in names]
    assert names and sum(device.moved) == sum(size or 0 for size in planned) <= (plan.naive.bytes or 0)

    entry.spec.repeat(arguments, REPETITIONS)
    for name, wanted in arguments.items():
        if name in names and wanted.dtype.kind == "f":
            found, rtol = names[name].numpy(), entry.spec.rtol
            np.testing.assert_allclose(found, wanted, rtol, max(rtol, 1e-15), err_msg=name)
