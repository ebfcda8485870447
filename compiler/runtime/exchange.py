"""Messages between the processes that run a program, sent by native code: MPI, or copies where a process is alone.

What is sent, and to whom, is fixed when arguments are bound, so MPI gets persistent requests, and a repetition starts
and awaits them with no Python in between. A GPU's messages go through pinned host memory; no MPI need know the device.
"""

from __future__ import annotations

import ctypes
import functools
import weakref
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..targets import llvm
from . import refusals
from .arguments import View
from .binding import Arguments
from .engine import Loaded
from .manifest import Manifest
from .runners import DRIVERS

_CODE = """
declare ptr @memcpy(ptr, ptr, i64)

define i32 @copy(ptr %to, ptr %from, i64 %bytes, ptr %stream) {
  %ignored = call ptr @memcpy(ptr %to, ptr %from, i64 %bytes)
  ret i32 0
}

define internal i32 @copies(ptr %copy, ptr %list, i64 %count, ptr %stream) {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i.next, %one ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %one, label %good
one:
  %at = getelementptr [3 x i64], ptr %list, i64 %i
  %to = load ptr, ptr %at
  %from.at = getelementptr i8, ptr %at, i64 8
  %from = load ptr, ptr %from.at
  %bytes.at = getelementptr i8, ptr %at, i64 16
  %bytes = load i64, ptr %bytes.at
  %status = call i32 %copy(ptr %to, ptr %from, i64 %bytes, ptr %stream)
  %i.next = add i64 %i, 1
  %ok = icmp eq i32 %status, 0
  br i1 %ok, label %next, label %bad
bad:
  ret i32 %status
good:
  ret i32 0
}

define i32 @exchange(ptr %state, ptr %stream) {
  %1 = getelementptr i8, ptr %state, i64 8
  %copy = load ptr, ptr %1
  %2 = getelementptr i8, ptr %state, i64 16
  %before = load ptr, ptr %2
  %3 = getelementptr i8, ptr %state, i64 24
  %before.count = load i64, ptr %3
  %4 = getelementptr i8, ptr %state, i64 32
  %synchronize = load ptr, ptr %4
  %5 = getelementptr i8, ptr %state, i64 40
  %start = load ptr, ptr %5
  %6 = getelementptr i8, ptr %state, i64 48
  %wait = load ptr, ptr %6
  %7 = getelementptr i8, ptr %state, i64 56
  %requests = load ptr, ptr %7
  %8 = getelementptr i8, ptr %state, i64 64
  %statuses = load ptr, ptr %8
  %9 = getelementptr i8, ptr %state, i64 72
  %count = load i32, ptr %9
  %10 = getelementptr i8, ptr %state, i64 80
  %after = load ptr, ptr %10
  %11 = getelementptr i8, ptr %state, i64 88
  %after.count = load i64, ptr %11
  %s0 = call i32 @copies(ptr %copy, ptr %before, i64 %before.count, ptr %stream)
  %ok0 = icmp eq i32 %s0, 0
  br i1 %ok0, label %copied, label %failed
copied:
  %alone = icmp eq ptr %start, null
  br i1 %alone, label %good, label %settle
settle:
  %is.host = icmp eq ptr %synchronize, null
  br i1 %is.host, label %send, label %finish
finish:
  %s1 = call i32 %synchronize(ptr %stream)
  %ok1 = icmp eq i32 %s1, 0
  br i1 %ok1, label %send, label %failed
send:
  %s2 = call i32 %start(i32 %count, ptr %requests)
  %ok2 = icmp eq i32 %s2, 0
  br i1 %ok2, label %await, label %failed
await:
  %s3 = call i32 %wait(i32 %count, ptr %requests, ptr %statuses)
  %ok3 = icmp eq i32 %s3, 0
  br i1 %ok3, label %unload, label %failed
unload:
  %s4 = call i32 @copies(ptr %copy, ptr %after, i64 %after.count, ptr %stream)
  %ok4 = icmp eq i32 %s4, 0
  br i1 %ok4, label %good, label %failed
failed:
  %status = phi i32 [ %s0, %0 ], [ %s1, %finish ], [ %s2, %send ], [ %s3, %await ], [ %s4, %unload ]
  ret i32 %status
good:
  ret i32 0
}

define void @on_host(ptr %state) {
  %status = call i32 @exchange(ptr %state, ptr null)
  ret void
}
"""  # on the host only MPI can fail, and its error handler ends the process


