"""Generated GPU code on the host: its own LLVM IR, where special registers, barriers and shuffles are host functions.

Everything else is the product's: the launch plan, the choice of a version and its geometry, the packing of parameters,
the native launch loop, the block that brings scalars back. Only CuPy and the driver are stand-ins.
"""

from __future__ import annotations

import contextlib
import ctypes
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kparity.compiler import Kernel, Program, compile
from kparity.compiler.checks.proved import Proved
from kparity.compiler.runtime import cuda_runtime, exchange, library_calls, memories, runners
from kparity.compiler.runtime.engine import Loaded, address_of
from kparity.compiler.runtime.plan import Plan
from kparity.compiler.targets import cuda, llvm
from kparity.compiler.targets.abi import kernel_slots
from kparity.compiler.targets.text import symbol_name

from ..interpreter import each

HOST_FUNCTIONS = {
    **{f"nvvm.read.ptx.sreg.{r}.{a}": f"{r}_{a}" for r in ("tid", "ctaid", "ntid", "nctaid") for a in "xyz"},
    "nvvm.barrier.cta.sync.aligned.all": "barrier", "nvvm.shfl.sync.down.i32": "shuffle_down",
    "nvvm.shfl.sync.idx.i32": "shuffle_idx", "nvvm.vote.ballot.sync": "ballot",
    "nvvm.membar.sys": "fence_system", "wait.for.previous": "wait_for_previous",
    **{f"nvvm.redux.sync.{o}": f"redux_{o}" for o in ("add", "min", "max", "umin", "umax", "and", "or")},
}  # fmt: skip
MULTIPROCESSORS = 2
DYNAMIC_BYTES = 100_000  # of shared memory, at most
_generated: dict[Kernel | Program, list[tuple[Plan, Loaded]]] = {}  # the program, then its inspections


def build(folder: Path, compiler: str) -> ctypes.CDLL:
    """Compile the emulated GPU."""
    library = folder / "emulated_gpu.so"
    source = Path(__file__).with_name("emulated_gpu.cpp")
    subprocess.run(
        [compiler, "-O1", "-std=c++17", "-fPIC", "-shared", "-Wall", "-Werror", str(source), "-o", str(library)],
        check=True,
        timeout=120,
    )
    return ctypes.CDLL(str(library))


def host_text(text: str, kernels: list[tuple[str, Proved]]) -> str:
    """Return a GPU module's IR for the host, with a `call.NAME(ptr parameters)` for each of its kernels."""
    machine = llvm.host_machine()
    body = text.partition("\n")[2].partition("\n")[2]
    header = f'target triple = "{machine.triple}"\ntarget datalayout = "{llvm.data_layout(machine)}"\n'
    body = re.sub(
        r'(\w*) *= call i32 asm sideeffect "griddepcontrol.wait[^"]*", "[^"]*"\(',
        r"\1 = call i32 @gpu.wait.for.previous(",
        body,
    )
    body = re.sub(
        r'\n *call void asm sideeffect "[^"]*griddepcontrol.launch_dependents;[^"]*", "[^"]*"\([^)]*\)', "", body
    )
    body = re.sub(r"addrspacecast \(ptr addrspace\(3\) (@[\w.$]+) to ptr\)", r"\1", body)
    body = body.replace("external addrspace(3) global [0 x i8]", f"internal global [{DYNAMIC_BYTES} x i8] undef")
    body = body.replace("llvm.nvvm.", "gpu.nvvm.").replace(" addrspace(3)", "")
    body = re.sub(r'syncscope\("(device|block)"\) ', "", body)
    body = body.replace("define ptx_kernel ", "define ")
    body = re.sub(r'call i32 asm "", "=r,0"\(i32 ([^)]*)\)', r"add i32 \1, 0", body)
    body = re.sub(r"byval\([^)]*\) ", "", body)
    assert " asm " not in body and "nvvm.read" not in body.replace("gpu.nvvm.read", ""), (
        "an instruction without a stand-in"
    )
    declared = "declare i32 @gpu.wait.for.previous(i32)\n"
    return header + declared + body + "\n".join(_caller(*k) for k in _entries(body, kernels)) + "\n"


def _entries(body: str, kernels: list[tuple[str, Proved]]) -> list[tuple[str, list[str]]]:
    found = []
    for name, proved in kernels:
        slots = kernel_slots(proved, device_reduction=True)
        types = ["" if s.is_by_value else s.llvm for s in slots]
        symbols = re.findall(rf"define void @({re.escape(symbol_name(name))}(?:_wide|_narrow|_private)?)\(", body)
        found += [(symbol, types) for symbol in symbols]
    return found


