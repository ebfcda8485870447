"""`@struct`: a class of scalar fields that kernels take by value, laid out as C lays it out."""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass
from typing import Any, TypeVar, dataclass_transform

import numpy as np

from .errors import KparityError
from .frontend.language import ScalarName
from .ir.nodes import StructType
from .ir.types import BOOL, Scalar

_Class = TypeVar("_Class")


@dataclass_transform()
def struct(cls: type[_Class]) -> type[_Class]:
    """Declare a struct of scalars; kernels and programs take it by value.

    The class becomes a dataclass; an annotation is a scalar type (`f64`) or another struct of scalars.

    Raises
    ------
    KparityError
        The class has no fields, or a field that is not a scalar.
    """
    around = sys._getframe(1).f_locals  # structs and kernels of a function see its names
    try:
        annotations = inspect.get_annotations(cls, eval_str=True, locals=dict(around))
    except NameError as error:
        raise KparityError(
            f"struct `{cls.__name__}`: {error}; a field's type is a scalar type such as `f64`"
        ) from error
    if not annotations:
        raise KparityError(f"struct `{cls.__name__}` has no fields: write `rho: f64` in its body")
    members = [(name, _field(cls, name, type_)) for name, type_ in annotations.items()]
    layout = laid_out(cls.__name__, members)
    cls.__kparity_struct__ = layout  # type: ignore[attr-defined]
    if "dtype" not in annotations:
        cls.dtype = dtype_of(layout)  # type: ignore[attr-defined]
    dataclass(cls)
    return cls


def dtype_of(layout: StructType) -> np.dtype[Any]:
    """Return NumPy's type of such a struct, which lies as in C; `numpy.zeros(1, Moments)` finds it by itself."""
    names, types, offsets = zip(*layout.members, strict=True)
    formats = [dtype_of(t) if isinstance(t, StructType) else np.dtype(_letters(t)) for t in types]
    of = {"names": list(names), "formats": formats, "offsets": list(offsets), "itemsize": layout.size}
    dtype: np.dtype[Any] = np.dtype(of)  # type: ignore[call-overload]
    return dtype


def _letters(type_: Scalar) -> str:
    return "?" if type_ is BOOL else f"{type_.name[0]}{type_.bytes}"


def _field(cls: type, name: str, type_: Any) -> Scalar | StructType:
    if isinstance(type_, ScalarName):
        return type_.scalar
    inner = getattr(type_, "__kparity_struct__", None)
    if not isinstance(inner, StructType):
        raise KparityError(
            f"field `{name}` of struct `{cls.__name__}` is no scalar: write a scalar type such as `f64`, or another"
            " struct of scalars"
        )
    if any(isinstance(member, StructType) for _, member, _ in inner.members):
        raise KparityError(f"field `{name}` of struct `{cls.__name__}` nests more than one level: flatten it")
    return inner


def laid_out(name: str, members: list[tuple[str, Scalar | StructType]]) -> StructType:
    """Return a struct with C's offsets: each member at a multiple of its alignment, the whole padded to the largest."""
    offset, alignment = 0, 1
    fields: list[tuple[str, Scalar, int]] = []
    placed: list[tuple[str, Scalar | StructType, int]] = []
    for member, type_ in members:
        own, size = (type_.bytes, type_.bytes) if isinstance(type_, Scalar) else (type_.alignment, type_.size)
        offset, alignment = -(-offset // own) * own, max(alignment, own)
        placed.append((member, type_, offset))
        inner = [("", type_, 0)] if isinstance(type_, Scalar) else [(f".{n}", t, at) for n, t, at in type_.fields]
        fields += [(member + path, scalar, offset + at) for path, scalar, at in inner]
        offset += size
    return StructType(name, tuple(fields), tuple(placed), -(-offset // alignment) * alignment, alignment)
