"""`@kernel`, `@device` and `@program`: functions that are compiled from their source instead of run."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from numbers import Integral
from types import MappingProxyType
from typing import Any, NoReturn, Self

from .checks.proved import Proved
from .diagnostics.nesting import refusing_depth
from .errors import KparityError
from .frontend.functions import Device, ReadFunction
from .frontend.kernels import read_kernel
from .frontend.program_calls import program_of_one_call
from .frontend.programs import read_program
from .frontend.specialise import specialised, statics_of
from .frontend.syntax import Syntax, syntax_of
from .ir import nodes, programs
from .ir.retype import retyped
from .ir.types import SCALARS, Scalar
from .ir.verify import verify


class _Compiled(ReadFunction):
    """What kernels and programs share.

    Attributes
    ----------
    types : mapping of Scalar to Scalar
        Floating-point types that are replaced (`with_types`).
    values : mapping of str to int
        Compile-time integers (`Kernel.specialise`).
    library : str
        Of a kernel that a library does: which (`compiler/library/`); else empty.
    """

    types: Mapping[Scalar, Scalar] = MappingProxyType({})
    values: Mapping[str, int] = MappingProxyType({})
    library: str = ""

    @functools.cached_property
    def _variants(self) -> dict[object, Self]:
        return {}

    def with_types(self, **types: Any) -> Self:
        """Return the same over other floating-point types: `daxpy.with_types(f64=f32)`.

        Raises
        ------
        KparityError
            A type that is no floating-point type.
        """
        chosen = {SCALARS.get(name): getattr(type_, "scalar", None) for name, type_ in types.items()}
        if not all(old and old.is_float and new and new.is_float for old, new in chosen.items()):
            raise KparityError("`with_types` replaces floating-point types: write `with_types(f64=f32)`")
        return self._variant(types={**self.types, **chosen})

    def _variant(self, **changes: Any) -> Self:
        """Return a copy with other attributes, the same one each time."""
        key = tuple((name, tuple(sorted(map(str, value.items())))) for name, value in changes.items())
        if key not in self._variants:
            made = self.anew()
            for name, value in changes.items():
                setattr(made, name, MappingProxyType(value))
            self._variants[key] = made
        return self._variants[key]

    def anew(self) -> Self:
        """Return a copy of which nothing has been read or proved yet, to time that."""
        made = type(self)(self.function)
        made.types, made.values, made._lines, made.library = self.types, self.values, self._lines, self.library
        return made

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

    def __getitem__(self, item: object) -> NoReturn:
        """Raise KparityError: launches have no brackets."""
        raise KparityError(
            f"`{self.name}[...]` sets no grid: call `{self.name}(...)`; `parallel` and `teams` say how many threads"
            " there are, from the scalars and the sizes of the arrays"
        )


class Kernel(_Compiled):
    """A kernel: one `parallel`, typed and proved on first use."""

    @functools.cached_property
    def typed(self) -> nodes.Kernel:
        """The typed IR; raises CompileError with every fault."""
        syntax = self.syntax
        with refusing_depth(self.name, syntax.source, syntax.header, syntax.tree):
            typed = retyped(replace(read_kernel(syntax), library=self.library), self.types)
            assert verify(typed)
        return typed

    @functools.cached_property
    def syntax(self) -> Syntax:
        """The function as written, its compile-time integers as constants; raises SourceUnavailable."""
        whole = syntax_of(self.function, self._lines)
        return specialised(whole, self.values) if self.values else whole

    @functools.cached_property
    def statics(self) -> tuple[str, ...]:
        """Names of compile-time integers (`T: Static[i64]`) that have no value yet."""
        return statics_of(self.syntax)

    def specialise(self, **values: Any) -> Self:
        """Return the kernel for these values of its compile-time integers, the same one each time.

        Raises
        ------
        KparityError
            A name that is no such parameter, or a value that is no integer.
        """
        for name, value in values.items():
            if name not in self.statics:
                listed = ", ".join(f"`{s}`" for s in self.statics) or "none"
                raise KparityError(f"`{name}` is no compile-time integer of `{self.name}`, which has {listed}")
            if isinstance(value, bool) or not isinstance(value, Integral):
                raise KparityError(f"`{name}` of `{self.name}` is a compile-time integer, not {value!r}")
        plain = {name: int(value) for name, value in values.items()}
        return self._variant(values={**self.values, **plain}) if plain else self

    @functools.cached_property
    def proved(self) -> Proved:
        """The kernel with its evidence and guards; raises CompileError with every fault."""
        return self._checked[0]

    @property
    def check_seconds(self) -> float:
        """Processor time that reading the kernel and proving it took when that was done; raises as `proved` does."""
        return self._checked[1]

    @functools.cached_property
    def _checked(self) -> tuple[Proved, float]:
        from .checks.prove import prove  # solver libraries are loaded when a kernel is checked, not before

        start = time.process_time()
        return prove(self.typed), time.process_time() - start

    @functools.cached_property
    def typed_program(self) -> programs.Program:
        """The program of this one call."""
        return program_of_one_call(self.typed)


class Program(_Compiled):
    """A program: one repetition, as kernel calls under host loops and conditions."""

    @functools.cached_property
    def typed_program(self) -> programs.Program:
        """The typed program; raises CompileError with every fault."""
        return retyped(read_program(self.syntax), self.types)

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