class _State(ctypes.Structure):
    """`kp_exchange` of the baselines' header, and what follows the one member that they know."""

    _fields_ = (
        ("run", ctypes.c_void_p),
        ("copy", ctypes.c_void_p),
        ("before", ctypes.c_void_p),
        ("before_count", ctypes.c_int64),
        ("synchronize", ctypes.c_void_p),
        ("start", ctypes.c_void_p),
        ("wait", ctypes.c_void_p),
        ("requests", ctypes.c_void_p),
        ("statuses", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("after", ctypes.c_void_p),
        ("after_count", ctypes.c_int64),
    )


class World(NamedTuple):
    """The processes that run together: the number of this one, and how many there are."""

    rank: int
    size: int


def world() -> World:
    """Return this process's place among those that were started together (`mpiexec`); without MPI it is alone."""
    communicator = _communicator()
    return World(0, 1) if communicator is None else World(communicator.Get_rank(), communicator.Get_size())


@functools.cache
def _communicator() -> Any:
    """Return a communicator of all processes; None where mpi4py, or an MPI for it, is not installed."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError):  # RuntimeError: mpi4py found no MPI library
        return None
    communicator = MPI.COMM_WORLD.Dup()
    communicator.Set_errhandler(MPI.ERRORS_ARE_FATAL)
    return communicator


@functools.cache
def _native() -> Loaded:
    return Loaded(llvm.host_object(_CODE), ["copy", "exchange", "on_host"], ["memcpy"])


_HIP_COPY = """
declare i32 @hipMemcpyAsync(ptr, ptr, i64, i32, ptr)

define i32 @copy(ptr %to, ptr %from, i64 %bytes, ptr %stream) {
  %status = call i32 @hipMemcpyAsync(ptr %to, ptr %from, i64 %bytes, i32 4, ptr %stream)
  ret i32 %status
}
"""  # 4: hipMemcpyDefault, the direction follows from the addresses


def driver_functions(target: str) -> tuple[int, int]:
    """Return the addresses of the GPU driver's copy and wait, both ordered on a stream."""
    driver = ctypes.CDLL(DRIVERS[target].library)
    if target == "cuda":
        return _address(driver.cuMemcpyAsync), _address(driver.cuStreamSynchronize)
    return _hip_copy(_address(driver.hipMemcpyAsync)).addresses["copy"], _address(driver.hipStreamSynchronize)


@functools.cache
def _hip_copy(address: int) -> Loaded:
    return Loaded(llvm.host_object(_HIP_COPY), ["copy"], ["hipMemcpyAsync"], {"hipMemcpyAsync": address})


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


class Exchange:
    """The messages of a bound program, ready to be sent from native code.

    Attributes
    ----------
    address : int
        Of the `kp_exchange` block.
    on_host : int
        Of a function of that block, for what waits for nothing.
    """

    def __init__(self, manifest: Manifest, arguments: Arguments, gpu: str) -> None:
        send, recv, ranks, tags = manifest["exchange"].dims
        self._program, self._on_gpu = manifest.program, bool(gpu)
        members = range(manifest[send].members)
        self._sent = [arguments.views[f"{send}[{m}]"] for m in members]
        self._received = [arguments.views[f"{recv}[{m}]"] for m in members]
        self._ranks = np.frombuffer(arguments.blobs[ranks], np.int32).tolist()
        self._tags = np.frombuffer(arguments.blobs[tags], np.int32).tolist()
        self._kept: list[Any] = []
        self._check()
        native = _native()
        self._copy, synchronize = driver_functions(gpu) if gpu else (native.addresses["copy"], None)
        self._state = _State(native.addresses["exchange"], self._copy)
        communicator = _communicator()
        if communicator is None:
            pairs = [(to, self._sent[tag]) for to, tag in zip(self._received, self._tags, strict=True)]
            self._state.before, self._state.before_count = self._copies(
                [(to.address, of.address, of.bytes) for to, of in pairs]
            )
        else:
            self._state.synchronize = synchronize
            self._through(communicator)
        self.address = ctypes.addressof(self._state)
        self.on_host = native.addresses["on_host"]

    def _check(self) -> None:
        """Raise LaunchError for a rank or tag that nobody has, and for a message of another size, as far as known."""
        here = world()
        for m, (rank, tag) in enumerate(zip(self._ranks, self._tags, strict=True)):
            if not 0 <= rank < here.size:
                raise refusals.no_rank(self._program, m, rank, here.size)
            if not 0 <= tag < len(self._tags):
                raise refusals.no_message(self._program, m, tag, len(self._tags))
            if rank == here.rank and self._ranks[tag] == rank and self._sent[tag].bytes != self._received[m].bytes:
                raise refusals.other_size(self._program, m, tag, self._received[m].bytes, self._sent[tag].bytes)
        if here.size == 1 and sorted(self._tags) != list(range(len(self._tags))):
            raise refusals.unpaired(self._program)

    def _copies(self, each: list[tuple[int, int, int]]) -> tuple[int, int]:
        """Return the native form of copies (to, from, bytes), which lives as long as this object."""
        table = np.array(each, np.int64).reshape(-1, 3)
        self._kept.append(table)
        return table.ctypes.data, len(table)

    def _through(self, communicator: Any) -> None:
        from mpi4py import MPI

        library, size = ctypes.CDLL(MPI.__file__), MPI._sizeof(MPI.Request)
        sent, received = [self._staged(v) for v in self._sent], [self._staged(v) for v in self._received]
        if self._on_gpu:
            ways = zip(sent, self._sent, strict=True), zip(self._received, received, strict=True)
            lists = [[(to.address, of.address, of.bytes) for to, of in way] for way in ways]
            self._state.before, self._state.before_count = self._copies(lists[0])
            self._state.after, self._state.after_count = self._copies(lists[1])
        requests = [
            communicator.Recv_init([_buffer(v), MPI.BYTE], rank, tag)
            for v, rank, tag in zip(received, self._ranks, self._tags, strict=True)
        ] + [
            communicator.Send_init([_buffer(v), MPI.BYTE], rank, tag)
            for tag, (v, rank) in enumerate(zip(sent, self._ranks, strict=True))
        ]
        handles = ctypes.create_string_buffer(
            b"".join(ctypes.string_at(MPI._addressof(r), size) for r in requests), size * len(requests)
        )  # fmt: skip
        statuses = ctypes.create_string_buffer(MPI._sizeof(MPI.Status) * len(requests))
        self._kept += [handles, statuses, requests]
        self._state.start, self._state.wait = _address(library.MPI_Startall), _address(library.MPI_Waitall)
        self._state.requests, self._state.statuses = ctypes.addressof(handles), ctypes.addressof(statuses)
        self._state.count = len(requests)
        weakref.finalize(self, _free, requests).atexit = False

    def _staged(self, view: View) -> View:
        """Return the memory that MPI sees of an array: on a GPU, pinned host memory of its own."""
        if not self._on_gpu:
            return view
        import cupy

        memory = cupy.cuda.alloc_pinned_memory(max(1, view.bytes))
        self._kept.append(memory)
        return replace(view, address=memory.ptr)


def _buffer(view: View) -> Any:
    return (ctypes.c_char * view.bytes).from_address(view.address)


def _free(requests: list[Any]) -> None:
    from mpi4py import MPI

    if not MPI.Is_finalized():
        for request in requests:
            request.Free()


def exchange_of(manifest: Manifest, arguments: Arguments, gpu: str = "") -> Exchange | None:
    """Return the messages of a program with these arguments; None if it exchanges none.

    Parameters
    ----------
    gpu : {"", "cuda", "hip"}
        The target whose device the arrays lie on; empty for the host.
    """
    has_one = any(p.kind == "exchange" for p in manifest.parameters)
    return Exchange(manifest, arguments, gpu) if has_one else None
