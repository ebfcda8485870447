"""`@kernel` and `@program`: functions that are compiled from their source instead of run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .checks.proved import Proved
from .frontend.kernels import read_kernel
from .frontend.program_calls import program_of_one_call
from .frontend.programs import read_program
from .frontend.syntax import Syntax, lines_of, syntax_of
from .ir import nodes, programs
from .ir.verify import verify


class _Compiled:
    """What kernels and programs share: a Python function that is read, not run."""

    def __init__(self, function: Callable[..., Any]) -> None:
        function = inspect.unwrap(function)  # another decorator below this one changes nothing: the text is what counts
        if not inspect.isfunction(function):
            raise TypeError(f"@{type(self).__name__.lower()} stands above a function, not {type(function).__name__}")
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

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Launch one repetition on the device of the arrays given, in the order of the parameters.

        NumPy arrays run on the CPU, CuPy arrays on their GPU. Returns the scalar brought back, a dict of them if there
        are several, or None.

        Raises
        ------
        CompileError
            The kernel does not compile.
        LaunchError
            The arguments break its contract; nothing was launched.
        """
        from .launch import launch  # the launcher imports this module

        return launch(self, arguments, keywords)  # type: ignore[arg-type]


class Kernel(_Compiled):
    """A kernel: one `parallel`, typed and proved on first use."""

    @functools.cached_property
    def typed(self) -> nodes.Kernel:
        """The typed IR; raises CompileError with every fault."""
        typed = read_kernel(self.syntax)
        assert verify(typed)
        return typed

    @functools.cached_property
    def proved(self) -> Proved:
        """The kernel with its evidence and guards; raises CompileError with every fault."""
        from .checks.prove import prove  # solver libraries are loaded when a kernel is checked, not before

        return prove(self.typed)

    @functools.cached_property
    def typed_program(self) -> programs.Program:
        """The program of this one call."""
        return program_of_one_call(self.typed)


class Program(_Compiled):
    """A program: one repetition, as kernel calls under host loops and conditions."""

    @functools.cached_property
    def typed_program(self) -> programs.Program:
        """The typed program; raises CompileError with every fault."""
        return read_program(self.syntax)


def kernel(function: Callable[..., Any]) -> Kernel:
    """Declare a checked kernel.

    The function's body is parsed as the kernel language (docs/language.md), never executed. Nothing is compiled until
    the kernel is used.
    """
    return Kernel(function)


def program(function: Callable[..., Any]) -> Program:
    """Declare a program: a function of kernel calls under host loops and conditions; never executed as Python."""
    return Program(function)
