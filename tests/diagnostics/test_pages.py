"""Each error page is a test: its kernel has that very error, rendered as shown, and the repaired kernel compiles."""

from __future__ import annotations

import re
import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from kparity.compiler import (
    CompileError,
    Diagnostic,
    KparityError,
    error_codes,
    error_page,
    error_title,
    render_diagnostic,
)
from kparity.harness.kernel_files import kernels_in

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "errors"
FENCE = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FUNCTION = re.compile(r"^def (\w+)", re.MULTILINE)
AT_LAUNCH = "KP08"
ADDRESS = re.compile(r"0x[0-9a-f]+")  # different in each run


def fences(code: str) -> list[str]:
    """The kernel with the error, its rendering, the repaired kernel."""
    found = FENCE.findall(error_page(code))
    assert [language for language, _ in found] == ["python", "text", "python"]
    return [text for _, text in found]


def written(text: str, folder: Path) -> Path:
    """Write an example into a file that has the name of its last function, and return it."""
    file = folder / f"{FUNCTION.findall(text)[-1]}.py"
    file.write_text(text, encoding="utf-8")
    return file


def diagnostics_of(file: Path) -> list[Diagnostic]:
    """Every diagnostic of an example, in order, the file named without its folder."""
    found: list[Diagnostic] = []
    try:
        for one in kernels_in(file):
            try:
                assert one.proved
            except CompileError as error:
                found.extend(error.diagnostics)
    except CompileError as error:
        found.extend(error.diagnostics)
    named = [replace(d, source=replace(d.source, path=file.name)) for d in found]
    return list(dict.fromkeys(named))  # a program repeats the faults of its kernels


def rendering(file: Path, code: str) -> str:
    """What the user sees of an example."""
    if not code.startswith(AT_LAUNCH):
        found = diagnostics_of(file)
        assert [d.code for d in found] == [code], f"the example shows {code} and nothing else"
        return render_diagnostic(found[0])
    with pytest.raises(KparityError) as caught:
        runpy.run_path(str(file))
    return ADDRESS.sub("0x...", f"{caught.value}\n".replace(str(file), file.name))


@pytest.mark.parametrize("code", error_codes())
def test_example_has_the_error(code: str, tmp_path: Path, update_golden: bool) -> None:
    faulty, shown, _ = fences(code)
    rendered = rendering(written(faulty, tmp_path), code)
    if update_golden:
        renewed = error_page(code).replace(f"```text\n{shown}```", f"```text\n{rendered}```")
        (PAGES / f"{code}.md").write_text(renewed, encoding="utf-8")
        shown = rendered
    assert rendered.startswith(f"error[{code}]: ")
    assert rendered == shown


@pytest.mark.parametrize("code", error_codes())
def test_repaired_example_compiles(code: str, tmp_path: Path) -> None:
    file = written(fences(code)[2], tmp_path)
    if code.startswith(AT_LAUNCH):
        runpy.run_path(str(file))
    assert [d.message for d in diagnostics_of(file)] == []
    assert kernels_in(file), "the repaired example defines no kernel"


@pytest.mark.parametrize("code", error_codes())
def test_form_of_the_page(code: str) -> None:
    text = error_page(code)
    assert text.startswith(f"# {code}: {error_title(code)}\n\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["With the error", "Repaired"]
    prose = FENCE.sub("", text)
    assert max(map(len, prose.splitlines())) <= 120
    assert len(re.split(r"^## ", prose, flags=re.MULTILINE)[0].split()) >= 30, "say why it is an error"


def codes_in_the_compiler() -> set[str]:
    sources = (ROOT / "compiler").rglob("*.py")
    return {code for file in sources for code in re.findall(r"\bKP\d{4}\b", file.read_text(encoding="utf-8"))}


def test_each_code_of_the_compiler_has_a_page_and_each_page_a_code() -> None:
    assert codes_in_the_compiler() == set(error_codes())


def test_pages_of_the_package_are_those_of_the_documentation() -> None:
    assert {file.stem for file in PAGES.glob("KP*.md")} == set(error_codes())
    assert all((PAGES / f"{code}.md").read_text(encoding="utf-8") == error_page(code) for code in error_codes())
