"""Translates the pseudocode of an instruction, as AMD's ISA documents print it, into a function over NumPy arrays.

One array element is one lane. Registers come in as unsigned integers of their width, a lane mask as booleans.
Branches of the pseudocode become masks, so every lane computes every branch and keeps what its own condition selects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from . import functions

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*)
      | (?P<cast>\d+'[UIBF](?=\())
      | (?P<kind>\d+'[UIBF](?![0-9x(]))
      | (?P<sized>\d+'(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?)[UIFL]*)
      | (?P<number>0x[0-9a-fA-F]+(?:ULL|LL|U)?|\d+\.\d+F?|\d+(?:ULL|LL|U)?)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign>\*\*|<<|>>|\+=|-=|&=|\|=|<=|>=|==|!=|<>|&&|\|\||[-+*/%&|^~!<>=?:.,;()\[\]{}])""",
    re.VERBOSE,
)
BINDING = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<>": 6, "<": 7, "<=": 7, ">": 7, ">=": 7}
BINDING |= {"<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10, "**": 11}
COMPARISONS = {"==": "==", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
TYPES = {"u1": "bool", "f16": "float16", "f32": "float32", "f64": "float64"}
TYPES |= {f"{kind}{bits}": f"{name}{bits}" for kind, name in (("u", "uint"), ("i", "int")) for bits in (8, 16, 32, 64)}
LITERAL = {"int", "float"}  # types of numbers that take the type of what they meet


class Untranslatable(Exception):
    """The pseudocode uses something that this translator does not know; the message says what."""


@dataclass(frozen=True)
class Value:
    """A Python expression, the type of its value, and how many bits of that it has if it is a part of a register."""

    code: str
    type: str
    bits: int = 0


def tokens(text: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each token; comments and white space are left out."""
    place = 0
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            raise Untranslatable(f"the character {text[place]!r}")
        place = match.end()
        if match.lastgroup != "skip":
            yield str(match.lastgroup), match.group()


def width(kind: str) -> int:
    """Bits of a type."""
    return int(kind[1:])


def reinterpreted(value: Value, to: str) -> Value:
    """The same bits under another type: narrower takes the low bits, wider fills with zeros."""
    to = to.replace("b", "u") if not to.startswith("bf") else to
    if to in ("u24", "i24"):
        low = reinterpreted(value, f"{to[0]}32")
        return Value(f"(({low.code} << 8) >> 8)", low.type)
    if to not in TYPES:
        raise Untranslatable(f"the type {to}")
    if value.type in LITERAL:
        return Value(f"np.{TYPES[to]}({value.code})", to)
    if value.type == to:
        return value
    if value.type == "u1" or to == "u1":
        return Value(f"({value.code}).astype(np.{TYPES[to]})", to)
    code, bits = value.code, width(value.type)
    if width(to) != bits:
        if value.type[0] != "u":
            code = f"({code}).view(np.uint{bits})"
        code, bits = f"({code}).astype(np.uint{width(to)})", width(to)
        return Value(code if to[0] == "u" else f"{code}.view(np.{TYPES[to]})", to)
    return Value(f"({code}).view(np.{TYPES[to]})", to)


def converted(value: Value, to: str) -> Value:
    """The same number in another type."""
    if value.type == to:
        return value
    if value.type in LITERAL:
        return Value(f"np.{TYPES[to]}({value.code})", to)
    return Value(f"({value.code}).astype(np.{TYPES[to]})", to)


def common(left: Value, right: Value) -> str:
    """The type in which two operands meet: that of the one which is no literal, or the wider."""
    if left.type in LITERAL or right.type in LITERAL:
        return right.type if left.type in LITERAL else left.type
    return right.type if width(right.type) > width(left.type) else left.type


@dataclass
class Translator:
    """Reads one instruction's pseudocode; `lines` grows into the body of a function."""

    text: str
    widths: dict[str, int]  # bits of the operands by name: S0, S1, S2, D0, ...
    scalar: bool  # a scalar instruction: EXEC and VCC are numbers, not masks
    types: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    masks: list[str] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    counter: int = 0

    def __post_init__(self) -> None:
        self.tokens = [*tokens(self.text), ("end", "")]
        self.place = 0
        self.types |= {name: f"u{bits}" for name, bits in self.widths.items()}

    # Tokens

    def peek(self) -> str:
        return self.tokens[self.place][1]

    def take(self, expected: str | None = None) -> str:
        text = self.tokens[self.place][1]
        if expected is not None and text != expected:
            raise Untranslatable(f"{text!r} where {expected!r} should stand")
        self.place += 1
        return text

    # Statements

    def translate(self) -> None:
        while self.tokens[self.place][0] != "end":
            self.statement()

    def statement(self) -> None:
        word = self.peek()
        if word == ";":
            self.take()
        elif word in ("declare", "TRAPSTS"):  # exceptions are not modelled
            while self.peek() not in (";", ""):
                self.take()
        elif word == "if":
            self.branches()
        elif word in ("for", "while", "{", "lambda", "addr"):
            raise Untranslatable(f"`{word}`")
        else:
            self.assignment()

    def branches(self) -> None:
        """`if … then … elsif … else … endif`: each part runs under its own mask, less those before it."""
        outer = self.masks[-1] if self.masks else None
        taken: list[str] = []
        while True:
            word = self.take()
            if word == "endif":
                return
            here = f"mask{self.counter}"
            self.counter += 1
            terms = [f"~{mask}" for mask in taken] + ([outer] if outer else [])
            if word != "else":
                condition = self.truth(self.expression())
                self.take("then")
                chosen = f"chosen{self.counter}"
                self.lines.append(f"{chosen} = {condition}")
                terms.append(chosen)
                taken.append(chosen)
            self.lines.append(f"{here} = {' & '.join(terms) or 'True'}")
            self.masks.append(here)
            while self.peek() not in ("elsif", "else", "endif"):
                if self.tokens[self.place][0] == "end":
                    raise Untranslatable("an `if` without its end")
                self.statement()
            self.masks.pop()

    def assignment(self) -> None:
        place = self.place
        if (
            self.peek() == "EXEC"
            and not self.scalar
            and self.take()
            and self.take(".")
            and self.take()
            and self.take("[")
        ):
            self.take("laneId")
            self.take("]")
            self.take("=")
            self.compared()
            return
        self.place = place
        name = self.take()
        kind: str | None = None
        part: tuple[Value, Value] | None = None
        lane = False
        while self.peek() in (".", "["):
            if self.take() == ".":
                kind = self.take()
            elif self.peek() == "laneId":
                self.take()
                self.take("]")
                lane = True
            else:
                high = self.expression()
                low = high
                if self.peek() == ":":
                    self.take()
                    low = self.expression()
                self.take("]")
                part = (high, low)
        operator = self.take()
        if operator not in ("=", "+=", "-=", "&=", "|="):
            raise Untranslatable(f"a statement that begins with {name} {operator}")
        value = self.expression()
        if lane:
            self.store(name, Value(self.truth(value), "u1"))
            return
        target = (kind or "").replace("b", "u") or None
        if operator != "=":
            old = Value(name, self.types[name])
            value = self.binary(operator[0], reinterpreted(old, target) if target else old, value)
        if part is not None:
            self.store_part(name, part, value, target)
            return
        if name in ("D0", "D1") or (name in ("EXEC", "VCC") and self.scalar):
            wanted = target or value.type
            value = reinterpreted(converted(value, wanted), f"u{width(wanted)}")
        elif target and name not in ("SCC", "VCC", "EXEC"):
            value = converted(value, target)
        elif name in ("SCC", "VCC"):
            value = Value(self.truth(value), "u1")
        elif name in self.types and value.type != self.types[name] and self.masks:
            value = converted(value, self.types[name])
        self.store(name, value)

    def compared(self) -> None:
        """`EXEC.u64[laneId] = D0.u64[laneId] = condition`, or the condition alone: both take the same lanes."""
        if self.peek() in ("D0", "VCC") and self.tokens[self.place + 1][1] == ".":
            while self.take() != "=":
                pass
        self.store("EXEC", Value(self.truth(self.expression()), "u1"))

    def store(self, name: str, value: Value) -> None:
        code = value.code
        if self.masks and name in self.types:
            code = f"np.where({self.masks[-1]}, {code}, {converted(Value(name, self.types[name]), value.type).code})"
        if value.type in LITERAL:
            value = Value(code, "i32" if value.type == "int" else "f64")
            code = f"np.{TYPES[value.type]}({code})"
        self.types[name] = value.type
        self.written.add(name)
        self.lines.append(f"{name} = {code}")

    def store_part(self, name: str, part: tuple[Value, Value], value: Value, kind: str | None) -> None:
        high, low = (int(end.code) for end in part if end.code.isdigit())
        bits = abs(high - low) + 1
        if kind and width(kind) == bits:
            value = converted(value, kind)
        size = f"u{64 if bits > 32 else 32}"
        held = self.types.get(name, size)
        if name not in self.types or high >= width(held):
            held = "u64" if high >= 32 else "u32"
            if name not in self.types:
                self.lines.append(f"{name} = np.{TYPES[held]}(0)")
                self.types[name] = held
        code = reinterpreted(
            reinterpreted(value, f"u{width(value.type)}") if value.type not in LITERAL else value, held
        )
        whole = reinterpreted(Value(name, self.types[name]), held)
        self.store(
            name, Value(f"functions.replaced({whole.code}, {code.code}, {max(high, low)}, {min(high, low)})", held)
        )

    # Expressions

    def truth(self, value: Value) -> str:
        return value.code if value.type == "u1" else f"(({value.code}) != 0)"

    def expression(self, level: int = 0) -> Value:
        left = self.prefix()
        while (sign := self.peek()) in BINDING and BINDING[sign] > level:
            self.take()
            left = self.binary(sign, left, self.expression(BINDING[sign]))
        if level == 0 and self.peek() == "?":
            self.take()
            yes = self.expression()
            self.take(":")
            no = self.expression()
            kind = common(yes, no)
            kind = {"int": "i32", "float": "f64"}.get(kind, kind)
            return Value(f"np.where({self.truth(left)}, {converted(yes, kind).code}, {converted(no, kind).code})", kind)
        return left

    def binary(self, sign: str, left: Value, right: Value) -> Value:
        if sign in ("&&", "||"):
            return Value(f"({self.truth(left)} {sign[0]} {self.truth(right)})", "u1")
        if sign in COMPARISONS:
            for one, other in ((left, right), (right, left)):
                if one.code == "DENORM":  # "equal to a denormal" is said of numbers that are one
                    return Value(f"functions.is_denormal({other.code})", "u1")
            if "u1" in (left.type, right.type):
                return Value(f"({self.truth(left)} {COMPARISONS[sign]} {self.truth(right)})", "u1")
            kind = common(left, right)
            sides = [side.code if side.type in LITERAL else converted(side, kind).code for side in (left, right)]
            return Value(f"({sides[0]} {COMPARISONS[sign]} {sides[1]})", "u1")
        if sign in ("<<", ">>"):
            count = (
                right.code
                if right.type in LITERAL
                else converted(right, left.type if left.type not in LITERAL else "u64").code
            )
            base = left if left.type not in LITERAL else Value(f"np.uint64({left.code})", "u64")
            return Value(f"({base.code} {sign} {count})", base.type)
        if sign == "**":
            return Value(f"functions.power({left.code}, {right.code})", "f64")
        if sign in ("&", "|", "^") and {left.type, right.type} == {"u1"}:
            return Value(f"({left.code} {sign} {right.code})", "u1")
        kind = common(left, right)
        if kind == "u1":  # a sum of bits counts
            kind = "u32"
        if kind in LITERAL:
            return Value(f"({left.code} {sign} {right.code})", kind)
        sides = [side.code if side.type in LITERAL else converted(side, kind).code for side in (left, right)]
        return Value(f"({sides[0]} {sign} {sides[1]})", kind)

    def prefix(self) -> Value:
        sign = self.peek()
        if sign in ("-", "~", "!", "+"):
            self.take()
            value = self.expression(10)
            if sign == "!":
                return Value(f"(~{self.truth(value)})", "u1")
            if sign == "+":
                return value
            return Value(f"({sign}{value.code})", value.type)
        return self.postfix(self.primary())

    def primary(self) -> Value:
        kind, text = self.tokens[self.place]
        self.place += 1
        match kind:
            case "cast":
                return self.cast(text)
            case "sized":
                number = text.split("'")[1].rstrip("UIFL")
                if text.startswith("1'"):
                    return Value("np.bool_(True)" if number == "1" else "np.bool_(False)", "u1")
                return Value(number, "int" if "." not in number else "float")
            case "number" if "." in text:
                return Value(f"np.float32({text[:-1]})", "f32") if text.endswith("F") else Value(text, "float")
            case "number":
                return Value(str(int(text.rstrip("UL"), 0)), "int")
            case "name":
                return self.call(text) if self.peek() == "(" else self.name(text)
        if text == "{":
            high = self.expression()
            self.take(",")
            low = self.expression()
            self.take("}")
            return self.joined(high, low)
        if text == "(":
            value = self.expression()
            self.take(")")
            return Value(f"({value.code})", value.type)
        raise Untranslatable(f"{text!r} at the start of an expression")

    def joined(self, high: Value, low: Value) -> Value:
        """`{ high, low }`: bits side by side."""
        bits = low.bits or (width(low.type) if low.type not in LITERAL else 16)
        whole = "u64" if bits == 32 else "u32"
        left, right = (reinterpreted(self.unsigned(side), whole).code for side in (high, low))
        return Value(f"(({left} << {bits}) | ({right} & {(1 << bits) - 1}))", whole)

    def cast(self, text: str) -> Value:
        bits, letter = text.split("'")
        self.take("(")
        value = self.expression()
        self.take(")")
        kind = f"{letter.lower().replace('b', 'u')}{bits}"
        if kind not in TYPES:
            raise Untranslatable(f"a number of {bits} bits")
        if letter == "F" and value.type not in ("f16", "f32", "f64", "float"):
            return reinterpreted(
                value if value.type != "int" else Value(f"np.uint{bits}({value.code})", f"u{bits}"), kind
            )
        return converted(value, kind)

    def name(self, text: str) -> Value:
        if text in ("INF", "PI", "NAN"):
            return Value({"INF": "np.inf", "PI": "np.pi", "NAN": "np.nan"}[text], "float")
        if text == "DENORM":
            return Value("DENORM", "f64")
        if text == "WAVE_MODE":
            return Value("WAVE_MODE", "u32")
        if text in functions.CONSTANTS:
            return Value(f"functions.CONSTANTS[{text!r}]", functions.CONSTANTS_TYPE[text])
        if text == "laneId":
            return Value("laneId", "u32")
        if text in self.types:
            return Value(text, self.types[text])
        if text in ("VCC", "EXEC", "SCC"):
            return Value(text, "u1" if not self.scalar or text == "SCC" else "u64")
        raise Untranslatable(f"the name {text}")

    def postfix(self, value: Value) -> Value:
        while self.peek() in (".", "["):
            if self.take() == ".":
                kind = self.take()
                if value.code == "WAVE_MODE":
                    value = Value("np.bool_(False)", "u1")
                    continue
                if value.code in ("DENORM", "np.nan") or (value.code in ("VCC", "EXEC") and not self.scalar):
                    continue
                value = reinterpreted(value, kind)
                continue
            if self.peek() == "laneId":
                self.take()
                self.take("]")
                continue
            high = self.expression()
            if self.peek() == ":":
                self.take()
                low = self.expression()
                self.take("]")
                value = self.part(value, high, low)
            else:
                self.take("]")
                value = self.bit(value, high)
        return value

    def unsigned(self, value: Value) -> Value:
        if value.type in LITERAL:
            return Value(f"np.uint64({value.code})", "u64")
        return reinterpreted(value, f"u{width(value.type)}")

    def bit(self, value: Value, index: Value) -> Value:
        whole = self.unsigned(value)
        count = index.code if index.type in LITERAL else converted(index, whole.type).code
        return Value(f"((({whole.code}) >> {count}) & 1).astype(bool)", "u1")

    def part(self, value: Value, high: Value, low: Value) -> Value:
        if not (high.code.isdigit() and low.code.isdigit()):
            raise Untranslatable("a part of a register whose bounds are computed")
        top, bottom = int(high.code), int(low.code)
        whole = self.unsigned(value)
        if top < bottom:
            return Value(f"functions.reversed_bits({whole.code}, {bottom - top + 1})", whole.type)
        bits = top - bottom + 1
        code = f"((({whole.code}) >> {bottom}) & {(1 << bits) - 1})"
        return replace(reinterpreted(Value(code, whole.type), "u64" if bits > 32 else "u32"), bits=bits)

    def call(self, name: str) -> Value:
        self.take("(")
        arguments = [self.expression()]
        while self.peek() == ",":
            self.take()
            arguments.append(self.expression())
        self.take(")")
        known = functions.BY_NAME.get(name)
        if known is None:
            raise Untranslatable(f"the function {name}")
        result = known[1]
        kinds = [argument.type for argument in arguments if argument.type not in LITERAL]
        if result == "same":
            result = kinds[0] if kinds else "f64"
        codes = [
            f"np.{TYPES[result]}({a.code})" if a.type in LITERAL and known[1] == "same" else a.code for a in arguments
        ]
        return Value(f"functions.{known[0]}({', '.join(codes)})", result)


def compiled(text: str, widths: dict[str, int], scalar: bool) -> tuple[Callable[..., dict[str, Any]], frozenset[str]]:
    """Compile pseudocode into a function from operands by name to what it wrote by name; and the names it writes.

    Parameters
    ----------
    text : str
        The pseudocode.
    widths : dict of str to int
        Bits of each operand that may occur: ``S0``, ``S1``, ``S2``, ``D0``, ``SIMM16``, ...
    scalar : bool
        Whether it is a scalar instruction, to which ``EXEC`` and ``VCC`` are numbers.

    Raises
    ------
    Untranslatable
        The pseudocode uses a loop, a function or a width that is not known here.
    """
    translator = Translator(text, widths, scalar)
    translator.translate()
    outputs = translator.written & {"D0", "D1", "VCC", "EXEC", "SCC"}
    if not outputs:
        raise Untranslatable("pseudocode that writes no register")
    body = "\n    ".join(
        [*translator.lines, f"return {{{', '.join(f'{name!r}: {name}' for name in sorted(outputs))}}}"]
    )
    names = sorted({*widths, "VCC", "EXEC", "SCC", "laneId"})
    space: dict[str, Any] = {"np": functions.np, "functions": functions}
    exec(f"def instruction({', '.join(f'{name}=None' for name in names)}):\n    {body}\n", space)
    return space["instruction"], frozenset(outputs)
