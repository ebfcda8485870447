"""HIP baselines in the emulator: their results, on waves of 64 lanes and of 32."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kparity.baselines import hip_compiler
from kparity.compiler import TargetUnavailable
from tests.baselines.conftest import kernels

ROOT = Path(__file__).resolve().parents[2]
SLICE = ["triad", "dot", "first_min", "reduce3_int", "histogram", "mat_mat_shared"]
SLOW = {"femsweep", "edge3d", "intsc_hexhex", "intsc_hexrect"}  # minutes each

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]


def outcomes(architecture: str, stems: list[str]) -> dict[tuple[str, str], str]:
    pytest.importorskip("tinygrad")
    try:
        hip_compiler(architecture)
    except TargetUnavailable as error:
        pytest.skip(str(error))
    command = [sys.executable, "-m", "tests.amdgcn.baselines", "--json", "--architecture", architecture, *stems]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3000, check=False)
    rows = [json.loads(line) for line in finished.stdout.splitlines()]
    assert rows, finished.stderr
    return {(row["kernel"], row["tuning"]): row["outcome"] for row in rows}


@pytest.mark.parametrize("architecture", ["gfx90a", "gfx1100"])
def test_a_slice_computes_what_numpy_does(architecture: str) -> None:
    found = outcomes(architecture, SLICE)
    assert {kernel for kernel, _ in found} == set(SLICE)
    assert len(found) == 10  # two ways to reduce
    assert set(found.values()) == {"right"}, found


@pytest.mark.long
@pytest.mark.parametrize("architecture", ["gfx90a", "gfx942", "gfx1100", "gfx1201"])
def test_every_kernel_computes_what_numpy_does(architecture: str) -> None:
    found = outcomes(architecture, sorted({entry.path.stem for entry in kernels()} - SLOW))
    faulty = {key: value for key, value in found.items() if value not in ("right", "not emulated")}
    assert not faulty
