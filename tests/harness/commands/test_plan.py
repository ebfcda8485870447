"""`kparity plan`: transfers with bytes and reasons, and the naive count beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kparity.harness.cli import main

SOURCE = """
from kparity.compiler import Mut, Out, Ref, Sum, f64, i64, kernel, parallel, program


@kernel
def doubled(b: Out[f64, "n"], a: Ref[f64, "n"]):
    for i in parallel(n):
        b[i] = 2.0 * a[i]


@kernel
def add(total: Sum[f64], a: Ref[f64, "n"]):
    for i in parallel(n):
        total += a[i]


@program
def steps(a: Mut[f64, "n"], b: Mut[f64, "n"], rare: Ref[f64, "n"], total: Sum[f64], count: i64):
    for t in range(count):
        doubled(b, a)
        doubled(a, b)
    if count > 100:
        doubled(b, rare)
    total.fill(0.0)
    add(total, a)
    total.get()
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "steps.py"
    path.write_text(SOURCE)
    return str(path)


def planned(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["plan", *words, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["programs"]
    return dict(found)


def test_a_program_moves_what_it_needs(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = planned(capsys, file, "--only", "steps", "--set", "n=1000", "count=50", "--repetitions", "2")
    moved = {(t["array"], t["when"]): (t["size"]["bytes"], t["reason"], t["line"]) for t in found["transfers"]}
    assert moved == {
        ("a", "before"): (8000, "`doubled` reads it", 20),
        ("a", "after"): (8000, "`doubled` overwrites it", 21),
        ("b", "never"): (8000, "`doubled` overwrites it", 20),
        ("b", "after"): (8000, "`doubled` overwrites it", 20),
        ("rare", "never"): (8000, "no call takes it", 0),
        ("total", "never"): (8, "`add` overwrites it", 25),
        ("total", "after"): (8, "`add` overwrites it", 25),
    }
    assert found["total"]["bytes"] == 24_008 and found["launches"] == 202
    assert (found["naive"]["bytes"], found["naive_copies"]) == (2 * (100 * 16_000 + 8_008), 404)


def test_a_branch_that_runs_needs_its_array(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = planned(capsys, file, "--only", "steps", "--set", "count=101")
    assert [t["when"] for t in found["transfers"] if t["array"] == "rare"] == ["before"]
    assert found["total"] == {"formula": "4 * 8*n + 8", "bytes": None}


def test_the_table(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", file, "--only", "doubled"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[3:6]] == [
        ["a", "to", "the", "GPU", "8*n", "`doubled`", "reads", "it", "6"],
        ["b", "no", "copy", "0", "`doubled`", "overwrites", "it", "6"],
        ["b", "to", "the", "host", "8*n", "`doubled`", "overwrites", "it;", "if", "the", "host", "asks", "6"],
    ]
    assert lines[6:8] == [
        "planned: 2 * 8*n bytes in 2 copies, for 1 launch in 1 repetition",
        "copied in and out around each launch: 2 * 8*n bytes in 2 copies",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--only", "steps"], "the launches of `steps` depend on `count`: give it a value (`--set count=...`)"),
        (["--only", "nothing"], "no kernel or program named `nothing`"),
        (["--set", "n"], "--set n: write a name and a number, as in `--set n=1000`"),
        (["--set", "n=x"], "--set n=x: write a name and a number"),
        (["--repetitions", "0"], "a run has at least one"),
    ],
)
def test_mistakes(words: list[str], message: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", file, *words]) == 2
    assert message in capsys.readouterr().err


def test_the_plan_is_what_owned_arrays_do(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same program on a device that counts: the same bytes."""
    import numpy as np

    from kparity.compiler import array, planned_transfers, zeros
    from kparity.harness.kernel_files import kernels_in

    from ...compiler.runtime.fake_device import devices

    program = next(p for p in kernels_in(Path(file)) if p.name == "steps")
    (device,) = devices(1, monkeypatch)
    given = {"a": array(np.ones(10)), "b": zeros(10), "rare": zeros(10), "total": zeros(1)}
    device.bind(program, **given, count=3).run(2)
    for owned in given.values():
        owned.to_host()
    plan = planned_transfers(program, {"n": 10, "count": 3}, 2)
    assert (sum(device.moved), device.naive) == (plan.total.bytes, plan.naive.bytes)
