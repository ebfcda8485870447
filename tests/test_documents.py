"""The documents' examples do what the documents say."""

from __future__ import annotations

import argparse
import importlib
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from kparity.compiler import Kernel, Program
from kparity.harness.cli import main
from kparity.harness.gate.rules import read_rules
from kparity.harness.nightly.profile import Profile, read_profile

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def block_with(text: str, language: str, part: str) -> str:
    (found,) = [block for block in blocks(text, language) if part in block]
    return found


def test_the_first_kernel_of_the_readme_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = block_with(README, "python", "def daxpy")
    (expected,) = re.findall(r"print\(.*\)  # (.*)", code)
    file = tmp_path / "example.py"
    file.write_text(code)
    runpy.run_path(str(file))
    assert capsys.readouterr().out.strip() == expected


def test_the_diagnostic_of_the_readme_is_what_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("smooth.py").write_text(block_with(README, "python", "def smooth"))
    assert main(["check", "smooth.py"]) == 1
    assert block_with(README, "text", "error[KP0401]") in capsys.readouterr().out + "\n"


def test_the_kernels_of_the_language_page_are_proved(tmp_path: Path) -> None:
    code = blocks((ROOT / "docs" / "language.md").read_text(encoding="utf-8"), "python")
    file = tmp_path / "page.py"
    file.write_text("\n\n".join(code))
    found = [value for value in runpy.run_path(str(file)).values() if isinstance(value, (Kernel, Program))]
    assert {kernel.name for kernel in found} >= {"daxpy", "add_products", "sweep", "dot"}
    for kernel in found:
        if isinstance(kernel, Kernel):
            assert kernel.proved.kernel.name == kernel.name
        assert kernel.typed_program.name == kernel.name


def test_the_kernel_file_of_the_walkthrough_is_a_whole_one(tmp_path: Path) -> None:
    file = tmp_path / "daxpy.py"
    file.write_text(block_with((ROOT / "docs" / "adding-a-kernel.md").read_text(encoding="utf-8"), "python", "SPEC"))
    spec = runpy.run_path(str(file))["SPEC"]
    assert spec.name == "DAXPY"
    assert spec.program.proved.kernel.name == "daxpy"
    assert spec.work(10).bytes_moved == 240


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
def test_the_examples_with_other_libraries_run(library: str, tmp_path: Path) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    code = blocks((ROOT / "docs" / "interoperability.md").read_text(encoding="utf-8"), "python")
    source = tmp_path / "example.py"
    source.write_text("\n".join([code[0], *(block for block in code[1:] if f"import {library}\n" in block)]))
    subprocess.run([sys.executable, str(source)], check=True, capture_output=True, text=True)


def commands_of(document: str, command: str) -> list[list[str]]:
    shell = "".join(blocks((ROOT / "docs" / document).read_text(encoding="utf-8"), "sh"))
    lines = [shlex.split(line, comments=True) for line in shell.splitlines()]
    return [words[1:] for words in lines if words[:2] == ["kparity", command]]


def test_the_comparisons_of_the_page_are_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results").symlink_to(ROOT / "results")
    monkeypatch.chdir(tmp_path)
    statuses = [main(words) for words in commands_of("comparing.md", "compare")]
    assert statuses == [0, 0, 1], "the last two campaigns have no target in common"
    assert "geometric mean of changes" in capsys.readouterr().out
    assert len(list((tmp_path / "build" / "comparison").iterdir())) == 4


def test_the_gate_of_the_page_passes_and_reads_its_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    (tmp_path / "results").symlink_to(ROOT / "results")
    (tmp_path / "gate.toml").write_text(block_with(page, "toml", "[gate]"))
    monkeypatch.chdir(tmp_path)
    first, second, history = commands_of("gate.md", "gate")
    assert main(first) == 0
    assert main(second) == 0
    out = capsys.readouterr().out
    assert main(history) == 2, "there is no such folder here"
    assert (tmp_path / "build" / "gate.xml").is_file() and "Lcals_HYDRO_1D: not judged: being rewritten" in out


EXAMPLES = ROOT / "docs" / "examples"


def test_the_profiles_of_the_pages_are_read(tmp_path: Path) -> None:
    page = tmp_path / "page.toml"
    page.write_text(block_with((ROOT / "docs" / "nightly.md").read_text(encoding="utf-8"), "toml", "[nightly]"))
    assert read_profile(page) == Profile(), "the page shows the defaults"
    assert read_profile(EXAMPLES / "nightly.toml").against == "asv"
    assert read_rules(EXAMPLES / "nightly.toml").must_run == ("Stream", "Apps_VOL3D")


@pytest.mark.parametrize("path", sorted(EXAMPLES.iterdir()), ids=lambda path: path.name)
def test_the_commands_of_the_examples_are_accepted(path: Path) -> None:
    lines = re.findall(r"kparity ((?:run|gate|nightly) .*)", path.read_text(encoding="utf-8"))
    assert lines or path.suffix == ".timer"
    for line in lines:
        words = shlex.split(re.split(r"\s(?:\|\||&&|#)", line)[0])
        parser = argparse.ArgumentParser()
        importlib.import_module(f"kparity.harness.commands.{words[0]}").add_parser(parser.add_subparsers())
        parser.parse_args(words)
        for word in words:
            if word.startswith("docs/"):
                assert (ROOT / word).is_file(), word
