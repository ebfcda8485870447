"""Files of kernels are imported as their owner would, and failures are one line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kparity.compiler import CompileError
from kparity.harness.kernel_files import FileNotUsable, kernels_in

KERNEL = """from kparity.compiler import Mut, f64, kernel, parallel


@kernel
def {name}(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = 0.0
"""


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_in_the_order_of_lines_and_only_its_own(tmp_path: Path) -> None:
    write(tmp_path / "kp_other_file.py", KERNEL.format(name="foreign"))
    text = "from kp_other_file import foreign\n" + KERNEL.format(name="z") + KERNEL.format(name="a") + "again = a\n"
    assert [k.name for k in kernels_in(write(tmp_path / "own.py", text))] == ["z", "a"]
    del sys.modules["kp_other_file"]


def test_two_files_of_one_stem(tmp_path: Path) -> None:
    first = write(tmp_path / "a" / "same.py", KERNEL.format(name="first"))
    second = write(tmp_path / "b" / "same.py", KERNEL.format(name="second"))
    assert [k.name for file in (first, second) for k in kernels_in(file)] == ["first", "second"]


def test_relative_imports_inside_a_package(tmp_path: Path) -> None:
    write(tmp_path / "kp_sample_package" / "__init__.py", "")
    write(tmp_path / "kp_sample_package" / "sizes.py", "HALF = 2\n")
    file = write(tmp_path / "kp_sample_package" / "fill.py", "from .sizes import HALF\n" + KERNEL.format(name="fill"))
    assert [k.name for k in kernels_in(file)] == ["fill"]
    assert str(tmp_path) not in sys.path
    for name in [n for n in sys.modules if n.startswith("kp_sample_package")]:
        del sys.modules[name]


def test_a_file_of_kparity_is_not_imported_twice() -> None:
    import kparity.suites.rajaperf.stream.triad as triad

    assert kernels_in(Path(triad.__file__))[0] is triad.SPEC.program
    assert not any(name.startswith("suites.") for name in sys.modules)


def test_what_the_file_prints_goes_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernels_in(write(tmp_path / "talks.py", "print('hello')\n"))
    assert capsys.readouterr() == ("", "hello\n")


def test_python_error_is_a_diagnostic(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        kernels_in(write(tmp_path / "broken.py", "def f(:\n"))
    assert [d.code for d in caught.value.diagnostics] == ["KP0001"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import kp_no_such_module\n", "line 1: ModuleNotFoundError: No module named 'kp_no_such_module'"),
        ("x = 1\n\ny = 1 / (x - 1)\n", "line 3: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)\n", "line 2: SystemExit: 3"),
    ],
)
def test_import_that_fails(text: str, message: str, tmp_path: Path) -> None:
    file = write(tmp_path / "fails.py", text)
    with pytest.raises(FileNotUsable) as caught:
        kernels_in(file)
    assert str(caught.value) == f"cannot import {file}: {message}"


def test_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotUsable, match=r"cannot read .*: No such file or directory"):
        kernels_in(tmp_path / "missing.py")
    with pytest.raises(FileNotUsable, match=r"cannot read .*: Is a directory"):
        kernels_in(tmp_path)


def test_bytes_that_are_not_text_are_a_diagnostic(tmp_path: Path) -> None:
    binary = tmp_path / "binary.py"
    binary.write_bytes(b"x = '\xff\xfe'\n")
    with pytest.raises(CompileError, match="invalid or missing encoding declaration"):
        kernels_in(binary)
