"""Baselines that misbehave in every way: each is recorded as what it is, and the rest is measured."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from kparity.harness.errors import ExitCode
from kparity.harness.guarded import GuardedArrays
from kparity.harness.journal import load

from .test_run import BASELINE, add_kernel, run

LOOP = "KP_FOR(i, 0, n) { y[i] += a * x[i]; }"
# What each baseline does in place of its loop. The last words make sure that no compiler leaves it out.
FAULTS = {
    "loops": "volatile int64_t i = 0; while (n > 0) { i = i + 1; }",
    "dies": "volatile int *volatile nowhere = nullptr; *nowhere = 1;",
    "leaks": "for (volatile char *p;;) { p = new char[1 << 22]; for (int i = 0; i < 1 << 22; i += 4096) p[i] = 1; }",
    "nan": 'KP_FOR(i, 0, n) { y[i] = __builtin_nan(""); }',
    "beyond": "volatile double *end = y; end[n] = 1.0; KP_FOR(i, 0, n) { y[i] += a * x[i]; }",
    "far": "volatile double *end = y; end[n + 600] = 1.0; KP_FOR(i, 0, n) { y[i] += a * x[i]; }",
    "before": "volatile double *begin = y; begin[-100] = 1.0; KP_FOR(i, 0, n) { y[i] += a * x[i]; }",
}


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ to compile the baselines")
def test_each_fault_is_recorded_as_what_it_is_and_the_rest_goes_on(tmp_path: Path) -> None:
    suite, folder = tmp_path / "mine", tmp_path / "results"
    add_kernel(suite, "good")
    for name, fault in FAULTS.items():
        assert LOOP in BASELINE
        add_kernel(suite, name, baseline=BASELINE.replace(LOOP, fault))
    assert run(suite, folder, "--quick", "--time-limit", "8", "--memory-limit", "0.6") == ExitCode.FAILED
    found = {(r.cell.kernel, r.cell.variant): (r.status, r.message) for r in load(folder).records}
    checked = {status for (_, variant), (status, _) in found.items() if variant == "checked"}
    assert checked == {"ok"}
    native = {kernel.removeprefix("Basic_"): out for (kernel, variant), out in found.items() if variant == "native"}
    assert {kernel: status for kernel, (status, _) in native.items()} == {
        "GOOD": "ok", "LOOPS": "timeout", "DIES": "crashed", "LEAKS": "out_of_memory", "NAN": "wrong",
        "BEYOND": "crashed", "FAR": "crashed", "BEFORE": "crashed",
    }  # fmt: skip
    assert "no progress for 8 s" in native["LOOPS"][1]
    assert "SIGSEGV" in native["DIES"][1]
    assert "more than the 0.60 allowed" in native["LEAKS"][1]
    assert "nan" in native["NAN"][1]
    for name in ("BEYOND", "FAR", "BEFORE"):  # the first run on guarded arrays
        assert native[name][1] == "the process died of signal SIGSEGV while verifying 3 repetitions"


@pytest.mark.parametrize(
    "host",
    [
        np.arange(1003.0),
        np.asfortranarray(np.arange(35, dtype=np.int32).reshape(5, 7)),
        np.zeros(0),
        np.zeros(1, [("value", "f8"), ("location", "i8")]),
    ],
)
def test_a_guarded_copy_is_equal_and_aligned(host: np.ndarray) -> None:  # type: ignore[type-arg]
    guards = GuardedArrays()
    copy = guards.copy("x", host)
    assert (copy == host).all()
    assert (copy.shape, copy.dtype, copy.ctypes.data % 64) == (host.shape, host.dtype, 0)
    assert not host.size or copy.strides == host.strides
    assert guards.overwritten() == ""


def test_a_byte_behind_the_end_is_noticed() -> None:
    guards = GuardedArrays()
    guards.copy("x", np.zeros(3))
    y = guards.copy("y", np.zeros(3))
    np.lib.stride_tricks.as_strided(y, (4,))[3] = 0.0
    assert guards.overwritten() == "something was written behind the end of `y`"
