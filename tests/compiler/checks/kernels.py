"""Kernels from source text, for tests that write many small ones."""

from __future__ import annotations

import itertools
import linecache
import textwrap

import kparity.compiler as compiler
from kparity.compiler.checks.proved import Proved
from kparity.compiler.ir.nodes import Kernel

_numbers = itertools.count()
_NAMES = {name: getattr(compiler, name) for name in dir(compiler) if not name.startswith("_")}


def typed(text: str) -> Kernel:
    """Return the typed IR of the one kernel in `text`, without its decorator if nothing stands before it."""
    source = textwrap.dedent(text).strip() + "\n"
    source = source if "@kernel" in source else "@kernel\n" + source
    path = f"<kernel {next(_numbers)}>"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    names = dict(_NAMES)
    exec(compile(source, path, "exec"), names)
    (found,) = (v for v in names.values() if isinstance(v, compiler.Kernel))
    return found.typed


def proved(text: str) -> Proved:
    """Return the proved kernel in `text`; raises CompileError."""
    from kparity.compiler.checks.prove import prove

    return prove(typed(text))


def codes(text: str) -> list[tuple[str, str]]:
    """Return code and source text of each fault of the kernel in `text`, in order; empty if it is accepted."""
    try:
        proved(text)
    except compiler.CompileError as error:
        return [(d.code, d.source.line(d.span.line)[d.span.column : d.span.end_column]) for d in error.diagnostics]
    return []
