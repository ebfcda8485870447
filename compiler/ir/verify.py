"""What must hold of a typed kernel, one line a rule.

The front end makes only kernels that obey these rules, and checks and targets rely on them. A violation is a defect of
the compiler, never of a user's kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import operations as ops
from .nodes import (
    Access,
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
    Constants,
    Continue,
    Contribute,
    Drop,
    Expr,
    For,
    If,
    Inlined,
    Kernel,
    Lengths,
    Load,
    Logical,
    Order,
    Parallel,
    Phase,
    Range,
    Read,
    Reducer,
    Require,
    Select,
    Space,
    Statement,
    Storage,
    Store,
    Struct,
    Teams,
    Unary,
    Unsafe,
    Variable,
    VariableKind,
    While,
)
from .ordered import misplaced
from .storage import MOST_DIMS
from .types import BOOL, F32, I64, Scalar
from .verify_reducers import combines, is_located
from .walk import alike, blocks_of, expressions_of, inlined, operands, walk


class InvalidIR(AssertionError):
    """A kernel's typed IR breaks a rule: a defect of the compiler."""


@dataclass(slots=True)
class _Scope:
    """Where the walk stands: the kernel, and what is visible."""

    kernel: Kernel
    visible: set[Variable]  # scalars, extents, indices; locals that every path has assigned
    uniform: frozenset[Variable]  # scalars and extents
    buffers: set[Buffer] = field(default_factory=set)  # that exist here
    team_locals: set[Variable] = field(default_factory=set)  # that are assigned outside phases
    phase: Phase | None = None
    phases: int = 0  # that the walk has come to
    depth: int = 0  # of the blocks around a statement
    breaks: list[set[Variable]] | None = None  # what is visible at each way out of the innermost loop, if there is one
    everything: set[Variable] = field(default_factory=set)  # what counts as assigned where no path leads

    @property
    def is_team_scope(self) -> bool:
        """Whether what stands here is the same for a whole team."""
        return isinstance(self.kernel.body, Teams) and self.phase is None

    def has(self, array: Storage) -> bool:
        """Whether an array may be accessed here: a parameter, a buffer that exists, a table."""
        return isinstance(array, (Constants, Lengths)) or array in self.kernel.arrays or array in self.buffers


@dataclass(frozen=True, slots=True)
class Rule:
    """`holds(node, scope)` for each node of a kind."""

    kind: type
    says: str
    holds: Callable[[Any, _Scope], bool]


