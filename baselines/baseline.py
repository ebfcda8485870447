"""A compiled baseline: a shared library whose entry points launch from native code."""

from __future__ import annotations

import ctypes
import os
import tempfile
from functools import cached_property
from pathlib import Path

from kparity.compiler import Executable, KparityError, Manifest, NativeProgram, kernel_objects

from .code_objects import MAGICS, code_objects
from .process import run
from .recipe import TEXT, Recipe
from .resources import Resources, readable_name, resources
from .toolchain import Compiler

TEXT_SECONDS = 300.0


class Baseline:
    """The native side of one kernel on one target.

    Attributes
    ----------
    library : Path
        The shared object, in the cache.
    log : str
        What the compiler said.
    seconds : float
        What compiling took, when it was done.
    """

    def __init__(self, recipe: Recipe, library: Path, log: str, seconds: float) -> None:
        self._recipe = recipe
        self.library = library
        self.log = log
        self.seconds = seconds

    def __repr__(self) -> str:
        return f"Baseline({self.kernel}, {self.target}, {self.compiler})"

    @property
    def kernel(self) -> str:
        """Stem of the source file."""
        return self._recipe.name

    @property
    def target(self) -> str:
        """`cpu1`, `cpu`, `cuda`, `hip` or `hip_on_cuda`."""
        return self._recipe.target

    @property
    def manifest(self) -> Manifest:
        """Layout of the argument block, checked when the source was compiled."""
        return self._recipe.manifest

    @property
    def compiler(self) -> Compiler:
        """What compiled it."""
        return self._recipe.compiler

    @property
    def flags(self) -> tuple[str, ...]:
        """What it was compiled with, include paths left out."""
        return self._recipe.flags

    @property
    def source(self) -> str:
        """The C++ text."""
        return self._recipe.source.read_text(encoding="utf-8")

    @cached_property
    def tunings(self) -> tuple[str, ...]:
        """Ways to run it, the default first."""
        name = self._loaded.kp_tunings
        name.restype = ctypes.c_char_p
        return tuple(name().decode().split())

    def address(self, tuning: str = "default") -> int:
        """Return the address of a tuning's `run` (architecture, "The argument block"); `default` is the first tuning.

        Raises
        ------
        KparityError
            The baseline has no such tuning.
        """
        chosen = self.tunings[0] if tuning == "default" else tuning
        if chosen not in self.tunings:
            choice = " or ".join(self.tunings)
            raise KparityError(f"{self.kernel} has no tuning `{tuning}` for {self.target}: choose {choice}")
        return ctypes.cast(getattr(self._loaded, f"kp_run_{chosen}"), ctypes.c_void_p).value or 0

    def executable(self, tuning: str = "default") -> Executable:
        """Return a tuning in the form that compiled checked programs have.

        Raises
        ------
        KparityError
            The baseline has no such tuning, or its library cannot be loaded.
        """
        target = "cuda" if self.target == "hip_on_cuda" else self.target
        return NativeProgram(self.manifest, target, self.address(tuning), self._loaded)

    @cached_property
    def resources(self) -> dict[str, Resources]:
        """GPU kernel -> registers, spills, shared memory; empty on the CPU."""
        return resources(self.log)

    @cached_property
    def figures(self) -> dict[str, dict[str, int]]:
        """GPU kernel -> its figures, by the names that a checked kernel's have; empty on the CPU."""
        found = {
            readable_name(symbol): kernel.figures
            for code in self.code_objects.values()
            for symbol, kernel in kernel_objects(code).items()
        }
        for kernel, used in self.resources.items():
            found[kernel] = {
                "registers": used.registers, "spill_bytes": used.spill_stores + used.spill_loads,
                "private_bytes": used.stack, "shared_bytes": used.shared,
            }  # fmt: skip
        return found

    @cached_property
    def code_objects(self) -> dict[str, bytes]:
        """AMD's architectures -> ELF file of the device code; empty for other targets."""
        raw = self.library.read_bytes() if self.target == "hip" else b""
        return code_objects(raw) if any(magic in raw for magic in MAGICS) else {}  # messages alone have no kernel

    @cached_property
    def code(self) -> str:
        """The generated code: assembly of the CPU's, PTX or GCN of the GPU's.

        Raises
        ------
        KparityError
            The compiler that made the library is no longer there, or fails.
        """
        kept = self.library.with_suffix(".s")
        if not kept.is_file():
            self._write_code(kept)
        return kept.read_text(encoding="utf-8")

    def _write_code(self, kept: Path) -> None:
        folder = kept.parent
        with tempfile.TemporaryDirectory(dir=folder) as place:
            made = Path(place) / kept.name
            finished = run(self._recipe.command(folder, made, *TEXT[self.target]), TEXT_SECONDS)
            if finished.status != 0:
                raise KparityError(f"{self.compiler} shows no code for {self._recipe.source}:\n{finished.output}")
            os.replace(made, kept)

    @cached_property
    def _loaded(self) -> ctypes.CDLL:
        try:
            return ctypes.CDLL(str(self.library), mode=ctypes.RTLD_LOCAL)
        except OSError as error:
            remedy = f"delete {self.library.parent} and build again"
            raise KparityError(f"{self.library} cannot be loaded ({error}): {remedy}") from error
