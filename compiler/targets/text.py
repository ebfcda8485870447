"""LLVM IR as text, one function at a time.

Text, because llvmlite's builder lacks what the kernels need (`readonly`, key="value" attributes, scopes of atomics).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from ..ir.types import BOOL, F32, Scalar

_NO_BRACKETS = str.maketrans("[]", "__")  # extents of a pack's members have them in their names


class Function:
    """Collects the instructions of one function; locals are `alloca`s of the entry block, mem2reg does the rest.

    Parameters
    ----------
    stack : int
        Address space of the locals; where it is not 0, they are used by their addresses among all.
    """

    def __init__(self, signature: str, attributes: str = "", stack: int = 0) -> None:
        self.signature = signature
        self.attributes = attributes
        self.stack = stack
        self._allocas: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._block = "entry"
        self.terminated = False

    def name(self, hint: str = "v") -> str:
        """Return a fresh name without `%`."""
        self._count += 1
        return f"{hint.translate(_NO_BRACKETS)}.{self._count}"

    def emit(self, line: str) -> None:
        """Append an instruction that has no result."""
        assert not self.terminated, line
        self._lines.append("  " + line)

    def value(self, instruction: str, hint: str = "v") -> str:
        """Append an instruction and return its result."""
        result = "%" + self.name(hint)
        self.emit(f"{result} = {instruction}")
        return result

    def alloca(self, llvm_type: str, hint: str = "local", align: int = 0) -> str:
        """Return the address of a stack slot."""
        result = "%" + self.name(hint)
        slot = f"{result}.slot" if self.stack else result
        space = f", addrspace({self.stack})" if self.stack else ""
        self._allocas.append(f"  {slot} = alloca {llvm_type}{f', align {align}' if align else ''}{space}")
        if self.stack:
            self._allocas.append(f"  {result} = addrspacecast ptr addrspace({self.stack}) {slot} to ptr")
        return result

    def block(self, label: str) -> None:
        """Start a block; falls through from the current one if that is open."""
        if not self.terminated:
            self._lines.append(f"  br label %{label}")
        self._lines.append(f"{label}:")
        self._block = label
        self.terminated = False

    def jump(self, label: str, loop: str = "") -> None:
        """End the block with an unconditional branch; `loop` is the metadata of the loop that it closes."""
        self.emit(f"br label %{label}{f', !llvm.loop {loop}' if loop else ''}")
        self.terminated = True

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        """End the block with a conditional branch."""
        self.emit(f"br i1 {condition}, label %{then}, label %{otherwise}")
        self.terminated = True

    def each(self, start: str, end: str, step: str, body: Callable[[str], None], name: str = "each") -> None:
        """Emit `for i in range(start, end, step)`, i64 operands, around what `body` emits for `i`."""
        head, inside, done = self.name(name), self.name("do"), self.name("done")
        counter = self.alloca("i64", name)
        self.emit(f"store i64 {start}, ptr {counter}")
        self.block(head)
        current = self.value(f"load i64, ptr {counter}")
        self.branch(self.value(f"icmp slt i64 {current}, {end}"), inside, done)
        self.block(inside)
        body(current)
        self.emit(f"store i64 {self.value(f'add i64 {current}, {step}')}, ptr {counter}")
        self.jump(head)
        self.block(done)

    def ret(self, value: str = "void") -> None:
        """End the function."""
        self.emit(f"ret {value}")
        self.terminated = True

    def text(self) -> str:
        """Return the definition."""
        assert self.terminated
        body = "\n".join(["entry:", *self._allocas, *self._lines])
        return f"define {self.signature} {self.attributes} {{\n{body}\n}}\n".replace("entry:\nentry:", "entry:")


class Module:
    """Definitions, declarations and metadata of one LLVM module."""

    def __init__(self, triple: str, data_layout: str, flags: Sequence[str] = ()) -> None:
        self.header = f'target triple = "{triple}"\ntarget datalayout = "{data_layout}"\n'
        self._flags = flags
        self.definitions: list[str] = []
        self.globals: list[str] = []
        self._declarations: dict[str, str] = {}
        self._attributes: dict[str, str] = {}
        self._defined: set[str] = set()
        self.imports: set[str] = set()  # symbols that the host process provides
        self._metadata: list[str] = []
        self._empty = ""
        self.tables: dict[object, str] = {}  # where each table of constants lies
        self.combinations: dict[object, str] = {}  # the function of each reducer over a struct
        self.atomics = ""  # what is known of the memory of atomic operations, as the end of their instruction

    def declare(self, name: str, declaration: str) -> str:
        """Declare a function once; returns its name."""
        self._declarations[name] = declaration
        return name

    def define_once(self, name: str, definition: str) -> None:
        """Define a function that several kernels call."""
        if name not in self._defined:
            self._defined.add(name)
            self.definitions.append(definition)

    def attributes(self, text: str) -> str:
        """Return the `#n` of an attribute group."""
        if text not in self._attributes:
            self._attributes[text] = f"#{len(self._attributes)}"
        return self._attributes[text]

    def metadata(self, *parts: str) -> str:
        """Return a new list of metadata that equals no other: a loop's hints, an access group, an alias scope."""
        name = f"!{len(self._metadata)}"
        # A list that names itself is never merged with one of the same content.
        self._metadata.append(f"{name} = distinct !{{{', '.join([name, *parts] if parts else [])}}}")
        return name

    def node(self) -> str:
        """Return the metadata node that holds nothing: that it is there says all."""
        if not self._empty:
            self._empty = f"!{len(self._metadata)}"
            self._metadata.append(f"{self._empty} = !{{}}")
        return self._empty

    def text(self) -> str:
        """Return the module."""
        first = len(self._metadata)
        flags = [f"!{first + number} = !{{{flag}}}" for number, flag in enumerate(self._flags)]
        if flags:
            flags.append(f"!llvm.module.flags = !{{{', '.join(f'!{first + n}' for n in range(len(flags)))}}}")
        groups = [f"attributes {n} = {{ {text} }}" for text, n in self._attributes.items()]
        parts = [
            self.header,
            *self.globals,
            *self._declarations.values(),
            *self.definitions,
            *groups,
            *self._metadata,
            *flags,
        ]
        return ascii_name("\n".join(parts)) + "\n"


def ascii_name(text: str) -> str:
    """Return the text with each letter that LLVM and PTX do not take as `$code$`, which no Python name holds."""
    return text if text.isascii() else "".join(c if c.isascii() else f"${ord(c):x}$" for c in text)


def symbol_name(symbol: str) -> str:
    """Return a kernel's name in a GPU's code: not all of the vendors' tools take dots."""
    return symbol.replace(".", "_")


def literal(value: int | float | bool, type_: Scalar) -> str:
    """Return a constant operand; floats by their bits, so that nothing is rounded on the way."""
    if type_ is BOOL:
        return "true" if value else "false"
    if type_.is_float:
        number = float(value)
        if type_ is F32:
            number = struct.unpack("f", struct.pack("f", number))[0]
        return "0x" + struct.pack(">d", number).hex().upper()
    wrapped = int(value) % (1 << type_.bits)
    return str(wrapped - (1 << type_.bits) if wrapped >= 1 << (type_.bits - 1) else wrapped)
