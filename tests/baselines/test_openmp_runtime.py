"""The OpenMP baselines run on the process's one libgomp, which the compiled kernels use too."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import Any

import pytest

pytestmark = pytest.mark.toolchain

# In a fresh process: nobody else has loaded a runtime or started its threads.
SCRIPT = textwrap.dedent("""
    import ctypes, re, sys
    from pathlib import Path
    gomp = ctypes.CDLL("libgomp.so.1")
    baseline = ctypes.CDLL(sys.argv[1])
    arguments = (ctypes.c_double * 64000)(), ctypes.c_int64(40)
    block = (ctypes.c_int64 * 2)(ctypes.addressof(arguments[0]), 40)
    for wanted in (1, 5):
        gomp.omp_set_num_threads(wanted)
        assert baseline.kp_run_default(block, ctypes.c_int64(0), ctypes.c_int64(1), None, 0) == 0
        print(len(list(Path("/proc/self/task").iterdir())))
    maps = Path("/proc/self/maps").read_text()
    print(len(set(re.findall(r"\\S*/libgomp\\S*\\.so\\S*", maps))))
    assert arguments[0][63999] == 1e-8 * 39.0 * 39.0 * 39.0
""")


def test_one_runtime_with_one_pool(built: Any) -> None:
    """The number of threads set through the process's library is what the baseline runs with."""
    library = built["nested_init", "cpu"].library
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(library)], capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["1", "5", "1"]
