"""Arrays that kparity owns: who borrows them, whether they are still there, and their copies.

Everything that moves or changes such an array goes through the few methods below: host borrows, launches, explicit
transfers. So an inspection holds for a version, and no copy is made twice.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np

from ..errors import LaunchError
from ..ir.types import SCALARS
from . import refusals
from .alive import arrays, caller
from .device_errors import device_errors
from .devices import aligned
from .foreign import lies_on_gpu
from .memories import Copy, Memory, Stream, Use, leave, memory_at, place_here, place_named
from .residence import HOST, Copying, Place, Residence, Rows

_serials = itertools.count()


class OwnedArray:
    """An array with a version, in the host's memory, in that of GPUs, or in several.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    version : int
        Counts the times that its contents may have changed.
    frozen : bool
        Whether its contents never change.
    made_at : str
        `file:line` of the user's code that made it.
    """

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._copies: dict[Place, Copy] = {}
        self.shape, self.dtype = shape, dtype
        self.version = 0
        self.frozen = False
        self._serial = next(_serials)
        self._residence = Residence(shape[0] if shape else 1)
        self._readers = 0
        self._is_written = False
        self._gone = ""
        self.made_at = caller()
        arrays.add(self)

    def __repr__(self) -> str:
        where = self._gone or " and ".join(sorted(self.places)) or "not written yet"
        return f"<owned array {self.dtype}{list(self.shape)}, version {self.version}, {where}>"

    @property
    def identity(self) -> tuple[int, int]:
        """What an inspection's verdict is about: equal identity, equal contents."""
        return self._serial, self.version

    @property
    def form(self) -> tuple[int, Place, bool]:
        """What decides where a launch runs and which memory it is given: equal form, equal addresses."""
        on_gpu = self.is_on_gpu and "cupy" in sys.modules
        return self._serial, place_here(on_gpu), self.frozen

    @property
    def nbytes(self) -> int:
        """Size of one copy."""
        return prod(self.shape) * self.dtype.itemsize

    @property
    def places(self) -> frozenset[Place]:
        """Where all of the newest version is: `host`, `gpu:0`, ...; nowhere before it is written."""
        return frozenset() if self._gone else self._residence.places

    @property
    def held(self) -> set[Place]:
        """Where it has memory, whatever that holds."""
        return set(self._copies)

    # -- host borrows -------------------------------------------------------------------------------------------------

    @contextmanager
    def read(self, rows: Rows | None = None) -> Iterator[np.ndarray[Any, Any]]:
        """Borrow the contents on the host, shared: `with a.read() as v`.

        Parameters
        ----------
        rows : (int, int), optional
            First of the positions along the first dimension, and the one behind the last; no others are copied.

        Yields
        ------
        numpy.ndarray
            Read-only; to be used inside the block only.

        Raises
        ------
        LaunchError
            The array was moved or freed, is borrowed exclusively, holds nothing yet, or has no such rows.
        """
        rows = self._checked(rows)
        self.check("this array", "Ref", rows)
        self._lend("Ref", HOST, rows, None)
        memory = self._copies[HOST].data
        self._readers += 1
        view = memory[rows[0] : rows[1]] if self.shape else memory.view()
        view.flags.writeable = False
        try:
            yield view
        finally:
            self._readers -= 1

    @contextmanager
    def write(self, rows: Rows | None = None) -> Iterator[np.ndarray[Any, Any]]:
        """Borrow the contents on the host, exclusively: `with a.write() as v`; makes a new version.

        Parameters
        ----------
        rows : (int, int), optional
            As for `read`; the others stay newest where they are.

        Yields
        ------
        numpy.ndarray
            To be used inside the block only; it is read-only afterwards.

        Raises
        ------
        LaunchError
            The array was moved or freed, is frozen, is borrowed, or has no such rows.
        """
        rows = self._checked(rows)
        access = "Mut" if self._residence.holds(rows) else "Out"
        self.check("this array", access, rows)
        self._lend(access, HOST, rows, None)
        memory = self._copies[HOST].data
        self._is_written = True
        part = memory[rows[0] : rows[1]] if self.shape else memory.view()
        view = _staged(part, access) if self._may_index else part
        try:
            yield view
        finally:
            view.flags.writeable = False
            self._is_written = False
            if self._may_index:
                part[...] = view

    def _checked(self, rows: Rows | None) -> Rows:
        whole = self._residence.rows
        if rows is None:
            return whole
        low, high = rows
        if not 0 <= low <= high <= whole[1]:
            raise refusals.no_such_rows("this array", rows, whole[1])
        return low, high

    @property
    def _may_index(self) -> bool:
        return self.dtype.kind in "iub"

    @property
    def has_versions(self) -> bool:
        """Whether equal identity means equal contents: nothing but this class reaches the memory."""
        return self.frozen or self._may_index

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return a copy of the contents on the host."""
        with self.read() as view:
            return np.array(view)

    def into_numpy(self) -> np.ndarray[Any, Any]:
        """Give the memory away, as an array of NumPy: nothing is copied but what only a GPU has.

        Returns
        -------
        numpy.ndarray
            The memory itself; every later use of the owned array is refused. `torch.from_numpy` and
            `jax.dlpack.from_dlpack` take it on without a copy.

        Raises
        ------
        LaunchError
            The array was moved or freed, is borrowed, or holds nothing yet.
        """
        memory: np.ndarray[Any, Any] = self._given_away(HOST, None)
        return memory

    def into_cupy(self) -> Any:
        """Give the memory away, as an array of CuPy on the current stream: see `into_numpy`."""
        import cupy

        place = place_here(on_gpu=True)
        return self._given_away(place, Stream(memory_at(place), int(cupy.cuda.get_current_stream().ptr)))

    def _given_away(self, place: Place, stream: Stream | None) -> Any:
        self.check("this array", "Free")
        self.check("this array", "Ref")
        self._lend("Mut", place, self._residence.rows, stream)
        memory = self._copies.pop(place).data
        self._let_go(f"given away at {caller()}")
        return memory

    # -- explicit moves -----------------------------------------------------------------------------------------------

    def to_device(self) -> OwnedArray:
        """Bring the newest version to the current GPU, if it is not there; returns the array."""
        return self.prefetch("cuda")  # or "hip": this process sees GPUs of one vendor

    def to_host(self) -> OwnedArray:
        """Bring the newest version to the host, if it is not there; returns the array."""
        return self.prefetch("cpu")

    def prefetch(self, target: str, stream: int | None = None) -> OwnedArray:
        """Bring the newest version to where a target needs it; returns the array.

        Parameters
        ----------
        target : str
            A target's name, or a GPU by its number: `gpu:1`.
        stream : int, optional
            Of the GPU, to copy on. Without one a copy to a GPU overlaps with what runs there, and the next launch that
            takes the array waits for it.
        """
        self.check("this array", "Ref")
        place = place_named(target)
        on = None if stream is None or place == HOST else Stream(memory_at(place), stream)
        self._bring("Ref", place, self._residence.rows, on)
        if place == HOST:
            self._copies[HOST].use(None, "Ref")
        return self

    def free(self) -> None:
        """Give the memory back, once no launch uses it; every later use is refused."""
        self.check("this array", "Free")
        self._let_go(f"freed at {caller()}")

    def __del__(self) -> None:
        if not sys.is_finalizing():
            self._settle()

    def _settle(self) -> None:
        """Wait for what is in flight: CuPy's pool orders what it hands on by the stream of the allocation alone."""
        for copy in self._copies.values():
            if copy.is_in_flight:
                copy.use(None, "Mut")

    def _let_go(self, how: str) -> None:
        self._settle()
        self._gone, self._copies = how, {}

    # -- launches -----------------------------------------------------------------------------------------------------

    @property
    def is_on_gpu(self) -> bool:
        """Whether only GPUs have the newest version, so that a launch there needs the least copying."""
        return bool(self.places) and HOST not in self.places

    def memory(self, name: str, place: Place) -> Any:
        """Return the memory in one place, whatever it holds; its address never changes."""
        self._check_alive(name)
        return self._copy(place).data

    def _copy(self, place: Place) -> Copy:
        if place not in self._copies:
            with device_errors(f"{self.nbytes:,} bytes for {self.dtype}{list(self.shape)} on {place}"):
                self._copies[place] = Copy(memory_at(place), self.shape, self.dtype)
        return self._copies[place]

    def check(self, name: str, access: str, rows: Rows | None = None) -> None:
        """Raise LaunchError unless the array can be borrowed this way now."""
        self._check_alive(name)
        if self._is_written or (self._readers and access != "Ref"):
            raise refusals.borrowed(name, access, "write" if self._is_written else "read")
        if self.frozen and access not in ("Ref", "Free"):
            raise refusals.read_only(name, access)
        if access not in ("Out", "Free") and not self._residence.holds(rows or self._residence.rows):
            raise refusals.holds_nothing(name, access)

    def _check_alive(self, name: str) -> None:
        if self._gone:
            raise refusals.gone(name, self._gone)

    def lend(self, access: str, memory: Memory, stream: int) -> Use | None:
        """Make one memory ready for a launch that `check` allowed, note what becomes of it, and return its use."""
        on = None if memory.place == HOST else Stream(memory, stream)
        return self._lend(access, memory.place, self._residence.rows, on)

    def _lend(self, access: str, place: Place, rows: Rows, stream: Stream | None) -> Use | None:
        """Bring what a borrow needs, and order it behind what it conflicts with."""
        self._bring(access, place, rows)
        if access != "Ref":
            self.version += 1
        return self._copies[place].use(stream, access)

    def _bring(self, access: str, place: Place, rows: Rows, on: Stream | None = None) -> None:
        self._copy(place)
        for copying in self._residence.needed(place, rows, access):
            self._transfer(copying, on)
        self._residence.borrow(place, rows, access)

    def _transfer(self, copying: Copying, on: Stream | None) -> None:
        """Copy rows, on a stream of the GPU that they go to, or else come from."""
        source, target = self._copies[copying.source], self._copies[copying.target]
        memory = source.memory if copying.target == HOST else target.memory
        if HOST in (copying.source, copying.target):
            self._copies[HOST].moves(memory)
        stream = on or Stream(memory, memory.copier)
        uses = source.use(stream, "Ref"), target.use(stream, "Mut")
        row = self.nbytes // max(1, self._residence.rows[1])
        start, end = (row * r for r in copying.rows)
        with device_errors(f"copying {end - start:,} bytes from {copying.source} to {copying.target}"):
            memory.copy(target.address + start, source.address + start, end - start, stream.address)
            leave(memory.mark(stream.address), uses)


