"""The targets as a parameter, and one way to run a program on each."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from kparity.compiler import Kernel, Program, alive, compile_program, device_of

from .interpreter import arrays, each, interpret

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def nothing_stays_alive() -> Iterator[None]:
    """Fail a test that leaves memory of a device behind, with the lines that made it."""
    before = alive()
    yield
    gc.collect()  # the frames of caught exceptions refer to each other
    left = [str(one) for one in alive() if one not in before]
    assert not left, "\n".join(left)


@pytest.fixture(params=["cpu1", "cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def target(request: pytest.FixtureRequest) -> str:
    """Each target in turn; a GPU where there is one."""
    return str(request.param)


def execute(
    program: Kernel | Program, target: str, arguments: Mapping[str, Any], repetitions: int = 1
) -> dict[str, Any]:
    """Run on copies of the arguments; returns what the arrays hold afterwards."""
    place = device_of(target)
    by_value = {p.name for p in program.typed_program.parameters if getattr(p, "is_table", False)}
    given = {n: v for n, v in arguments.items() if n not in by_value}
    lent = {**arguments, **{n: each(lambda a: place.upload(_plain(a, target)), v) for n, v in given.items()}}
    compile_program(program, target).bind(lent).run(repetitions, stream=place.stream)
    place.synchronize()
    back = {n: each(place.download, lent[n], like=v) for n, v in given.items()}
    return {
        **arguments,
        **{
            n: b.view(v.dtype) if isinstance(v, np.ndarray) else b
            for (n, b), v in zip(back.items(), given.values(), strict=True)
        },
    }


def _plain(array: np.ndarray[Any, Any], target: str) -> np.ndarray[Any, Any]:
    """CuPy has no structured types: a value and its location, or a struct, travel as bytes."""
    return array.view(np.uint8) if target == "cuda" and array.dtype.fields else array


@pytest.fixture
def run(target: str) -> Run:
    """`run(program, a=array, ...)` on the target."""
    return lambda program, **arguments: execute(program, target, arguments)


@pytest.fixture
def agree(target: str) -> Callable[..., dict[str, Any]]:
    """Run a program on the target and in the interpreter; every bit must agree (NaN equals NaN)."""

    def compare(program: Kernel | Program, **arguments: Any) -> dict[str, Any]:
        wanted, found = interpret(program, arguments), execute(program, target, arguments)
        for name, value in wanted.items():
            for got, want in zip(arrays(found[name]), arrays(value), strict=True):
                for part in want.dtype.names or [...]:  # NaN of a structured type would equal nothing
                    np.testing.assert_array_equal(got[part], want[part], err_msg=f"{name} on {target}")
        return found

    return compare
