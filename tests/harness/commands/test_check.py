"""`kparity check`: diagnostics, tables, JSON and exit statuses."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from kparity.harness.commands import check

HEAD = "from kparity.compiler import Mut, Ref, f64, i64, kernel, parallel, program, shared, teams, threads\n"
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
    assert out.startswith("shift (good.py:")
    assert "launch guard" in out.splitlines()[0]
    rows = [line.split() for line in out.splitlines() if line.strip().startswith("6 ")]
    assert any(row[1:4] == ["y[i]", "bounds", "1"] for row in rows), "y[i] needs no guard"
    assert any("x[i + jp]" in " ".join(row) and "2 guard" in " ".join(row) for row in rows), "x[i + jp] needs one"
    assert out.splitlines()[-1] == "1 kernel proved, 0 errors"


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
    assert capsys.readouterr().out.splitlines()[1] == "phases of lines 7 (barrier), 9, 11"
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
    assert "jp" in kernel["guards"][0]["text"]
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


def test_argument_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "scale.py"
    file.write_text(
        "from kparity.compiler import Mut, Table, f32, f64, kernel, parallel\n\n\n@kernel\n"
        'def scale(y: Mut[f64, "n"], a: f32, c: Table[f64, 3]):\n    for i in parallel(n):\n'
        "        y[i] *= f64(a) + c[i % 3]\n"
    )
    assert run("--abi", str(file)) == 0
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    titles = [" ".join(words) for words in printed if words and words[-1].endswith((")", "PTX)"))]
    assert titles == ["scale_args (manifest)", "scale on cpu (argument block)", "scale on cuda (PTX)"]
    assert printed.count(["c", "table", "24", "8", "16", "param"]) == 3  # on all sides in one place
    assert ["y", "array", "8", "8", "0", "global"] in printed and ["y", "array", "8", "8", "0", "host"] in printed
    assert ["a", "scalar", "4", "4", "8", "param"] in printed
