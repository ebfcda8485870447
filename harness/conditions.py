"""What may disturb a measurement, at one moment: load, clocks, temperature, throttle reasons."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

_CPU_CLOCK = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq")

# NVML's bits of "clocks event reasons" that mean: the device ran slower than it was asked to.
_THROTTLED = {
    0x04: "power cap",
    0x08: "hardware slowdown",
    0x20: "thermal (software)",
    0x40: "thermal (hardware)",
    0x80: "power brake",
}


def conditions(target: str) -> dict[str, Any]:
    """Return the state of the machine part that a target runs on; empty where nothing can be read.

    Returns
    -------
    dict
        CPU: `load` (processes ready to run, last minute), `cpu_mhz`. GPU: `sm_mhz`, `memory_mhz`, `celsius`, `watts`,
        `throttled` (list of reasons, empty if none).
    """
    return _host() if target.startswith("cpu") else _nvidia()


def _host() -> dict[str, Any]:
    state: dict[str, Any] = {"load": round(os.getloadavg()[0], 2)}
    try:
        state["cpu_mhz"] = int(_CPU_CLOCK.read_text()) // 1000
    except (OSError, ValueError):
        return state  # virtual machines seldom tell
    return state


def _nvidia() -> dict[str, Any]:
    try:
        nvml: Any = importlib.import_module("pynvml")
    except ImportError:
        return {}  # optional: without it the report says nothing of clocks
    try:
        return _read_nvml(nvml)
    except nvml.NVMLError as error:
        return {"unreadable": str(error)}


def _read_nvml(nvml: Any) -> dict[str, Any]:
    nvml.nvmlInit()
    handle = nvml.nvmlDeviceGetHandleByIndex(_visible_index())
    reasons = nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle)
    return {
        "sm_mhz": nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM),
        "memory_mhz": nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM),
        "celsius": nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
        "watts": nvml.nvmlDeviceGetPowerUsage(handle) / 1000,
        "throttled": [name for bit, name in _THROTTLED.items() if reasons & bit],
    }


def _visible_index() -> int:
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    return int(first) if first.isdigit() else 0