RULES = (
    Rule(Kernel, "names of parameters and extents differ", lambda k, s: _are_distinct(k)),
    Rule(Kernel, "what goes by the order of threads is all that it does", lambda k, s: not any(misplaced(k.body))),
    Rule(Kernel, "extents are i64 of kind EXTENT", lambda k, s: all(_is(v, I64, VariableKind.EXTENT) for v in k.extents)),  # noqa: E501
    Rule(Variable, "a scalar parameter is of kind SCALAR", lambda v, s: _is(v, v.type, VariableKind.SCALAR)),
    Rule(Struct, "has a scalar for each field", lambda p, s: [(v.name, v.type, v.kind) for v in p.fields] == [(f"{p.name}.{n}", t, VariableKind.SCALAR) for n, t, _ in p.type.fields]),  # noqa: E501
    Rule(Array, "elements of atomic arrays are numbers", lambda a, s: not (a.element is BOOL and a.access is Access.ATOMIC)),  # noqa: E501
    Rule(Array, f"there are 1 to {MOST_DIMS} dims, of a pack one more", lambda a, s: 1 <= len(a.dims) - bool(a.members) <= MOST_DIMS),  # noqa: E501
    Rule(Array, "dims are i64 from scalars and extents", lambda a, s: all(_is_uniform(e, s, I64) for e in _bounds(a))),
    Rule(Array, "what is pushed into is one array of one dim that starts at 0", lambda a, s: a.access is not Access.PUSH or (len(a.dims) == 1 and not a.members and _is_number(a.dims[0].lower, 0))),  # noqa: E501
    Rule(Array, "the order is one of the dims", lambda a, s: not a.order or sorted(a.order) == list(range(len(a.dims)))),  # noqa: E501
    Rule(Array, "a table is a `Ref` with constant dims", lambda a, s: not a.is_table or (a.access is Access.REF and all(isinstance(e, Const) for e in _bounds(a)))),  # noqa: E501
    Rule(Array, "a pack starts with the member's number", lambda a, s: not a.members or (_is_number(a.dims[0].upper, a.members) and not a.order and not a.is_table)),  # noqa: E501
    Rule(Array, "lengths are those of the kernel, one a member", lambda a, s: a.lengths is None or (a.own_dim is not None and len(a.lengths.extents) == a.members and set(a.lengths.extents) <= set(s.kernel.extents))),  # noqa: E501
    Rule(Reducer, "the reduction takes the element type", lambda r, s: r.reduction.accepts(r.element)),
    Rule(Reducer, "bins have up to 4 dims, i64 from scalars and extents; locations have none", lambda r, s: len(r.dims) <= 4 * (not r.reduction.has_location) and all(_is_uniform(e, s, I64) for d in r.dims for e in (d.lower, d.upper))),  # noqa: E501
    Rule(Reducer, "combines exactly a struct by an operation, without bins or memory", lambda r, s: (r.combination is not None) == (r.reduction.name == "Reduce") and (r.combination is None or combines(r))),  # noqa: E501
    Rule(Require, "is a bool from scalars and extents", lambda r, s: _is_uniform(r.condition, s, BOOL)),
    Rule(Parallel, "has 1 to 3 ranges, an index each", lambda p, s: 1 <= len(p.ranges) == len(p.indices) <= 3),
    Rule(Parallel, "indices are i64 of kind THREAD", lambda p, s: all(_is(v, I64, VariableKind.THREAD) for v in p.indices)),  # noqa: E501
    Rule(Teams, "has 1 to 3 ranges, an index each", lambda t, s: 1 <= len(t.ranges) == len(t.indices) <= 3),
    Rule(Teams, "indices are i64 of kind TEAM", lambda t, s: all(_is(v, I64, VariableKind.TEAM) for v in t.indices)),
    Rule(Range, "bounds are i64 from scalars and extents", lambda r, s: _is_uniform(r.lower, s, I64) and _is_uniform(r.upper, s, I64)),  # noqa: E501
    Rule(Phase, "stands in a `Teams`, not in another phase", lambda p, s: s.is_team_scope),
    Rule(Phase, "is numbered by its place in the text", lambda p, s: p.number == s.phases),
    Rule(Phase, "has 1 to 3 ranges, an index each", lambda p, s: 1 <= len(p.ranges) == len(p.indices) <= 3),
    Rule(Phase, "indices are i64 of kind THREAD", lambda p, s: all(_is(v, I64, VariableKind.THREAD) for v in p.indices)),  # noqa: E501
    Rule(Phase, "bounds are i64", lambda p, s: all(r.lower.type is r.upper.type is I64 for r in p.ranges)),
    Rule(Allocate, "declares team memory in the body of the `Teams` itself, a local array in a thread", lambda a, s: s.is_team_scope and s.depth == 0 if a.buffer.space is not Space.LOCAL else not s.is_team_scope),  # noqa: E501
    Rule(Buffer, "elements are numbers", lambda b, s: b.element is not BOOL),
    Rule(Buffer, f"there are 1 to {MOST_DIMS} dims, beside 1 to 3 for the threads of private memory", lambda b, s: _has_rank(b)),  # noqa: E501
    Rule(Buffer, "indices begin at 0", lambda b, s: all(isinstance(d.lower, Const) and d.lower.value == 0 for d in b.dims)),  # noqa: E501
    Rule(Buffer, "sizes are i64 from scalars and extents", lambda b, s: all(_is_uniform(d.upper, s, I64) for d in b.dims)),  # noqa: E501
    Rule(Buffer, "the array of one thread has constant sizes", lambda b, s: b.space is Space.SHARED or all(isinstance(d.upper, Const) for d in b.dims[b.threads :])),  # noqa: E501
    Rule(Buffer, "a fill is an element", lambda b, s: b.fill is None or (b.fill.type is b.element and _is_value(b.fill))),  # noqa: E501
    Rule(Buffer, "only shared memory is atomic or has views", lambda b, s: b.space is Space.SHARED or (not b.is_atomic and b.base is None)),  # noqa: E501
    Rule(Buffer, "a view has memory that exists, of its type, and no fill", lambda b, s: b.base is None or _is_view(b, s)),  # noqa: E501
    Rule(Assign, "assigns a local", lambda a, s: a.variable.kind is VariableKind.LOCAL),
    Rule(Assign, "the value has the local's type", lambda a, s: a.value.type is a.variable.type),
    Rule(Assign, "a phase assigns no local of its team", lambda a, s: s.phase is None or a.variable not in s.team_locals),  # noqa: E501
    Rule(Store, "writes exclusive storage of the kernel", lambda t, s: s.has(t.array) and t.array.access in (Access.MUT, Access.OUT, Access.PUSH)),  # noqa: E501
    Rule(Store, "pushes into what is borrowed for it, and nothing else, and stores sums of numbers", lambda t, s: (t.order is Order.PUSH) == (t.array.access is Access.PUSH) and (t.order in (None, Order.PUSH) or t.value.type is not BOOL)),  # noqa: E501
    Rule(Store, "the index of a push is the thread's number", lambda t, s: t.order is not Order.PUSH or _is_number_of_thread(t.index, s)),  # noqa: E501
    Rule(Store, "is done by a thread", lambda t, s: not s.is_team_scope),
    Rule(Store, "private memory is the thread's own", lambda t, s: _is_own(t.array, t.index, s)),
    Rule(Store, "has one i64 index a dimension", lambda t, s: _fits(t.index, t.array)),
    Rule(Store, "the value has the element type", lambda t, s: t.value.type is t.array.element),
    Rule(Contribute, "goes to a reducer of the kernel", lambda c, s: c.reducer in s.kernel.reducers),
    Rule(Contribute, "is done by a thread", lambda c, s: not s.is_team_scope),
    Rule(Contribute, "the value has the element type", lambda c, s: c.value.type is c.reducer.element),
    Rule(Contribute, "has a value of each field of a struct", lambda c, s: [e.type for e in c.rest] == ([t for t, _ in c.reducer.fields[1:]] if c.reducer.combination else [])),  # noqa: E501
    Rule(Contribute, "has one i64 index a dimension of its bins", lambda c, s: _fits(c.bin, c.reducer)),
    Rule(Contribute, "has an i64 location exactly where the reduction has", lambda c, s: is_located(c)),
    Rule(Drop, "drops the value of what does something", lambda d, s: isinstance(d.value, (AtomicUpdate, Inlined))),
    Rule(If, "the condition is bool", lambda i, s: i.condition.type is BOOL),
    Rule(For, "the index is an i64 of kind LOOP", lambda f, s: _is(f.index, I64, VariableKind.LOOP)),
    Rule(For, "bounds are i64", lambda f, s: f.lower.type is f.upper.type is I64),
    Rule(For, "the step is an integer, not 0, that fits i64, or an i64", lambda f, s: _is_step(f.step)),
    Rule(Checked, "stands inside of one thread's code", lambda c, s: not s.is_team_scope),
    Rule(Unsafe, "stands inside of one thread's code", lambda u, s: not s.is_team_scope),
    Rule(Unsafe, "gives a reason", lambda u, s: bool(u.reason.strip())),
    Rule(While, "the condition is bool", lambda w, s: w.condition.type is BOOL),
    Rule(Break, "stands in a loop", lambda b, s: s.breaks is not None),
    Rule(Continue, "stands in a loop", lambda c, s: s.breaks is not None),
    Rule(Const, "the value is one of its type", lambda c, s: _is_value(c)),
    Rule(Read, "the variable has a value here", lambda r, s: r.variable in s.visible),
    Rule(Load, "reads plain storage of the kernel", lambda a, s: s.has(a.array) and a.array.access not in (Access.ATOMIC, Access.PUSH)),  # noqa: E501
    Rule(Load, "reads `Ref` only, outside phases", lambda a, s: not s.is_team_scope or a.array.access is Access.REF),
    Rule(Load, "private memory is the thread's own", lambda a, s: _is_own(a.array, a.index, s)),
    Rule(Load, "has one i64 index a dimension", lambda a, s: _fits(a.index, a.array)),
    Rule(AtomicUpdate, "updates atomic storage of the kernel", lambda u, s: s.has(u.array) and u.array.access is Access.ATOMIC),  # noqa: E501
    Rule(AtomicUpdate, "is done by a thread", lambda u, s: not s.is_team_scope),
    Rule(AtomicUpdate, "has one i64 index a dimension", lambda u, s: _fits(u.index, u.array)),
    Rule(AtomicUpdate, "the operation takes the element type", lambda u, s: u.operation.accepts(u.array.element)),
    Rule(AtomicUpdate, "has as many arguments as the operation", lambda u, s: len(u.arguments) == u.operation.arity),
    Rule(AtomicUpdate, "arguments have the element type", lambda u, s: all(a.type is u.array.element for a in u.arguments)),  # noqa: E501
    Rule(Unary, "is `-` or `not`", lambda u, s: u.operation in (ops.NEG, ops.NOT)),
    Rule(Unary, "`not` takes bool, `-` a number", lambda u, s: (u.operand.type is BOOL) == (u.operation is ops.NOT)),
    Rule(Unary, "the type is the operand's", lambda u, s: u.type is u.operand.type),
    Rule(Binary, "operands have one type", lambda b, s: b.left.type is b.right.type),
    Rule(Binary, "the operation takes the type", lambda b, s: _accepts(b.operation, b.left.type)),
    Rule(Binary, "a comparison is bool, arithmetic has its operands' type", lambda b, s: b.type is (BOOL if b.operation.compares else b.left.type)),  # noqa: E501
    Rule(Logical, "both sides are bool", lambda o, s: o.left.type is o.right.type is BOOL),
    Rule(Select, "the condition is bool", lambda e, s: e.condition.type is BOOL),
    Rule(Select, "both values have its type", lambda e, s: e.then.type is e.otherwise.type is e.type),
    Rule(Call, "has as many arguments as the function", lambda c, s: len(c.arguments) == c.function.arity),
    Rule(Call, "arguments have its type", lambda c, s: all(a.type is c.type for a in c.arguments)),
    Rule(Call, "the function takes the type", lambda c, s: c.type.is_float or (c.type.is_integer and c.function.integer)),  # noqa: E501
    Rule(Cast, "changes one number type into another", lambda c, s: c.operand.type is not c.type and BOOL not in (c.type, c.operand.type)),  # noqa: E501
)  # fmt: skip


