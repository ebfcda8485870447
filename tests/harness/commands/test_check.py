"""`kparity check`: diagnostics, tables, JSON and exit statuses."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from kparity.compiler import TargetUnavailable, hip_tools
from kparity.harness.commands import check

HEAD = "from kparity.compiler import Mut, Ref, f64, i32, i64, kernel, parallel, program, shared, teams, threads\n"
GOOD = """
@kernel
def shift(y: Mut[f64, "n"], x: Ref[f64, "m"], jp: i64):
    for i in parallel(n):
        y[i] = x[i + jp]
"""
RACE = """
@kernel
def smooth(x: Mut[f64, "n"]):
    for i in parallel((1, n - 1)):
        x[i] = 0.5 * (x[i - 1] + x[i + 1])
"""
TEAM = """
@kernel
def turned(y: Mut[f64, "m", 32]):
    for b in teams(m):
        s = shared(f64, 32)
        for t in threads(32):
            s[t] = y[b, t]
        for t in threads(32):
            y[b, t] = s[31 - t]
        for t in threads(32):
            y[b, t] += 1.0
"""
UNKNOWN = """
@kernel
def clear(x: Mut[f64, "n"]):
    for i in parallel(n):
        x[i] = zero


@program
def twice(x: Mut[f64, "n"]):
    clear(x)
    clear(x)
"""


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    check.add_parser(parser.add_subparsers(required=True))
    options = parser.parse_args(["check", *arguments])
    return int(options.execute(options))


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def written(name: str, *parts: str) -> str:
        Path(name).write_text(HEAD + "\n".join(parts), encoding="utf-8")
        return name

    return written


def test_kernel_that_is_proved_gets_a_table(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("good.py", GOOD)) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[0].startswith("shift (good.py:")
    assert lines[1].split() == ["line", "access", "obligation", "tier", "evidence", "guard"]
    rows = [line.split() for line in lines if line.strip().startswith("6 ")]
    assert ["6", "y[i]", "bounds", "1", "static", "inside", "for", "every", "launch"] in rows, "y[i] needs no guard"
    assert ["6", "x[i", "+", "jp]", "bounds", "2", "guarded", "if", "its", "guards", "hold", "1", "2"] in rows
    guards = [line.split(maxsplit=1) for line in lines[lines.index("guard  before each launch") + 2 :][:2]]
    assert guards == [
        ["1", "x[i + jp]: smallest index jp must be >= 0"],
        ["2", "x[i + jp]: largest index jp + n - 1 must be < m"],
    ]
    assert lines[-3].startswith("shift: 2 accesses (1 static, 1 guarded), 2 guards; checked in "), "line by line"
    assert lines[-1] == "1 kernel proved, no errors"


LONG = """
@kernel
def long(result_of_the_kernel: Mut[f64, "number", "number"], source_of_the_kernel: Ref[f64, "n", "m"],
         row: Ref[i32, "number"], p: i64, q: i64, first_offset: i64, second_offset: i64):
    for first, second in parallel((p, number - q), number):
        result_of_the_kernel[row[first], second] = source_of_the_kernel[first + 3*first_offset, second + second_offset]
        result_of_the_kernel[row[first], second] += source_of_the_kernel[first + second_offset, second + first_offset]
