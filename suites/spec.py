"""What is measured: the record that a kernel file fills in."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from kparity.compiler import Kernel, Program

Array = npt.NDArray[Any]
Arguments = dict[str, Any]  # parameter name -> array, or number for a scalar


def each(act: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to an array, or to every array of a pack (a list of them); anything else stays what it is."""
    if isinstance(value, list):
        return [each(act, member) for member in value]
    return act(value) if isinstance(value, np.ndarray) else value


def arrays_in(arguments: Mapping[str, Any]) -> dict[str, Array]:
    """Return every array by name; those of a pack that is a list are `x[0]`, `x[1]`, ..."""
    found: dict[str, Array] = {}
    for name, value in arguments.items():
        if isinstance(value, list):
            found |= {f"{name}[{m}]": member for m, member in enumerate(value) if isinstance(member, np.ndarray)}
        elif isinstance(value, np.ndarray):
            found[name] = value
    return found


@dataclass(frozen=True, slots=True)
class Work:
    """What one repetition does, as the suite declares it; a test compares it with a count on the typed program.

    Attributes
    ----------
    bytes_read, bytes_written : int
        Bytes of the elements that are loaded / stored, each element once; a modified element counts in both.
    bytes_atomic : int
        Bytes modified by atomics.
    flops : int
        Floating-point operations, counted as RAJAPerf counts them.
    """

    bytes_read: int
    bytes_written: int
    flops: int
    bytes_atomic: int = 0

    @property
    def bytes_moved(self) -> int:
        """Traffic that a bandwidth is computed from."""
        return self.bytes_read + self.bytes_written + 2 * self.bytes_atomic


@dataclass(frozen=True, slots=True)
class Spec:
    """One benchmark of a suite. The file that defines it as `SPEC` registers it; group and suite follow from its path.

    Attributes
    ----------
    name : str
        As RAJAPerf spells it (`DAXPY`).
    program : Program or Kernel
        The checked computation of one repetition.
    size, repetitions : int
        Defaults.
    data : callable (size, fill) -> dict
        Initial values of every array, reducer (one element) and scalar of `program`, by parameter name; host arrays.
        A pack is one array, its members along the first dimension, or a list of arrays.
    reference : callable (**arguments) -> None
        One repetition in NumPy, in place, written from the mathematics. If it has a parameter `repetition`, it gets the
        number of the repetition, from 0, there.
    checksum : tuple of str
        Arguments that enter the checksum, in order; of a list every array as if it were an argument of its own.
    part : mapping of str to callable (array) -> array
        For those of `checksum` that do not enter as a whole: what of them enters.
    compared : mapping of str to callable (array) -> array
        For arrays that may hold the same result in several ways: what of them must agree with the reference.
    repeated : tuple of str
        Those of `checksum` whose first dimension counts repetitions, each of which does a part of its own: after some
        repetitions only their parts enter.
    scalars : tuple of str
        Those of `checksum` that are reduced scalars (one element): they enter by their magnitude, without a weight.
    tolerance : float
        Relative tolerance of the checksum.
    work : callable (size) -> Work
        Of one repetition at a requested size.
    work_differs : str
        Why a count of what the program does comes to other numbers than `work`, where it does; else empty.
    actual_size : callable (size) -> int
        What the suite reports for a requested size.
    features : tuple of str
        RAJAPerf's feature names (`Forall`, `Kernel`, `Reduction`, ...).
    random : callable (size, rng) -> dict, optional
        Arguments for the element-wise test; by default `data` with every float array and 32-bit array replaced by
        seeded noise.
    rtol : float
        Relative tolerance of the element-wise comparison with `reference`, relative to the largest magnitude of the
        terms.

    Raises
    ------
    ValueError
        A field that no kernel can have, named in the message.
    """

    name: str
    program: Program | Kernel
    size: int
    repetitions: int
    data: Callable[[int, Any], Arguments]
    reference: Callable[..., None]
    checksum: tuple[str, ...]
    tolerance: float
    work: Callable[[int], Work]
    actual_size: Callable[[int], int] = field(default=lambda size: size)
    features: tuple[str, ...] = ()
    random: Callable[[int, np.random.Generator], Mapping[str, Any]] | None = None
    rtol: float = 1e-12
    scalars: tuple[str, ...] = ()
    part: Mapping[str, Callable[[Array], Array]] = field(default_factory=dict)
    compared: Mapping[str, Callable[[Array], Array]] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()
    work_differs: str = ""

    def result(self, name: str, array: Array) -> Array:
        """Return what of an array must agree with the reference: all of it, unless `compared` says otherwise."""
        return np.asarray(self.compared[name](array)) if name in self.compared else array

    def repeat(self, arguments: Mapping[str, Any], repetitions: int, first: int = 0) -> None:
        """Run the reference on host arrays, in place, for the repetitions `first`, `first + 1`, ..."""
        is_numbered = "repetition" in inspect.signature(self.reference).parameters
        for repetition in range(first, first + repetitions):
            number = {"repetition": repetition} if is_numbered else {}
            self.reference(**arguments, **number)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_]+", self.name):
            raise ValueError(f"name: {self.name!r} is not made of letters, digits and underscores")
        names: tuple[object, ...] = (self.checksum, self.scalars, self.repeated)
        if any(isinstance(tuple_, str) for tuple_ in names):
            raise ValueError('checksum, scalars, repeated: a tuple of names; one of a single name is written `("x",)`')
        if stray := [name for name in self.scalars if name not in self.checksum]:
            raise ValueError(f"scalars: {', '.join(stray)} not in checksum")
        if stray := [name for name in self.repeated if name not in self.checksum]:
            raise ValueError(f"repeated: {', '.join(stray)} not in checksum")
        if stray := [name for name in self.part if name not in self.checksum]:
            raise ValueError(f"part: {', '.join(stray)} not in checksum")
        if self.size < 1 or self.repetitions < 1:
            raise ValueError("size, repetitions: at least 1")
        if not (self.tolerance >= 0.0 and self.rtol >= 0.0):
            raise ValueError("tolerance, rtol: not negative")
