"""Each rule of the typed IR catches a planted violation, and the front end's kernels break none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from kparity.compiler.ir import operations as ops
from kparity.compiler.ir.nodes import (
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
    Combination,
    Const,
    Continue,
    Contribute,
    Dimension,
    Drop,
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
    Store,
    Struct,
    StructType,
    Teams,
    Unary,
    Unsafe,
    Variable,
    VariableKind,
    While,
)
from kparity.compiler.ir.source import NOWHERE, Source
from kparity.compiler.ir.types import BOOL, F32, F64, I32, I64
from kparity.compiler.ir.verify import RULES, InvalidIR, verify, violations
from kparity.suites import entries

from ..sources import kernel

KERNEL_TEXT = """
    def k(y: Mut[f64, "n"], x: Ref[f64, "n", "m"], s: i64, total: Sum[f64], low: MinLoc[i32], c: Atomic[u32, "n"]):
        require(s > 0)
        for i in parallel(n):
            t = -x[i, 0] if m > 0 else 0.0
            if not (i > 2 and t < 1.0):
                for j in range(0, m, 2):
                    y[i] = t + x[i, j] * sqrt(2.0)
            total += t
            low.update(i32(s), i + 1)
            c[i] += c[0].bit_or(1)
    """
N = Variable("n", I64, VariableKind.EXTENT, NOWHERE)
S = Variable("s", I64, VariableKind.SCALAR, NOWHERE)
I = Variable("i", I64, VariableKind.THREAD, NOWHERE)  # noqa: E741
T = Variable("t", F64, VariableKind.LOCAL, NOWHERE)
SOURCE = Source("k.py", 1, ())


def const(value: Any, type_: Any = I64) -> Const:
    return Const(value, type_, NOWHERE)


def dims(*upper: Any) -> tuple[Dimension, ...]:
    return tuple(Dimension(const(0), u, "?") for u in upper)


Y = Array("y", Access.MUT, F64, dims(Read(N, NOWHERE)), NOWHERE)
X = Array("x", Access.REF, F64, dims(Read(N, NOWHERE), const(3)), NOWHERE)
COUNTS = Array("counts", Access.ATOMIC, I32, dims(const(8)), NOWHERE)
FLOATS = Array("floats", Access.ATOMIC, F64, dims(const(8)), NOWHERE)
TOTAL = Reducer("total", ops.REDUCTIONS["Sum"], F64, NOWHERE)
LOW = Reducer("low", ops.REDUCTIONS["MinLoc"], I32, NOWHERE)
i, half, true = Read(I, NOWHERE), const(0.5, F64), const(True, BOOL)
FIELD = Variable("p.a", F64, VariableKind.SCALAR, NOWHERE)
STRUCT = Struct("p", StructType("P", (("a", F64, 0),), (("a", F64, 0),), 8, 8), (FIELD,), NOWHERE)


def good(**changes: Any) -> Kernel:
    body = Parallel((I,), (Range(const(0), Read(N, NOWHERE)),), (), NOWHERE)
    kernel = Kernel("k", (Y, X, S, TOTAL, LOW, COUNTS), (N,), (), body, SOURCE, NOWHERE)
    return changed(kernel, **changes)


def changed(node: Any, **changes: Any) -> Any:
    """`replace` for nodes that are compared by identity as well."""
    return type(node)(**{f.name: getattr(node, f.name) for f in fields(node)} | changes)


def doing(*statements: Any) -> Kernel:
    return good(body=changed(good().body, body=statements))


def storing(value: Any) -> Kernel:
    return doing(Store(Y, (i,), value, NOWHERE, NOWHERE))


def judging(condition: Any) -> Kernel:
    return doing(If(condition, (), (), NOWHERE))


def with_array(**changes: Any) -> Kernel:
    return good(parameters=(Y, changed(X, **changes), S, TOTAL, LOW))


ADD = Binary(ops.ADD, half, half, F64, NOWHERE)
SQRT, MIN = ops.INTRINSICS["sqrt"], ops.INTRINSICS["min"]
LOOP = Variable("j", I64, VariableKind.LOOP, NOWHERE)
BINNED = Reducer("binned", ops.REDUCTIONS["Sum"], F64, NOWHERE, dims(const(8)))
REDUCED = Contribute(TOTAL, half, None, NOWHERE, NOWHERE)
LOCATED = Contribute(LOW, const(1, I32), i, NOWHERE, NOWHERE)
loaded = Load(Y, (i,), NOWHERE)
UPDATE = AtomicUpdate(ops.ATOMICS["add"], COUNTS, (i,), (const(1, I32),), NOWHERE, NOWHERE)


PAIR = StructType("Pair", (("a", F64, 0), ("b", I64, 8)), (("a", F64, 0), ("b", I64, 8)), 16, 8)
FIRST, SECOND = (tuple(Variable(f"{p}.{n}", t, VariableKind.SCALAR, NOWHERE) for n, t, _ in PAIR.fields) for p in "ab")
JOIN = Combination(
    "join", PAIR, (half, const(0)), FIRST, SECOND, (), (Read(FIRST[0], NOWHERE), Read(SECOND[1], NOWHERE))
)
JOINED = Reducer("joined", ops.REDUCTIONS["Reduce"], F64, NOWHERE, combination=JOIN)
PAIRED = Contribute(JOINED, half, None, NOWHERE, NOWHERE, (), (const(1),))


def combining(reducer: Reducer, *statements: Any) -> Kernel:
    body = tuple(changed(s, reducer=reducer) for s in statements)
    return good(parameters=(Y, X, S, reducer), body=changed(good().body, body=body))


def updating(**changes: Any) -> Kernel:
    return doing(Drop(changed(UPDATE, **changes), NOWHERE))


def binned(index: tuple[Any, ...]) -> Kernel:
    contribution = Contribute(BINNED, half, None, NOWHERE, NOWHERE, index)
    return good(parameters=(Y, X, S, BINNED), body=changed(good().body, body=(contribution,)))


B = Variable("b", I64, VariableKind.TEAM, NOWHERE)
W = Variable("w", I64, VariableKind.LOCAL, NOWHERE)
TILE = Buffer("tile", Space.SHARED, F64, dims(const(4)), 0, None, False, None, NOWHERE)
HITS = Buffer("hits", Space.SHARED, I32, dims(const(4)), 0, const(0, I32), True, None, NOWHERE)
VIEW = changed(TILE, name="view", dims=dims(const(2), const(2)), base=TILE)
MINE = Buffer("mine", Space.PRIVATE, F64, dims(const(4), const(2)), 1, None, False, None, NOWHERE)
OWN = Buffer("own", Space.LOCAL, F64, dims(const(2)), 0, None, False, None, NOWHERE)
PHASE = Phase(0, (I,), (Range(const(0), const(4)),), (), NOWHERE)


def team(*statements: Any, **changes: Any) -> Kernel:
    body = Teams((B,), (Range(const(0), Read(N, NOWHERE)),), statements, NOWHERE)
    return good(body=changed(body, **changes))


def allocated(*buffers: Buffer) -> list[Allocate]:
    return [Allocate(b, NOWHERE) for b in buffers]


def declared(buffer: Buffer, **changes: Any) -> Kernel:
    return team(*allocated(changed(buffer, **changes)))


def phase(*statements: Any, **changes: Any) -> Phase:
    return Phase(**{f.name: getattr(PHASE, f.name) for f in fields(PHASE)} | {"body": statements} | changes)


def put(buffer: Any, *index: Any) -> Store:
    return Store(buffer, index, half, NOWHERE, NOWHERE)


def got(buffer: Any, *index: Any) -> Assign:
    return Assign(T, Load(buffer, index, NOWHERE), NOWHERE)


ANOTHERS: list[tuple[Any, ...]] = [  # index and phase that make private memory another thread's
    ((const(1), const(0)), {}),
    ((Binary(ops.ADD, i, const(1), I64, NOWHERE), const(0)), {}),
    ((i, const(0)), {"ranges": (Range(const(0), const(5)),)}),
    ((i, const(0)), {"ranges": (Range(const(1), const(4)),)}),
    ((i, const(0)), {"ranges": PHASE.ranges * 2, "indices": (I, LOOP)}),
]

DECLARED = Allocate(OWN, NOWHERE)
U = Variable("u", F64, VariableKind.LOCAL, NOWHERE)
SET, GET = Assign(T, half, NOWHERE), Read(T, NOWHERE)
CALLED = Inlined("f", (SET, DECLARED, put(OWN, i)), Load(OWN, (i,), NOWHERE), NOWHERE)
LIST = Array("list", Access.PUSH, F64, dims(Read(N, NOWHERE)), NOWHERE)
PUSH = Store(LIST, (Binary(ops.SUB, i, const(0), I64, NOWHERE),), half, NOWHERE, NOWHERE, Order.PUSH)
SUMMED = Store(Y, (i,), half, NOWHERE, NOWHERE, Order.BEFORE)


def pushing(*statements: Any) -> Kernel:
    """A kernel that may push."""
    kernel = doing(*statements)
    return changed(kernel, parameters=(*kernel.parameters, LIST))


PLANTED: dict[str, list[Callable[[], Kernel]]] = {
    "Kernel: names of parameters and extents differ": [
        lambda: good(extents=(N, Variable("y", I64, VariableKind.EXTENT, NOWHERE)))
    ],
    "Kernel: what goes by the order of threads is all that it does": [
        lambda: pushing(PUSH, PUSH),
        lambda: pushing(For(LOOP, const(0), i, 1, (PUSH,), NOWHERE)),
        lambda: pushing(PUSH, Store(Y, (i,), half, NOWHERE, NOWHERE)),
        lambda: pushing(PUSH, Drop(UPDATE, NOWHERE)),
        lambda: pushing(SUMMED, SET),
        lambda: pushing(If(true, (SUMMED,), (), NOWHERE)),
        lambda: pushing(changed(SUMMED, index=(Read(U, NOWHERE),))),
    ],
    "Kernel: extents are i64 of kind EXTENT": [
        lambda: good(extents=(N, Variable("p", I32, VariableKind.EXTENT, NOWHERE))),
        lambda: good(extents=(N, T)),
    ],
    "Variable: a scalar parameter is of kind SCALAR": [lambda: good(parameters=(Y, T))],
    "Struct: has a scalar for each field": [
        lambda: good(parameters=(Y, changed(STRUCT, fields=()))),
        lambda: good(parameters=(Y, changed(STRUCT, fields=(changed(FIELD, name="b"),)))),
        lambda: good(parameters=(Y, changed(STRUCT, fields=(changed(FIELD, type=F32),)))),
        lambda: good(parameters=(Y, changed(STRUCT, fields=(changed(FIELD, kind=VariableKind.LOCAL),)))),
    ],
    "Array: elements of atomic arrays are numbers": [lambda: with_array(element=BOOL, access=Access.ATOMIC)],
    "Array: what is pushed into is one array of one dim that starts at 0": [
        lambda: with_array(access=Access.PUSH, dims=dims(const(2), const(3))),
        lambda: with_array(access=Access.PUSH, dims=(Dimension(const(1), const(3), "?"),)),
    ],
    "Array: the order is one of the dims": [lambda: with_array(order=(1,)), lambda: with_array(order=(0, 0))],
    "Array: a table is a `Ref` with constant dims": [
        lambda: with_array(is_table=True),
        lambda: with_array(is_table=True, access=Access.MUT, dims=dims(const(3))),
    ],
    "Array: a pack starts with the member's number": [
        lambda: with_array(members=2),
        lambda: with_array(members=2, dims=dims(const(2), const(3)), order=(1, 0)),
    ],
    "Array: lengths are those of the kernel, one a member": [
        lambda: with_array(
            members=2, dims=dims(const(2), const(3)), lengths=Lengths("l", (N,), dims(const(1)), NOWHERE)
        ),
        lambda: with_array(
            members=1, dims=dims(const(1), const(3)), lengths=Lengths("l", (S,), dims(const(1)), NOWHERE)
        ),
    ],
    "Array: there are 1 to 8 dims, of a pack one more": [
        lambda: with_array(dims=()),
        lambda: with_array(dims=dims(*[const(2)] * 9)),
    ],
    "Array: dims are i64 from scalars and extents": [
        lambda: with_array(dims=dims(const(2, I32))),
        lambda: with_array(dims=dims(i)),
        lambda: with_array(dims=dims(Load(Y, (i,), NOWHERE))),
    ],
    "Reducer: bins have up to 4 dims, i64 from scalars and extents; locations have none": [
        lambda: good(parameters=(Y, X, S, TOTAL, changed(LOW, dims=dims(const(8))))),
        lambda: good(parameters=(Y, X, S, TOTAL, LOW, changed(BINNED, dims=dims(*[const(8)] * 5)))),
        lambda: good(parameters=(Y, X, S, TOTAL, LOW, changed(BINNED, dims=dims(const(1, I32))))),
    ],
    "Reducer: the reduction takes the element type": [
        lambda: good(parameters=(Y, changed(TOTAL, element=BOOL))),
        lambda: good(parameters=(Y, changed(TOTAL, reduction=ops.REDUCTIONS["And"]))),
    ],
    "Reducer: combines exactly a struct by an operation, without bins or memory": [
        lambda: good(parameters=(Y, X, S, TOTAL, changed(LOW, combination=JOIN, reduction=ops.REDUCTIONS["Min"]))),
        lambda: good(parameters=(Y, X, S, TOTAL, LOW, changed(JOINED, combination=None))),
        lambda: combining(changed(JOINED, dims=dims(const(8)))),
        lambda: combining(changed(JOINED, combination=changed(JOIN, values=(half,)))),
        lambda: combining(changed(JOINED, combination=changed(JOIN, identity=(half, half)))),
        lambda: combining(changed(JOINED, combination=changed(JOIN, values=(loaded, const(1))))),
        lambda: combining(changed(JOINED, combination=changed(JOIN, statements=(Drop(UPDATE, NOWHERE),)))),
    ],
    "Require: is a bool from scalars and extents": [
        lambda: good(requires=(Require(const(1), NOWHERE),)),
        lambda: good(requires=(Require(Binary(ops.LT, loaded, half, BOOL, NOWHERE), NOWHERE),)),
        lambda: good(requires=(Require(Binary(ops.LT, UPDATE, const(1, I32), BOOL, NOWHERE), NOWHERE),)),
    ],
    "Parallel: has 1 to 3 ranges, an index each": [lambda: good(body=changed(good().body, ranges=()))],
    "Parallel: indices are i64 of kind THREAD": [lambda: good(body=changed(good().body, indices=(LOOP,)))],
    "Teams: has 1 to 3 ranges, an index each": [lambda: team(ranges=()), lambda: team(indices=(B,) * 2)],
    "Teams: indices are i64 of kind TEAM": [lambda: team(indices=(I,))],
    "Phase: stands in a `Teams`, not in another phase": [
        lambda: doing(PHASE),
        lambda: team(phase(phase(number=1))),
        lambda: team(phase(If(true, (phase(number=1),), (), NOWHERE))),
    ],
    "Phase: is numbered by its place in the text": [lambda: team(PHASE, PHASE), lambda: team(phase(number=1))],
    "Phase: has 1 to 3 ranges, an index each": [
        lambda: team(phase(ranges=(), indices=())),
        lambda: team(phase(ranges=PHASE.ranges * 2)),
    ],
    "Phase: indices are i64 of kind THREAD": [lambda: team(phase(indices=(B,)))],
    "Phase: bounds are i64": [lambda: team(phase(ranges=(Range(const(0), const(4, I32)),)))],
    "Allocate: declares team memory in the body of the `Teams` itself, a local array in a thread": [
        lambda: doing(*allocated(TILE)),
        lambda: team(phase(*allocated(TILE))),
        lambda: team(If(true, tuple(allocated(MINE)), (), NOWHERE)),
        lambda: team(*allocated(OWN)),
    ],
    "Buffer: elements are numbers": [lambda: declared(TILE, element=BOOL)],
    "Buffer: there are 1 to 8 dims, beside 1 to 3 for the threads of private memory": [
        lambda: declared(TILE, dims=()),
        lambda: declared(TILE, dims=TILE.dims * 9),
        lambda: declared(TILE, threads=1),
        lambda: declared(MINE, threads=0),
        lambda: declared(MINE, threads=4, dims=TILE.dims * 4),
    ],
    "Buffer: indices begin at 0": [lambda: declared(TILE, dims=(Dimension(const(1), const(4), "?"),))],
    "Buffer: sizes are i64 from scalars and extents": [
        lambda: declared(TILE, dims=dims(Read(B, NOWHERE))),
        lambda: declared(MINE, dims=dims(const(4, I32), const(1))),
    ],
    "Buffer: the array of one thread has constant sizes": [
        lambda: declared(MINE, dims=dims(const(4), Read(N, NOWHERE))),
        lambda: team(phase(*allocated(changed(OWN, dims=dims(Read(N, NOWHERE)))))),
    ],
    "Buffer: a fill is an element": [
        lambda: declared(TILE, fill=const(0)),
        lambda: declared(HITS, fill=const(2**31, I32)),
    ],
    "Buffer: only shared memory is atomic or has views": [
        lambda: declared(MINE, is_atomic=True),
        lambda: team(*allocated(MINE, changed(MINE, base=MINE))),
    ],
    "Buffer: a view has memory that exists, of its type, and no fill": [
        lambda: declared(VIEW),
        lambda: team(*allocated(TILE, changed(VIEW, element=F32))),
        lambda: team(*allocated(TILE, changed(VIEW, fill=half))),
        lambda: team(*allocated(TILE, changed(VIEW, is_atomic=True))),
    ],
    "Range: bounds are i64 from scalars and extents": [
        lambda: good(body=changed(good().body, ranges=(Range(const(0), const(1.0, F64)),))),
        lambda: good(body=changed(good().body, ranges=(Range(i, const(3)),))),
    ],
    "Assign: assigns a local": [lambda: doing(Assign(S, const(1), NOWHERE))],
    "Assign: the value has the local's type": [lambda: doing(Assign(T, const(1), NOWHERE))],
    "Store: writes exclusive storage of the kernel": [
        lambda: doing(put(OWN, i)),
        lambda: doing(If(true, (DECLARED,), (), NOWHERE), put(OWN, i)),
        lambda: doing(Store(X, (i, i), half, NOWHERE, NOWHERE)),
        lambda: doing(Store(changed(Y), (i,), half, NOWHERE, NOWHERE)),
        lambda: doing(Store(COUNTS, (i,), const(1, I32), NOWHERE, NOWHERE)),
        lambda: team(phase(put(TILE, i))),
        lambda: team(*allocated(HITS), phase(Store(HITS, (i,), const(1, I32), NOWHERE, NOWHERE))),
    ],
    "Assign: a phase assigns no local of its team": [
        lambda: team(Assign(W, const(1), NOWHERE), phase(Assign(W, i, NOWHERE))),
        lambda: team(phase(Assign(W, i, NOWHERE)), If(true, (Assign(W, const(1), NOWHERE),), (), NOWHERE)),
    ],
    "Store: pushes into what is borrowed for it, and nothing else, and stores sums of numbers": [
        lambda: pushing(changed(PUSH, order=None)),
        lambda: pushing(changed(SUMMED, order=Order.PUSH)),
    ],
    "Store: the index of a push is the thread's number": [lambda: pushing(changed(PUSH, index=(i,)))],
    "Store: is done by a thread": [
        lambda: team(put(Y, const(0))),
        lambda: team(*allocated(TILE), If(true, (put(TILE, const(0)),), (), NOWHERE)),
    ],
    "Store: private memory is the thread's own": [
        lambda index=index, changes=changes: team(*allocated(MINE), phase(put(MINE, *index), **changes))
        for index, changes in ANOTHERS
    ],
    "Load: private memory is the thread's own": [
        lambda index=index, changes=changes: team(*allocated(MINE), phase(got(MINE, *index), **changes))
        for index, changes in ANOTHERS
    ],
    "Load: reads `Ref` only, outside phases": [
        lambda: team(got(Y, const(0))),
        lambda: team(*allocated(TILE), got(TILE, const(0))),
        lambda: team(If(Binary(ops.LT, Load(Y, (const(0),), NOWHERE), half, BOOL, NOWHERE), (PHASE,), (), NOWHERE)),
        lambda: team(phase(ranges=(Range(const(0), Cast(Load(Y, (const(0),), NOWHERE), I64, NOWHERE)),))),
    ],
    "Contribute: is done by a thread": [lambda: team(REDUCED)],
    "AtomicUpdate: is done by a thread": [
        lambda: team(Drop(changed(UPDATE, index=(const(0),)), NOWHERE)),
        lambda: team(*allocated(HITS), Drop(changed(UPDATE, array=HITS, index=(const(0),)), NOWHERE)),
    ],
    "Store: has one i64 index a dimension": [
        lambda: doing(Store(Y, (i, i), half, NOWHERE, NOWHERE)),
        lambda: doing(Store(Y, (const(1, I32),), half, NOWHERE, NOWHERE)),
    ],
    "Store: the value has the element type": [lambda: storing(const(1.0, F32))],
    "Contribute: goes to a reducer of the kernel": [lambda: doing(changed(REDUCED, reducer=changed(TOTAL)))],
    "Contribute: the value has the element type": [lambda: doing(changed(REDUCED, value=const(1)))],
    "Contribute: has a value of each field of a struct": [
        lambda: doing(changed(REDUCED, rest=(half,))),
        lambda: combining(JOINED, changed(PAIRED, rest=())),
        lambda: combining(JOINED, changed(PAIRED, rest=(half,))),
        lambda: combining(JOINED, changed(PAIRED, rest=(const(1), const(1)))),
    ],
    "Contribute: has one i64 index a dimension of its bins": [
        lambda: doing(changed(REDUCED, bin=(i,))),
        lambda: binned(()),
        lambda: binned((const(1, I32),)),
        lambda: binned((i, i)),
    ],
    "Contribute: has an i64 location exactly where the reduction has": [
        lambda: doing(changed(REDUCED, location=i)),
        lambda: doing(changed(LOCATED, location=None)),
        lambda: doing(changed(LOCATED, location=const(1, I32))),
    ],
    "Drop: drops the value of what does something": [lambda: doing(Drop(loaded, NOWHERE))],
    "If: the condition is bool": [lambda: judging(const(1))],
    "For: the index is an i64 of kind LOOP": [lambda: doing(For(T, const(0), const(3), 1, (), NOWHERE))],
    "For: bounds are i64": [lambda: doing(For(LOOP, const(0), const(3, I32), 1, (), NOWHERE))],
    "For: the step is an integer, not 0, that fits i64, or an i64": [
        lambda: doing(For(LOOP, const(0), const(3), const(1, I32), (), NOWHERE)),
        lambda: doing(For(LOOP, const(0), const(3), const(1), (), NOWHERE)),
        lambda: doing(For(LOOP, const(0), const(3), 0, (), NOWHERE)),
        lambda: doing(For(LOOP, const(0), const(3), True, (), NOWHERE)),
        lambda: doing(For(LOOP, const(0), const(3), 2**64, (), NOWHERE)),
    ],
    "Checked: stands inside of one thread's code": [lambda: team(Checked((), NOWHERE))],
    "Unsafe: stands inside of one thread's code": [lambda: team(Unsafe("tried", (), NOWHERE))],
    "Unsafe: gives a reason": [lambda: doing(Unsafe(" ", (), NOWHERE))],
    "While: the condition is bool": [lambda: doing(While(const(1), (), NOWHERE))],
    "Break: stands in a loop": [
        lambda: doing(Break(NOWHERE)),
        lambda: doing(While(true, (Assign(T, Inlined("f", (Break(NOWHERE),), half, NOWHERE), NOWHERE),), NOWHERE)),
        lambda: team(While(true, (phase(Break(NOWHERE)),), NOWHERE)),
    ],
    "Continue: stands in a loop": [lambda: doing(If(true, (Continue(NOWHERE),), (), NOWHERE))],
    "Const: the value is one of its type": [
        lambda: storing(const(1, F64)),
        lambda: judging(const(1, BOOL)),
        lambda: doing(Assign(T, const(0.1, F32), NOWHERE)),
        lambda: doing(Store(Y, (const(2**63),), half, NOWHERE, NOWHERE)),
        lambda: doing(Store(Y, (const(True),), half, NOWHERE, NOWHERE)),
    ],
    "Read: the variable has a value here": [
        lambda: storing(Read(T, NOWHERE)),
        lambda: doing(If(true, (Assign(T, half, NOWHERE),), (), NOWHERE), Assign(T, Read(T, NOWHERE), NOWHERE)),
        lambda: doing(
            For(LOOP, const(0), const(3), 1, (Assign(T, half, NOWHERE),), NOWHERE), Assign(T, Read(T, NOWHERE), NOWHERE)
        ),
        lambda: doing(
            For(LOOP, const(0), const(3), 1, (), NOWHERE), Store(Y, (Read(LOOP, NOWHERE),), half, NOWHERE, NOWHERE)
        ),
        lambda: good(requires=(Require(Binary(ops.LT, i, i, BOOL, NOWHERE), NOWHERE),)),
        lambda: doing(While(true, (If(true, (Break(NOWHERE),), (), NOWHERE), SET), NOWHERE), Assign(U, GET, NOWHERE)),
        lambda: doing(If(true, (Assign(U, CALLED, NOWHERE),), (), NOWHERE), Assign(U, GET, NOWHERE)),
        lambda: team(phase(Assign(T, half, NOWHERE)), Assign(changed(T), Read(T, NOWHERE), NOWHERE)),
        lambda: team(phase(Assign(T, half, NOWHERE)), phase(Assign(changed(T), Read(T, NOWHERE), NOWHERE), number=1)),
        lambda: team(PHASE, Assign(W, i, NOWHERE)),
    ],
    "Load: reads plain storage of the kernel": [
        lambda: storing(Load(changed(Y), (i,), NOWHERE)),
        lambda: team(phase(got(TILE, i)), *allocated(TILE)),
        lambda: doing(Assign(Variable("k", I32, VariableKind.LOCAL, NOWHERE), Load(COUNTS, (i,), NOWHERE), NOWHERE)),
    ],
    "Load: has one i64 index a dimension": [
        lambda: storing(Load(X, (i,), NOWHERE)),
        lambda: storing(Load(Y, (half,), NOWHERE)),
    ],
    "AtomicUpdate: updates atomic storage of the kernel": [
        lambda: updating(array=changed(COUNTS)),
        lambda: updating(array=Y, arguments=(half,)),
        lambda: team(*allocated(TILE), phase(Drop(changed(UPDATE, array=TILE, arguments=(half,)), NOWHERE))),
    ],
    "AtomicUpdate: has one i64 index a dimension": [
        lambda: updating(index=(i, i)),
        lambda: updating(index=(const(1, I32),)),
    ],
    "AtomicUpdate: the operation takes the element type": [
        lambda o=o: good(
            parameters=(Y, X, S, TOTAL, LOW, FLOATS),
            body=changed(
                good().body,
                body=(Drop(changed(UPDATE, operation=o, array=FLOATS, arguments=(half,) * o.arity), NOWHERE),),
            ),
        )
        for o in (ops.ATOMICS["bit_or"], ops.ATOMICS["compare_exchange"])
    ],
    "AtomicUpdate: has as many arguments as the operation": [
        lambda: updating(arguments=()),
        lambda: updating(operation=ops.ATOMICS["compare_exchange"]),
    ],
    "AtomicUpdate: arguments have the element type": [lambda: updating(arguments=(const(1),))],
    "Unary: is `-` or `not`": [lambda: storing(Unary(ops.ADD, half, F64, NOWHERE))],
    "Unary: `not` takes bool, `-` a number": [
        lambda: storing(Unary(ops.NOT, half, F64, NOWHERE)),
        lambda: judging(Unary(ops.NEG, true, BOOL, NOWHERE)),
    ],
    "Unary: the type is the operand's": [lambda: storing(Unary(ops.NEG, const(1), F64, NOWHERE))],
    "Binary: operands have one type": [lambda: storing(changed(ADD, right=const(1)))],
    "Binary: the operation takes the type": [
        lambda: storing(changed(ADD, operation=ops.XOR)),
        lambda: storing(changed(ADD, operation=ops.MOD)),
        lambda: doing(Store(Y, (Binary(ops.DIV, i, i, I64, NOWHERE),), half, NOWHERE, NOWHERE)),
        lambda: judging(Binary(ops.AND, true, true, BOOL, NOWHERE)),
    ],
    "Binary: a comparison is bool, arithmetic has its operands' type": [
        lambda: storing(changed(ADD, type=F32)),
        lambda: storing(Binary(ops.LT, half, half, F64, NOWHERE)),
    ],
    "Logical: both sides are bool": [
        lambda: judging(Logical(True, true, half, NOWHERE)),
        lambda: judging(Logical(False, i, true, NOWHERE)),
    ],
    "Select: the condition is bool": [lambda: storing(Select(half, half, half, F64, NOWHERE))],
    "Select: both values have its type": [
        lambda: storing(Select(true, half, const(1), F64, NOWHERE)),
        lambda: storing(Select(true, half, half, F32, NOWHERE)),
    ],
    "Call: has as many arguments as the function": [lambda: storing(Call(MIN, (half,), F64, NOWHERE))],
    "Call: arguments have its type": [lambda: storing(Call(SQRT, (const(1),), F64, NOWHERE))],
    "Call: the function takes the type": [
        lambda: doing(Store(Y, (Call(SQRT, (i,), I64, NOWHERE),), half, NOWHERE, NOWHERE)),
        lambda: judging(Call(MIN, (true, true), BOOL, NOWHERE)),
    ],
    "Cast: changes one number type into another": [
        lambda: storing(Cast(half, F64, NOWHERE)),
        lambda: storing(Cast(true, F64, NOWHERE)),
        lambda: judging(Cast(i, BOOL, NOWHERE)),
    ],
}


def test_each_rule_has_a_planted_violation() -> None:
    assert set(PLANTED) == {f"{rule.kind.__name__}: {rule.says}" for rule in RULES}


@pytest.mark.parametrize("rule", PLANTED)
def test_a_planted_violation_is_caught(rule: str) -> None:
    for plant in PLANTED[rule]:
        broken = plant()
        assert f"line 0: {rule}" in violations(broken)
        with pytest.raises(InvalidIR, match="please report"):
            verify(broken)


def test_the_parts_of_the_plants_are_good() -> None:
    kernel = doing(
        Assign(T, ADD, NOWHERE),
        For(LOOP, const(0), i, -2, (Store(Y, (Read(LOOP, NOWHERE),), loaded, NOWHERE, NOWHERE),), NOWHERE),
        If(Logical(True, true, true, NOWHERE), (REDUCED,), (LOCATED,), NOWHERE),
        Store(Y, (i,), Call(SQRT, (Read(T, NOWHERE),), F64, NOWHERE), NOWHERE, NOWHERE),
        Drop(UPDATE, NOWHERE),
        Assign(U, CALLED, NOWHERE),
        Drop(CALLED, NOWHERE),
        While(true, (If(true, (SET, Break(NOWHERE)), (Continue(NOWHERE),), NOWHERE),), NOWHERE),
        Assign(U, GET, NOWHERE),
    )
    assert violations(kernel) == []


def test_the_parts_of_the_plants_in_order_are_good() -> None:
    assert violations(pushing(SET, If(true, (PUSH,), (PUSH,), NOWHERE))) == []
    assert violations(pushing(SET, SUMMED)) == []


def test_the_parts_of_the_plants_of_teams_are_good() -> None:
    kernel = team(
        *allocated(TILE, HITS, VIEW, MINE),
        Assign(W, Cast(Load(X, (Read(B, NOWHERE), const(0)), NOWHERE), I64, NOWHERE), NOWHERE),
        phase(*allocated(OWN), put(OWN, i), put(TILE, i), put(MINE, i, Read(W, NOWHERE)), REDUCED),
        For(LOOP, const(0), Read(W, NOWHERE), 1, (phase(got(MINE, i, const(0)), put(VIEW, i, i), number=1),), NOWHERE),
        phase(Drop(changed(UPDATE, array=HITS), NOWHERE), number=2, ranges=(Range(const(1), Read(W, NOWHERE)),)),
    )
    assert violations(kernel) == []


def test_the_front_end_keeps_the_rules() -> None:
    typed = kernel(KERNEL_TEXT).typed
    assert violations(typed) == []
    for entry in entries("rajaperf"):
        for call in entry.spec.program.typed_program.calls:
            assert violations(call.kernel) == []


def test_every_violation_is_listed_with_its_line() -> None:
    typed = kernel(KERNEL_TEXT).typed
    first, *rest = typed.body.body
    assert isinstance(first, Assign)
    bad = [replace(first, value=const(1)), *rest, replace(rest[1], value=const(2))]  # type: ignore[type-var]
    broken = changed(typed, body=changed(typed.body, body=tuple(bad)))
    assert violations(broken) == [
        "line 5: Assign: the value has the local's type", "line 9: Contribute: the value has the element type",
    ]  # fmt: skip
