"""What may disturb a measurement, at one moment: load, clocks, temperature, throttle reasons."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

_CPU_CLOCK = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq")

_UUID_DIGITS = 32

# NVML's bits of "clocks event reasons" that mean: the device ran slower than it was asked to.
_THROTTLED = {
    0x04: "power cap",
    0x08: "hardware slowdown",
    0x20: "thermal (software)",
    0x40: "thermal (hardware)",
    0x80: "power brake",
}


def conditions(target: str, uuid: str = "") -> dict[str, Any]:
    """Return the state of the machine part that a target runs on; empty where nothing can be read.

    Parameters
    ----------
    target : str
    uuid : str
        Of the GPU, as its device tells it; without it, the first that `CUDA_VISIBLE_DEVICES` shows.

    Returns
    -------
    dict
        CPU: `load` (processes ready to run, last minute), `cpu_mhz`. GPU: `sm_mhz`, `memory_mhz`, `celsius`, `watts`,
        `throttled` (list of reasons, empty if none). Both: `others`, how many other processes use the device, if any.
    """
    return _host() if target.startswith("cpu") else _nvidia(uuid)


def _host() -> dict[str, Any]:
    load = os.getloadavg()[0]
    state: dict[str, Any] = {"load": round(load, 2)}
    others = round(load - len(os.sched_getaffinity(0)))  # this process itself keeps at most its cores busy
    if others > 0:
        state["others"] = others
    try:
        state["cpu_mhz"] = int(_CPU_CLOCK.read_text()) // 1000
    except (OSError, ValueError):
        return state  # virtual machines seldom tell
    return state


def _nvidia(uuid: str) -> dict[str, Any]:
    try:
        nvml: Any = importlib.import_module("pynvml")
    except ImportError:
        return {}  # optional: without it the report says nothing of clocks
    try:
        return _read_nvml(nvml, uuid)
    except nvml.NVMLError as error:
        return {"unreadable": str(error)}


def _read_nvml(nvml: Any, uuid: str) -> dict[str, Any]:
    nvml.nvmlInit()
    handle = _device(nvml, uuid or os.environ.get("CUDA_VISIBLE_DEVICES", ""))
    reasons = nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle)
    state = {
        "sm_mhz": nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM),
        "memory_mhz": nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM),
        "celsius": nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
        "watts": nvml.nvmlDeviceGetPowerUsage(handle) / 1000,
        "throttled": [name for bit, name in _THROTTLED.items() if reasons & bit],
    }
    # Containers see their own processes under other numbers, or none at all: so they are counted, less this one.
    others = len(nvml.nvmlDeviceGetComputeRunningProcesses(handle)) - 1
    return {**state, "others": others} if others > 0 else state


def _device(nvml: Any, visible: str) -> Any:
    """Return the first of the devices named: by its index, by its UUID, or by as much of that as tells it from others.

    CUDA numbers devices by speed and NVML by place, so an index is right only where all are alike.
    """
    first = visible.split(",")[0].strip()
    if len(first) < _UUID_DIGITS and (not first or first.isdigit()):
        return nvml.nvmlDeviceGetHandleByIndex(int(first or 0))
    if first.startswith("MIG-"):
        return nvml.nvmlDeviceGetHandleByUUID(first)
    devices = (nvml.nvmlDeviceGetHandleByIndex(index) for index in range(nvml.nvmlDeviceGetCount()))
    found = [device for device in devices if _digits(nvml.nvmlDeviceGetUUID(device)).startswith(_digits(first))]
    if len(found) != 1:
        raise nvml.NVMLError(nvml.NVML_ERROR_NOT_FOUND)
    return found[0]


def _digits(uuid: str | bytes) -> str:
    """Return the digits of a UUID, however it is written; older releases of pynvml give bytes."""
    text = uuid.decode() if isinstance(uuid, bytes) else uuid
    return text.removeprefix("GPU-").replace("-", "").lower()
