from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from kparity.harness.conditions import conditions


class FakeNvml(ModuleType):
    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = "sm", "mem", "temperature"
    NVMLError = RuntimeError
    NVML_ERROR_NOT_FOUND = "not found"
    UUIDS = ("GPU-1aaa0000-0000-0000-0000-000000000001", b"GPU-1bbb0000-0000-0000-0000-000000000002")

    def __init__(self, reasons: int = 0, broken: bool = False) -> None:
        super().__init__("pynvml")
        self.reasons, self.broken = reasons, broken
        self.processes, self.asked = 1, -1

    def nvmlInit(self) -> None:
        if self.broken:
            raise RuntimeError("driver not loaded")

    def nvmlDeviceGetCount(self) -> int:
        return len(self.UUIDS)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> int:
        return {"MIG-7": 7}[uuid]

    def nvmlDeviceGetUUID(self, handle: int) -> str | bytes:
        return self.UUIDS[handle]

    def nvmlDeviceGetComputeRunningProcesses(self, handle: int) -> list[int]:
        self.asked = handle
        return [11] * self.processes

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


@pytest.mark.parametrize(
    ("visible", "uuid", "expected"),
    [
        ("", "", 0),
        ("1,0", "", 1),
        ("GPU-1bbb0000-0000-0000-0000-000000000002", "", 1),
        ("GPU-1b", "", 1),  # CUDA takes the start of a UUID
        ("MIG-7,0", "", 7),
        ("0", "1bbb0000000000000000000000000002", 1),  # what the device says of itself, whatever the numbering
    ],
)
def test_the_state_is_that_of_the_device_in_use(
    monkeypatch: pytest.MonkeyPatch, visible: str, uuid: str, expected: int
) -> None:
    nvml = FakeNvml()
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert conditions("cuda", uuid)["sm_mhz"] == 1980
    assert nvml.asked == expected


@pytest.mark.parametrize("visible", ["GPU-1", "GPU-9"])
def test_a_device_that_cannot_be_told_is_not_guessed(monkeypatch: pytest.MonkeyPatch, visible: str) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert use(monkeypatch, FakeNvml()) == {"unreadable": "not found"}


def test_other_processes_on_the_device_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = FakeNvml()
    assert "others" not in use(monkeypatch, nvml)
    nvml.processes = 3
    assert use(monkeypatch, nvml)["others"] == 2
    monkeypatch.setattr("os.getloadavg", lambda: (40.0, 0.0, 0.0))
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0, 1})
    assert conditions("cpu")["others"] == 38