"""


def test_no_line_of_a_table_is_wider_than_80_columns(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("long.py", LONG)) == 0
    out = capsys.readouterr().out
    table = out.splitlines()[1:-3]
    assert max(map(len, table)) <= 80 and len(table) > 10
    assert any("3 inspected" in line for line in table) and any("must be < " in line for line in table)


def test_cost_is_a_table_of_times(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--cost", write("good.py", GOOD, TEAM)) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines[2:4]]
    assert {row[0] for row in rows} == {"shift", "turned"}
    times = [float(row[2]) for row in rows]
    assert times == sorted(times, reverse=True) and min(times) > 0
    assert lines[4].startswith("median ") and f"slowest {times[0]:.1f} ms" in lines[4]


def test_all_errors_of_all_files_are_shown(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("race.py", RACE, GOOD), write("unknown.py", UNKNOWN)) == 1
    out = capsys.readouterr().out
    assert "error[KP0401]: data race on `x`" in out
    assert "--> race.py:6:9" in out
    assert "error[KP0103]: unknown name `zero`" in out
    assert "shift (race.py:" in out, "a kernel without errors is shown beside one with errors"
    assert out.splitlines()[-1] == "1 kernel proved, 2 errors", "a program repeats its kernel's error"


def test_colours_on_a_terminal_only(
    write: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = write("race.py", RACE)
    run(name)
    assert "\x1b[" not in capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    run(name)
    assert "\x1b[1;31merror[KP0401]\x1b[0m" in capsys.readouterr().out


def test_phases_are_listed_with_their_barriers(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("team.py", TEAM)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "phases of lines 7 (barrier), 9, 11" in lines
    assert any(line.startswith("turned: 6 accesses (6 static), no guards, 1 barrier in 3 phases;") for line in lines)
    assert run("--json", "team.py") == 0
    (kernel,) = json.loads(capsys.readouterr().out)["files"][0]["accepted"]
    assert [(p["line"], p["barrier"]) for p in kernel["phases"]] == [(7, True), (9, False), (11, False)]


def test_json(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--json", write("both.py", RACE, GOOD), "missing.py") == 2
    data = json.loads(capsys.readouterr().out)
    both, missing = data["files"]
    assert (data["schema"], both["path"], both["trouble"]) == (1, "both.py", None)
    assert [(d["code"], d["path"], d["line"]) for d in both["diagnostics"]] == [("KP0401", "both.py", 6)]
    (kernel,) = both["accepted"]
    assert kernel["name"] == "shift"
    assert {e["tier"] for e in kernel["evidence"]} == {1, 2}
    assert kernel["guards"][0]["text"] == "x[i + jp]: smallest index jp must be >= 0"
    no_thread = [{"constant": -1, "terms": {"jp": -1}}, {"constant": 0, "terms": {"n": -1}}]
    assert kernel["guards"][0]["holds_if_any"] == [[{"constant": 0, "terms": {"jp": 1}}], no_thread]
    assert kernel["counts"]["accesses"] == {"1": 1, "2": 1} and kernel["counts"]["guards"] == 2
    assert kernel["counts"]["seconds"] > 0 and kernel["inspections"] == []
    assert {(e["line"], e["column"]) for e in kernel["evidence"]} >= {(12, 9), (12, 16)}
    assert "cannot read missing.py" in missing["trouble"]


def test_python_error_is_a_diagnostic(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("broken.py", "def f(:\n")) == 1
    assert capsys.readouterr().out.startswith("error[KP0001]: not valid Python: invalid syntax\n  --> broken.py:2:7\n")


def test_file_without_kernels_beside_others(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("good.py", GOOD), write("empty.py")) == 0
    assert capsys.readouterr().err == "kparity check: empty.py defines no kernel or program\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "empty.py defines no kernel or program"), ("import kp_no_such_module\n", "cannot import empty.py: line 2: ")],
)
def test_file_that_says_nothing(write: Any, text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("empty.py", text)) == 2
    assert f"kparity check: {message}" in capsys.readouterr().err


def _links_code_objects() -> bool:
    try:
        return bool(hip_tools.lld())
    except TargetUnavailable:
        return False


def test_argument_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "scale.py"
    file.write_text(
        "from kparity.compiler import Mut, Table, f32, f64, kernel, parallel\n\n\n@kernel\n"
        'def scale(y: Mut[f64, "n"], a: f32, c: Table[f64, 3]):\n    for i in parallel(n):\n'
        "        y[i] *= f64(a) + c[i % 3]\n"
    )
    assert run("--abi", str(file)) == 0
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    titles = [" ".join(words) for words in printed if words and words[-1].endswith(")")]
    hip = ["scale on hip (code object)"] if _links_code_objects() else []
    assert titles == ["scale_args (manifest)", "scale on cpu (argument block)", "scale on cuda (PTX)", *hip]
    assert printed.count(["c", "table", "24", "8", "16", "param"]) == 3 + len(hip)  # on all sides in one place
    assert ["y", "array", "8", "8", "0", "global"] in printed and ["y", "array", "8", "8", "0", "host"] in printed
    assert ["a", "scalar", "4", "4", "8", "param"] in printed
