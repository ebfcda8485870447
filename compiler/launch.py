"""Calling a kernel like a function: the device follows from the arrays."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from .compile import Compiled, compile_program
from .decorators import Kernel, Program
from .frontend.specialise import names_of
from .ir.nodes import Variable
from .runtime import refusals
from .runtime.arguments import check_scalar, missing_and_unknown
from .runtime.buffers import OwnedArray
from .runtime.calls import Calls, signature
from .runtime.foreign import lies_on_gpu
from .runtime.streams import current_stream

_CALLS = Calls()


@functools.lru_cache(maxsize=512)
def _compiled(program: Kernel | Program, target: str) -> Compiled:
    return compile_program(program, target)


def launch(program: Kernel | Program, positional: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """Run one repetition; returns the scalar brought back, a dict of several, or None."""
    seen = signature((*positional, *keywords.values()))
    # Launches on two streams may overlap, so they have no scratch memory in common.
    stream = current_stream() if "cupy" in sys.modules else 0
    key = None if seen is None else (program, stream, len(positional), *keywords, *seen)
    bound = None if key is None else _CALLS.get(key)
    if bound is None:
        bound = _bound(program, positional, keywords)
        if key is not None:
            _CALLS.keep(key, bound)
    elif bound.borrows.wanted:
        bound.borrows.take({**dict(zip(names_of(program.syntax), positional, strict=False)), **keywords})
    try:
        if bound.on_gpu:
            bound.run(stream=stream)
            bound.finish()
        else:
            bound.run()
    finally:
        bound.borrows.let_go()
    results = bound.results()
    return results if len(results) > 1 else next(iter(results.values()), None)


def _bound(program: Kernel | Program, positional: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """Check a call and bind it to the target that its arrays ask for."""
    names = names_of(program.syntax)
    if len(positional) > len(names):
        raise refusals.too_many_arguments(program.name, names, len(positional))
    given = dict(zip(names, positional, strict=False))
    for name, value in keywords.items():
        if name in given:
            raise refusals.given_twice(program.name, name)
        given[name] = value
    if isinstance(program, Kernel) and (statics := program.statics):
        missing_and_unknown(program.name, {n: given[n] for n in statics if n in given}, statics)
        values = {name: given.pop(name) for name in statics}
        for name, value in values.items():
            check_scalar(name, "i64", value)
        return _bound(program.specialise(**values), (), given)
    parameters = program.typed_program.parameters
    arrays = [given[p.name] for p in parameters if not isinstance(p, Variable) and p.name in given]
    on_gpu = _is_on_gpu([m for a in arrays for m in (a if isinstance(a, (list, tuple)) else [a])])
    return _compiled(program, _gpu() if on_gpu else "cpu").bind(given)


def _is_on_gpu(arrays: Sequence[Any]) -> bool:
    """Whether the arrays given lie on a GPU; owned ones go where the others are, else where most of their bytes are."""
    owned = [a for a in arrays if isinstance(a, OwnedArray)]
    if len(owned) < len(arrays):
        return any(lies_on_gpu(a) for a in arrays if not isinstance(a, OwnedArray))
    on_gpu = sum(math.prod(a.shape) for a in owned if a.is_on_gpu)
    return 2 * on_gpu > sum(math.prod(a.shape) for a in owned)


def _gpu() -> str:
    """Return the target of the GPUs that this process sees, by the build of CuPy that serves them."""
    import cupy

    return "hip" if cupy.cuda.runtime.is_hip else "cuda"
