from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from kparity.harness.provenance import cpu_model, differences, gather, source_state


def test_provenance_is_json_and_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.setenv("KPARITY_TEST", "x")
    monkeypatch.setenv("SOME_TOKEN", "secret")
    found = gather({"cpu": {"model": "m"}}, {"cpu": "g++ 12 -O3"}, ["kparity", "run"])
    assert json.loads(json.dumps(found)) == found
    assert found["devices"] == {"cpu": {"model": "m"}}
    assert found["compilers"] == {"cpu": "g++ 12 -O3"}
    assert found["environment"]["OMP_NUM_THREADS"] == "3"
    assert "SOME_TOKEN" not in found["environment"]
    assert "secret" not in json.dumps(found)
    assert found["packages"]["numpy"]
    assert found["cores"] >= 1
    assert found["memory_bytes"] > 2**20


def test_the_state_of_the_sources_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True)

    assert source_state(tmp_path) == ("", False)
    monkeypatch.setenv("KPARITY_COMMIT", "c0ffee")
    assert source_state(tmp_path) == ("c0ffee", False)  # an installed wheel, built from there
    monkeypatch.delenv("KPARITY_COMMIT")
    git("init", "-q")
    assert source_state(tmp_path) == ("", False)  # no commit yet
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-qm", "first")
    commit, dirty = source_state(tmp_path)
    assert (len(commit), dirty) == (40, False)
    (tmp_path / "a").write_text("2")
    assert source_state(tmp_path) == (commit, True)


def test_only_what_matters_for_a_comparison_is_a_difference() -> None:
    before = {"host": "a", "started": "1", "packages": {"numpy": "1"}, "command": ["x"]}
    now = {"host": "b", "started": "2", "packages": {"numpy": "1"}, "command": ["y"]}
    assert differences(before, now) == ["host: a -> b"]
    assert differences(before, before) == []


def test_the_cpu_is_named(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("processor : 0\nmodel name : Fast CPU 9\n")
    assert cpu_model(tmp_path / "cpuinfo") == "Fast CPU 9"
    assert cpu_model(tmp_path / "missing")
