"""The native host loops: repetitions and kernel calls, with no Python in between."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import NamedTuple

from ..targets import llvm
from .engine import Loaded
from .schedule import Table

RUN = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int32)
"""`int32_t run(const void *args, int64_t first, int64_t repetitions, void *stream, int32_t flags)`"""


class CpuCall(ctypes.Structure):
    """One kernel call on the CPU: a function and its argument block."""

    _fields_ = (("function", ctypes.c_void_p), ("block", ctypes.c_void_p))


# The launches of repetition %number: entries and their count, from a `schedule.Table`.
_SEQUENCE = """
  %origin.at = getelementptr i8, ptr %table, i64 8
  %origin = load i64, ptr %origin.at
  %period.at = getelementptr i8, ptr %table, i64 16
  %period = load i64, ptr %period.at
  %number = add i64 %first, %r
  %since = sub i64 %number, %origin
  %place = urem i64 %since, %period
  %sequences = load ptr, ptr %table
  %sequence.at = getelementptr { ptr, i64 }, ptr %sequences, i64 %place
  %entries = load ptr, ptr %sequence.at
  %count.at = getelementptr i8, ptr %sequence.at, i64 8
  %count = load i64, ptr %count.at
"""

_CPU_LOOP = f"""
define i32 @run(ptr %table, i64 %first, i64 %repetitions, ptr %stream, i32 %flags) {{
entry:
  br label %repetition
repetition:
  %r = phi i64 [ 0, %entry ], [ %r.next, %repeated ]
  %more = icmp slt i64 %r, %repetitions
  br i1 %more, label %begin, label %end
begin:
{_SEQUENCE}
  br label %call
call:
  %c = phi i64 [ 0, %begin ], [ %c.next, %called ]
  %left = icmp slt i64 %c, %count
  br i1 %left, label %called, label %repeated
called:
  %entry.at = getelementptr {{ ptr, ptr }}, ptr %entries, i64 %c
  %function = load ptr, ptr %entry.at
  %block.at = getelementptr i8, ptr %entry.at, i64 8
  %block = load ptr, ptr %block.at
  call void %function(ptr %block)
  %c.next = add i64 %c, 1
  br label %call
repeated:
  %r.next = add i64 %r, 1
  br label %repetition
end:
  ret i32 0
}}
"""


class LaunchAttribute(ctypes.Structure):
    """`CUlaunchAttribute` of the driver: a number, and a union of 64 bytes whose first word is used here."""

    _fields_ = (
        ("id", ctypes.c_uint32),
        ("padding", ctypes.c_uint32),
        ("value", ctypes.c_int32),
        ("rest", ctypes.c_uint8 * 60),
    )


PROGRAMMATIC_STREAM_SERIALIZATION = 6  # CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION


class LaunchConfig(ctypes.Structure):
    """`CUlaunchConfig` of the driver."""

    _fields_ = (
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("shared_bytes", ctypes.c_uint32),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("attribute_count", ctypes.c_uint32),
    )


class GpuLaunch(ctypes.Structure):
    """One kernel launch; without a function, an exchange of messages, whose block `parameters` is.

    `overlap` is 1 if it may start while the launch before it ends, which the first launch of a run never does: what the
    stream holds before it is not known. `sequence` is where the number of the repetition goes; null: nowhere.
    """

    _fields_ = (
        ("config", LaunchConfig),
        ("overlap", ctypes.c_uint64),
        ("function", ctypes.c_void_p),
        ("parameters", ctypes.c_void_p),
        ("sequence", ctypes.c_void_p),
    )


class GpuProgram(ctypes.Structure):
    """What the GPU loop launches; `results` is the host's address of the block, null if nothing comes back."""

    _fields_ = (("table", Table), ("results", ctypes.c_void_p))


NOT_READY = 600  # CUDA_ERROR_NOT_READY, hipErrorNotReady
LOST_RESULTS = -2
_SPINS = 1 << 16  # between two questions to the driver

