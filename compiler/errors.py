"""Errors that the compiler raises for a user's mistake or a machine's limits; none of them is a defect of kparity."""

from __future__ import annotations


class KparityError(Exception):
    """Base of every error that says what happened, where, and what to do."""


class LaunchError(KparityError):
    """The arguments of a launch break its contract: shape, type, device, guard or borrow. Nothing was launched."""


class DeviceError(KparityError):
    """The driver or the device failed while a program was running."""


class LaunchRefused(DeviceError):
    """The driver did not start a launch: it wants more than the device has, or the code is not for it."""


class OutOfDeviceMemory(DeviceError, MemoryError):
    """The device has not the memory that was asked for. Nothing was launched."""


class DeviceFault(DeviceError):
    """Code on the device did what it may not, such as an access to an illegal address.

    Checked kernels cannot: it was a foreign kernel, a baseline, or an `unsafe` block. What the process has on the
    device is gone.
    """


class DeviceLost(DeviceError):
    """The device no longer answers, or its memory failed."""


class TargetUnavailable(KparityError):
    """A target that this machine cannot compile for or run on; the message says what is missing and how to get it."""


class AccessError(KparityError):
    """An access inside `with checked():` would have left its array: it did not happen, and the results are incomplete.

    Attributes
    ----------
    kernel, access, place : str
        The kernel, the access as written, and `file:line` where it stands.
    thread : dict
        Index of the thread (and its team) that failed first.
    dimension : int
        Position of the index that was out of range, from 0.
    index : int
        Its value.
    bounds : (int, int)
        The range it had to be in, the end excluded.
    """

    def __init__(
        self, message: str, kernel: str, access: str, place: str, thread: dict[str, int], dimension: int, index: int,
        bounds: tuple[int, int],
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.kernel, self.access, self.place, self.thread = kernel, access, place, thread
        self.dimension, self.index, self.bounds = dimension, index, bounds