def _caller(symbol: str, types: list[str]) -> str:
    lines = [f"define void @call.{symbol}(ptr %parameters) {{"]
    passed = [t or "ptr" for t in types]
    for i, type_ in enumerate(types):
        lines += [
            f"  %at{i} = getelementptr ptr, ptr %parameters, i64 {i}",
            f"  %p{i} = load ptr, ptr %at{i}",
            f"  %v{i} = " + (f"load {type_}, ptr %p{i}" if type_ else f"getelementptr i8, ptr %p{i}, i64 0"),
        ]
    return "\n".join(
        [
            *lines,
            f"  call void @{symbol}({', '.join(f'{t} %v{i}' for i, t in enumerate(passed))})",
            "  ret void",
            "}",
        ]
    )


class Emulator:
    """Compiles programs for the emulated GPU and runs them there."""

    def __init__(self, library: ctypes.CDLL, monkeypatch: pytest.MonkeyPatch) -> None:
        self.library = library
        self.launched: list[str] = []
        self.attributes: list[tuple[int, int, int]] = []  # set for functions
        monkeypatch.setattr(memories, "_memories", {memories.HOST: memories.Host()})
        self.waited: list[int] = []  # streams, by their address
        monkeypatch.setattr(_Stream, "synchronize", lambda stream: self.waited.append(stream.ptr))
        self.moved: list[int] = []  # bytes copied between host and GPU, copy by copy
        self.only: str | None = None  # suffix of the one version to launch, instead of the first that fits
        driver = runners.DRIVERS["cuda"]
        runner = runners._load(driver.loop, {n: self.address(n) for n in driver.functions})
        monkeypatch.setitem(sys.modules, "cupy", self._cupy())
        monkeypatch.setattr(cuda_runtime, "gpu_runner", lambda target: (runner, runner.addresses["run"]))
        monkeypatch.setattr(cuda, "processor", lambda: "sm_90")
        copy = self.address("cuMemcpyAsync")
        monkeypatch.setattr(exchange, "driver_functions", lambda target: (copy, self.address("cuStreamSynchronize")))
        of_host = library_calls.library_function
        monkeypatch.setattr(cuda_runtime, "library_function", lambda *named, target: of_host(*named, target="cpu1"))
        monkeypatch.setattr(cuda_runtime, "driver_error", lambda target, status: f"the emulated error {status}")

    def address(self, name: str) -> int:
        return ctypes.cast(getattr(self.library, name), ctypes.c_void_p).value or 0

    @property
    def launches(self) -> int:
        return int(self.library.launch_count())

    def compile(self, program: Kernel | Program) -> cuda_runtime.CudaExecutable:
        """Generate code for a GPU, and load its IR into this process."""
        if program not in _generated:
            _generated[program] = self._generate(program)
        own, *inspections = _generated[program]
        return self._executable(*own, [self._executable(*one) for one in inspections])

    def _executable(
        self, plan: Plan, loaded: Loaded, inspectors: Sequence[cuda_runtime.CudaExecutable] = ()
    ) -> cuda_runtime.CudaExecutable:
        calls = [replace(c, versions=[v for v in c.versions if self.only in (None, v[0])]) for c in plan.calls]
        executable = cuda_runtime.CudaExecutable(replace(plan, calls=calls), b"", inspectors)
        executable._module = SimpleNamespace(get_function=lambda name: self._function(name, loaded))
        return executable

    def _generate(self, program: Kernel | Program) -> list[tuple[Plan, Loaded]]:
        emitted: list[tuple[Any, Any]] = []

        def emit(typed: Any, kernels: Any, symbols: Mapping[int, str]) -> Any:
            original = cuda.emit_module

            def recording(kernels: Any, *others: Any) -> Any:
                emitted.append((original(kernels, *others), kernels))
                return emitted[-1][0]

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(cuda, "emit_module", recording)
                patch.setattr(cuda.cuda_tools, "assemble", lambda *_: None)
                return cuda.generate(typed, kernels, symbols)

        artifact, _ = compile._generate(program, emit)
        artifacts = (artifact, *artifact.inspectors)
        return [(a.plan, self._loaded(*one)) for a, one in zip(artifacts, emitted, strict=True)]

    def _loaded(self, module: Any, kernels: Any) -> Loaded:
        text = host_text(module.text(), kernels)
        machine = llvm.host_machine()
        code = llvm.emit_object(llvm.optimised(text, machine), machine)
        stand_ins = {f"gpu.{n}": self.address(f) for n, f in HOST_FUNCTIONS.items() if f"@gpu.{n}(" in text}
        math = {n: _libm(n) for n in set(re.findall(r"@(__nv_\w+)\(", text))}
        exports = re.findall(r"define void @(call\.\w+)\(", text)
        return Loaded(code, exports, {**stand_ins, **math}, {**stand_ins, **math})

    def run(self, program: Kernel | Program, arguments: Mapping[str, Any], repetitions: int = 1) -> dict[str, Any]:
        """Run on copies of the arguments; returns what the arrays hold afterwards, and the scalars as `results`."""
        by_value = {p.name for p in program.typed_program.parameters if getattr(p, "is_table", False)}
        packs = {p.name for p in program.typed_program.parameters if getattr(p, "members", 0)}
        copies = {n: v if n in by_value else each(_aligned, v) for n, v in arguments.items()}
        passed = {n: list(v) if n in packs else v for n, v in copies.items()}  # a pack may be an array's rows
        lent = {n: v if n in by_value else each(Lent, v) for n, v in passed.items()}
        bound = self.compile(program).bind(lent)
        bound.run(repetitions)
        return {**copies, "results": bound.results()}

    def _cupy(self) -> Any:
        """Return the few things of CuPy that the runtime uses, on host memory."""
        stream = SimpleNamespace(synchronize=lambda: None, ptr=0)
        cuda_ = SimpleNamespace(
            Device=lambda: SimpleNamespace(
                attributes={"MultiProcessorCount": MULTIPROCESSORS, "MaxSharedMemoryPerBlockOptin": DYNAMIC_BYTES},
                compute_capability="90",
                id=0,
            ),
            driver=SimpleNamespace(funcSetAttribute=lambda *attribute: self.attributes.append(attribute)),
            get_current_stream=lambda: stream,
            Stream=_Stream,
            Event=lambda disable_timing: SimpleNamespace(record=lambda stream: None, synchronize=lambda: None),
            function=SimpleNamespace(Module=lambda: SimpleNamespace(load=lambda code: None)),
            PinnedMemory=_Pinned,
            alloc_pinned_memory=lambda size: _Pinned(size, 0),
            runtime=SimpleNamespace(
                pointerGetAttributes=lambda p: SimpleNamespace(devicePointer=p, type=2, device=0),
                CUDARuntimeError=RuntimeError,
                memcpyAsync=self._copy,
                memcpyDefault=4,
            ),
        )
        return SimpleNamespace(
            cuda=cuda_, uint8=np.uint8, zeros=_zeros, empty=_empty, asarray=_copied, __spec__=None,
        )  # fmt: skip

    def _copy(self, target: int, source: int, size: int, kind: int, stream: int) -> None:
        self.moved.append(size)
        ctypes.memmove(target, source, size)

    def _function(self, name: str, loaded: Loaded) -> Any:
        self.launched.append(name)
        return SimpleNamespace(ptr=loaded.addresses[f"call.{name}"])


