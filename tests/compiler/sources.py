"""Kernels and programs from source text, for tests that write many small ones."""

from __future__ import annotations

import itertools
import linecache
import textwrap
from typing import Any

import kparity.compiler as compiler
from kparity.compiler import CompileError, Kernel, Program

_numbers = itertools.count()
LANGUAGE = {name: getattr(compiler, name) for name in compiler.__all__}


def module(text: str, **names: Any) -> dict[str, Any]:
    """Run a module's text, with the kernel language and `names` in scope; returns its names."""
    text = textwrap.dedent(text).strip() + "\n"
    path = f"<text {next(_numbers)}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    namespace = {**LANGUAGE, **names}
    exec(compile(text, path, "exec", dont_inherit=True), namespace)
    return namespace


def kernel(text: str, **names: Any) -> Kernel:
    """The kernel in `text`, a function without its decorator."""
    return last(module("@kernel\n" + textwrap.dedent(text).strip(), **names), names)


def program(text: str, **names: Any) -> Program | Kernel:
    """The last program or kernel of a module's text."""
    return last(module(text, **names), names)


def last(namespace: dict[str, Any], given: dict[str, Any]) -> Any:
    own = [v for k, v in namespace.items() if isinstance(v, (Kernel, Program)) and k not in given]
    return max(own, key=lambda one: one.function.__code__.co_firstlineno)


def elementwise(expression: str, result: str = "f64", **inputs: str) -> Kernel:
    """`out[i] = expression` over arrays of one length, named as in the expression: `a="f64"`."""
    parameters = ", ".join([f'out: Out[{result}, "n"]', *(f'{n}: Ref[{t}, "n"]' for n, t in inputs.items())])
    return kernel(f"def elementwise({parameters}):\n    for i in parallel(n):\n        out[i] = {expression}\n")


def faults(one: Kernel | Program) -> list[tuple[str, str]]:
    """Code and the marked source text of each fault that the front end finds, in order."""
    try:
        assert one.typed_program.statements
    except CompileError as error:
        return [(d.code, marked(d)) for d in error.diagnostics]
    return []


def marked(diagnostic: compiler.Diagnostic) -> str:
    """The source text under the carets; columns count bytes."""
    span = diagnostic.span
    lines = [diagnostic.source.line(n).encode() for n in range(span.line, span.end_line + 1)]
    lines[-1] = lines[-1][: span.end_column]
    return b"\n".join([lines[0][span.column :], *lines[1:]]).decode()


def messages(one: Kernel | Program) -> list[str]:
    """Code and message of each fault that the front end finds."""
    try:
        assert one.typed_program.statements
    except CompileError as error:
        return [f"{d.code} {d.message}" for d in error.diagnostics]
    return []
