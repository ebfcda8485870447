"""An emulated AMD GPU below the product's runtime: only CuPy's build for ROCm and HIP's driver are stand-ins.

The launch plan, the choice of a version, its geometry, the argument blocks, the native launch loop and the blocks
through which scalars and faults come back are the product's; each launch of the loop ends in the emulator.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kparity.compiler import Kernel, Program
from kparity.compiler.compile import generated
from kparity.compiler.runtime import cuda_runtime, exchange, runners
from kparity.compiler.runtime.hip_runtime import HipExecutable
from kparity.compiler.targets import code_object
from kparity.compiler.targets.artifact import Artifact

from ..compiler.interpreter import each
from .code_object import CodeObject
from .machine import Machine, Stopped
from .memory import REGION, Memory
from .wave import Unsupported

MULTIPROCESSORS = 2
GROUP_BYTES = 65536  # of LDS
FAILED = 719  # hipErrorLaunchFailure
_LAUNCH = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_uint64, *[ctypes.c_uint32] * 7, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)
_QUERY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
_COPY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int64, ctypes.c_void_p)


@functools.cache
def artifact(program: Kernel | Program, processor: str) -> Artifact:
    """Code of a program for a processor; raises TargetUnavailable without lld or ocml."""
    return generated(program, f"hip:{processor}")


class Device:
    """Compiles programs for an AMD GPU and runs them in the emulator.

    Attributes
    ----------
    launched : list of str
        Kernels in the order of their launches.
    only : str or None
        Suffix of the one version to launch, instead of the first that fits.
    executed : dict of str to int
        How often each instruction ran.
    """

    def __init__(self, processor: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.processor, self.memory = processor, Memory()
        self.launched: list[str] = []
        self.only: str | None = None
        self.executed: dict[str, int] = {}
        self.failure = ""
        self.managed = False  # whether arrays lie in memory that moves between host and device
        self._functions: list[tuple[Machine, str, code_object.KernelObject]] = []
        self._pinned: dict[int, tuple[int, int]] = {}  # by its host address: bytes, and the device's address
        self._callbacks = [_LAUNCH(self._launch), _QUERY(lambda stream: 0), _COPY(self._copy)]
        launch, query, copy = (ctypes.cast(c, ctypes.c_void_p).value or 0 for c in self._callbacks)
        driver = runners.DRIVERS["hip"]
        runner = runners._load(driver.loop, dict(zip(driver.functions, (launch, query), strict=True)))
        monkeypatch.setitem(sys.modules, "cupy", self._cupy())
        monkeypatch.setattr(cuda_runtime, "gpu_runner", lambda target: (runner, runner.addresses["run"]))
        monkeypatch.setattr(exchange, "driver_functions", lambda target: (copy, query))
        monkeypatch.setattr(cuda_runtime, "driver_error", lambda target, status: f"{self.failure} (code {status})")

    def compile(self, program: Kernel | Program) -> HipExecutable:
        """Generate code, and load it into the emulator."""
        made = artifact(program, self.processor)
        return self._loaded(made, [self._loaded(one, []) for one in made.inspectors])

    def _loaded(self, made: Artifact, inspectors: list[HipExecutable]) -> HipExecutable:
        calls = [replace(c, versions=[v for v in c.versions if self.only in (None, v[0])]) for c in made.plan.calls]
        return HipExecutable(replace(made.plan, calls=calls), made.code, inspectors)

    def run(self, program: Kernel | Program, arguments: Mapping[str, Any], repetitions: int = 1) -> dict[str, Any]:
        """Run on copies of the arguments; returns what the arrays hold afterwards, and the scalars as `results`."""
        by_value = {p.name for p in program.typed_program.parameters if getattr(p, "is_table", False)}
        packs = {p.name for p in program.typed_program.parameters if getattr(p, "members", 0)}
        given = {n: list(v) if n in packs else v for n, v in arguments.items()}  # a pack may be an array's rows
        lent = {n: v if n in by_value else each(functools.partial(self.upload, n), v) for n, v in given.items()}
        bound = self.compile(program).bind(lent)
        bound.run(repetitions)
        back = {n: v if n in by_value else each(Array.get, lent[n], v) for n, v in given.items()}
        back |= {n: np.stack(back[n]) for n in packs if isinstance(arguments[n], np.ndarray)}
        return {**back, "results": bound.results()}

    def upload(self, name: str, array: np.ndarray[Any, Any]) -> Array:
        """Copy an array to the device, in its own order of dimensions."""
        order = np.argsort(array.strides, kind="stable")[::-1]
        dense = np.ascontiguousarray(array.transpose(order))
        strides = dense.transpose(np.argsort(order)).strides
        return Array(self, self.memory.add(name, dense), array.shape, array.dtype, strides)

    # -- the driver ---------------------------------------------------------------------------------------------------

    def _launch(self, function: int, *rest: Any) -> int:
        """`hipModuleLaunchKernel`."""
        *sizes, shared, _, parameters, _ = rest
        machine, name, kernel = self._functions[function - 1]
        pointers = (ctypes.c_void_p * len(kernel.arguments)).from_address(parameters)
        end = max((a.offset + a.size for a in kernel.arguments), default=0)
        block = bytearray(end)
        for argument, pointer in zip(kernel.arguments, pointers, strict=True):
            block[argument.offset : argument.offset + argument.size] = ctypes.string_at(pointer, argument.size)
        self.launched.append(name)
        machine.executed = self.executed
        try:
            machine.launch(name, tuple(sizes[:3]), tuple(sizes[3:6]), bytes(block), dynamic=shared)
        except Exception as error:  # nothing gets through the native loop but a status
            known = isinstance(error, (Stopped, Unsupported))
            self.failure = f"{name}: {error if known else f'{type(error).__name__}: {error}'}"
            return FAILED
        return 0

    def _copy(self, to: int, of: int, size: int, stream: Any) -> int:
        """Copy between memory of the device and pinned memory of the host."""
        del stream
        ctypes.memmove(self._host(to), self._host(of), size)
        return 0

    def _host(self, address: int) -> int:
        """Where this process has the memory at an address of the device or of pinned memory."""
        if any(start <= address < start + size for start, (size, _) in self._pinned.items()):
            return address
        held = self.memory.regions[(address >> REGION) - 1][1]
        return int(held.ctypes.data) + (address & ((1 << REGION) - 1))

    # -- CuPy ---------------------------------------------------------------------------------------------------------

    def _cupy(self) -> Any:
        """Return the few things of CuPy that the runtime uses."""
        stream = SimpleNamespace(synchronize=lambda: None, ptr=0)
        properties = {
            "multiProcessorCount": MULTIPROCESSORS, "sharedMemPerBlock": GROUP_BYTES,
            "gcnArchName": f"{self.processor}:sramecc+:xnack-".encode(), "name": b"an emulated GPU",
            "totalGlobalMem": 0,
        }  # fmt: skip
        runtime = SimpleNamespace(
            is_hip=True, CUDARuntimeError=RuntimeError, getDeviceCount=lambda: 1,
            getDeviceProperties=lambda number: properties, pointerGetAttributes=self._attributes,
            runtimeGetVersion=lambda: 70000000,
        )  # fmt: skip
        cuda = SimpleNamespace(
            runtime=runtime, Device=lambda: SimpleNamespace(id=0), get_current_stream=lambda: stream,
            Stream=SimpleNamespace(from_external=lambda lent: _Stream(), null=_Stream()),
            function=SimpleNamespace(Module=lambda: _Module(self)), PinnedMemory=self._pin,
            alloc_pinned_memory=lambda size: self._pin(size, 0),
        )  # fmt: skip
        return SimpleNamespace(
            cuda=cuda, uint8=np.uint8, zeros=lambda shape, kind: self.upload("zeros", np.zeros(shape, kind)),
            empty=self._empty, asarray=lambda values: self.upload("a copy", values), __spec__=None, __version__="0",
        )  # fmt: skip

    def _empty(self, shape: Any, kind: Any) -> Array:
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        return self.upload("scratch", np.full(size, 0xEE, np.uint8).view(kind).reshape(shape))

    def _pin(self, size: int, flags: int) -> Any:
        del flags
        held = np.zeros(-(-size // 32) * 32, np.uint8)
        pointer = int(held.ctypes.data)
        self._pinned[pointer] = len(held), self.memory.share("memory of the host", held)
        return SimpleNamespace(ptr=pointer, held=held)

    def _attributes(self, address: int) -> Any:
        """`pointerGetAttributes`."""
        _, mapped = self._pinned.get(address, (0, address))
        return SimpleNamespace(devicePointer=mapped, type=3 if self.managed else 2, device=0)


class Array:
    """What the runtime asks of CuPy's arrays; the build for ROCm has no `__cuda_array_interface__`."""

    __module__ = "cupy"

    def __init__(self, device: Device, address: int, shape: Any, dtype: Any, strides: Any) -> None:
        self._device, self.data = device, SimpleNamespace(ptr=address)
        self.shape, self.dtype, self.strides = shape, dtype, strides

    def __dlpack_device__(self) -> tuple[int, int]:
        return 10, 0

    def _bytes(self) -> np.ndarray[Any, Any]:
        _, held, size, _ = self._device.memory.regions[(self.data.ptr >> REGION) - 1]
        return np.asarray(held[:size])

    def get(self) -> np.ndarray[Any, Any]:
        order = np.argsort(self.strides, kind="stable")[::-1]
        dense = self._bytes().view(self.dtype).reshape([self.shape[d] for d in order])
        return np.array(dense.transpose(np.argsort(order)))

    def set(self, values: np.ndarray[Any, Any]) -> None:
        self._bytes()[...] = np.ascontiguousarray(values).view(np.uint8).reshape(-1)


class _Module:
    """A loaded code object."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def load(self, code: bytes) -> None:
        self._kernels = code_object.kernel_objects(code)
        self._machine = Machine(CodeObject(code), self._device.memory)

    def get_function(self, name: str) -> Any:
        self._device._functions.append((self._machine, name, self._kernels[name]))
        return SimpleNamespace(ptr=len(self._device._functions))


class _Stream(contextlib.AbstractContextManager["_Stream"]):
    ptr = 0

    def __exit__(self, *_: object) -> None:
        return

    def synchronize(self) -> None:
        return
