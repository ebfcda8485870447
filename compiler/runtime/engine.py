"""The process's JIT: object code becomes callable, symbols of C libraries are imported by address."""

from __future__ import annotations

import ctypes
import functools
import itertools
from collections.abc import Iterable

import llvmlite.binding as binding

from ..errors import TargetUnavailable
from ..targets import llvm

_names = itertools.count()


@functools.cache
def openmp_runtime() -> ctypes.CDLL:
    """Return libgomp, the OpenMP runtime of g++'s code: one pool of threads for checked kernels and baselines."""
    try:
        return ctypes.CDLL("libgomp.so.1", mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise TargetUnavailable(
            "target `cpu` needs the OpenMP runtime libgomp.so.1: install it (Debian: apt-get install libgomp1), or use"
            " `cpu1`"
        ) from error


@functools.cache
def _lljit() -> binding.LLJIT:
    return binding.create_lljit_compiler(llvm.target_machine(llvm.host_machine()))


@functools.cache
def _library(name: str | None) -> ctypes.CDLL:
    return ctypes.CDLL(name)


def _home_of(symbol: str) -> ctypes.CDLL:
    """Return the library that holds a symbol; the names say which, so no other one is opened for it."""
    if symbol.startswith(("omp_", "GOMP_")):
        return openmp_runtime()
    return _library("libmvec.so.1" if symbol.startswith("_ZGV") else "libm.so.6")


def address_of(symbol: str) -> int:
    """Return the address of a function of libgomp, libm, libmvec or the C library."""
    for library in (_home_of(symbol), _library(None)):
        if hasattr(library, symbol):
            return ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value or 0
    raise TargetUnavailable(f"the C library of this machine has no `{symbol}`")


class Loaded:
    """Object code in memory; it stays as long as this object lives."""

    def __init__(
        self, code: bytes, exports: Iterable[str], imports: Iterable[str], addresses: dict[str, int] | None = None
    ) -> None:
        builder = binding.JITLibraryBuilder().add_object_img(code)
        for symbol in imports:
            builder.import_symbol(symbol, (addresses or {}).get(symbol) or address_of(symbol))
        exported = list(exports)
        for symbol in exported:
            builder.export_symbol(symbol)
        self._library = builder.link(_lljit(), f"kparity.{next(_names)}")
        self.addresses: dict[str, int] = {symbol: self._library[symbol] for symbol in exported}
