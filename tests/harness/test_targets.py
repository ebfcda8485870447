from __future__ import annotations

import sys

import pytest

from kparity.harness.errors import NotPossibleHere, UsageError, WorkerCannotStart
from kparity.harness.targets import Probed, probe, working

FOUND = {
    "cpu1": Probed(free=9),
    "cpu": Probed(reason="libgomp is missing: apt-get install libgomp1"),
    "cuda": Probed(free=5),
}
HELLO = "import json,os,sys; fd=int(sys.argv[1]); say=lambda **e: os.write(fd, json.dumps(e).encode()+b'\\n'); "


def fake(script: str) -> tuple[str, ...]:
    return (sys.executable, "-c", HELLO + script)


def test_all_that_work_are_taken_unless_some_are_named() -> None:
    assert working(FOUND, []) == ["cpu1", "cuda"]
    assert working(FOUND, ["cuda"]) == ["cuda"]


def test_a_target_that_does_not_work_says_why_and_what_to_do() -> None:
    with pytest.raises(NotPossibleHere, match=r"`cpu` does not work here: libgomp is missing: apt-get"):
        working(FOUND, ["cpu"])
    with pytest.raises(NotPossibleHere, match=r"no target works here: cpu: libgomp .* doctor"):
        working({"cpu": FOUND["cpu"]}, [])


def test_an_unknown_target_gets_the_nearest_names() -> None:
    with pytest.raises(UsageError, match="no target is named `cude`; did you mean `cuda`"):
        working(FOUND, ["cude"])


def test_a_process_of_its_own_looks_at_the_targets() -> None:
    script = (
        "say(event='step', what='looking at cpu1', cells=[]); say(event='target', target='cpu1', free=7, "
        "description={'model': 'm'}); say(event='target', target='cuda', reason='no driver'); say(event='done')"
    )
    found = probe(command=fake(script))
    assert found == {"cpu1": Probed("", 7, {"model": "m"}), "cuda": Probed("no driver")}


def test_a_driver_that_crashes_costs_its_target_only() -> None:
    script = (
        "say(event='step', what='looking at cpu1', cells=[]); say(event='target', target='cpu1', free=7); "
        "say(event='step', what='looking at cuda', cells=[]); os.kill(os.getpid(), 11)"
    )
    found = probe(command=fake(script))
    assert found["cpu1"].reason == ""
    assert found["cuda"].reason == "looking at it failed: the process died of signal SIGSEGV"


def test_a_worker_that_cannot_start_shows_what_it_printed() -> None:
    with pytest.raises(WorkerCannotStart, match=r"(?s)cannot start.*no_such_module"):
        probe(command=fake("import no_such_module"))


def test_the_real_worker_finds_one_thread_of_this_machine() -> None:
    found = probe(["cpu1"])
    assert set(found) == {"cpu1"}
    assert found["cpu1"].reason == ""
    assert found["cpu1"].free > 0
    assert found["cpu1"].description["model"]
