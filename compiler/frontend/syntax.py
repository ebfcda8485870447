"""Find a decorated function's syntax tree and source lines, without running it."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import KparityError
from ..ir.source import Source, Span
from .language import BUILTINS


class SourceUnavailable(KparityError):
    """The text of a kernel cannot be found, so it cannot be compiled."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """One function as written: its tree, its lines, and the names around it.

    Attributes
    ----------
    tree : ast.FunctionDef
        Positions count from the file's start.
    environment : mapping
        Names of the enclosing module and functions, for types, functions and compile-time constants.
    statics : frozenset of str
        Those of them that were compile-time integers of the function itself.
    """

    tree: ast.FunctionDef
    source: Source
    environment: Mapping[str, Any]
    statics: frozenset[str] = frozenset()

    def resolve(self, node: ast.expr) -> Any:
        """Return what a (dotted) name means in the enclosing scopes; None if it means nothing."""
        match node:
            case ast.Name(id=name):
                return self.environment.get(name, BUILTINS.get(name))
            case ast.Attribute(value=value, attr=attribute):
                return getattr(self.resolve(value), attribute, None)
            case _:
                return None

    @property
    def header(self) -> Span:
        """The span of `def name`."""
        tree = self.tree
        return Span(tree.lineno, tree.col_offset, tree.lineno, tree.col_offset + len(f"def {tree.name}".encode()))

    @property
    def text(self) -> str:
        """The function's source text."""
        return "\n".join(self.source.lines)


@functools.lru_cache(maxsize=256)
def _functions(path: str, text: str) -> dict[int, ast.FunctionDef]:
    """Functions of a file by the line of their first decorator (what a code object calls its first line)."""
    tree = ast.parse(text, path)
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            found[min([d.lineno for d in node.decorator_list] + [node.lineno])] = node
    return found


def lines_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the lines of the file (or notebook cell) that defines a function, as they are now; none if it is gone."""
    path = function.__code__.co_filename
    linecache.checkcache(path)  # a reloaded module has new lines
    return tuple(linecache.getlines(path, function.__globals__))


def syntax_of(function: Callable[..., Any], lines: tuple[str, ...]) -> Syntax:
    """Return the syntax of a plain Python function.

    Parameters
    ----------
    lines : tuple of str
        Of its file, taken when the function was defined: what is edited later has no effect before the next import.

    Raises
    ------
    SourceUnavailable
        The file could not be read.
    """
    code = function.__code__
    tree = _functions(code.co_filename, "".join(lines)).get(code.co_firstlineno) if lines else None
    if tree is None or tree.name != function.__name__:
        raise SourceUnavailable(
            f"the source of `{function.__name__}` is not available ({code.co_filename}, line {code.co_firstlineno}): "
            "kernels are compiled from their source text, so define them with `def` in a file or a notebook cell, and"
            " import them again after a change"
        )
    end = tree.end_lineno or tree.lineno
    source = Source(
        code.co_filename, code.co_firstlineno, tuple(line.rstrip("\n") for line in lines[code.co_firstlineno - 1 : end])
    )
    closure = {}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            closure[name] = cell.cell_contents
        except ValueError:  # a cell that is not filled yet: the name has no value
            continue
    return Syntax(tree, source, {**function.__globals__, **closure})


def span_of(node: ast.AST) -> Span:
    """Return the span of a syntax node; columns count characters as the tree does (UTF-8 bytes for wide ones)."""
    return Span(
        getattr(node, "lineno", 0),
        getattr(node, "col_offset", 0),
        getattr(node, "end_lineno", 0) or 0,
        getattr(node, "end_col_offset", 0) or 0,
    )
