"""The kernels' bodies, run as the Python that they look like, agree with the references on random data.

Neither checksum nor compiler takes part, so a kernel and a reference that differ are found wherever they differ, and
whichever of them is wrong.
"""

import ast
import inspect
import itertools
import math
import types
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from kparity.compiler import Kernel
from kparity.compiler.frontend.functions import Device
from kparity.compiler.frontend.language import ScalarName
from kparity.compiler.ir.nodes import Access
from kparity.suites import Arguments, Entry, arrays_in, each, entries

SIZE = 64
SMALL = {"INTSC_HEXHEX": 8}  # 64 pairs, of 72 contributions each
FOUND = entries("rajaperf")


class Returned(np.ndarray):
    """An array of one element that the host receives."""

    def get(self) -> Any:
        return self.item()


class Reducer:
    """A reducer bound to its buffer: of one element, or of one a bin."""

    def __init__(self, buffer: np.ndarray, combine: Any) -> None:
        self.buffer, self.combine = buffer, combine

    def __iadd__(self, value: Any) -> "Reducer":
        self.update(value)
        return self

    def __getitem__(self, bin_: int) -> "Reducer":
        assert 0 <= bin_ < self.buffer.size
        return Reducer(self.buffer[bin_ : bin_ + 1], self.combine)

    def __setitem__(self, bin_: int, changed: "Reducer") -> None:
        assert np.shares_memory(self.buffer[bin_ : bin_ + 1], changed.buffer)  # `bins[b] += x` has added in place

    def update(self, value: Any, *location: Any) -> None:
        assert self.buffer.size == 1
        mine, held = (value, *location), self.buffer[0].item()
        self.buffer[0] = self.combine(held, mine if location else value)

    def fill(self, value: Any) -> None:
        self.buffer[:] = (value, 2**63 - 1) if self.buffer.dtype.names else value

    def get(self) -> Any:
        return self.buffer[0]


class Pushed:
    """A list that is filled from the front."""

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.count = array, 0

    def push(self, item: Any) -> None:
        self.array[self.count] = item
        self.count += 1


class Exchanged:
    """An array, or an element of one, that is stored to by `exchange`."""

    def __init__(self, array: np.ndarray, *place: Any) -> None:
        self.array, self.place = array, place

    def __getitem__(self, place: Any) -> "Exchanged":
        return Exchanged(self.array, place)

    def exchange(self, value: Any) -> None:
        self.array[self.place] = value


def parallel(*ranges: Any) -> Any:
    """Threads in an arbitrary order: what the kernels compute does not depend on it."""
    axes = [range(*r) if isinstance(r, tuple) else range(r) for r in ranges]
    threads = list(itertools.product(*axes))
    np.random.default_rng(7).shuffle(threads)
    return [thread[0] if len(ranges) == 1 else thread for thread in threads]


def memory(
    type_: Any, *dims: int, threads: tuple[int, ...] = (), fill: float | None = None, atomic: bool = False
) -> Any:
    """Shared or private memory: garbage, unless it is filled."""
    del atomic
    content = (np.nan if type_.name.startswith("f") else -77) if fill is None else fill
    dtype = {"f": "float", "i": "int", "u": "uint"}[type_.name[0]] + type_.name[1:]
    return np.full((*threads, *dims), content, dtype)


def exchange(send: Any, recv: Any, ranks: Any, tags: Any) -> None:
    """Messages of a process that is alone."""
    assert not any(ranks)
    for message, tag in zip(recv, tags, strict=True):
        message[...] = send[tag]


