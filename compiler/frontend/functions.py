"""Python functions that are read, not run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .language import OnlyInKernels
from .syntax import Syntax, lines_of, syntax_of


class ReadFunction:
    """A decorated function, with its text as of its definition."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Raise OnlyInKernels: it is read, not run."""
        raise OnlyInKernels(f"`{self.name}` is a device function: call it inside a function under @kernel")

    def __init__(self, function: Callable[..., Any]) -> None:
        function = inspect.unwrap(function)  # another decorator below this one changes nothing: the text is what counts
        if not inspect.isfunction(function):
            name = type(self).__name__.lower()
            given = type(function).__name__
            raise TypeError(f"@{name} stands above a function, not {given}: write it without arguments")
        functools.update_wrapper(self, function)
        self.function = function
        self.name: str = function.__name__
        self._lines = lines_of(function)

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} {self.function.__module__}.{self.name}>"

    @functools.cached_property
    def syntax(self) -> Syntax:
        """The function as written; raises SourceUnavailable."""
        return syntax_of(self.function, self._lines)


class Device(ReadFunction):
    """A function that kernels call: its text takes the place of the call."""
