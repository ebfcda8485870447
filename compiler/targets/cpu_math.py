"""Mathematical functions on the CPU: glibc's libm, and its vector variants where loops are vectorised."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence

from ..ir.types import F32, Scalar
from .llvm import host_machine
from .text import Function, Module

_VECTOR_WIDTHS = (
    ("e", "avx512f", 8),
    ("d", "avx2", 4),
    ("b", "sse2", 2),
)  # letter of the vector ABI, feature, f64 lanes


@functools.cache
def vector_library() -> ctypes.CDLL | None:
    """Return glibc's vector math library, or None where there is none (musl, macOS, Windows)."""
    try:
        return ctypes.CDLL("libmvec.so.1")
    except OSError:
        return None


def _vector_variants(symbol: str, arity: int, type_: Scalar) -> list[tuple[str, int]]:
    """Vector versions of a libm function that the library has and this processor runs: (symbol, lanes)."""
    library = vector_library()
    if library is None:
        return []
    features = host_machine().features
    found = []
    for letter, feature, lanes in _VECTOR_WIDTHS:
        lanes = lanes * 2 if type_ is F32 else lanes
        name = f"_ZGV{letter}N{lanes}{'v' * arity}_{symbol}"
        if f"+{feature}" in features and hasattr(library, name):
            found.append((name, lanes))
    return found


class CpuMath:
    """Calls libm; a vectorised loop calls libmvec (at most 4 ulp) through the call's vector ABI attribute."""

    def call(self, name: str, type_: Scalar, arguments: Sequence[str], f: Function, module: Module) -> str:
        """Emit the call and return its result."""
        symbol = name + ("f" if type_ is F32 else "")
        llvm = type_.llvm
        module.declare(symbol, f"declare {llvm} @{symbol}({', '.join([llvm] * len(arguments))})")
        module.imports.add(symbol)
        variants = _vector_variants(symbol, len(arguments), type_)
        attribute = "nounwind willreturn memory(none)"
        if variants:
            mapping = ",".join(
                f"_ZGV_LLVM_N{lanes}{'v' * len(arguments)}_{symbol}({variant})" for variant, lanes in variants
            )
            attribute += f' "vector-function-abi-variant"="{mapping}"'
        else:
            attribute += " nobuiltin"  # else LLVM widens the call and takes it apart again
        for variant, lanes in variants:
            vector = f"<{lanes} x {llvm}>"
            module.declare(variant, f"declare {vector} @{variant}({', '.join([vector] * len(arguments))})")
            module.imports.add(variant)
        typed = ", ".join(f"{llvm} {a}" for a in arguments)
        return f.value(f"call {llvm} @{symbol}({typed}) {module.attributes(attribute)}", name)
