"""Kernels are found by their files; a broken one is named by file and line and harms no other."""

import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from textwrap import dedent

import pytest

from kparity.suites import SuiteError, entries, suites

KERNEL = """
    from kparity.compiler import Mut, f64, kernel, parallel
    from kparity.suites import Spec, Work

    @kernel
    def scale(y: Mut[f64, "n"]):
        for i in parallel(n):
            y[i] = 2.0 * y[i]

    def reference(y):
        y *= 2.0

    SPEC = Spec(
        "SCALE", program=scale, reference=reference, size=10, repetitions=1, checksum=("y",), tolerance=1e-14,
        data=lambda n, fill: {"y": fill.constant(n, 1.0)}, work=lambda n: Work(8 * n, 8 * n, n),
    )
"""


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"))
    return folder


def the_broken_one(folder: Path, text: str) -> tuple[int, str]:
    """Put a file beside a good one; return line and message of its fault."""
    found = entries(write(folder, {"mine/scale.py": KERNEL, "mine/other.py": text}))
    assert [entry.full_name for entry in found] == ["Mine_SCALE"]
    (broken,) = found.broken
    assert broken.path == folder / "mine/other.py"
    assert str(broken) == f"{broken.path}:{broken.line}: {broken.message}"
    return broken.line, broken.message


def test_rajaperf_is_there():
    assert "rajaperf" in suites()
    entry = entries()["Stream_TRIAD"]
    assert (entry.suite, entry.group) == ("rajaperf", "Stream")
    assert entry.path.parts[-3:] == ("rajaperf", "stream", "triad.py")
    assert entry.path.is_file()


def test_discovery_compiles_nothing():
    code = """
        import sys
        from kparity.suites import entries
        programs = [entry.spec.program for entry in entries()]
        assert len(programs) >= 16
        assert not any({"syntax", "typed", "typed_program", "proved"} & set(vars(program)) for program in programs)
        print(*sorted({"islpy", "pandas", "scipy", "cupy", "z3"} & set(sys.modules)))
    """
    result = subprocess.run([sys.executable, "-c", dedent(code)], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""


def test_a_folder_is_a_suite(tmp_path: Path):
    found = entries(write(tmp_path / "lab", {"mine/scale.py": KERNEL, "mine/_helpers.py": "1 / 0", "notes.txt": ""}))
    (entry,) = found
    assert found.broken == ()
    assert (entry.full_name, entry.suite, entry.path) == ("Mine_SCALE", "lab", tmp_path / "lab/mine/scale.py")
    arguments = entry.arguments(3)
    entry.spec.reference(**arguments)
    assert arguments["y"].tolist() == [2.0, 2.0, 2.0]
    assert entry.expected_checksum(3, 1) is None
    assert entry.spec.program.typed_program.name == "scale"


def test_a_folder_may_be_named_by_a_string_relative_to_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path / "lab", {"mine/scale.py": KERNEL})
    monkeypatch.chdir(tmp_path)
    assert len(entries("lab")) == len(entries("./lab")) == 1


def test_files_of_a_folder_may_import_one_another(tmp_path: Path):
    files = {
        "__init__.py": "",
        "mine/_shared.py": "FACTOR = 2.0",
        "mine/scale.py": "from ._shared import FACTOR\n" + dedent(KERNEL),
    }
    assert len(entries(write(tmp_path, files))) == 1


def test_a_suite_may_bring_its_own_data_and_published_results(tmp_path: Path):
    package = """
        from decimal import Decimal
        import numpy as np

        class Fill:
            def constant(self, n, value):
                return np.full(n, 7.0)

        def expected_checksum(full_name, size, repetitions):
            return Decimal(size) if full_name == "Mine_SCALE" else None
    """
    entry = entries(write(tmp_path, {"__init__.py": package, "mine/scale.py": KERNEL}))["SCALE"]
    assert entry.arguments(2)["y"].tolist() == [7.0, 7.0]
    assert entry.expected_checksum(5, 1) == Decimal(5)


def test_syntax_error(tmp_path: Path):
    line, message = the_broken_one(tmp_path, "x = 1\n\ndef broken(:\n    pass\n")
    assert line == 3
    assert "invalid syntax" in message


