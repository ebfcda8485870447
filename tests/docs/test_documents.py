"""What the documents show has the meaning that they say; that all of it runs is tested in test_blocks.py."""

from __future__ import annotations

import argparse
import importlib
import re
import runpy
import shlex
from pathlib import Path

import pytest

from kparity.compiler import Kernel, Program
from kparity.harness.gate.rules import read_rules
from kparity.harness.nightly.profile import Profile, read_profile

ROOT = Path(__file__).resolve().parents[2]
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
