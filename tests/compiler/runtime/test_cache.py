"""The cache of compiled programs: what a hit gives, what the key holds, and what cannot break it."""

from __future__ import annotations

import linecache
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kparity.compiler import compile_program
from kparity.compiler.runtime import cache

from ..sources import LANGUAGE

GUARDED = """
@kernel
def k(y: Mut[f64, "n"], x: Ref[f64, "m"], s: i64):
    require(s >= 0)
    for i in parallel(n):
        y[i] = SCALE * x[i + s]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KPARITY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def entries(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file()]


def made(text: str = GUARDED, path: str = "<cached>", **names: Any) -> Any:
    """The kernel of a text, as a new import of the same file makes it."""
    names = {"SCALE": 2.0, **names}
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    namespace = {**LANGUAGE, **names}
    exec(compile(text, path, "exec", dont_inherit=True), namespace)
    return namespace["k"]


def result(one: Any, **arguments: Any) -> list[float]:
    given = {"y": np.zeros(3), "x": np.arange(5.0), "s": 1, **arguments}
    one.bind(given).run()
    return list(given["y"])


def test_a_hit_is_what_was_compiled(folder: Path) -> None:
    first, second = compile_program(made(), "cpu1"), compile_program(made(), "cpu1")
    assert (first.from_cache, second.from_cache) == (False, True)
    assert len(entries(folder)) == 1
    assert second.reports == first.reports
    assert second.reports[0].evidence and second.reports[0].guards and second.reports[0].guards[0].alternatives
    assert (second.listing, second.figures, second.manifest) == (first.listing, first.figures, first.manifest)
    assert second.executable.plan == first.executable.plan  # type: ignore[attr-defined]
    assert result(first) == result(second) == [2.0, 4.0, 6.0]


@pytest.mark.parametrize("target", ["cpu1", "cpu"])
def test_a_hit_keeps_the_refusals(target: str) -> None:
    said = []
    for _ in range(2):
        one = compile_program(made(), target)
        for arguments in ({"s": 3}, {"s": -1}, {"x": np.zeros(5, np.float32)}):
            with pytest.raises(Exception) as caught:
                result(one, **arguments)
            said.append(str(caught.value))
    assert said[:3] == said[3:] and all(s.startswith("error[KP08") for s in said)


def test_without_the_cache_nothing_is_read_or_written(folder: Path) -> None:
    assert not compile_program(made(), "cpu1", use_cache=False).from_cache
    assert entries(folder) == []


CONFIG = types.SimpleNamespace(SCALE=2.0, inner=types.SimpleNamespace(N=3))
CHANGES: dict[str, Any] = {
    "text": lambda: made(GUARDED.replace("SCALE *", "SCALE +")),
    "constant": lambda: made(SCALE=3.0),
    "constant of another type": lambda: made(SCALE=2),
    "path": lambda: made(path="<other>"),
    "line": lambda: made("\n" + GUARDED),
    "meaning of a type": lambda: made(
        GUARDED.replace("Ref[f64", "Ref[T").replace("Mut[f64", "Mut[T"), T=LANGUAGE["f64"]
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_key_holds(change: str) -> None:
    assert cache.key(made(), "cpu1") == cache.key(made(), "cpu1")
    assert cache.key(CHANGES[change](), "cpu1") != cache.key(made(), "cpu1")


def test_the_key_holds_the_target_and_the_machine() -> None:
    assert len({cache.key(made(), t, m) for t in ("cpu1", "cpu") for m in ("zen4", "icelake")}) == 4


@pytest.mark.parametrize(("use", "names", "changed"), [
    ("config.SCALE", {"config": CONFIG}, {"config": types.SimpleNamespace(SCALE=4.0)}),
    ("config.inner.N", {"config": CONFIG}, {"config": types.SimpleNamespace(inner=types.SimpleNamespace(N=4))}),
    ("N", {"N": np.int64(3)}, {"N": np.int64(4)}),
    ("f(1.0)", {"f": LANGUAGE["exp"]}, {"f": LANGUAGE["log"]}),
    ("T(n)", {"T": LANGUAGE["f64"]}, {"T": LANGUAGE["f32"]}),
])  # fmt: skip
def test_the_key_holds_each_name_of_the_body(use: str, names: Any, changed: Any) -> None:
    text = f'@kernel\ndef k(y: Mut[f64, "n"]):\n    for i in parallel(n):\n        y[i] = {use}\n'
    assert cache.key(made(text, **names)) == cache.key(made(text, **names))
    assert cache.key(made(text, **names)) != cache.key(made(text, **changed))


def test_the_key_holds_the_names_in_dims() -> None:
    text = (
        '@kernel\ndef k(y: Mut[f64, "n"], x: Ref[f64, "n + WIDTH"]):\n    for i in parallel(n):\n        y[i] = x[i]\n'
    )
    assert cache.key(made(text, WIDTH=1)) != cache.key(made(text, WIDTH=2))


def test_the_key_holds_the_kernels_that_a_program_calls() -> None:
    def key(operation: str, constant: float) -> str:
        text = f"""
