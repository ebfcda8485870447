"""The argument block of a program: one C struct that the checked and the native side both receive."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["array", "reducer", "scalar", "extent", "results"]

WITHOUT_RESULTS = 1  # bit of `flags`: do not wait for reduced scalars
RESULT_SLOTS = 6  # 8-byte values in one `kp_results` block
RESULTS_BYTES = 64

C_TYPES = {
    "f64": "double", "f32": "float", "i64": "int64_t", "u64": "uint64_t",
    "i32": "int32_t", "u32": "uint32_t", "bool": "uint8_t",
}  # fmt: skip
CTYPES: dict[str, Any] = {
    "f64": ctypes.c_double, "f32": ctypes.c_float, "i64": ctypes.c_int64, "u64": ctypes.c_uint64,
    "i32": ctypes.c_int32, "u32": ctypes.c_uint32, "bool": ctypes.c_uint8,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parameter:
    """One member of the argument struct.

    Attributes
    ----------
    name : str
        As in the program; `results` for the block that brings scalars back.
    kind : {"array", "reducer", "scalar", "extent", "results"}
        Arrays, reducers and results are pointers.
    type : str
        Element type (`f64`, `i32`, ...); `i64` for an extent.
    access : str
        The borrow: `Ref`, `Mut`, `Out`, `Atomic`, or the reducer's name (`Sum`, ...); empty for the rest.
    dims : tuple of str
        Extent expressions of an array, outermost first.
    offset, size, alignment : int
        Bytes, in the struct.
    """

    name: str
    kind: Kind
    type: str
    access: str
    dims: tuple[str, ...]
    offset: int
    size: int
    alignment: int

    @property
    def is_pointer(self) -> bool:
        """Whether the struct member is an address."""
        return self.kind in ("array", "reducer", "results")

    @property
    def is_located(self) -> bool:
        """Whether it is a reducer whose buffer holds a value and its location."""
        return self.access in ("MinLoc", "MaxLoc")

    @property
    def c_declaration(self) -> str:
        """The member as a C declaration, without a semicolon."""
        if self.kind == "results":
            return f"kp_results *{self.name}"
        if self.is_located:
            return f"kp_located<{C_TYPES[self.type]}> *{self.name}"
        base = C_TYPES[self.type]
        if self.kind == "array" and self.access == "Ref":
            return f"const {base} *{self.name}"
        return f"{base} {'*' if self.is_pointer else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class Manifest:
    """Layout of a program's argument struct, the contract between host, device and baseline.

    Attributes
    ----------
    program : str
        Name of the program; an identifier.
    parameters : tuple of Parameter
        In struct order.
    size : int
        Bytes of the struct, padded to its alignment.
    returned : tuple of str
        Reducers and arrays of one element whose value goes back to the host, in slot order.
    """

    program: str
    parameters: tuple[Parameter, ...]
    size: int
    returned: tuple[str, ...] = ()

    @property
    def result_slots(self) -> dict[str, int]:
        """First slot of each value that goes back to the host; a location takes the one behind its value."""
        slots, following = {}, 0
        for name in self.returned:
            slots[name] = following
            following += 2 if self[name].is_located else 1
        return slots

    @staticmethod
    def build(
        program: str, members: list[tuple[str, Kind, str, str, tuple[str, ...]]], returned: tuple[str, ...] = ()
    ) -> Manifest:
        """Lay out `(name, kind, type, access, dims)` members by the C ABI of every supported host and device."""
        parameters, offset, largest = [], 0, 1
        for name, kind, type_, access, dims in members:
            size = 8 if kind in ("array", "reducer", "results") else ctypes.sizeof(CTYPES[type_])
            offset = -(-offset // size) * size  # every member type is naturally aligned
            parameters.append(Parameter(name, kind, type_, access, dims, offset, size, size))
            offset += size
            largest = max(largest, size)
        return Manifest(program, tuple(parameters), -(-offset // largest) * largest, returned)

    def __getitem__(self, name: str) -> Parameter:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise KeyError(name)

    def pack(self, values: Mapping[str, int | float | bool]) -> ctypes.Array[ctypes.c_char]:
        """Return the struct's bytes; pointers are given as integer addresses.

        Raises
        ------
        KeyError
            A member has no value.
        """
        block = ctypes.create_string_buffer(self.size)
        for p in self.parameters:
            ctype = ctypes.c_void_p if p.is_pointer else CTYPES[p.type]
            ctype.from_buffer(block, p.offset).value = values[p.name]
        return block

    def header(self) -> str:
        """Return the C header of the struct; a baseline with another parameter list does not compile against it."""
        struct = f"{self.program}_args"
        lines = ["/* generated from the checked kernel */", "#pragma once", '#include "kparity.h"', "typedef struct {"]
        lines += [f"  {p.c_declaration};" for p in self.parameters]
        lines += [f"}} {struct};"]
        lines += [
            f'static_assert(offsetof({struct}, {p.name}) == {p.offset}, "{p.name}: offset differs from the manifest");'
            for p in self.parameters
        ]
        lines += [f'static_assert(sizeof({struct}) == {self.size}, "size differs from the manifest");']
        return "\n".join(lines) + "\n"

    def to_json(self) -> str:
        """Return the manifest as one line of JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> Manifest:
        """Inverse of `to_json`."""
        raw = json.loads(text)
        parameters = tuple(Parameter(**{**p, "dims": tuple(p["dims"])}) for p in raw["parameters"])
        return Manifest(raw["program"], parameters, raw["size"], tuple(raw["returned"]))