def _staged(part: np.ndarray[Any, Any], access: str) -> np.ndarray[Any, Any]:
    """Return a copy to write to: a slice kept beyond the block would change a list that was inspected."""
    staged = aligned(part.shape, part.dtype)
    if access != "Out":
        staged[...] = part
    return staged


def _dtype(type_: Any) -> np.dtype[Any]:
    if isinstance(type_, np.dtype):
        return type_
    scalar = SCALARS.get(getattr(type_, "name", type_))
    if scalar is None:
        plain: np.dtype[Any] = np.dtype(type_)
        return plain
    kind = "f" if scalar.is_float else "i" if scalar.is_signed else "u"
    return np.dtype(f"{kind}{scalar.bytes}") if scalar.bits > 1 else np.dtype(bool)


def empty(shape: int | tuple[int, ...], dtype: Any = "f64") -> OwnedArray:
    """Return an owned array that holds nothing yet: it must be written before it can be read.

    Parameters
    ----------
    dtype : str, scalar type or numpy.dtype
        A type of the kernel language (`f64`, `i32`, ...) or of NumPy.
    """
    return OwnedArray((shape,) if isinstance(shape, int) else tuple(shape), _dtype(dtype))


def zeros(shape: int | tuple[int, ...], dtype: Any = "f64") -> OwnedArray:
    """Return an owned array of zeros, on the host."""
    made = empty(shape, dtype)
    with made.write() as view:
        view[...] = np.zeros((), made.dtype)
    return made