_CUDA_LAUNCH = (
    "declare i32 @cuLaunchKernelEx(ptr, ptr, ptr, ptr)",
    "",
    "cuLaunchKernelEx(ptr %e, ptr %f, ptr %p, ptr null)",
)


def _hip_launch() -> tuple[str, str, str]:
    """Return the call that HIP has for a launch: what CUDA's reads from a `LaunchConfig` are arguments of their own."""
    assert LaunchConfig.stream.offset > LaunchConfig.shared_bytes.offset == 4 * (_SIZES - 1)
    sizes = [f"i32 %size{n}" for n in range(_SIZES)]
    reads = [
        f"  %size{n}.at = getelementptr i8, ptr %e, i64 {4 * n}\n  %size{n} = load i32, ptr %size{n}.at"
        for n in range(_SIZES)
    ]
    declared = f"declare i32 @hipModuleLaunchKernel(ptr, {', '.join(['i32'] * _SIZES)}, ptr, ptr, ptr)"
    call = f"hipModuleLaunchKernel(ptr %f, {', '.join(sizes)}, ptr %stream, ptr %p, ptr null)"
    return declared, "\n".join(reads), call


_SIZES = 7  # at the beginning of a `LaunchConfig`: grid, block, shared bytes


# Waiting: a spin on mapped memory costs no call of the driver; every so often the stream is asked, so that a failed
# kernel does not hang the host.
def _gpu_loop(launch: tuple[str, str, str], query: str) -> str:
    declared, prepared, call = launch
    return f"""
{declared}
declare i32 @{query}(ptr)
define i32 @run(ptr %table, i64 %first, i64 %repetitions, ptr %stream, i32 %flags) {{
entry:
  %results.at = getelementptr i8, ptr %table, i64 {GpuProgram.results.offset}
  %results = load ptr, ptr %results.at
  %issued.at = getelementptr i8, ptr %results, i64 8
  %delivers = icmp ne ptr %results, null
  %without = and i32 %flags, 1
  %wanted = icmp eq i32 %without, 0
  %waits = and i1 %delivers, %wanted
  br label %repetition
repetition:
  %r = phi i64 [ 0, %entry ], [ %r.next, %repeated ]
  %more = icmp slt i64 %r, %repetitions
  br i1 %more, label %begin, label %good
begin:
{_SEQUENCE}
  br i1 %delivers, label %issue, label %launch
issue:
  %issued.old = load i64, ptr %issued.at
  %issued = add i64 %issued.old, 1
  store i64 %issued, ptr %issued.at
  br label %launch
launch:
  %sequence = phi i64 [ 0, %begin ], [ %issued, %issue ], [ %sequence, %launched ]
  %c = phi i64 [ 0, %begin ], [ 0, %issue ], [ %c.next, %launched ]
  %left = icmp slt i64 %c, %count
  br i1 %left, label %prepare, label %after
prepare:
  %offset = mul i64 %c, {ctypes.sizeof(GpuLaunch)}
  %e = getelementptr i8, ptr %entries, i64 %offset
  %stream.at = getelementptr i8, ptr %e, i64 {LaunchConfig.stream.offset}
  store ptr %stream, ptr %stream.at
  %overlap.at = getelementptr i8, ptr %e, i64 {GpuLaunch.overlap.offset}
  %overlap = load i32, ptr %overlap.at
  %before = or i64 %r, %c
  %is.first = icmp eq i64 %before, 0
  %attributes = select i1 %is.first, i32 0, i32 %overlap
  %attributes.at = getelementptr i8, ptr %e, i64 {LaunchConfig.attribute_count.offset}
  store i32 %attributes, ptr %attributes.at
  %f.at = getelementptr i8, ptr %e, i64 {GpuLaunch.function.offset}
  %f = load ptr, ptr %f.at
  %p.at = getelementptr i8, ptr %e, i64 {GpuLaunch.parameters.offset}
  %p = load ptr, ptr %p.at
  %s.at = getelementptr i8, ptr %e, i64 {GpuLaunch.sequence.offset}
  %s = load ptr, ptr %s.at
  %is.message = icmp eq ptr %f, null
  br i1 %is.message, label %exchange, label %kernel
exchange:
  %send = load ptr, ptr %p
  %sent = call i32 %send(ptr %p, ptr %stream)
  br label %answered
kernel:
  %numbered = icmp ne ptr %s, null
  br i1 %numbered, label %write, label %go
write:
  store i64 %sequence, ptr %s
  br label %go
go:
{prepared}
  %begun = call i32 @{call}
  br label %answered
answered:
  %status = phi i32 [ %sent, %exchange ], [ %begun, %go ]
  %ok = icmp eq i32 %status, 0
  br i1 %ok, label %launched, label %failed
launched:
  %c.next = add i64 %c, 1
  br label %launch
after:
  br i1 %waits, label %look, label %repeated
look:
  %spins = phi i64 [ 0, %after ], [ %spins.next, %pause ], [ 0, %busy ]
  %arrived = load atomic i64, ptr %results acquire, align 8
  %here = icmp eq i64 %arrived, %sequence
  br i1 %here, label %repeated, label %pause.or.ask
pause.or.ask:
  %spins.next = add i64 %spins, 1
  %long = icmp ugt i64 %spins.next, {_SPINS}
  br i1 %long, label %ask, label %pause
pause:
  call void asm sideeffect "pause", ""()
  br label %look
ask:
  %state = call i32 @{query}(ptr %stream)
  %running = icmp eq i32 %state, {NOT_READY}
  br i1 %running, label %busy, label %finished
busy:
  br label %look
finished:
  %last = load atomic i64, ptr %results acquire, align 8
  %came = icmp eq i64 %last, %sequence
  %clean = icmp eq i32 %state, 0
  %code = select i1 %clean, i32 {LOST_RESULTS}, i32 %state
  br i1 %came, label %repeated, label %lost
lost:
  ret i32 %code
repeated:
  %r.next = add i64 %r, 1
  br label %repetition
failed:
  ret i32 %status
good:
  ret i32 0
}}
"""