def verify(kernel: Kernel) -> Kernel:
    """Return the kernel; raises InvalidIR with every rule that it breaks."""
    broken = violations(kernel)
    if broken:
        raise InvalidIR(f"the typed IR of `{kernel.name}` is malformed (please report this):\n" + "\n".join(broken))
    return kernel


def violations(kernel: Kernel) -> list[str]:
    """Return `line: node: rule` for each rule that a node of the kernel breaks."""
    known = {*kernel.scalars, *kernel.extents}
    outside = kernel.body.body if isinstance(kernel.body, Teams) else ()
    team_locals = {s.variable for s in _outside_phases(outside) if isinstance(s, Assign)}
    everything = {s.variable for s in inlined(kernel.body.body) if isinstance(s, Assign)}
    scope = _Scope(kernel, set(known), frozenset(known), team_locals=team_locals, everything=known | everything)
    return list(_check(kernel, scope, kernel.span.line)) + list(_parts(kernel, scope))


def _check(node: Any, scope: _Scope, line: int) -> Iterator[str]:
    for rule in _BY_KIND.get(type(node), ()):
        if not rule.holds(node, scope):
            yield f"line {line}: {type(node).__name__}: {rule.says}"


_BY_KIND = {kind: [r for r in RULES if r.kind is kind] for kind in {r.kind for r in RULES}}


