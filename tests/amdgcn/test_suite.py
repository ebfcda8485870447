"""Suite kernels compiled for AMD GPUs, run instruction by instruction through the product's own runtime."""

from __future__ import annotations

import pytest

from kparity.compiler import TargetUnavailable
from kparity.suites import entries

from .device import Device
from .suite import BY_LIBRARY, run_entry

SUITE = {e.spec.name: e for e in entries("rajaperf")}
QUICK = {  # each with one processor by default; sizes are small, for an instruction takes some ten microseconds
    "DAXPY": "gfx942", "DOT": "gfx1100", "FIRST_MIN": "gfx942", "HISTOGRAM": "gfx1100", "MAT_MAT_SHARED": "gfx90a",
    "PI_ATOMIC": "gfx942", "PLANCKIAN": "gfx1201", "REDUCE_STRUCT": "gfx950", "INDEXLIST": "gfx1100",
    "HALO_PACKING_FUSED": "gfx942",
}  # fmt: skip


CASES = [
    (name, processor)
    for name in SUITE
    for processor in dict.fromkeys(["gfx942", "gfx1100", QUICK.get(name, "gfx942")])
    if name not in BY_LIBRARY
]


@pytest.mark.parametrize(("name", "processor"), [
    pytest.param(*case, marks=() if QUICK.get(case[0]) == case[1] else pytest.mark.long) for case in CASES
])  # fmt: skip
def test_suite_kernels(name: str, processor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        run_entry(SUITE[name], Device(processor, monkeypatch), 200)
    except TargetUnavailable as error:
        pytest.skip(str(error))
