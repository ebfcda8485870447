"""Arrays that kparity owns: where the newest version lives, who borrows it, and whether it is still there.

Everything that moves or changes such an array goes through the few methods below: host borrows, launches, explicit
transfers. So an inspection holds for a version, and no copy is made twice.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np

from ..errors import LaunchError
from ..ir.types import SCALARS
from . import refusals
from .devices import aligned
from .foreign import lies_on_gpu
from .streams import stream_at, wait_for

Side = Literal["host", "device"]
_serials = itertools.count()


class OwnedArray:
    """An array with a version, on the host, on the GPU, or on both.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    version : int
        Counts the times that its contents may have changed.
    frozen : bool
        Whether its contents never change.
    """

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype = shape, dtype
        self.version = 0
        self.frozen = False
        self._serial = next(_serials)
        self._memory: dict[Side, Any] = {}
        self._valid: set[Side] = set()  # where the newest version is; nowhere: nothing was written yet
        self._readers = 0
        self._is_written = False
        self._stream: int | None = None  # of the last launch that used it on the GPU
        self._gone = ""

    def __repr__(self) -> str:
        where = self._gone or " and ".join(sorted(self._valid)) or "not written yet"
        return f"<owned array {self.dtype}{list(self.shape)}, version {self.version}, {where}>"

    @property
    def identity(self) -> tuple[int, int]:
        """What an inspection's verdict is about: equal identity, equal contents."""
        return self._serial, self.version

    # -- host borrows -------------------------------------------------------------------------------------------------

    @contextmanager
    def read(self) -> Iterator[np.ndarray[Any, Any]]:
        """Borrow the contents on the host, shared: `with a.read() as v`.

        Yields
        ------
        numpy.ndarray
            Read-only; to be used inside the block only.

        Raises
        ------
        LaunchError
            The array was moved or freed, is borrowed exclusively, or holds nothing yet.
        """
        self.check("this array", "Ref")
        self._bring("host")
        self._readers += 1
        view = self._memory["host"].view()
        view.flags.writeable = False
        try:
            yield view
        finally:
            self._readers -= 1

    @contextmanager
    def write(self) -> Iterator[np.ndarray[Any, Any]]:
        """Borrow the contents on the host, exclusively: `with a.write() as v`; makes a new version.

        Yields
        ------
        numpy.ndarray
            To be used inside the block only; it is read-only afterwards.

        Raises
        ------
        LaunchError
            The array was moved or freed, is frozen, or is borrowed.
        """
        self.check("this array", "Mut" if self._valid else "Out")
        self._bring("host", fresh=not self._valid)
        self._is_written = True
        memory = self._memory["host"]
        view = self._staged() if self._may_index else memory.view()
        try:
            yield view
        finally:
            view.flags.writeable = False
            self._is_written = False
            if self._may_index:
                memory[...] = view
            self._changed("host")

    @property
    def _may_index(self) -> bool:
        return self.dtype.kind in "iub"

    @property
    def has_versions(self) -> bool:
        """Whether equal identity means equal contents: nothing but this class reaches the memory."""
        return self.frozen or self._may_index

    def _staged(self) -> np.ndarray[Any, Any]:
        """Return a copy to write to: a slice kept beyond the block would change a list that was inspected."""
        staged = aligned(self.shape, self.dtype)
        if self._valid:
            staged[...] = self._memory["host"]
        return staged

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return a copy of the contents on the host."""
        with self.read() as view:
            return np.array(view)

    def into_numpy(self) -> np.ndarray[Any, Any]:
        """Give the memory away, as an array of NumPy: nothing is copied but what only the GPU has.

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
        memory: np.ndarray[Any, Any] = self._given_away("host", 0)
        return memory

    def into_cupy(self) -> Any:
        """Give the memory away, as an array of CuPy on the current stream: see `into_numpy`."""
        import cupy

        return self._given_away("device", int(cupy.cuda.get_current_stream().ptr))

    def _given_away(self, side: Side, stream: int) -> Any:
        self.check("this array", "Free")
        self.check("this array", "Ref")
        self._bring(side, stream)
        memory = self._memory[side]
        self._let_go(f"given away at {_caller()}")
        return memory

    # -- explicit moves -----------------------------------------------------------------------------------------------

    def to_device(self) -> OwnedArray:
        """Bring the newest version to the GPU, if it is not there; returns the array."""
        return self.prefetch("cuda")  # or "hip": this process sees GPUs of one vendor

    def to_host(self) -> OwnedArray:
        """Bring the newest version to the host, if it is not there; returns the array."""
        return self.prefetch("cpu")

    def prefetch(self, target: str, stream: int = 0) -> OwnedArray:
        """Bring the newest version to where a target needs it, on a stream of the GPU; returns the array."""
        self.check("this array", "Ref")
        self._bring("device" if target in ("cuda", "hip") else "host", stream)
        return self

    def free(self) -> None:
        """Give the memory back; every later use is refused."""
        self.check("this array", "Free")
        if self._stream is not None:
            wait_for(self._stream)
            self._stream = None
        self._let_go(f"freed at {_caller()}")

    def __del__(self) -> None:
        # CuPy's pool orders what it hands on by the stream of the allocation, not by that of the launch.
        if self._stream is not None and "device" in self._memory and "cupy" in sys.modules:
            wait_for(self._stream)

    def _let_go(self, how: str) -> None:
        self._gone, self._memory, self._valid = how, {}, set()

    # -- launches -----------------------------------------------------------------------------------------------------

    @property
    def side(self) -> Side:
        """Where a launch finds the newest version with the least copying."""
        return "device" if self._valid == {"device"} else "host"

    def memory(self, name: str, on_gpu: bool) -> Any:
        """Return the memory on one side, whatever it holds; its place never changes."""
        self._check_alive(name)
        side: Side = "device" if on_gpu else "host"
        if side not in self._memory:
            if side == "device":
                import cupy

                self._memory[side] = cupy.empty(self.shape, self.dtype)
            else:
                self._memory[side] = aligned(self.shape, self.dtype)
        return self._memory[side]

    def check(self, name: str, access: str) -> None:
        """Raise LaunchError unless the array can be borrowed this way now."""
        self._check_alive(name)
        if self._is_written or (self._readers and access != "Ref"):
            raise refusals.borrowed(name, access, "write" if self._is_written else "read")
        if self.frozen and access not in ("Ref", "Free"):
            raise refusals.read_only(name, access)
        if not self._valid and access not in ("Out", "Free"):
            raise refusals.holds_nothing(name, access)

    def _check_alive(self, name: str) -> None:
        if self._gone:
            raise refusals.gone(name, self._gone)

    def lend(self, access: str, on_gpu: bool, stream: int) -> None:
        """Make the memory of one side ready for a launch that `check` allowed, and note what becomes of it."""
        side: Side = "device" if on_gpu else "host"
        self._bring(side, stream, fresh=access == "Out")
        if access != "Ref":
            self._changed(side)
        if on_gpu:
            self._stream = stream

    def _changed(self, side: Side) -> None:
        self._valid = {side}
        self.version += 1

    def _bring(self, side: Side, stream: int = 0, *, fresh: bool = False) -> None:
        """Have the newest version on a side; `fresh`: what it held does not matter."""
        memory = self.memory("this array", side == "device")
        if self._stream is not None and (side == "host" or stream != self._stream):
            wait_for(self._stream)
            self._stream = None
        if side in self._valid or fresh:
            return
        if side == "device":
            with stream_at(stream):
                memory.set(self._memory["host"])
            self._stream = stream
        else:
            host = memory
            host[...] = self._memory["device"].get()
        self._valid.add(side)


def _caller() -> str:
    """Return where the user's code called, as `file:line`."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


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
        made.memory("this array", True)[...] = source
        # The caller may free or overwrite the source next, on any stream: the copy is finished when it is handed out.
        cupy.cuda.get_current_stream().synchronize()
        made._changed("device")
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
    taken.version, taken.frozen, taken._stream = owned.version, owned.frozen, owned._stream
    taken._memory, taken._valid = owned._memory, owned._valid
    taken._serial = owned._serial  # an inspection of its contents still holds
    owned._let_go(f"moved at {_caller()}")
    return taken
