"""What a target's code generator makes of a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..checks.proved import Proved
from ..ir.programs import Program
from ..runtime.plan import Plan


@dataclass(frozen=True, slots=True)
class Artifact:
    """A compiled program before it is loaded.

    Attributes
    ----------
    plan : Plan
        How it is launched.
    code : bytes
        Object file (CPU), cubin or PTX (CUDA).
    listing : str
        Assembly or PTX, for people.
    imports : list of str
        Symbols that the host provides.
    figures : dict
        Static figures of each kernel (registers, spills, ...), where the target has them.
    inspectors : tuple of Artifact
        Code of the program's inspections, by number.
    """

    plan: Plan
    code: bytes
    listing: str
    imports: list[str]
    figures: dict[str, dict[str, int]]
    inspectors: tuple[Artifact, ...] = ()


Generator: TypeAlias = Callable[[Program, Sequence[tuple[str, Proved]], Mapping[int, str]], Artifact]
"""(program, kernels with their symbols, call number -> symbol) -> artifact."""
