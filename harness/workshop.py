"""Where a process gets kernels, devices and executables; each is made once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from kparity.baselines import Baseline, build
from kparity.compiler import Compiled, Executable, Manifest, compile_program, device_of, manifest_of
from kparity.suites import Entries, Entry, entries

from .records import Cell


class SuiteWorkshop:
    """The kernels of one suite, compiled on demand.

    Parameters
    ----------
    suite : str
        Name, or path of a folder.
    is_self_test : bool
        Whether the checked program stands in place of the C++ baseline, too.
    """

    def __init__(self, suite: str, *, is_self_test: bool = False) -> None:
        self._suite = suite
        self.is_self_test = is_self_test
        self._devices: dict[str, Any] = {}
        self._checked: dict[tuple[str, str], Compiled] = {}
        self._baselines: dict[tuple[str, str], Baseline] = {}

    @cached_property
    def entries(self) -> Entries:
        """The suite's kernels."""
        return entries(self._suite)

    def entry(self, kernel: str) -> Entry:
        """Return a kernel by its full name; raises SuiteError if its file is gone or broken."""
        return self.entries[kernel]

    def device(self, target: str) -> Any:
        """Return the device of a target, one a process."""
        if target not in self._devices:
            self._devices[target] = device_of(target)
        return self._devices[target]

    def executable(self, cell: Cell) -> Executable:
        """Return what a cell runs; raises CompileError, BuildError or TargetUnavailable with the reason."""
        if cell.variant == "checked" or self.is_self_test:
            return self.checked(cell.kernel, cell.target)
        return self.baseline(cell.kernel, build_target(cell)).executable(cell.tuning)

    def checked(self, kernel: str, target: str) -> Compiled:
        """Compile a checked program for a target."""
        key = (kernel, target)
        if key not in self._checked:
            self._checked[key] = compile_program(self.entry(kernel).spec.program, target)
        return self._checked[key]

    def baseline(self, kernel: str, target: str) -> Baseline:
        """Build the native side of a kernel for a target."""
        key = (kernel, target)
        if key not in self._baselines:
            self._baselines[key] = self.build(kernel, target, self.manifest(kernel))
        return self._baselines[key]

    def build(self, kernel: str, target: str, manifest: Manifest) -> Baseline:
        """Build the native side against a manifest; for threads, which must not compile checked programs."""
        return build(self.entry(kernel).path, manifest, target)

    def manifest(self, kernel: str) -> Manifest:
        """Return the argument block that both sides receive; there is one even for a kernel that the checks refuse."""
        return manifest_of(self.entry(kernel).spec.program)


def build_target(cell: Cell) -> str:
    """Return what a native cell is built for: its target, or the HIP text of its source for that target."""
    return cell.variant if cell.variant == "hip_on_cuda" else cell.target