TEAMS = {
    "parallel": parallel, "teams": parallel, "threads": parallel, "shared": memory, "private": memory,
    "local": memory, "require": lambda *conditions: None,
    "scratch": memory,
    "reshape": lambda buffer, *dims: buffer.reshape(-1)[: math.prod(dims)].reshape(dims),
    "exchange": exchange, "ceildiv": lambda a, b: -(-a // b),
}  # fmt: skip


def exclusive_scan(y: Any, x: Any) -> None:
    y[:] = np.cumsum(x) - x


def compact(list: Any, length: Any, marks: Any) -> None:
    (found,) = np.nonzero(marks)
    list[: found.size] = found
    length.update(found.size)


def sort_pairs(keys: Any, values: Any) -> None:
    order = np.argsort(keys, kind="stable")
    keys[:], values[:] = keys[order], values[order]


COLLECTIVES = {
    "sort_keys": lambda keys: keys.sort(),
    "sort_pairs": sort_pairs,
    "repetition": lambda: 0,
    "compact": compact,
    "exclusive_scan": exclusive_scan,
}


class Type:
    """A scalar type: what memory holds, or a cast."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, value: Any) -> Any:
        return float(value) if self.name.startswith("f") else int(value)


class Shifted:
    """A vector whose indices start at an origin other than zero."""

    def __init__(self, array: np.ndarray, origin: int) -> None:
        self.array, self.origin = array, origin

    def __getitem__(self, i: int) -> Any:
        assert i >= self.origin
        return self.array[i - self.origin]

    def __setitem__(self, i: int, value: Any) -> None:
        assert i >= self.origin
        self.array[i - self.origin] = value


def shifted(parameter: Any, argument: Any) -> Any:
    """Return an argument as the kernel sees it: a dim "1..n + 1" starts at one."""
    origins = [d.text.partition("..") for d in getattr(parameter, "dims", ())]
    origins = [int(lower) if dots else 0 for lower, dots, _ in origins]
    return Shifted(argument, *origins) if any(origins) else argument


def names_of(function: Any) -> dict[str, Any]:
    """Return what a function's names stand for outside of it; device functions are Python functions."""
    used = {name: value for name, value in function.__globals__.items() if name in function.__code__.co_names}
    names = {n: partial(runnable(v), 0) if isinstance(v, Kernel) else v for n, v in used.items()}
    names |= {name: COLLECTIVES[name] for name in used if name in COLLECTIVES}
    for name, value in used.items():
        if isinstance(value, Device):
            names[name] = partial(call, value.function, names_of(value.function))
        if isinstance(value, ScalarName):
            names[name] = Type(value.name)
    return names | TEAMS | {name: getattr(math, name) for name in used if hasattr(math, name)}


@cache
def dims_of(function: Any) -> list[list[tuple[int, str]]]:
    """Return which dims of each parameter of a device function have a name."""
    parameters = ast.parse(inspect.getsource(function)).body[0].args.args  # type: ignore[attr-defined]
    written = [p.annotation.slice.elts[1:] if isinstance(p.annotation, ast.Subscript) else [] for p in parameters]
    return [[(n, d.value) for n, d in enumerate(dims) if isinstance(d.value, str)] for dims in written]


def call(function: Any, names: dict[str, Any], *arguments: Any) -> Any:
    """Call a device function; a name in its dims stands for the size of what is passed."""
    sizes = {d: a.shape[n] for dims, a in zip(dims_of(function), arguments, strict=True) for n, d in dims}
    return types.FunctionType(function.__code__, names | sizes)(*arguments)


def runnable(program: Any) -> Any:
    """Return a kernel or program as a Python function of its parameters."""
    function, names = program.function, names_of(program.function)

    def run(repetition: int, *arguments: Any) -> None:
        extents = {}
        for parameter, argument in zip(program.typed_program.parameters, arguments, strict=True):
            if isinstance(argument, np.ndarray):
                extents |= dict(zip((d.text for d in parameter.dims), argument.shape, strict=True))
            if isinstance(argument, list):  # a pack: what its members have in common, and what each has of its own
                shapes = zip(*(member.shape for member in argument), strict=True)
                for dim, sizes in zip(parameter.dims[1:], shapes, strict=True):
                    extents[dim.text.removesuffix("[]")] = sizes if dim.text.endswith("[]") else sizes[0]
        seen = [shifted(p, a) for p, a in zip(program.typed_program.parameters, arguments, strict=True)]
        number = {"repetition": lambda: repetition} if "repetition" in names else {}
        lists = [getattr(p, "access", None) is Access.PUSH for p in program.typed_program.parameters]
        seen = [Pushed(value) if is_list else value for is_list, value in zip(lists, seen, strict=True)]
        if "exchange" in function.__code__.co_names:
            atomic = [getattr(p, "access", None) is Access.ATOMIC for p in program.typed_program.parameters]
            seen = [
                Exchanged(value) if is_atomic and isinstance(value, np.ndarray) else value
                for is_atomic, value in zip(atomic, seen, strict=True)
            ]
        order = {"parallel": range} if any(lists) else {}
        types.FunctionType(function.__code__, names | extents | number | order)(*seen)

    return run


def bound(program: Any, arguments: Arguments) -> list[Any]:
    combine = {"Sum": lambda a, b: a + b, "Min": min, "Max": max, "MinLoc": min}
    returned = {memory.name for memory in program.typed_program.returned}

    def seen(parameter: Any) -> Any:
        argument = arguments[parameter.name]
        if hasattr(parameter, "reduction"):
            return Reducer(argument, combine[parameter.reduction.name])
        return argument.view(Returned) if parameter.name in returned else argument

    return [seen(parameter) for parameter in program.typed_program.parameters]


def random_arguments(entry: Entry) -> Arguments:
    rng = np.random.default_rng(11)
    if entry.spec.random is not None:
        return dict(entry.spec.random(SMALL.get(entry.spec.name, SIZE), rng))
    data = entry.arguments(SIZE)

    def noise(array: np.ndarray) -> np.ndarray:
        return rng.uniform(-1.0, 1.0, array.shape) if array.dtype.kind == "f" else array  # index lists stay

    return {name: each(noise, value) for name, value in data.items()}


@pytest.mark.parametrize("entry", FOUND, ids=lambda entry: entry.full_name)
def test_kernel_and_reference_agree(entry: Entry):
    arguments, expected = random_arguments(entry), random_arguments(entry)
    run = runnable(entry.spec.program)
    for repetition in range(2):
        run(repetition, *bound(entry.spec.program, arguments))
    entry.spec.repeat(expected, 2)
    outputs = arrays_in(arguments)
    for name, value in arrays_in(expected).items():
        for part in getattr(value, "dtype", np.dtype(int)).names or [...]:
            got, want = outputs[name][part], np.asarray(value)[part]
            np.testing.assert_allclose(got, want, rtol=entry.spec.rtol, atol=1e-13 if entry.spec.rtol else 0.0)
    initial = arrays_in(random_arguments(entry))
    changes = [
        not np.array_equal(initial[name], value)
        for name, value in arrays_in({n: expected[n] for n in entry.spec.checksum}).items()
    ]
    assert any(changes) or entry.spec.name == "EMPTY"
