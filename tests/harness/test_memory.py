from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kparity.harness.errors import NotPossibleHere
from kparity.harness.memory import bytes_of_arguments, gib, host_free_memory, need_of, require_memory
from kparity.harness.plan import Comparison, make_plan
from kparity.harness.settings import Settings

from .fakes import daxpy_entry

ENTRY = daxpy_entry()


def plan(*sizes: int, target: str = "cuda") -> list[Comparison]:
    return make_plan([ENTRY], Settings(targets=(target,), sizes=sizes))


def test_bytes_are_estimated_from_the_data_of_a_small_size() -> None:
    assert bytes_of_arguments(ENTRY, 100) == 1600
    assert bytes_of_arguments(ENTRY, 10**12) == 16 * 10**12  # nothing of that size was made


def test_grids_are_estimated_from_above() -> None:
    def grid(n: int, fill: object) -> dict[str, np.ndarray]:
        return {"y": np.zeros((round(n ** (1 / 3)) + 3,) * 3)}

    size = 100**3
    assert bytes_of_arguments(daxpy_entry(data=grid), size) >= grid(size, None)["y"].nbytes


def test_on_the_cpu_device_and_host_are_one() -> None:
    (on_gpu,), (on_cpu,) = plan(1000), plan(1000, target="cpu")
    gpu, cpu = need_of(ENTRY, on_gpu), need_of(ENTRY, on_cpu)
    assert gpu.host == 3 * 16000
    assert cpu.host == cpu.device == gpu.host + gpu.device


def test_what_fits_passes() -> None:
    require_memory(plan(1000, 2000), {"Basic_DAXPY": ENTRY}, {"cuda": 1 << 30}, 1 << 30)


def test_what_does_not_fit_says_how_much_is_needed_and_there_and_what_would_fit() -> None:
    with pytest.raises(NotPossibleHere) as refusal:
        require_memory(plan(1000, 10**9), {"Basic_DAXPY": ENTRY}, {"cuda": 8 << 30}, 1 << 60)
    text = str(refusal.value)
    assert (
        "size 1,000,000,000 is too large for target `cuda`: Basic_DAXPY needs about 59.6 GiB, 8.0 GiB are free" in text
    )
    fitting = int(text.split("about ")[2].split(" would")[0].replace(",", ""))
    require_memory(plan(fitting), {"Basic_DAXPY": ENTRY}, {"cuda": 8 << 30}, 1 << 60)


def test_the_host_needs_room_too() -> None:
    with pytest.raises(NotPossibleHere, match="the host's memory"):
        require_memory(plan(10**6), {"Basic_DAXPY": ENTRY}, {"cuda": 1 << 60}, 1 << 20)


def test_free_memory_is_the_smaller_of_the_systems_and_the_groups(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9 kB\nMemAvailable: 1000 kB\n")
    assert host_free_memory(meminfo, tmp_path) == 1_024_000
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("5000\n")
    assert host_free_memory(meminfo, tmp_path) == 1_024_000
    (tmp_path / "memory.max").write_text("9000\n")
    assert host_free_memory(meminfo, tmp_path) == 4000
    assert host_free_memory() > 0


def test_amounts_read_well() -> None:
    assert gib(3 << 29) == "1.5 GiB"
    assert gib(1 << 20) == "1.0 MiB"
