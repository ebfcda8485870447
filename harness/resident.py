"""A side's arguments on a device, and the means to put them back into their initial state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kparity.compiler import Executable, Manifest, OwnedArray, freeze
from kparity.suites import each

from .guarded import GuardedArrays

Arguments = Mapping[str, Any]  # parameter name -> host array, a list of them for a pack, or number for a scalar


STORED = ("array", "reducer", "pack")  # kinds of parameters that live in memory


def stored(manifest: Manifest) -> list[str]:
    """Return the parameters that live in memory: arrays, packs and reducers."""
    return [p.name for p in manifest.parameters if p.kind in STORED]


def changed(manifest: Manifest) -> list[str]:
    """Return the parameters that a repetition may change."""
    return [p.name for p in manifest.parameters if p.kind in STORED and p.access != "Ref"]


def unchanged(manifest: Manifest) -> list[str]:
    """Return the arrays that a repetition must leave as they are."""
    return [p.name for p in manifest.parameters if p.kind in STORED and p.access == "Ref"]


def carried(manifest: Manifest) -> list[str]:
    """Return the parameters whose content a repetition reads and changes: their state passes from one to the next."""
    return [name for name in changed(manifest) if manifest[name].access != "Out"]


def poisoned(arguments: Arguments, manifest: Manifest) -> dict[str, Any]:
    """Return the arguments with every `Out` array filled with what no right result contains.

    Returns
    -------
    dict
        NaN in float arrays, the least number in integer arrays; arrays of other kinds are shared with `arguments`.
    """
    return {
        name: each(_poison, value) if name in stored(manifest) and manifest[name].access == "Out" else value
        for name, value in arguments.items()
    }


def _poison(array: Any) -> Any:
    if array.dtype.kind == "f":
        return np.full_like(array, np.nan)
    if array.dtype.kind in "iu":
        info = np.iinfo(array.dtype)
        return np.full_like(array, info.min or info.max)
    return np.ones_like(array)


def upload_initial(device: Any, manifest: Manifest, arguments: Arguments) -> dict[str, Any]:
    """Copy what `Resident.restore` needs to a device; one copy serves all sides of a comparison."""
    return {name: each(device.upload, arguments[name]) for name in carried(manifest)}


class Resident:
    """One side's arguments on a device, bound to its executable.

    Parameters
    ----------
    device : Device
    executable : Executable
    arguments : mapping
        Host arrays and scalars.
    guards : GuardedArrays, optional
        Makes the copies, in place of the device; for one that works in the host's memory.

    Attributes
    ----------
    bound : Bound
    returns_scalars : bool
        Whether a repetition brings values back to the host.
    inspection_seconds : float
        What inspecting the index arrays took, outside of all timing.
    """

    def __init__(
        self, device: Any, executable: Executable, arguments: Arguments, guards: GuardedArrays | None = None
    ) -> None:
        self._device, self._executable, self._arguments, self._guards = device, executable, arguments, guards
        self.manifest = executable.manifest
        self.arrays = {name: self._placed(name) for name in stored(self.manifest)}
        self.bound = executable.bind({**arguments, **self.arrays})
        self.inspection_seconds = self.bound.inspection_seconds
        self.returns_scalars = bool(self.manifest.returned)

    def _placed(self, name: str) -> Any:
        """Copy an array to the device; frozen if it may hold indices, so that it is inspected when bound."""
        may_index = self.manifest[name].access == "Ref" and self.manifest[name].type in ("i32", "i64")

        def placed(host: Any) -> Any:
            array = self._guards.copy(name, host) if self._guards is not None else self._device.upload(host)
            return freeze(array) if may_index else array

        return each(placed, self._arguments[name])

    def move_to(self, arrays: dict[str, Any]) -> None:
        """Bind to the arrays of another side, and let go of the own ones.

        Where an array lies in memory can cost or save a tenth of a stream's time, so compared sides share theirs.
        """
        self.arrays = arrays
        self.bound = self._executable.bind({**self._arguments, **arrays})
        self.inspection_seconds += self.bound.inspection_seconds

    def restore(self, initial: Mapping[str, Any]) -> None:
        """Put back what repetitions read and change; asynchronous. `Out` arrays need none: all is overwritten."""
        for name, source in initial.items():
            for own, other in zip(_members(self.arrays[name]), _members(source), strict=True):
                self._device.copy(own, other)

    def download(self, names: list[str]) -> dict[str, Any]:
        """Return host copies of some of the arrays and reducers."""
        return {name: self._downloaded(self.arrays[name], self._arguments[name]) for name in names}

    def _downloaded(self, array: Any, original: Any) -> Any:
        if isinstance(array, list):
            return [self._downloaded(a, o) for a, o in zip(array, original, strict=True)]
        host = array.numpy() if isinstance(array, OwnedArray) else self._device.download(array)
        return host.view(original.dtype)


def _members(value: Any) -> list[Any]:
    """Return the arrays of a pack that is a list, or the one array."""
    return value if isinstance(value, list) else [value]