@kernel
def scale(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = y[i] {operation} FACTOR

@program
def k(y: Mut[f64, "n"]):
    scale(y)
"""
        return cache.key(made(text, FACTOR=constant))

    assert key("*", 2.0) == key("*", 2.0)
    assert len({key("*", 2.0), key("+", 2.0), key("*", 3.0)}) == 3


@pytest.mark.parametrize("damage", [
    lambda b: b"", lambda b: b[:10], lambda b: b[: len(b) // 2], lambda b: b[:-1], lambda b: b"x" * len(b),
    lambda b: b[:-5] + bytes(255 - x for x in b[-5:]), lambda b: b + b"more", lambda b: b"\xff" * 8 + b[8:],
])  # fmt: skip
def test_a_damaged_entry_is_replaced(damage: Any, folder: Path) -> None:
    compile_program(made(), "cpu1")
    (entry,) = entries(folder)
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    again = compile_program(made(), "cpu1")
    assert not again.from_cache and result(again) == [2.0, 4.0, 6.0]
    assert entries(folder) == [entry]
    assert compile_program(made(), "cpu1").from_cache


def test_a_cache_that_cannot_be_written_only_costs_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("KPARITY_CACHE", str(tmp_path / "file"))
    for _ in range(2):
        one = compile_program(made(), "cpu1")
        assert not one.from_cache and result(one) == [2.0, 4.0, 6.0]


def test_a_failed_write_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    assert result(compile_program(made(), "cpu1")) == [2.0, 4.0, 6.0]
    assert entries(folder) == []


def test_the_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.cache_folder() == tmp_path / "cache" / "kernels"
    monkeypatch.delenv("KPARITY_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.cache_folder() == tmp_path / "xdg" / "kparity" / "kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache.cache_folder() == tmp_path / "home" / ".cache" / "kparity" / "kernels"


USER = """
import sys
import numpy as np
from kparity.compiler import Mut, compile_program, f64, kernel, parallel


@kernel
def scale(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] *= 3.0


if __name__ == "__main__":
    one, y = compile_program(scale, "cpu1"), np.ones(10)
    one.bind({"y": y}).run()
    assert y.tolist() == [3.0] * 10
    print(one.from_cache)
"""


def test_processes_share_it_safely(folder: Path, tmp_path: Path) -> None:
    """Several at once compile one kernel; none fails, one entry is left, and the next one hits."""
    file = tmp_path / "user.py"
    file.write_text(USER)
    command, environment = [sys.executable, str(file)], {**os.environ, "KPARITY_CACHE": str(folder)}
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for process in running:
        shown, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        assert shown.strip() in ("True", "False")
    assert len(entries(folder)) == 1
    after = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    assert after.stdout.strip() == "True"