def _parts(kernel: Kernel, scope: _Scope) -> Iterator[str]:
    for parameter in kernel.parameters:
        yield from _check(parameter, scope, parameter.span.line)
        if isinstance(parameter, Array | Reducer):
            for bound in _bounds(parameter):
                yield from _expression(bound, scope)
    for require in kernel.requires:
        yield from _check(require, scope, require.span.line)
        yield from _expression(require.condition, scope)
    body = kernel.body
    yield from _check(body, scope, body.span.line)
    for range_ in body.ranges:
        yield from _check(range_, scope, body.span.line)
        yield from _expression(range_.lower, scope)
        yield from _expression(range_.upper, scope)
    scope.visible |= set(body.indices)
    scope.everything |= scope.visible
    yield from _block(body.body, scope)


def _outside_phases(statements: Sequence[Statement]) -> Iterator[Statement]:
    for statement in statements:
        yield statement
        if not isinstance(statement, Phase):
            for block in blocks_of(statement):
                yield from _outside_phases(block)


def _phase(phase: Phase, scope: _Scope) -> Iterator[str]:
    before, scope.visible, scope.phase = scope.visible, scope.visible | set(phase.indices), phase
    breaks, scope.breaks = scope.breaks, None  # a thread does not leave a loop of its team
    scope.everything |= scope.visible
    scope.phases += 1
    yield from _block(phase.body, scope)
    scope.visible, scope.phase, scope.breaks = before, None, breaks  # what a phase assigns ends with it