def _libm(symbol: str) -> int:
    return address_of(symbol.removeprefix("__nv_"))


def _aligned(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    raw = np.empty(value.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    order = np.argsort(value.strides, kind="stable")[::-1]  # from the slowest dimension on
    dense = raw[start : start + value.nbytes].view(value.dtype).reshape([value.shape[d] for d in order])
    copy: np.ndarray[Any, Any] = dense.transpose(np.argsort(order))
    copy[...] = value
    return copy


class Lent:
    """Host memory that says it is a GPU's, with the few things that the runtime asks of an array of CuPy."""

    def __init__(self, array: np.ndarray[Any, Any], offset: int = 0) -> None:
        self.array = array
        typestr = array.dtype.str if array.dtype.fields is None else f"|V{array.dtype.itemsize}"
        data = (array.ctypes.data + offset, not array.flags.writeable)
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": typestr, "data": data, "strides": array.strides, "version": 3,
        }  # fmt: skip
        self.shape, self.dtype, self.data = array.shape, array.dtype, SimpleNamespace(ptr=data[0])

    def get(self) -> np.ndarray[Any, Any]:
        return self.array.copy()

    def set(self, values: np.ndarray[Any, Any]) -> None:
        self.array[...] = values

    def __setitem__(self, index: Any, values: Lent) -> None:
        self.array[index] = values.array


class _Pinned:
    def __init__(self, size: int, flags: int) -> None:
        del flags
        self._memory = ctypes.create_string_buffer(size + 64)
        self.ptr = ctypes.addressof(self._memory) + -ctypes.addressof(self._memory) % 64


class _Stream(contextlib.AbstractContextManager["_Stream"]):
    def __init__(self, address: int = 0, *, non_blocking: bool = False) -> None:
        self.ptr = address

    @staticmethod
    def from_external(lent: Any) -> _Stream:
        return _Stream(lent.__cuda_stream__()[1])

    def wait_event(self, event: Any) -> None:
        return

    def __exit__(self, *_: object) -> None:
        return

    def synchronize(self) -> None:
        return


_Stream.null = _Stream()  # type: ignore[attr-defined]


def _copied(values: Any) -> Lent:
    return Lent(_aligned(values)) if isinstance(values, np.ndarray) else values


def _zeros(shape: Any, dtype: Any) -> Lent:
    return Lent(_aligned(np.zeros(shape, dtype)))


def _empty(shape: Any, dtype: Any) -> Lent:
    garbage = np.full(int(np.prod(shape)) * np.dtype(dtype).itemsize, 0xEE, np.uint8)
    return Lent(_aligned(garbage.view(dtype).reshape(shape)))
