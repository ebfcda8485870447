"""The names a kernel is written with. They are read from the source, never executed.

Each is an object of its own, so that a kernel may import it under any name and a linter finds it defined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ..errors import KparityError
from ..ir import types
from ..ir.operations import INTRINSICS, REDUCTIONS, Intrinsic, Reduction


class OnlyInKernels(KparityError):
    """A name of the kernel language was used outside of a kernel."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A name that only has a meaning inside `@kernel` and `@program` functions."""

    name: str

    def __call__(self, *arguments: Any, **keywords: Any) -> NoReturn:
        """Raise OnlyInKernels: kernels are read, not run."""
        raise OnlyInKernels(f"`{self.name}` is part of the kernel language: write it inside a function under @kernel")

    def __getitem__(self, item: Any) -> Marker:
        return self

    def __iter__(self) -> NoReturn:
        raise OnlyInKernels(f"`{self.name}` is part of the kernel language: write it inside a function under @kernel")


@dataclass(frozen=True, slots=True)
class ScalarName(Marker):
    """A scalar type: an annotation, or a written cast."""

    scalar: types.Scalar


@dataclass(frozen=True, slots=True)
class Borrow(Marker):
    """How a parameter passes arrays: `Ref`, `Mut`, `Out`, `Atomic`, `Push`, `Table`, `Pack`."""


@dataclass(frozen=True, slots=True)
class Layout(Marker):
    """The order of an array's dims in memory. Python may run the annotation that it stands in."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Mean nothing to Python: annotations are read."""
        return self


@dataclass(frozen=True, slots=True)
class ReducerName(Marker):
    """A reducer parameter: `Sum[f64]`."""

    reduction: Reduction


@dataclass(frozen=True, slots=True)
class Function(Marker):
    """A mathematical function."""

    intrinsic: Intrinsic


@dataclass(frozen=True, slots=True)
class Overloads(Marker):
    """A program or kernel of the library: one for each element type that its first parameter, an array, may have.

    Where the second parameter's type decides as well, each of `programs` is again an `Overloads`, of the `second`.
    """

    programs: Mapping[str, Any] = field(repr=False)
    which: str = "first"

    @property
    def position(self) -> int:
        """Of the argument that decides."""
        return ("first", "second").index(self.which)

    def chosen(self, *elements: str) -> Any:
        """Return the program for the element types of the arrays that decide; raises KparityError if there is none."""
        if elements[0] not in self.programs:
            raise KparityError(f"`{self.name}` takes arrays of {', '.join(self.programs)}, not of {elements[0]}")
        found = self.programs[elements[0]]
        return found.chosen(*elements[1:]) if isinstance(found, Overloads) else found

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Launch the program for the types of the arrays."""
        types = [str(getattr(a, "dtype", "")) for a in (*arguments, *keywords.values())]
        names = [t.replace("float", "f").replace("uint", "u").replace("int", "i") for t in types]
        return self.chosen(*(names or [""]))(*arguments, **keywords)


def _scalar(scalar: types.Scalar) -> Any:
    return ScalarName(scalar.name, scalar)


def _reducer(name: str) -> Any:
    return ReducerName(name, REDUCTIONS[name])


def _function(name: str) -> Any:
    return Function(name, INTRINSICS[name])


# Annotated as Any: kernels subscript and call these names in ways that no Python type describes.
Ref: Any = Borrow("Ref")
Mut: Any = Borrow("Mut")
Out: Any = Borrow("Out")
Atomic: Any = Borrow("Atomic")
Push: Any = Borrow("Push")
Table: Any = Borrow("Table")
Pack: Any = Borrow("Pack")
Static: Any = Marker("Static")

Sum: Any = _reducer("Sum")
Prod: Any = _reducer("Prod")
Min: Any = _reducer("Min")
Max: Any = _reducer("Max")
And: Any = _reducer("And")
Or: Any = _reducer("Or")
MinLoc: Any = _reducer("MinLoc")
MaxLoc: Any = _reducer("MaxLoc")
Reduce: Any = _reducer("Reduce")

f64: Any = _scalar(types.F64)
f32: Any = _scalar(types.F32)
i64: Any = _scalar(types.I64)
i32: Any = _scalar(types.I32)
u64: Any = _scalar(types.U64)
u32: Any = _scalar(types.U32)

parallel: Any = Marker("parallel")
layout: Any = Layout("layout")
repetition: Any = Marker("repetition")
exchange: Any = Marker("exchange")
teams: Any = Marker("teams")
threads: Any = Marker("threads")
shared: Any = Marker("shared")
private: Any = Marker("private")
reshape: Any = Marker("reshape")
require: Any = Marker("require")
sum_before: Any = Marker("sum_before")
sum_upto: Any = Marker("sum_upto")
local: Any = Marker("local")
scratch: Any = Marker("scratch")
ceildiv: Any = Marker("ceildiv")
checked: Any = Marker("checked")
unsafe: Any = Marker("unsafe")

sqrt: Any = _function("sqrt")
floor: Any = _function("floor")
ceil: Any = _function("ceil")
trunc: Any = _function("trunc")
copysign: Any = _function("copysign")
fma: Any = _function("fma")
exp: Any = _function("exp")
log: Any = _function("log")
sin: Any = _function("sin")
cos: Any = _function("cos")
tan: Any = _function("tan")
tanh: Any = _function("tanh")
atan: Any = _function("atan")
atan2: Any = _function("atan2")
cbrt: Any = _function("cbrt")
pow: Any = _function("pow")

# Python's own names that kernels use with their usual meaning.
BUILTINS: dict[str, Any] = {
    "abs": _function("abs"),
    "min": _function("min"),
    "max": _function("max"),
    "pow": pow,
    "bool": ScalarName("bool", types.BOOL),
    "range": Marker("range"),
}
