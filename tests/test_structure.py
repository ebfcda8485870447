"""The house keeps its shape: imports point one way, files stay short, nothing names a machine, the README is true."""

from __future__ import annotations

import argparse
import ast
import importlib
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from kparity.harness.cli import COMMANDS, module_of

ROOT = Path(__file__).resolve().parents[1]
FOLDERS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
LONGEST_FILE = 420  # lines of one Python file of the product; past 400 a second subject is looked for
COMPACT = 19_500  # lines of code in the whole compiler: see docs/decisions.md

# What a folder may import of the others: their front doors, by exact name.
ALLOWED = {
    "compiler": set(),
    "suites": {"kparity.compiler"},
    "baselines": {"kparity.compiler"},
    "harness": {"kparity.compiler", "kparity.suites", "kparity.baselines"},
}
# Within the compiler a stage never reaches for what comes after it.
LATER_STAGES = {
    "ir": {"frontend", "checks", "passes", "targets", "diagnostics", "runtime"},
    "frontend": {"checks", "passes", "targets", "runtime"},
    "checks": {"frontend", "passes", "targets", "runtime"},
    "passes": {"frontend", "targets", "runtime"},
    "diagnostics": {"frontend", "checks", "passes", "targets", "runtime"},
}


def sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imported_modules(path: Path, package: str) -> Iterator[tuple[int, str]]:
    """Absolute names of the modules that a file imports, with the line; relative imports are resolved."""
    folder = ROOT / FOLDERS[package]
    inside = (*package.split("."), *path.relative_to(folder).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, level=0, names=names):
                yield from ((node.lineno, name) for name in _from(module or "", names))
            case ast.ImportFrom(module=module, level=level, names=names):
                base = ".".join((*inside[: len(inside) - level + 1], *((module,) if module else ())))
                yield from ((node.lineno, name) for name in _from(base, names))


def _from(base: str, names: list[ast.alias]) -> list[str]:
    """Modules that `from base import names` reaches: inner modules, unless the package exports the name itself."""
    if not (base == "kparity" or _is_package(base)):
        return [base]
    exported = _exports(base)
    inner = [f"{base}.{a.name}" for a in names if a.name not in exported and _is_module(f"{base}.{a.name}")]
    return inner if len(inner) == len(names) else [base, *inner]


def _exports(package: str) -> set[str]:
    """Names that a package's `__all__` lists: `kparity.compiler.targets` is a function there, and a folder inside."""
    place = _location(package)
    front = place / "__init__.py" if place else None
    if front is None or not front.is_file():
        return set()
    for node in ast.parse(front.read_text(encoding="utf-8")).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                return set(ast.literal_eval(value))
    return set()


def _location(module: str) -> Path | None:
    for package, folder in FOLDERS.items():
        if module == package or module.startswith(f"{package}."):
            return ROOT.joinpath(folder, *module.removeprefix(package).strip(".").split("."))
    return None


def _is_package(module: str) -> bool:
    place = _location(module)
    return place is not None and place.is_dir()


def _is_module(module: str) -> bool:
    place = _location(module)
    return place is not None and (place.is_dir() or place.with_suffix(".py").is_file())


@pytest.mark.parametrize("package", FOLDERS)
def test_imports_point_one_way_and_use_front_doors(package: str) -> None:
    own = package.removeprefix("kparity.")
    wrong = []
    for path in sources(FOLDERS[package]):
        for line, module in imported_modules(path, package):
            foreign = module.split(".")[0] == "kparity" and not f"{module}.".startswith(f"{package}.")
            if foreign and module not in ALLOWED[own]:
                wrong.append(f"{path.relative_to(ROOT)}:{line}: imports {module}")
            if module.split(".")[0] in FOLDERS.values():
                wrong.append(f"{path.relative_to(ROOT)}:{line}: imports {module}, which is kparity.{module}")
    assert not wrong


def test_compiler_stages_do_not_reach_forward() -> None:
    wrong = []
    for stage, later in LATER_STAGES.items():
        for path in sources(f"compiler/{stage}"):
            for line, module in imported_modules(path, "kparity.compiler"):
                parts = module.split(".")
                if parts[:2] == ["kparity", "compiler"] and len(parts) > 2 and parts[2] in later:
                    wrong.append(f"{path.relative_to(ROOT)}:{line}: {stage} imports {module}")
    assert not wrong