def _nested(statements: Sequence[Statement], scope: _Scope) -> Iterator[str]:
    scope.depth += 1
    yield from _block(statements, scope)
    scope.depth -= 1


def _block(statements: Sequence[Statement], scope: _Scope) -> Iterator[str]:
    outside = set(scope.buffers)
    yield from _statements(statements, scope)
    scope.buffers = outside  # buffers end with their block


def _statements(statements: Sequence[Statement], scope: _Scope) -> Iterator[str]:
    for statement in statements:
        yield from _check(statement, scope, statement.span.line)
        for e in expressions_of(statement):
            yield from _expression(e, scope)
        if isinstance(statement, Assign):
            scope.visible.add(statement.variable)
        elif isinstance(statement, Allocate):
            yield from _check(statement.buffer, scope, statement.span.line)
            scope.buffers.add(statement.buffer)
        elif isinstance(statement, Phase):
            yield from _phase(statement, scope)
        elif isinstance(statement, If):
            before = set(scope.visible)
            yield from _nested(statement.then, scope)
            after, scope.visible = scope.visible, before
            yield from _nested(statement.otherwise, scope)
            scope.visible &= after
        elif isinstance(statement, (For, While)):
            yield from _loop(statement, scope)
        elif isinstance(statement, Checked | Unsafe):
            yield from _nested(statement.body, scope)
        elif isinstance(statement, (Break, Continue)):
            if isinstance(statement, Break) and scope.breaks is not None:
                scope.breaks.append(set(scope.visible))
            scope.visible = set(scope.everything)


def _loop(loop: For | While, scope: _Scope) -> Iterator[str]:
    before, outer = set(scope.visible), scope.breaks
    ways_out: list[set[Variable]] = []
    scope.breaks = ways_out
    if isinstance(loop, For):
        scope.visible.add(loop.index)
        scope.everything.add(loop.index)
    yield from _nested(loop.body, scope)
    is_endless = isinstance(loop, While) and isinstance(loop.condition, Const) and loop.condition.value is True
    # What every way out has assigned; a loop with a condition may run zero times.
    scope.visible = set(scope.everything).intersection(*(ways_out if is_endless else [before]))
    scope.breaks = outer