def _load(text: str, addresses: dict[str, int]) -> Loaded:
    return Loaded(llvm.host_object(text), ["run"], addresses, addresses)


@functools.cache
def cpu_runner() -> tuple[Loaded, int]:
    """Return the CPU's loop and its address."""
    loaded = _load(_CPU_LOOP, {})
    return loaded, loaded.addresses["run"]


class Driver(NamedTuple):
    """A GPU's driver library, what launches need of it, the loop that calls that, and how it names an error."""

    library: str
    functions: tuple[str, str]
    loop: str
    error: Callable[[ctypes.CDLL, int], bytes]


def _cuda_error(library: ctypes.CDLL, status: int) -> bytes:
    text = ctypes.c_char_p()
    library.cuGetErrorString(status, ctypes.byref(text))
    return text.value or b"an unknown error"


def _hip_error(library: ctypes.CDLL, status: int) -> bytes:
    library.hipGetErrorString.restype = ctypes.c_char_p
    return bytes(library.hipGetErrorString(status))


DRIVERS = {
    "cuda": Driver(
        "libcuda.so.1", ("cuLaunchKernelEx", "cuStreamQuery"), _gpu_loop(_CUDA_LAUNCH, "cuStreamQuery"), _cuda_error
    ),
    "hip": Driver(
        "libamdhip64.so",
        ("hipModuleLaunchKernel", "hipStreamQuery"),
        _gpu_loop(_hip_launch(), "hipStreamQuery"),
        _hip_error,
    ),
}


@functools.cache
def gpu_runner(target: str) -> tuple[Loaded, int]:
    """Return a GPU target's loop and its address; needs the driver library."""
    driver = DRIVERS[target]
    library = ctypes.CDLL(driver.library)
    addresses = {n: ctypes.cast(getattr(library, n), ctypes.c_void_p).value or 0 for n in driver.functions}
    loaded = _load(driver.loop, addresses)
    return loaded, loaded.addresses["run"]


def driver_error(target: str, status: int) -> str:
    """Return what a GPU's driver calls an error."""
    driver = DRIVERS[target]
    return driver.error(ctypes.CDLL(driver.library), status).decode()
