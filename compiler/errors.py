"""Errors that the compiler raises for a user's mistake or a machine's limits; none of them is a defect of kparity."""

from __future__ import annotations


class KparityError(Exception):
    """Base of every error that says what happened, where, and what to do."""


class LaunchError(KparityError):
    """The arguments of a launch break its contract: shape, type, device, guard or borrow. Nothing was launched."""


class DeviceError(KparityError):
    """The driver or the device failed while a program was running."""


class TargetUnavailable(KparityError):
    """A target that this machine cannot compile for or run on; the message says what is missing and how to get it."""
