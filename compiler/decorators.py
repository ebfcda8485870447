"""`@kernel`, `@device` and `@program`: functions that are compiled from their source instead of run."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .checks.proved import Proved
from .frontend.functions import Device, ReadFunction
from .frontend.kernels import read_kernel
from .frontend.program_calls import program_of_one_call
from .frontend.programs import read_program
from .ir import nodes, programs
from .ir.verify import verify


class _Compiled(ReadFunction):
    """What kernels and programs share."""

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

    @functools.cached_property
    def proved(self) -> dict[nodes.Kernel, Proved]:
        """Its kernels with their evidence and guards; raises CompileError with every fault of all of them."""
        from .checks.programs import prove_program

        return prove_program(self.typed_program)


def kernel(function: Callable[..., Any]) -> Kernel:
    """Declare a checked kernel.

    The function's body is parsed as the kernel language (docs/language.md), never executed. Nothing is compiled until
    the kernel is used.
    """
    return Kernel(function)


def program(function: Callable[..., Any]) -> Program:
    """Declare a program: a function of kernel calls under host loops and conditions; never executed as Python."""
    return Program(function)


def device(function: Callable[..., Any]) -> Device:
    """Declare a function that kernels call.

    Its parameters are scalars, and arrays that are borrowed for the call; its body is that of a thread, with at most
    one `return`, at the end. It is checked where it is called.
    """
    return Device(function)
