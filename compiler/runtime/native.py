"""Launch foreign native code that follows a program's argument struct: the C++ baselines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import DeviceError
from .binding import Arguments, accept
from .device_errors import device_error
from .exchange import exchange_of
from .manifest import WITHOUT_RESULTS, Manifest
from .plan import plan_of_manifest
from .results import Result, Results, read_result
from .runners import DRIVERS, LOST_RESULTS, RUN


class NativeBound:
    """A native program with its packed argument struct."""

    def __init__(self, manifest: Manifest, address: int, arguments: Arguments, gpu: str) -> None:
        self._manifest, self._arguments = manifest, arguments
        self._results = Results(manifest) if gpu and manifest.returned else None
        values: dict[str, Any] = {**arguments.addresses, **arguments.values, **arguments.blobs}
        values["results"] = self._results.host if self._results else 0
        self._exchange = exchange_of(manifest, arguments, gpu)
        values["exchange"] = self._exchange.address if self._exchange else 0
        self._block = manifest.pack(values)
        self._run = RUN(address)

    def run(self, repetitions: int = 1, *, first: int = 0, stream: int = 0, bring_back: bool = True) -> None:
        """Launch; see `Bound.run`."""
        status = self._run(self._block, first, repetitions, stream or None, 0 if bring_back else WITHOUT_RESULTS)
        if status == LOST_RESULTS:
            raise DeviceError(f"the baseline of `{self._manifest.program}` finished without delivering its results")
        if status:
            raise device_error(status, "an error", f"running the baseline of `{self._manifest.program}`")

    inspection_seconds = 0.0

    def results(self) -> dict[str, Result]:
        """Return the reduced scalars."""
        if self._results is not None:
            return self._results.values()
        return {n: read_result(self._manifest[n], self._arguments.views[n].address) for n in self._manifest.returned}


class NativeProgram:
    """Native code behind the entry point that docs/architecture.md describes.

    Parameters
    ----------
    manifest : Manifest
        Of the checked program that it stands beside.
    target : {"cpu1", "cpu", "cuda", "hip"}
        Where it runs.
    address : int
        Of `run`.
    keep : object
        Whatever must live as long as the code (the loaded library).
    """

    def __init__(self, manifest: Manifest, target: str, address: int, keep: object) -> None:
        self.manifest = manifest
        self.target = target
        self._address, self._keep = address, keep
        self._plan = plan_of_manifest(manifest)

    def bind(self, arguments: Mapping[str, Any]) -> NativeBound:
        """Check the arguments and pack the struct; raises LaunchError."""
        gpu = self.target if self.target in DRIVERS else ""
        accepted = accept(self._plan, arguments, on_gpu=bool(gpu), target=self.target)
        return NativeBound(self.manifest, self._address, accepted, gpu)
