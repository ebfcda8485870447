"""The argument block of a program: one C struct that the checked and the native side both receive."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from math import prod
from typing import Any, Literal

Kind = Literal["array", "reducer", "scalar", "extent", "results", "exchange", "table", "pack", "struct", "lengths"]

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
        As in the program; `results` for the block that brings scalars back, `exchange` for the one that sends messages.
    kind : str
        `array`, `reducer`, `results`, `exchange`: an address; `scalar`, `extent`: a number; by value `table`
        (elements), `pack` (addresses of its members), `struct` (fields), `lengths` (an extent for each member of a
        pack).
    type : str
        Element type (`f64`, `i32`, ...); `i64` for an extent; of a struct its name.
    access : str
        The borrow: `Ref`, `Mut`, `Out`, `Atomic`, or the reducer's name (`Sum`, ...); empty for the rest.
    dims : tuple of str
        Extent expressions of an array, of a table, or of each member of a pack, outermost first; of an exchange the
        names of its packs and tables.
    offset, size, alignment : int
        Bytes, in the struct.
    order : tuple of int
        Dims of an array as they lie in memory, the slowest first; empty for row-major.
    members : int
        Of a pack or its lengths: how many.
    fields : tuple of (str, str, int)
        Of a struct, or of the elements of a reducer over one: path, type and offset of each scalar.
    declarations : tuple of str
        Of a struct: its C types, those of its members first.
    """

    name: str
    kind: Kind
    type: str
    access: str = ""
    dims: tuple[str, ...] = ()
    offset: int = 0
    size: int = 0
    alignment: int = 0
    order: tuple[int, ...] = ()
    members: int = 0
    fields: tuple[tuple[str, str, int], ...] = ()
    declarations: tuple[str, ...] = ()

    @property
    def is_pointer(self) -> bool:
        """Whether the struct member is an address."""
        return self.kind in ("array", "reducer", "results", "exchange")

    @property
    def is_located(self) -> bool:
        """Whether it is a reducer whose buffer holds a value and its location."""
        return self.access in ("MinLoc", "MaxLoc")

    @property
    def held(self) -> tuple[tuple[str, str, int], ...]:
        """Name, type and offset of what an element of a reducer holds, if that is more than one number."""
        return (("value", self.type, 0), ("location", "i64", 8)) if self.is_located else self.fields

    @property
    def c_declaration(self) -> str:
        """The member as a C declaration, without a semicolon."""
        if self.kind == "results":
            return f"kp_results *{self.name}"
        if self.kind == "exchange":
            return f"const kp_exchange *{self.name}"
        if self.kind == "struct":
            return f"{self.type} {self.name}"
        if self.kind == "reducer" and self.fields:
            return f"{self.type} *{self.name}"
        if self.is_located:
            return f"kp_located<{C_TYPES[self.type]}> *{self.name}"
        base = C_TYPES[self.type]
        if self.kind == "table":
            return f"{base} {self.name}{''.join(f'[{d}]' for d in self.dims)}"
        constant = "const " * (self.access == "Ref")
        if self.kind == "pack":
            return f"{constant}{base} *{self.name}[{self.members}]"
        if self.kind == "lengths":
            return f"{base} {self.name}[{self.members}]"
        return f"{constant}{base} {'*' if self.is_pointer else ''}{self.name}"

    @property
    def natural(self) -> tuple[int, int]:
        """Size and alignment by the C ABI of every supported host and device."""
        if self.kind == "struct":
            return self.size, self.alignment
        unit = 8 if self.is_pointer or self.kind == "pack" else ctypes.sizeof(CTYPES[self.type])
        if self.kind == "table":
            return prod(map(int, self.dims)) * unit, unit
        return (self.members or 1) * unit, unit


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
        """First slot of each value that goes back to the host; a location, or a struct's fields, take those behind."""
        slots, following = {}, 0
        for name in self.returned:
            slots[name] = following
            following += len(self[name].held) or 1
        return slots

    @staticmethod
    def build(program: str, members: Iterable[Parameter], returned: tuple[str, ...] = ()) -> Manifest:
        """Lay members out one after the other, each at a multiple of its alignment."""
        parameters, offset, largest = [], 0, 1
        for p in members:
            size, alignment = p.natural
            offset = -(-offset // alignment) * alignment
            parameters.append(replace(p, offset=offset, size=size, alignment=alignment))
            offset += size
            largest = max(largest, alignment)
        return Manifest(program, tuple(parameters), -(-offset // largest) * largest, returned)

    def __getitem__(self, name: str) -> Parameter:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise KeyError(name)

    def pack(self, values: Mapping[str, Any]) -> ctypes.Array[ctypes.c_char]:
        """Return the struct's bytes.

        Parameters
        ----------
        values : mapping
            A number for each scalar, extent and address; bytes for what is passed by value.

        Raises
        ------
        KeyError
            A member has no value.
        """
        block = ctypes.create_string_buffer(self.size)
        for p in self.parameters:
            put(block, p.offset, "pointer" if p.is_pointer else p.type, values[p.name])
        return block

    def header(self) -> str:
        """Return the C header of the struct; a baseline with another parameter list does not compile against it."""
        struct = f"{self.program}_args"
        lines = ["/* generated from the checked kernel */", "#pragma once", '#include "kparity.h"']
        lines += dict.fromkeys(d for p in self.parameters for d in p.declarations)
        lines += ["typedef struct {"]
        lines += [f"  {p.c_declaration};" for p in self.parameters]
        lines += [f"}} {struct};"]
        lines += [
            f'static_assert(offsetof({struct}, {p.name}) == {p.offset}, "{p.name}: offset differs from the manifest");'
            for p in self.parameters
        ]
        lines += [
            f"static_assert(sizeof(static_cast<{struct} *>(nullptr)->{p.name}) == {p.size},"
            f' "{p.name}: size differs from the manifest");'
            for p in self.parameters
        ]
        lines += [
            f'static_assert(offsetof({p.type}, {path}) == {at}, "{p.name}.{path}: offset differs from the manifest");'
            for p in self.parameters for path, _, at in p.fields
        ]  # fmt: skip
        lines += [f'static_assert(sizeof({struct}) == {self.size}, "size differs from the manifest");']
        return "\n".join(lines) + "\n"

    def to_json(self) -> str:
        """Return the manifest as one line of JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> Manifest:
        """Inverse of `to_json`."""
        raw = json.loads(text)
        parameters = tuple(
            Parameter(**{
                **p, "dims": tuple(p["dims"]), "order": tuple(p["order"]), "fields": tuple(map(tuple, p["fields"])),
                "declarations": tuple(p["declarations"]),
            })
            for p in raw["parameters"]
        )  # fmt: skip
        return Manifest(raw["program"], parameters, raw["size"], tuple(raw["returned"]))


def put(block: ctypes.Array[ctypes.c_char], offset: int, type_: str, value: Any) -> None:
    """Write a number of a type, an address (`pointer`), or bytes into a block."""
    if isinstance(value, bytes):
        assert offset + len(value) <= len(block)
        ctypes.memmove(ctypes.addressof(block) + offset, value, len(value))
    else:
        (ctypes.c_void_p if type_ == "pointer" else CTYPES[type_]).from_buffer(block, offset).value = value