def array(values: Any, dtype: Any = None) -> OwnedArray:
    """Return an owned copy of an array, a list or a number; on the GPU if the array is there, else on the host."""
    if isinstance(values, OwnedArray):
        values = values.numpy()
    if lies_on_gpu(values):
        import cupy

        source = cupy.asarray(values)
        made = empty(source.shape, source.dtype if dtype is None else dtype)
        place = place_here(on_gpu=True)
        made.memory("this array", place)[...] = source
        # The caller may free or overwrite the source next, on any stream: the copy is finished when it is handed out.
        cupy.cuda.get_current_stream().synchronize()
        made._residence.borrow(place, made._residence.rows, "Out")
        made.version += 1
        return made
    host = np.asarray(values, None if dtype is None else _dtype(dtype))
    made = empty(host.shape, host.dtype)
    with made.write() as view:
        view[...] = host
    return made


def freeze(values: Any) -> OwnedArray:
    """Return a copy that never changes: a kernel's index array is inspected once, not at each launch."""
    made = array(values)
    made.frozen = True
    return made


def move(owned: OwnedArray) -> OwnedArray:
    """Hand an owned array on: the result owns the memory, and every later use of the argument is refused.

    Raises
    ------
    LaunchError
        It was moved or freed before, or is borrowed.
    """
    if not isinstance(owned, OwnedArray):
        raise LaunchError(f"only owned arrays move, not a {type(owned).__name__}: make one with `array(...)`")
    owned.check("this array", "Free")
    taken = OwnedArray(owned.shape, owned.dtype)
    taken.version, taken.frozen = owned.version, owned.frozen
    taken._copies, taken._residence = owned._copies, owned._residence
    taken._serial, taken.made_at = owned._serial, owned.made_at  # an inspection of its contents still holds
    owned._gone, owned._copies = f"moved at {caller()}", {}
    return taken
