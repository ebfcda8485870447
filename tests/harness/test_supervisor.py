from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kparity.harness.supervisor import Ending, Event, Worker, oom_kills, resident_bytes, worker_environment

HELLO = "import json,os,sys; job = json.load(sys.stdin); fd = int(sys.argv[1]); "
SAY = "say = lambda **e: os.write(fd, json.dumps(e).encode() + b'\\n'); "


def run(tmp_path: Path, script: str, step_seconds: float = 20.0, **job: object) -> tuple[list[Event], Ending]:
    command = (sys.executable, "-c", HELLO + SAY + script)
    with Worker(job, tmp_path / "log", step_seconds, command) as worker:
        events = list(worker.events())
        assert worker.ending is not None
        return events, worker.ending


def test_a_worker_gets_its_job_and_tells_of_it(tmp_path: Path) -> None:
    events, ending = run(tmp_path, "say(event='x', job=job['walk'] + 1); print('noise'); say(event='done')", walk=4)
    assert events == [{"event": "x", "job": 5}, {"event": "done"}]
    assert ending == Ending("finished")
    assert (tmp_path / "log").read_text() == "noise\n"


def test_the_job_names_the_supervisor(tmp_path: Path) -> None:
    events, _ = run(tmp_path, "say(event='done', parent=job['supervisor'] == os.getppid())")
    assert events[0]["parent"] is True


def test_a_crash_is_named_by_its_signal(tmp_path: Path) -> None:
    events, ending = run(tmp_path, "say(event='x'); os.kill(os.getpid(), 11)")
    assert [e["event"] for e in events] == ["x"]
    assert ending == Ending("crashed", "the process died of signal SIGSEGV")


def test_ending_without_being_done_is_a_crash(tmp_path: Path) -> None:
    assert run(tmp_path, "sys.exit(3)")[1] == Ending("crashed", "the process ended with exit status 3")
    assert run(tmp_path, "sys.exit(0)")[1].kind == "crashed"
    assert run(tmp_path, "say(event='done'); sys.exit(1)")[1].kind == "crashed"


def test_a_silent_worker_is_killed_with_its_children(tmp_path: Path) -> None:
    script = "import subprocess; p = subprocess.Popen(['sleep', '600']); say(event='child', pid=p.pid); p.wait()"
    start = time.monotonic()
    events, ending = run(tmp_path, script, step_seconds=1.0)
    assert time.monotonic() - start < 15
    assert ending.kind == "timeout"
    assert "no progress for 1 s" in ending.message
    assert _is_gone(events[0]["pid"])


def test_a_worker_that_speaks_in_time_may_take_long(tmp_path: Path) -> None:
    script = "import time; [(time.sleep(0.3), say(event='x')) for _ in range(5)]; say(event='done')"
    events, ending = run(tmp_path, script, step_seconds=1.2)
    assert len(events) == 6
    assert ending.kind == "finished"


def test_leaving_the_block_ends_the_worker(tmp_path: Path) -> None:
    command = (sys.executable, "-c", HELLO + SAY + "import time; say(event='pid', pid=os.getpid()); time.sleep(600)")
    with pytest.raises(KeyboardInterrupt), Worker({}, tmp_path / "log", 20.0, command) as worker:
        for event in worker.events():
            pid = event["pid"]
            raise KeyboardInterrupt
    assert _is_gone(pid)


def test_a_worker_that_does_not_read_its_job_is_judged_by_its_end(tmp_path: Path) -> None:
    with Worker(
        {"data": "x" * 10**6}, tmp_path / "log", 20.0, (sys.executable, "-c", "import sys; sys.exit(7)")
    ) as worker:
        assert list(worker.events()) == []
        assert worker.ending == Ending("crashed", "the process ended with exit status 7")


def test_a_program_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Worker({}, tmp_path / "log", 1.0, ("/no/such/program",))


def test_want_of_memory_is_told_from_other_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter([4, 5])
    monkeypatch.setattr("kparity.harness.supervisor.oom_kills", lambda: next(counts))
    assert run(tmp_path, "os.kill(os.getpid(), 9)")[1].kind == "out_of_memory"
    monkeypatch.setattr("kparity.harness.supervisor.oom_kills", lambda: 4)
    assert run(tmp_path, "os.kill(os.getpid(), 9)")[1].kind == "crashed"


def test_the_systems_counter_is_read(tmp_path: Path) -> None:
    (tmp_path / "vmstat").write_text("nr_free_pages 1\noom_kill 12\n")
    assert oom_kills(tmp_path / "vmstat") == 12
    assert oom_kills(tmp_path / "missing") == 0


def test_openmp_is_bound_to_cores_unless_the_user_says_otherwise() -> None:
    ours = worker_environment({"PATH": "/bin"}, timing=True)
    assert (ours["OMP_PROC_BIND"], ours["OMP_PLACES"]) == ("close", "cores")
    assert ours["OMP_NUM_THREADS"] == str(len(os.sched_getaffinity(0)))
    assert worker_environment({"OMP_NUM_THREADS": "1"}, timing=True)["OMP_NUM_THREADS"] == "1"


def test_compilers_may_use_every_core() -> None:
    assert "OMP_PROC_BIND" not in worker_environment({"PATH": "/bin"}, timing=False)


def _is_gone(pid: int) -> bool:
    for _ in range(50):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.1)
    return False


def test_a_worker_that_holds_too_much_memory_is_ended(tmp_path: Path) -> None:
    script = (
        HELLO + SAY + "import time; held = bytearray(1) * (200 << 20)\nwhile True: time.sleep(0.05); say(event='x')"
    )
    with Worker({}, tmp_path / "log", 20.0, (sys.executable, "-c", script), memory_limit=float(100 << 20)) as worker:
        assert len(list(worker.events())) < 100
        assert worker.ending is not None
        assert worker.ending.kind == "out_of_memory"
        assert "more than the 0.10 allowed" in worker.ending.message


def test_memory_of_children_counts(tmp_path: Path) -> None:
    child = "held = bytearray(1) * (150 << 20); print(1, flush=True); input()"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        assert resident_bytes(process.pid) > 150 << 20
        process.communicate(b"\n")
    assert resident_bytes(process.pid) == 0


def test_a_worker_that_goes_on_telling_ends_at_its_deadline(tmp_path: Path) -> None:
    command = (
        sys.executable,
        "-c",
        HELLO + SAY + "import time; [(time.sleep(0.05), say(event='x')) for _ in range(400)]",
    )
    start = time.monotonic()
    with Worker({}, tmp_path / "log", 20.0, command) as worker:
        worker.deadline = start + 0.6
        assert list(worker.events())
    assert time.monotonic() - start < 10
    assert worker.ending is not None
    assert (worker.ending.kind, "--cell-limit" in worker.ending.message) == ("timeout", True)
