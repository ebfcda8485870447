"""What drivers answer, as typed errors that say what was running; CUDA and HIP number these alike."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import DeviceError, DeviceFault, DeviceLost, KparityError, LaunchRefused, OutOfDeviceMemory
from .alive import alive

_KINDS: dict[int, type[DeviceError]] = {
    2: OutOfDeviceMemory,
    **dict.fromkeys((1, 9, 98, 200, 209, 701, 720), LaunchRefused),  # value, configuration, image, resources
    **dict.fromkeys((700, 702, 709, 714, 715, 716, 717, 718, 719), DeviceFault),  # address, time, instruction, ...
    **dict.fromkeys((46, 100, 101, 214, 220), DeviceLost),  # unavailable, none, invalid, memory or link failed
}
_REMEDIES: dict[type[DeviceError], str] = {
    LaunchRefused: "Nothing of it ran",
    DeviceFault: "What this process has on the device is gone: start it again. Checked kernels access nothing that is"
    " not theirs: look at foreign kernels and `unsafe` blocks first (compute-sanitizer names them)",
    DeviceLost: "See whether nvidia-smi or rocm-smi finds the device; it may need a reset",
}
_MOST_SHOWN = 5

launched: deque[str] = deque(maxlen=4)
"""Programs launched last: what fails on a device is told by whatever waits next."""


def device_error(status: int, answer: str, doing: str) -> DeviceError:
    """Return the error of a driver's answer.

    Parameters
    ----------
    status : int
        The driver's number.
    answer : str
        Its words.
    doing : str
        What was asked for.
    """
    kind = _KINDS.get(status, DeviceError)
    if kind is OutOfDeviceMemory:
        return OutOfDeviceMemory(_no_memory(doing))
    ran = ", ".join(f"`{name}`" for name in dict.fromkeys(launched)) or "nothing of kparity's"
    said = f"{doing}: the driver answered {answer} (code {status}); launched last: {ran}"
    return kind(said + (f". {_REMEDIES[kind]}" if kind in _REMEDIES else ""))


def _no_memory(doing: str) -> str:
    held = sorted(alive(), key=lambda one: -one.bytes)
    lines = [f"\n  {one}" for one in held[:_MOST_SHOWN]]
    rest = f"\n  and {len(held) - _MOST_SHOWN} more" if len(held) > _MOST_SHOWN else ""
    return f"{doing}: the device has no memory left" + ("; owned arrays hold" + "".join(lines) + rest if held else "")


@contextmanager
def device_errors(doing: str) -> Iterator[None]:
    """Raise what a driver or its library raises inside the block as a typed error."""
    try:
        yield
    except KparityError:
        raise
    except MemoryError as error:
        raise OutOfDeviceMemory(_no_memory(doing)) from error
    except RuntimeError as error:  # of CuPy's runtime and driver modules, with the number as `status`
        status = getattr(error, "status", None)
        if not isinstance(status, int):
            raise
        raise device_error(status, str(error), doing) from error
