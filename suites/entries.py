"""What discovery finds: the kernels of a suite, usable and broken ones."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, overload

from kparity.compiler import KparityError

from .rajaperf.checksum import checksum
from .rajaperf.fills import Fill
from .spec import Arguments, Spec


class SuiteError(KparityError):
    """A suite, or a kernel asked for by name, that is not there."""


def never_published(full_name: str, size: int, repetitions: int) -> Decimal | None:
    """Return None: what a suite without published results knows of any run."""
    return None


@dataclass(frozen=True, slots=True)
class Entry:
    """A kernel of a suite.

    Attributes
    ----------
    spec : Spec
        What its file says.
    suite : str
        `rajaperf`, or the name of a user's suite.
    group : str
        `Stream`: the folder's name, capitalised.
    path : Path
        The kernel file.
    fill : callable () -> fill
        Makes the source of initial data that `spec.data` is given; a new one for each execution.
    published : callable (full_name, size, repetitions) -> Decimal or None
        The suite's published checksums.
    """

    spec: Spec
    suite: str
    group: str
    path: Path
    fill: Callable[[], Any] = field(default=Fill, repr=False)
    published: Callable[[str, int, int], Decimal | None] = field(default=never_published, repr=False)

    @property
    def full_name(self) -> str:
        """Group and name as RAJAPerf writes them: `Stream_TRIAD`."""
        return f"{self.group}_{self.spec.name}"

    def arguments(self, size: int) -> Arguments:
        """Return fresh initial data of a requested size: a host array or a number for each parameter of the program."""
        return self.spec.data(size, self.fill())

    def checksum(self, arguments: Arguments, repetitions: int = 1) -> Decimal:
        """Return the checksum of host arrays after the last of some repetitions, to 20 digits; NaN if not finite."""
        return checksum(self.spec, arguments, repetitions)

    def expected_checksum(self, size: int, repetitions: int) -> Decimal | None:
        """Return the published checksum at a requested size after `repetitions` from fresh data, or None."""
        return self.published(self.full_name, size, repetitions)


@dataclass(frozen=True, slots=True)
class BrokenKernel:
    """A kernel file that cannot be used; `str` gives `path:line: message`.

    Attributes
    ----------
    path : Path
        The file.
    line : int
        Where the fault is, counted from 1.
    message : str
        What is wrong, what to do.
    """

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class Entries(Sequence[Entry]):
    """The kernels of a suite, by group and file name; also indexed by name (`TRIAD`, `Stream_TRIAD`, in any case).

    Attributes
    ----------
    broken : tuple of BrokenKernel
        Files that could not be used. They do not keep the others from being used.
    """

    def __init__(self, usable: Sequence[Entry], broken: Sequence[BrokenKernel] = ()) -> None:
        self._usable = tuple(usable)
        self.broken = tuple(broken)

    def __len__(self) -> int:
        return len(self._usable)

    @overload
    def __getitem__(self, key: int | str) -> Entry: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Entry]: ...
    def __getitem__(self, key: int | str | slice) -> Entry | Sequence[Entry]:
        """Return by position or by name; raises SuiteError, which offers the nearest names, for an unknown name."""
        if isinstance(key, str):
            return self._named(key)
        return self._usable[key]

    def __repr__(self) -> str:
        return f"<{len(self._usable)} kernels, {len(self.broken)} broken>"

    def _named(self, name: str) -> Entry:
        wanted = name.casefold()
        found = [e for e in self._usable if wanted in (e.full_name.casefold(), e.spec.name.casefold())]
        if len(found) == 1:
            return found[0]
        if found:
            raise SuiteError(f"`{name}` is the name of several kernels: say {' or '.join(e.full_name for e in found)}")
        spellings = {s.casefold(): s for e in self._usable for s in (e.spec.name, e.full_name)}
        near = [spellings[s] for s in difflib.get_close_matches(wanted, spellings, n=3)]
        raise SuiteError(f"no kernel `{name}`" + (f"; did you mean {' or '.join(near)}?" if near else ""))
