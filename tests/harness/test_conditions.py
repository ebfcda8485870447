from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from kparity.harness.conditions import conditions


class FakeNvml(ModuleType):
    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = "sm", "mem", "temperature"
    NVMLError = RuntimeError

    def __init__(self, reasons: int = 0, broken: bool = False) -> None:
        super().__init__("pynvml")
        self.reasons, self.broken = reasons, broken

    def nvmlInit(self) -> None:
        if self.broken:
            raise RuntimeError("driver not loaded")

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: int) -> int:
        return self.reasons

    def nvmlDeviceGetClockInfo(self, handle: int, clock: str) -> int:
        return {"sm": 1980, "mem": 3201}[clock]

    def nvmlDeviceGetTemperature(self, handle: int, sensor: str) -> int:
        return 41

    def nvmlDeviceGetPowerUsage(self, handle: int) -> int:
        return 120_500


def use(monkeypatch: pytest.MonkeyPatch, module: Any) -> dict[str, Any]:
    monkeypatch.setitem(sys.modules, "pynvml", module)
    return conditions("cuda")


def test_the_host_tells_its_load() -> None:
    assert conditions("cpu1")["load"] >= 0
    assert "throttled" not in conditions("cpu")


def test_a_gpu_tells_clocks_and_why_it_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    free = use(monkeypatch, FakeNvml())
    assert free == {"sm_mhz": 1980, "memory_mhz": 3201, "celsius": 41, "watts": 120.5, "throttled": []}
    hot = use(monkeypatch, FakeNvml(0x40 | 0x04 | 0x01))  # 0x01: idle, which is no fault
    assert hot["throttled"] == ["power cap", "thermal (hardware)"]


def test_a_gpu_that_tells_nothing_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert use(monkeypatch, FakeNvml(broken=True)) == {"unreadable": "driver not loaded"}
    assert use(monkeypatch, None) == {}
