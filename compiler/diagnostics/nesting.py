"""Kernels that are nested deeper than the compiler can follow: refused with their place, whichever part gives up."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from ..ir.source import Source, Span
from .diagnostic import CompileError, Diagnostic, Label


@contextmanager
def refusing_depth(name: str, source: Source, header: Span, tree: ast.FunctionDef | None = None) -> Iterator[None]:
    """Turn Python's limit on recursion, reached inside, into a diagnostic.

    Parameters
    ----------
    tree : ast.FunctionDef, optional
        The function; its deepest statement is shown instead of its header.

    Raises
    ------
    CompileError
        KP0108.
    """
    try:
        yield
    except RecursionError:
        span = _deepest(tree) if tree is not None else header
    else:
        return
    raise CompileError(
        (
            Diagnostic(
                "KP0108",
                f"`{name}` is nested too deeply to be compiled",
                source,
                (Label(span, "too many levels" if span != header else "somewhere in here", primary=True),),
                notes=(
                    "each operator of a long sum is one level, and so is each `elif`; integers are followed through "
                    "assignments, so a long row of `min`, `max` and the like on one variable nests as well",
                ),
                helps=("write a long sum in several statements (`t += ...`), or as a loop over a table or an array",),
            ),
        )
    )


def _deepest(tree: ast.FunctionDef) -> Span:
    """Return the innermost statement around the deepest expression; without recursion."""
    depth, found = 0, tree.body[0]
    work: list[tuple[ast.AST, int, ast.stmt]] = [(s, 0, s) for s in tree.body]
    while work:
        node, level, statement = work.pop()
        if level > depth:
            depth, found = level, statement
        for child in ast.iter_child_nodes(node):
            work.append((child, level + 1, child if isinstance(child, ast.stmt) else statement))
    return Span(found.lineno, found.col_offset, found.end_lineno or found.lineno, found.end_col_offset or 0)
