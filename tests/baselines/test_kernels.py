"""Each baseline computes what the suite's NumPy reference computes, element by element."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kparity.baselines import Baseline
from kparity.compiler import LaunchError, Manifest, device_of
from kparity.suites import Entry, arrays_in, each, entries

pytestmark = pytest.mark.toolchain


def check(entry: Entry, manifest: Manifest, before: dict[str, Any], after: dict[str, Any], repetitions: int) -> None:
    expected = {name: each(np.copy, value) for name, value in before.items()}
    entry.spec.repeat(expected, repetitions)
    for parameter in manifest.parameters:
        if parameter.kind not in ("array", "reducer", "pack"):
            continue
        got = arrays_in({parameter.name: after[parameter.name]})
        for name, want in arrays_in({parameter.name: expected[parameter.name]}).items():
            if parameter.access == "Ref" or entry.spec.rtol == 0.0:
                np.testing.assert_array_equal(got[name], want, err_msg=name)
            else:
                rtol, scale = entry.spec.rtol, np.max(np.abs(want), initial=1.0)
                np.testing.assert_allclose(got[name], want, rtol=rtol, atol=rtol * scale, err_msg=name)


@pytest.mark.parametrize("target", ["cpu1", "cpu"])
@pytest.mark.parametrize(("size", "repetitions"), [(1, 1), (1013, 3), (100_000, 1)])
def test_agrees_with_numpy(
    entry: Entry, target: str, size: int, repetitions: int, built: Any, manifests: Any, arguments_of: Any, launch: Any
) -> None:
    baseline: Baseline = built[entry.path.stem, target]
    before = arguments_of(entry, size)
    after = {name: each(np.copy, value) for name, value in before.items()}
    assert launch(baseline.manifest, baseline.address(), after, repetitions) == 0
    check(entry, baseline.manifest, before, after, repetitions)


def test_no_repetition_changes_nothing(entry: Entry, built: Any, arguments_of: Any, launch: Any) -> None:
    baseline: Baseline = built[entry.path.stem, "cpu1"]
    before = arguments_of(entry, 100)
    after = {name: each(np.copy, value) for name, value in before.items()}
    assert launch(baseline.manifest, baseline.address(), after, 0) == 0
    for name, value in arrays_in(before).items():
        np.testing.assert_array_equal(arrays_in(after)[name], value)


@pytest.mark.parametrize("target", ["cpu1", "cpu"])
def test_launches_by_the_protocol_of_checked_programs(entry: Entry, target: str, built: Any, arguments_of: Any) -> None:
    baseline: Baseline = built[entry.path.stem, target]
    executable = baseline.executable()
    assert (executable.target, executable.manifest) == (target, baseline.manifest)
    machine = device_of(target)
    before = arguments_of(entry, 500)
    uploaded = {name: each(machine.upload, value) for name, value in before.items()}
    bound = executable.bind(uploaded)
    bound.run(2)
    after = {name: each(machine.download, value) for name, value in uploaded.items()}
    check(entry, baseline.manifest, before, after, 2)
    assert bound.results() == {name: after[name][0].item() for name in baseline.manifest.returned}
    name = next(iter(before))
    with pytest.raises(LaunchError, match=rf"`{name}(`|\[)"):
        executable.bind({**uploaded, name: machine.upload(np.zeros((3, 3, 3, 3)))})


def test_the_cpu_has_one_tuning(built: Any) -> None:
    """And the C library's where the kernel is one of its functions."""
    for baseline in built.values():
        library = ("library",) if baseline.kernel in ("memcpy", "memset") else ()
        assert baseline.tunings == ("default", *library), baseline.kernel


def test_loops_are_vectorised(built: Any) -> None:
    """A scalar loop would be a slow baseline. COPY may become a call of memcpy, which is vectorised."""
    if "avx2" not in Path("/proc/cpuinfo").read_text(encoding="utf-8"):
        pytest.skip("this CPU has no AVX2")
    # Sums in a fixed order, recurrences and places of extremes stay scalar in C++, as in RAJAPerf; EMPTY has nothing.
    scalar_by_nature = {"adi", "empty", "first_min", "gemm", "mm2", "mm3"}
    scalar_by_nature |= {"histogram", "indexlist", "multi_reduce", "scan"}  # a step needs the one before
    scalar_by_nature |= {
        "del_dot_vec_2d",
        "matvec_3d_stencil",
        "nodal_accumulation_3d",
        "zonal_accumulation_3d",
    }  # lists
    scalar_by_nature |= {"atomic", "halo_sendrecv"}  # counters by remainder; messages only
    loops = {key: baseline for key, baseline in built.items() if baseline.kernel not in scalar_by_nature}
    scalar = {key for key, baseline in loops.items() if not re.search(r"%[yz]mm|mem(cpy|move)", baseline.code)}
    # Processors have no atomic operations on vectors: with several threads such a loop takes an element at a time.
    atomic = {(e.path.stem, "cpu") for e in entries("rajaperf") if "Atomic" in e.spec.features}
    assert scalar <= atomic
    own_bins = {("histogram", "cpu"), ("multi_reduce", "cpu")}  # each thread's, added up at the end
    locked = {key for key in atomic if re.search(r"lock (cmpxchg|xadd|add)", re.sub(r"\s+", " ", built[key].code))}
    assert locked == atomic - own_bins