def test_no_spec(tmp_path: Path):
    line, message = the_broken_one(tmp_path, "x = 1\n")
    assert line == 1
    assert "no `SPEC`" in message
    assert "SPEC = Spec(...)" in message


def test_spec_is_something_else(tmp_path: Path):
    assert the_broken_one(tmp_path, "x = 1\nSPEC = dict()\n") == (2, "`SPEC` is a dict, not a kparity.suites.Spec")


def test_spec_that_is_refused(tmp_path: Path):
    line, message = the_broken_one(tmp_path, dedent(KERNEL).replace('"SCALE"', '"SC ALE"'))
    assert line == 12
    assert "'SC ALE' is not made of letters" in message


def test_missing_field(tmp_path: Path):
    line, message = the_broken_one(tmp_path, 'from kparity.suites import Spec\nSPEC = Spec("Y")\n')
    assert line == 2
    assert "missing" in message


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("import no_such_module_here", "No module named 'no_such_module_here'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("assert False", "AssertionError"),
        ("open('/no/such/file')", "FileNotFoundError"),
    ],
)
def test_anything_that_fails_while_a_file_is_imported(tmp_path: Path, statement: str, fault: str):
    line, message = the_broken_one(tmp_path, f"x = 1\n{statement}\n")
    assert line == 2
    assert fault in message


def test_the_line_is_the_kernel_files_own_when_the_fault_is_deeper(tmp_path: Path):
    line, message = the_broken_one(tmp_path, "import json\n\nSPEC = json.loads('{')\n")
    assert line == 3
    assert message.startswith("JSONDecodeError")


def test_a_name_given_twice(tmp_path: Path):
    found = entries(write(tmp_path, {"mine/scale.py": KERNEL, "mine/again.py": KERNEL}))
    assert [entry.path.name for entry in found] == ["again.py"]
    (broken,) = found.broken
    assert (broken.path.name, broken.line) == ("scale.py", 12)
    assert broken.message == f"`Mine_SCALE` is the name of {tmp_path / 'mine/again.py'} already"


def test_a_file_name_that_is_no_identifier(tmp_path: Path):
    found = entries(write(tmp_path, {"mine/scale.py": KERNEL, "mine/2mm.py": KERNEL}))
    assert len(found) == 1
    assert "`2mm` cannot be imported" in found.broken[0].message


def test_a_repaired_file_is_found_in_the_same_process(tmp_path: Path):
    assert entries(write(tmp_path, {"mine/scale.py": "def broken(:"})).broken
    assert len(entries(write(tmp_path, {"mine/scale.py": KERNEL}))) == 1


def test_a_suite_with_no_kernel_files(tmp_path: Path):
    with pytest.raises(SuiteError, match="no kernel files `<group>/<kernel>"):
        entries(tmp_path)


def test_unknown_suites(tmp_path: Path):
    with pytest.raises(SuiteError, match=r"no suite `rajaperv`: there are .*rajaperf"):
        entries("rajaperv")
    with pytest.raises(SuiteError, match="it is not a folder"):
        entries(tmp_path / "absent")


def test_a_folder_whose_package_fails(tmp_path: Path):
    with pytest.raises(SuiteError, match=r"__init__\.py:2: ZeroDivisionError"):
        entries(write(tmp_path, {"__init__.py": "x = 1\n1 / 0\n", "mine/scale.py": KERNEL}))


def test_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An installed distribution registers a suite without a line in kparity."""
    write(tmp_path, {
        "lab_suite/__init__.py": "", "lab_suite/mine/__init__.py": "", "lab_suite/mine/scale.py": KERNEL,
        "lab_suite-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: lab-suite\nVersion: 1\n",
        "lab_suite-1.dist-info/entry_points.txt": """
            [kparity.suites]
            lab = lab_suite
            gone = lab_suite.gone
            number = sys:maxsize
        """,
    })  # fmt: skip
    monkeypatch.syspath_prepend(tmp_path)
    assert {"lab", "gone", "rajaperf"} <= set(suites())
    assert [entry.full_name for entry in entries("lab")] == ["Mine_SCALE"]
    with pytest.raises(SuiteError, match=r"`gone`: importing lab_suite.gone failed: ModuleNotFoundError"):
        entries("gone")
    with pytest.raises(SuiteError, match=r"`number`: sys:maxsize is not a package"):
        entries("number")
