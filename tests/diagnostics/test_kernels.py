"""Each kernel in `kernels/` gets exactly the diagnostics and launch guards that its comments expect."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kparity.compiler import CompileError, Diagnostic, Kernel, Program
from kparity.compiler.checks.proved import Guard
from kparity.compiler.frontend.functions import Device, ReadFunction
from kparity.compiler.ir.source import Source
from kparity.harness.kernel_files import kernels_in

from .expectations import Expectation, read_expectations, unmet

FILES = sorted((Path(__file__).parent / "kernels").glob("*.py"))
COMPILED = [(file, one) for file in FILES for one in kernels_in(file)]
TWIN = "_safe"

# What the compiler says wrongly today, and why it is wrong. A repair makes the entry fail: then delete it.
KNOWN_WRONG: dict[str, str] = {}  # kernel -> why its diagnostics are not yet what stands beside its lines

expectations = cache(read_expectations)


def sources_of(one: ReadFunction, seen: set[ReadFunction]) -> Iterator[Source]:
    """The text of a kernel or program, and of the device functions that it calls."""
    seen.add(one)
    yield one.syntax.source
    for name in (n.id for n in ast.walk(one.syntax.tree) if isinstance(n, ast.Name)):
        called = one.syntax.environment.get(name)
        if isinstance(called, Device) and called not in seen:
            yield from sources_of(called, seen)


def expected_of(file: Path, one: Kernel | Program) -> list[Expectation]:
    lines = {s.first_line + number for s in sources_of(one, set()) for number in range(len(s.lines))}
    return [e for e in expectations(file) if e.line in lines]


@cache
def found_in(one: Kernel | Program) -> list[Diagnostic | Guard]:
    try:
        if isinstance(one, Kernel):
            return list(one.proved.guards)
        assert one.typed_program.statements and one.proved is not None
        return []
    except CompileError as error:  # a program repeats the faults of its kernels, which stand beside their own lines
        own = {source.first_line for source in sources_of(one, set())}
        return [d for d in error.diagnostics if d.source.first_line in own]


def _cases() -> Iterator[Any]:
    for file, one in COMPILED:
        name = f"{file.stem}.{one.name}"
        marks = [pytest.mark.xfail(reason=KNOWN_WRONG[name], raises=AssertionError)] if name in KNOWN_WRONG else []
        yield pytest.param(file, one, id=name, marks=marks)


@pytest.mark.parametrize(("file", "one"), list(_cases()))
def test_expected_diagnostics(file: Path, one: Kernel | Program) -> None:
    problems = unmet(expected_of(file, one), found_in(one))
    assert not problems, "\n".join([f"{file.name}, `{one.name}`:", *problems])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_expectation_belongs_to_a_kernel(file: Path) -> None:
    in_kernels = [e for f, one in COMPILED if f == file for e in expected_of(f, one)]
    assert in_kernels == expectations(file)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_faulty_kernel_has_a_safe_twin(file: Path) -> None:
    """A twin needs no launch guard either; the faults of kernels named as twins would be a slip."""
    expected = {one.name: expected_of(f, one) for f, one in COMPILED if f == file}
    faulty = {name for name, its in expected.items() if any(e.kind == "error" for e in its)}
    guarded = {name for name, its in expected.items() if its} - faulty
    twins = {name.removesuffix(TWIN): expected[name] for name in expected if name.endswith(TWIN)}
    assert faulty <= twins.keys() <= faulty | guarded
    assert not any(twins.values())


def test_size_of_the_collection() -> None:
    """The collection only grows: every fault found in the compiler or in a user's kernel adds a pair."""
    faulty = [one for file, one in COMPILED if any(e.kind == "error" for e in expected_of(file, one))]
    safe = [one for file, one in COMPILED if not expected_of(file, one)]
    assert len(faulty) >= 400
    assert len(safe) >= 400


def _lines(one: ReadFunction) -> list[str]:
    tree = one.syntax.tree
    return [ast.unparse(tree.args), *ast.unparse(ast.Module(tree.body, [])).splitlines()]


def test_twins_differ_in_one_place() -> None:
    """A safe kernel says where the border is if nothing but the fault has changed."""
    by_name = {(file, one.name): _lines(one) for file, one in COMPILED}
    places = {
        key: sum(tag != "equal" for tag, *_ in SequenceMatcher(None, lines, twin, autojunk=False).get_opcodes())
        for key, lines in by_name.items()
        if (twin := by_name.get((key[0], key[1] + TWIN)))
    }
    assert sum(count == 1 for count in places.values()) >= 300


def test_each_code_of_a_check_has_a_kernel() -> None:
    """The launch errors (KP08xx) have no source line; the page tests have them."""
    from kparity.compiler import error_codes

    expected = {e.code for file in FILES for e in expectations(file)}
    assert expected >= {code for code in error_codes() if "KP0100" <= code < "KP0800"}