def _expression(e: Expr, scope: _Scope) -> Iterator[str]:
    yield from _check(e, scope, e.span.line)
    if isinstance(e, Inlined):
        outside = set(scope.visible), set(scope.buffers), scope.breaks
        scope.breaks = None  # a jump does not leave the function
        yield from _statements(e.statements, scope)
        yield from _expression(e.value, scope)
        scope.visible, scope.buffers, scope.breaks = outside
        return
    for operand in operands(e):
        yield from _expression(operand, scope)


def _bounds(memory: Array | Reducer) -> list[Expr]:
    """Return the bounds of the dims that are the same for all members."""
    own = memory.own_dim if isinstance(memory, Array) else None
    return [e for n, d in enumerate(memory.dims) if n != own for e in (d.lower, d.upper)]


def _is_number(e: Expr, value: int) -> bool:
    return isinstance(e, Const) and e.value == value


def _are_distinct(kernel: Kernel) -> bool:
    names = [p.name for p in (*kernel.parameters, *kernel.extents)]
    return len(names) == len(set(names))


def _is(variable: Variable, type_: Scalar, kind: VariableKind) -> bool:
    return variable.type is type_ and variable.kind is kind


def _is_number_of_thread(index: Sequence[Expr], scope: _Scope) -> bool:
    """Whether an index counts the threads from the first on."""
    body = scope.kernel.body
    match index:
        case (Binary(operation=ops.SUB, left=Read(variable=variable), right=lower),):
            return variable is body.indices[0] and alike(lower, body.ranges[0].lower)
    return False


def _is_uniform(e: Expr, scope: _Scope, type_: Scalar) -> bool:
    """Whether the launcher can compute an expression."""
    parts = list(walk(e))
    return e.type is type_ and not any(
        isinstance(p, (Load, AtomicUpdate)) or (isinstance(p, Read) and p.variable not in scope.uniform) for p in parts
    )


def _has_rank(buffer: Buffer) -> bool:
    own = len(buffer.dims) - buffer.threads
    if buffer.space is Space.PRIVATE:
        return 1 <= buffer.threads <= 3 and 0 <= own <= MOST_DIMS
    return buffer.threads == 0 and 1 <= own <= MOST_DIMS


def _is_view(buffer: Buffer, scope: _Scope) -> bool:
    base = buffer.base
    assert base is not None
    return base in scope.buffers and buffer.fill is None and (base.space, base.element, base.is_atomic) == (
        buffer.space, buffer.element, buffer.is_atomic,
    )  # fmt: skip


def _is_own(array: Storage, index: Sequence[Expr], scope: _Scope) -> bool:
    """Whether private memory is used in a phase of its shape, each thread its own."""
    if not isinstance(array, Buffer) or array.space is not Space.PRIVATE:
        return True
    phase = scope.phase
    if phase is None or len(phase.ranges) != array.threads:
        return False
    mine = [isinstance(i, Read) and i.variable is v for i, v in zip(index, phase.indices, strict=False)]
    equal = [alike((r.lower, r.upper), (d.lower, d.upper)) for r, d in zip(phase.ranges, array.dims, strict=False)]
    return all(mine) and all(equal)


def _fits(index: Sequence[Expr], array: Storage) -> bool:
    return len(index) == len(array.dims) and all(i.type is I64 for i in index)


def _accepts(operation: ops.Operation, type_: Scalar) -> bool:
    if type_ is BOOL:
        return operation.compares
    column = operation.floating if type_.is_float else operation.signed if type_.is_signed else operation.unsigned
    return column is not None


def _is_integer(value: object, type_: Scalar) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and type_.lowest <= value <= type_.highest


def _is_step(step: int | Expr) -> bool:
    if isinstance(step, (int, float)):
        return _is_integer(step, I64) and step != 0
    return step.type is I64 and not isinstance(step, Const)


def _is_value(c: Const) -> bool:
    if c.type is BOOL:
        return isinstance(c.value, bool)
    if not c.type.is_float:
        return _is_integer(c.value, c.type)
    return isinstance(c.value, float) and (c.type is not F32 or ops.as_f32(c.value) == c.value or c.value != c.value)
