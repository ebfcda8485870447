"""Each kernel in `kernels/` gets exactly the diagnostics and launch guards that its comments expect."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from kparity.compiler import CompileError, Diagnostic, Kernel, Program
from kparity.compiler.checks.proved import Guard
from kparity.harness.kernel_files import kernels_in

from .expectations import Expectation, read_expectations, unmet

FILES = sorted((Path(__file__).parent / "kernels").glob("*.py"))
COMPILED = [(file, one) for file in FILES for one in kernels_in(file)]
TWIN = "_safe"

expectations = cache(read_expectations)


def expected_of(file: Path, one: Kernel | Program) -> list[Expectation]:
    source = one.syntax.source
    lines = range(source.first_line, source.first_line + len(source.lines))
    return [e for e in expectations(file) if e.line in lines]


@cache
def found_in(one: Kernel | Program) -> list[Diagnostic | Guard]:
    try:
        return list(one.proved.guards) if isinstance(one, Kernel) else [] if one.typed_program else []
    except CompileError as error:
        return list(error.diagnostics)


@pytest.mark.parametrize(("file", "one"), COMPILED, ids=[f"{file.stem}.{one.name}" for file, one in COMPILED])
def test_expected_diagnostics(file: Path, one: Kernel | Program) -> None:
    problems = unmet(expected_of(file, one), found_in(one))
    assert not problems, "\n".join([f"{file.name}, `{one.name}`:", *problems])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_expectation_belongs_to_a_kernel(file: Path) -> None:
    in_kernels = [e for f, one in COMPILED if f == file for e in expected_of(f, one)]
    assert in_kernels == expectations(file)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_faulty_kernel_has_a_safe_twin(file: Path) -> None:
    kernels = {one.name: any(e.kind == "error" for e in expected_of(f, one)) for f, one in COMPILED if f == file}
    faulty = {name for name, is_faulty in kernels.items() if is_faulty}
    twins = {name.removesuffix(TWIN) for name, is_faulty in kernels.items() if name.endswith(TWIN) and not is_faulty}
    assert faulty == twins


def test_each_code_of_a_check_has_a_kernel() -> None:
    """The launch errors (KP08xx) have no source line; the page tests have them."""
    from kparity.compiler import error_codes

    expected = {e.code for file in FILES for e in expectations(file)}
    assert expected >= {code for code in error_codes() if "KP0100" <= code < "KP0800"}