def test_the_import_reader_sees_every_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two tests above are only as good as this reader."""
    monkeypatch.setattr("tests.test_structure.ROOT", tmp_path, raising=False)
    (tmp_path / "compiler" / "ir").mkdir(parents=True)
    (tmp_path / "compiler" / "ir" / "nodes.py").touch()
    (tmp_path / "suites").mkdir()
    file = tmp_path / "suites" / "probe.py"
    file.write_text(
        "import kparity.compiler.ir.nodes\n"
        "from kparity.compiler import kernel\n"
        "from kparity.compiler import ir\n"
        "from kparity.compiler.ir import nodes\n"
        "from .. import compiler\n"
        "def later():\n    from ..compiler.ir.nodes import Load\n"
    )
    assert list(imported_modules(file, "kparity.suites")) == [
        (1, "kparity.compiler.ir.nodes"),
        (2, "kparity.compiler"),
        (3, "kparity.compiler.ir"),
        (4, "kparity.compiler.ir.nodes"),
        (5, "kparity.compiler"),
        (7, "kparity.compiler.ir.nodes"),
    ]


def test_files_stay_short() -> None:
    lengths = {p: len(p.read_text(encoding="utf-8").splitlines()) for f in FOLDERS.values() for p in sources(f)}
    assert lengths
    long = {str(path.relative_to(ROOT)): lines for path, lines in lengths.items() if lines > LONGEST_FILE}
    assert not long


def test_the_compiler_stays_compact() -> None:
    """Small enough to be read in a week; `.ci/size` shows where the lines are."""
    shown = subprocess.run([ROOT / ".ci" / "size"], capture_output=True, text=True, check=True).stdout
    *folders, total = [re.fullmatch(r"(\S+) +(\d+) lines +(\d+) of code", line) for line in shown.splitlines()]
    assert total and {folder[1] for folder in folders if folder} >= {"compiler/ir/", "compiler/checks/"}
    assert 0 < int(total[3]) < COMPACT


def test_each_module_opens_with_what_it_is_for() -> None:
    trees = {p: ast.parse(p.read_text(encoding="utf-8")) for folder in FOLDERS.values() for p in sources(folder)}
    without = [str(path.relative_to(ROOT)) for path, tree in trees.items() if not ast.get_docstring(tree)]
    assert not without


def project_files() -> list[Path]:
    """Files of the project as git lists them, tracked or new; everything but ignored ones."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, check=True,
        ).stdout.decode()  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git work tree: its files cannot be told from build output")
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


# A machine's own folders, and package registries. Written so that this file does not match itself.
_MACHINE = re.compile(r"/[w]ork/|/[r]oot/|/[h]ome/\w+/|[p]ypi\.org|[p]ythonhosted|://[\w.:-]*(?:[p]roxy|[m]irror)")


def test_nothing_names_a_machine_or_a_registry() -> None:
    wrong = []
    for path in project_files():
        if path.suffix in {".png", ".so", ".gz"}:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if found := _MACHINE.search(line):
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {found.group()}")
    assert not wrong


README = ROOT / "README.md"


def shell_lines(text: str) -> list[str]:
    """Commands of the fenced shell blocks, without comments."""
    blocks = re.findall(r"```(?:sh|bash|console)\n(.*?)```", text, flags=re.DOTALL)
    lines = (line.split("#")[0].strip() for block in blocks for line in block.splitlines())
    return [line for line in lines if line]


def test_the_first_screen_of_the_readme_holds_the_two_commands() -> None:
    commands = shell_lines("\n".join(README.read_text(encoding="utf-8").splitlines()[:30]))
    assert commands[:2] == [".ci/measure", ".ci/test"]
    for command in commands[:2]:
        assert (ROOT / command).stat().st_mode & 0o111, f"{command} is not executable"


def test_ci_calls_the_test_command_of_the_readme() -> None:
    assert ".ci/test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1]


@pytest.mark.parametrize("document", sorted([README, *(ROOT / "docs").rglob("*.md")]), ids=lambda p: p.name)
def test_commands_of_the_documents_are_accepted(document: Path) -> None:
    for line in shell_lines(document.read_text(encoding="utf-8")):
        words = shlex.split(line.removeprefix("$ "))
        if words[0].startswith(".ci/"):
            assert (ROOT / words[0]).is_file(), line
        elif words[0].endswith("kparity") and not words[1].startswith("-"):
            parse(words[1:], line)


def parse(words: list[str], line: str) -> None:
    """Have the command's own parser read the options."""
    assert words[0] in COMMANDS, line
    parser = argparse.ArgumentParser(prog="kparity")
    importlib.import_module(f"kparity.harness.commands.{module_of(words[0])}").add_parser(parser.add_subparsers())
    try:
        parser.parse_args(words)
    except SystemExit:
        pytest.fail(f"not accepted: {line}")


@pytest.mark.parametrize("document", sorted([README, *(ROOT / "docs").rglob("*.md")]), ids=lambda p: p.name)
def test_links_of_the_documents_lead_somewhere(document: Path) -> None:
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text) if "://" not in link]
    missing = [link for link in links if not (document.parent / link).exists()]
    assert not missing
