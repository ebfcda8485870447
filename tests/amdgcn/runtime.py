"""A HIP runtime whose device is the emulator: baselines run as they are built, host side included.

For a process of its own: whatever is loaded afterwards takes this library for HIP's.
"""

from __future__ import annotations

import ctypes
import mmap
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from kparity.baselines.toolchain import cpp_compiler
from kparity.compiler.targets.code_object import KernelObject, kernel_objects

from .code_object import CodeObject
from .machine import Machine
from .memory import GUARD, REGION, Fault, Memory

Array = Any
_EMULATED = 64  # regions with addresses of the emulator's own; the host's addresses are far above
_FAILED = 719  # hipErrorLaunchFailure

_Launch = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint32), ctypes.POINTER(ctypes.c_void_p)
)
_Allocate = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)
_Name = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


class HostMemory(Memory):
    """Arrays of the host at their own addresses, beside those of the emulator."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[tuple[int, str, Array, int]] = []  # by address
        self.starts = np.empty(0, np.uint64)

    def hold(self, name: str, array: Array) -> Array:
        """Copy an array into memory that kernels reach; returns the copy, of the same layout.

        The memory is mapped, for Linux maps above the emulator's own addresses; a heap may lie among them.
        """
        packed = array.copy(order="K")
        held = np.frombuffer(mmap.mmap(-1, packed.nbytes // 16 * 16 + 32), np.uint8)
        held[:] = GUARD
        assert held.ctypes.data >> REGION >= _EMULATED
        self.held.append((held.ctypes.data, name, held, packed.nbytes))
        self.held.sort(key=lambda entry: entry[0])
        self.starts = np.array([entry[0] for entry in self.held], np.uint64)
        items = held[: packed.nbytes // max(1, packed.itemsize) * packed.itemsize].view(packed.dtype)
        view = np.lib.stride_tricks.as_strided(items, packed.shape, packed.strides)
        view[...] = packed
        return view

    def _place(self, addresses: Array, size: int, storing: bool) -> tuple[Array, Array]:
        if int(addresses[0]) >> REGION < _EMULATED:
            return super()._place(addresses, size, storing)
        number = int(np.searchsorted(self.starts, addresses[0], "right")) - 1
        if number < 0:
            raise Fault(f"the address {int(addresses[0]):#x} lies in no array")
        start, name, held, length = self.held[number]
        offsets = (addresses - np.uint64(start)).astype(np.int64)
        outside = offsets + size > length
        if outside.any():
            raise Fault(f"{size} bytes at offset {int(offsets[outside][0])} of {name}, which has {length} bytes")
        return held, offsets

    def _by_region(self, addresses: Array) -> list[Array]:
        own = addresses >> np.uint64(REGION)
        found = np.uint64(_EMULATED) + np.searchsorted(self.starts, addresses, "right").astype(np.uint64)
        numbers = np.where(own < _EMULATED, own, found)
        return [np.flatnonzero(numbers == number) for number in np.unique(numbers)]


class Runtime:
    """The emulator as the device of this process.

    Attributes
    ----------
    fault : str
        Why a launch failed; empty if none did.
    launched : dict
        Kernel -> launches.
    """

    def __init__(self, folder: Path) -> None:
        library = _built(folder)
        self.memory = HostMemory()
        self.symbols: dict[int, str] = {}
        self.fault = ""
        self.launched: dict[str, int] = {}
        self.machine: Machine | None = None
        self.objects: dict[str, KernelObject] = {}
        # ctypes keeps no reference to what it calls.
        self._calls: tuple[Callable[..., Any], ...] = (
            _Launch(self._launch), _Allocate(self._allocate), _Name(self._name),
        )  # fmt: skip
        self._table = (ctypes.c_void_p * 3)(*(ctypes.cast(call, ctypes.c_void_p).value for call in self._calls))
        self._library = ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
        self._library.emulated_runtime(self._table)

    def load(self, code: bytes) -> None:
        """Take a baseline's code object: the launches that follow are of its kernels."""
        self.memory.regions.clear()  # of the code object before: there are not addresses for all of them
        self.machine = Machine(CodeObject(code), self.memory, writable=True)
        self.objects = kernel_objects(code)

    def _name(self, kernel: int, symbol: bytes) -> None:
        self.symbols[kernel] = symbol.decode()

    def _allocate(self, size: int) -> int:
        return int(self.memory.hold("allocated memory", np.zeros(max(1, size), np.uint8)).ctypes.data)

    def _launch(self, kernel: int, geometry: Any, arguments: Any) -> int:
        assert self.machine is not None
        symbol = self.symbols[kernel]
        self.launched[symbol] = self.launched.get(symbol, 0) + 1
        block = bytearray()
        for argument, address in zip(self.objects[symbol].arguments, arguments, strict=False):
            block = block.ljust(argument.offset, b"\0") + ctypes.string_at(address, argument.size)
        sizes = [geometry[number] for number in range(6)]
        try:
            self.machine.launch(symbol, tuple(sizes[:3]), tuple(sizes[3:]), bytes(block))
        except Exception as error:  # into C nothing may pass
            self.fault = self.fault or f"{symbol}: {type(error).__name__}: {error}"
            return _FAILED
        return 0


def _built(folder: Path) -> Path:
    """Compile the library under the name and the version that baselines are linked to."""
    script, library = folder / "versions", folder / "libamdhip64.so.5"
    script.write_text("hip_4.2 { global: *; };\n")
    flags = ("-shared", "-fPIC", "-Wl,-soname,libamdhip64.so.5", f"-Wl,--version-script={script}")
    source = Path(__file__).with_suffix(".cpp")
    subprocess.run([cpp_compiler().path, *flags, str(source), "-o", str(library)], check=True, timeout=120)
    return library
