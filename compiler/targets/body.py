"""A kernel's body as LLVM IR: the part that every target shares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import assert_never

from ..checks.proved import Proved
from ..ir import operations as ops
from ..ir.nodes import (
    Allocate,
    Array,
    Assign,
    AtomicUpdate,
    Binary,
    Break,
    Buffer,
    Call,
    Cast,
    Checked,
    Const,
    Continue,
    Contribute,
    Dimension,
    Drop,
    Expr,
    For,
    If,
    Indexed,
    Inlined,
    Load,
    Logical,
    Order,
    Phase,
    Read,
    Select,
    Statement,
    Storage,
    Store,
    Unary,
    Unsafe,
    Variable,
    VariableKind,
    While,
)
from ..ir.types import F64, Scalar
from ..ir.walk import walk
from .addresses import Addresses
from .arithmetic import emit_call, emit_cast, emit_floor_division, index_as_float
from .atomics import emit_atomic
from .buffers import emit_buffer
from .environment import Environment as Environment
from .environment import MathLibrary, as_stored
from .patterns import Bounds, apart, bounds_of, is_cheap, is_near_thread, selects_own, unrolls
from .reductions import accumulate
from .tested import span_of, tested_store, tested_value
from .text import Function, Module, literal

_MOST_COPIES = 1024  # of a statement, in loops that are taken apart


class BodyEmitter:
    """Emits statements of one proved kernel into one function."""

    def __init__(
        self, proved: Proved, environment: Environment, f: Function, module: Module, math: MathLibrary
    ) -> None:
        self.proved = proved
        self.env = environment
        self.f = f
        self.module = module
        self.math = math
        self.addresses = Addresses(self)
        self._loop_depth = 0
        self._loops: list[tuple[str, str]] = []  # where `continue` and `break` of the enclosing loops go
        self._depth = 0  # of branches and loops around the current statement
        self._copies = 1  # of the current statement, in loops that are taken apart
        self._known: dict[Variable, Bounds] = {}  # indices of these loops
        self._deferred: list[tuple[Storage, str]] | None = None
        self._pending: dict[Storage, list[tuple[Expr, ...]]] = {}  # where deferred stores of the current thread go

    # -- statements ---------------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[Statement]) -> None:
        """Emit statements in order."""
        for statement in statements:
            self._statement(statement)

    def defer_stores(self) -> None:
        """From here on hold stores back until `flush`, so that loads of several threads' bodies come first.

        Neither LLVM nor ptxas moves a load over a store that might alias, and PTX cannot say that it does not.
        Different threads of a proved kernel never touch each other's elements, so only a thread's own later load needs
        its store.
        """
        self._deferred = []

    def next_thread(self) -> None:
        """Begin the statements of another thread."""
        self._pending = {}
        self.env.slots = {}

    def flush(self) -> None:
        """Emit the stores held back, in order."""
        for _, store in self._deferred or ():
            self.f.emit(store)
        self._deferred = [] if self._deferred is not None else None
        self._pending = {}

    @property
    def loop_end(self) -> str:
        """Where the innermost loop is left."""
        return self._loops[-1][1]

    def _statement(self, s: Statement) -> None:
        match s:
            case Assign(variable=variable, value=value):
                stored = self._chained(variable, value)
                self.f.emit(f"store {variable.type.llvm} {stored}, ptr {self._slot(variable)}")
            case Store(order=Order()):
                assert self.env.ordered is not None
                self.env.ordered.take(s, self)
            case Store(target_span=span) if span in self.proved.tested:
                tested_store(self, s)
            case Store(array=array, index=index, value=value):
                stored = as_stored(self.value(value), value.type, self.f)
                address = self.addresses.address(array, index)
                self._store(
                    array, index, f"store {array.element.stored} {stored}, ptr {address}{self.env.metadata(array)}"
                )
            case Contribute(reducer=reducer, value=value, bin=bin_) if bin_:
                assert self.env.bins is not None
                offset = self.addresses.offset(reducer, bin_)
                self.env.bins.contribute(reducer, offset, self.value(value), self.f, self.module)
            case Contribute(reducer=reducer):
                accumulate(reducer, self.env.states[reducer], [self.value(e) for e in s.parts], self.f, self.module)
            case Drop(value=AtomicUpdate() as update) if span_of(update) not in self.proved.tested:
                self._update(update, is_dropped=True)
            case Drop(value=value):
                self.value(value)
            case If():
                self._if(s)
            case For():
                self._for(s)
            case While():
                self._while(s)
            case Break() | Continue():
                f, (onwards, out) = self.f, self._loops[-1]
                f.jump(out if isinstance(s, Break) else onwards)
                f.block(f.name("unreached"))
            case Allocate(buffer=buffer):
                self.env.pointers[buffer] = emit_buffer(buffer, self.f)
            case Checked(body=body) | Unsafe(body=body):
                self.block(body)
            case Phase():
                raise AssertionError(f"{type(s).__name__} has no lowering yet")
            case _:
                assert_never(s)

    def _store(self, array: Storage, index: tuple[Expr, ...], store: str) -> None:
        if self._deferred is None or self._depth or isinstance(array, Buffer):
            self.f.emit(store)
            return
        self._deferred.append((array, store))
        self._pending.setdefault(array, []).append(index)

    def _needs_pending(self, load: Load) -> bool:
        """Whether a store that is held back may go to the element that is loaded: levels of a table are apart."""
        return any(not apart(load.index, index) for index in self._pending.get(load.array, ()))

    def _slot(self, variable: Variable) -> str:
        if variable not in self.env.slots:
            self.env.slots[variable] = self.f.alloca(variable.type.llvm, variable.name)
        return self.env.slots[variable]

    def _chained(self, variable: Variable, value: Expr) -> str:
        """Emit the value of an assignment; `s = s + e` in a loop stays an unfused addition.

        A fused chain has the latency of an fma a step where an addition is shorter; g++ avoids it for the same reason.
        """
        if (
            self.env.separate_chains
            and self._loop_depth
            and isinstance(value, Binary)
            and value.operation in (ops.ADD, ops.SUB)
            and value.type.is_float
        ):
            reads_itself = isinstance(value.left, Read) and value.left.variable is variable
            if reads_itself:
                return self._arithmetic(value, self.value(value.left), self.value(value.right), contract=False)
        return self.value(value)

    def _if(self, s: If) -> None:
        f = self.f
        self._depth += 1
        if self._pending:
            self.flush()
        then, otherwise, end = f.name("then"), f.name("else"), f.name("endif")
        f.branch(self.value(s.condition), then, otherwise if s.otherwise else end)
        f.block(then)
        self.block(s.then)
        if s.otherwise:
            f.jump(end)
            f.block(otherwise)
            self.block(s.otherwise)
        f.block(end)
        self._depth -= 1

    def _for(self, s: For) -> None:
        lower, upper = self.value(s.lower), self.value(s.upper)
        step = s.step if isinstance(s.step, int) else self.value(s.step)
        before, hint = self._copies, ""
        if self.env.is_gpu and (values := self._known_values(s)) is not None and selects_own(s):
            # What is selected by a constant is a register; by a number, local memory with its latency.
            self._copies, hint = before * len(values), self.module.metadata('!{!"llvm.loop.unroll.full"}')
            self._known[s.index] = values[0], values[-1]
        with self._inside_loop(carries=not unrolls(s)):
            self.counted_loop(s.index, lower, upper, step, lambda: self.block(s.body), hint)
        self._copies = before

    def _known_values(self, s: For) -> range | None:
        """Return every value that a loop's index may have, if they are known and few enough to write them all out."""
        lower, upper = bounds_of(s.lower, self._known), bounds_of(s.upper, self._known)
        if lower is None or upper is None or not isinstance(s.step, int):
            return None
        values = range(lower[0], upper[1]) if s.step > 0 else range(upper[0] + 1, lower[1] + 1)
        return values if 0 < len(values) * self._copies <= _MOST_COPIES else None

    def _while(self, s: While) -> None:
        f = self.f
        with self._inside_loop():
            head, inside, end = f.name("while"), f.name("do"), f.name("done")
            f.block(head)
            f.branch(self.value(s.condition), inside, end)
            f.block(inside)
            self._loops.append((head, end))
            self.block(s.body)
            self._loops.pop()
            f.jump(head)
            f.block(end)

    @contextmanager
    def _inside_loop(self, *, carries: bool = True) -> Iterator[None]:
        if self._pending:
            self.flush()
        self._depth += 1
        self._loop_depth += carries
        yield
        self._loop_depth -= carries
        self._depth -= 1

    def counted_loop(
        self, index: Variable, lower: str, upper: str, step: int | str, body: Callable[[], None], hint: str = ""
    ) -> None:
        """Emit `for index in range(lower, upper, step)` around what `body` emits; `hint` is the loop's metadata."""
        f = self.f
        head, inside, onwards, end = f.name("for"), f.name("do"), f.name("next"), f.name("done")
        counter = f.alloca("i64", index.name)
        f.emit(f"store i64 {lower}, ptr {counter}")
        f.block(head)
        current = f.value(f"load i64, ptr {counter}", index.name)
        inside_ = "sgt" if isinstance(step, int) and step < 0 else "slt"
        f.branch(f.value(f"icmp {inside_} i64 {current}, {upper}"), inside, end)
        f.block(inside)
        self.env.values[index] = current
        if self.env.narrow is not None:
            self.env.narrow[index] = f.value(f"trunc i64 {current} to i32", index.name)
        self._loops.append((onwards, end))
        body()
        self._loops.pop()
        f.block(onwards)
        # With a step of one the next value is at most `upper`; a larger step may pass the end of i64.
        flag = " nsw" if step in (1, -1) else ""
        f.emit(f"store i64 {f.value(f'add{flag} i64 {current}, {step}')}, ptr {counter}")
        f.jump(head, hint)
        f.block(end)

    def coordinates(self, array: Indexed, index: tuple[Expr, ...]) -> list[tuple[Expr, Dimension]]:
        """Return each index with its dimension, the slowest in memory first; of a pack, those within the member."""
        pairs = list(zip(index, array.dims, strict=True))
        if not isinstance(array, Array):
            return pairs
        if (own := array.own_dim) is not None and array.lengths is not None:
            length = Load(array.lengths, index[:1], index[0].span)
            pairs[own] = index[own], replace(array.dims[own], upper=length)
        return [pairs[d] for d in array.order] if array.order else pairs[bool(array.members) :]

    # -- expressions --------------------------------------------------------------------------------------------------

    def value(self, e: Expr) -> str:
        """Emit an expression and return its operand."""
        f = self.f
        match e:
            case Const(value=value, type=type_):
                return literal(value, type_)
            case Read(variable=variable):
                if variable.kind is VariableKind.LOCAL:
                    return f.value(f"load {variable.type.llvm}, ptr {self._slot(variable)}", variable.name)
                return self.env.values[variable]
            case Load() | AtomicUpdate() if span_of(e) in self.proved.tested:
                return tested_value(self, e)
            case Load(array=array, index=index):
                if self._needs_pending(e):
                    self.flush()
                return self.addresses.load(array, index)
            case AtomicUpdate():
                return self._update(e)
            case Unary(operation=operation, operand=operand, type=type_):
                return self._unary(operation, self.value(operand), type_)
            case Binary(left=left, right=right):
                return self._arithmetic(e, self.value(left), self.value(right))
            case Logical():
                return self._lazy(e.left, e.right, e.is_and)
            case Select():
                return self._select(e)
            case Call():
                return emit_call(e, [self.value(a) for a in e.arguments], self.math, f, self.module)
            case Cast(operand=operand, type=type_) if (
                self.env.small_threads and type_ is F64 and is_near_thread(operand)
            ):
                return index_as_float(self.value(operand), self.f)
            case Cast(operand=operand, type=type_):
                return emit_cast(self.value(operand), operand.type, type_, self.f, self.module)
            case Inlined(statements=statements, value=value):
                self.block(statements)
                return self.value(value)
            case _:
                assert_never(e)

    def _update(self, e: AtomicUpdate, *, is_dropped: bool = False) -> str:
        # Stores held back are of other arrays, and relaxed operations order nothing.
        address = self.addresses.address(e.array, e.index)
        return self.atomic(e, address, [self.value(a) for a in e.arguments], is_dropped=is_dropped)

    def atomic(self, e: AtomicUpdate, address: str, arguments: list[str], *, is_dropped: bool = False) -> str:
        """Emit an atomic operation on an element."""
        scope = self.env.atomics if isinstance(e.array, Array) else self.env.team_atomics
        return emit_atomic(e, address, arguments, scope, self.f, self.module, is_dropped=is_dropped)

    def _unary(self, operation: ops.Operation, operand: str, type_: Scalar) -> str:
        if operation is ops.NOT:
            return self.f.value(f"xor i1 {operand}, true")
        return self.f.value(f"fneg {type_.llvm} {operand}" if type_.is_float else f"sub {type_.llvm} 0, {operand}")

    def _arithmetic(self, e: Binary, a: str, b: str, *, contract: bool = True) -> str:
        f, type_, operation = self.f, e.left.type, e.operation
        if operation.compares:
            kind = "fcmp" if type_.is_float else "icmp"
            predicate = (
                operation.floating if type_.is_float else operation.signed if type_.is_signed else operation.unsigned
            )
            return f.value(f"{kind} {predicate} {type_.llvm} {a}, {b}")
        if type_.is_float:
            return f.value(f"{operation.floating}{' contract' if contract else ''} {type_.llvm} {a}, {b}")
        if operation in (ops.FLOORDIV, ops.MOD):
            plain = not type_.is_signed or e.span in self.proved.non_negative
            return emit_floor_division(e, a, b, f, plain=plain)
        if operation in (ops.SHL, ops.SHR):
            b = f.value(f"and {type_.llvm} {b}, {type_.bits - 1}")  # counts are taken modulo the width
        opcode = operation.signed if type_.is_signed else operation.unsigned
        return f.value(f"{opcode} {type_.llvm} {a}, {b}")

    def _settle(self, *arms: Expr) -> None:
        """Emit the stores held back, if one of these expressions loads what they store, or stores itself.

        A load that is evaluated only under a condition must not pull the stores behind that condition with it.
        """
        parts = (e for arm in arms for e in walk(arm)) if self._pending else ()
        if any(isinstance(e, Inlined) or (isinstance(e, Load) and self._needs_pending(e)) for e in parts):
            self.flush()

    def _guarded(self, e: Expr) -> str:
        """Emit an expression that is evaluated only under a condition: what it stores is not held back."""
        self._depth += 1
        value = self.value(e)
        self._depth -= 1
        return value

    def _lazy(self, left: Expr, right: Expr, is_and: bool) -> str:
        """`and` / `or`: the right side is evaluated only if the left one leaves it open."""
        f = self.f
        result = f.alloca("i1", "lazy")
        rest, end = f.name("rest"), f.name("known")
        first = self.value(left)
        self._settle(right)
        f.emit(f"store i1 {first}, ptr {result}")
        f.branch(first, rest if is_and else end, end if is_and else rest)
        f.block(rest)
        f.emit(f"store i1 {self._guarded(right)}, ptr {result}")
        f.block(end)
        return f.value(f"load i1, ptr {result}")

    def _select(self, e: Select) -> str:
        f = self.f
        condition = self.value(e.condition)
        if is_cheap(e.then) and is_cheap(e.otherwise):
            a, b = self.value(e.then), self.value(e.otherwise)
            return f.value(f"select i1 {condition}, {e.type.llvm} {a}, {e.type.llvm} {b}")
        self._settle(e.then, e.otherwise)
        result = f.alloca(e.type.llvm, "choice")
        then, otherwise, end = f.name("then"), f.name("else"), f.name("chosen")
        f.branch(condition, then, otherwise)
        for label, arm in ((then, e.then), (otherwise, e.otherwise)):
            f.block(label)
            f.emit(f"store {e.type.llvm} {self._guarded(arm)}, ptr {result}")
            f.jump(end)
        f.block(end)
        return f.value(f"load {e.type.llvm}, ptr {result}")
