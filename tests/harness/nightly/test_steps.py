"""A night's steps: in order, once each, however often it is started; and what is left after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kparity.harness.cli import main
from kparity.harness.errors import ExitCode, FolderError, UsageError
from kparity.harness.journal import open_folder
from kparity.harness.nightly.profile import Profile, read_profile
from kparity.harness.nightly.prune import prune, superfluous
from kparity.harness.nightly.steps import Night, Step, current_night, run_night, save, start

NOW = datetime(2026, 11, 30, 2, tzinfo=UTC)


@dataclass
class FakeRunner:
    """Answers with given exit statuses, and keeps what it was asked."""

    statuses: dict[str, int] = field(default_factory=dict)
    asked: list[list[str]] = field(default_factory=list)

    def __call__(self, command: Sequence[str], log: Path) -> int:
        self.asked.append(list(command))
        return self.statuses.get(log.stem.removeprefix("nightly-"), 0)


def night_in(top: Path, runner: FakeRunner, **changes: object) -> tuple[Night, ExitCode]:
    profile = Profile(folder=str(top), **changes)  # type: ignore[arg-type]
    night = current_night(top, NOW)
    return night, run_night(night, profile, Path("profile.toml"), runner)


def test_every_step_in_order(tmp_path: Path) -> None:
    runner = FakeRunner()
    night, code = night_in(tmp_path, runner, update=True)
    assert [step.name for step in night.steps] == ["update", "run", "record", "publish", "gate"]
    assert code == ExitCode.OK and night.is_over
    run = runner.asked[1]
    assert run[-2:] == ["--outdir", str(tmp_path / "night-20261130-020000")] and "--config" in run
    assert runner.asked[4][runner.asked[4].index("--against") + 1] == "asv"
    without, _ = night_in(tmp_path, FakeRunner(), record=False, publish=False, against="")
    assert [step.name for step in without.steps] == ["run"]


@pytest.mark.parametrize(
    ("statuses", "code", "last"),
    [
        ({"gate": 1}, ExitCode.FAILED, "gate"),
        ({"gate": 2}, ExitCode.USAGE, "gate"),
        ({"run": 1}, ExitCode.OK, "gate"),
        ({"run": 3}, ExitCode.UNAVAILABLE, "run"),
        ({"update": 1}, ExitCode.FAILED, "update"),
        ({"update": 128}, ExitCode.FAILED, "update"),
        ({"record": 1, "gate": 0}, ExitCode.OK, "gate"),
    ],
)
def test_what_a_failing_step_means(tmp_path: Path, statuses: dict[str, int], code: ExitCode, last: str) -> None:
    night, found = night_in(tmp_path, FakeRunner(statuses), update=True)
    assert (found, night.steps[-1].name, night.is_over) == (code, last, True)
    assert current_night(tmp_path, NOW + timedelta(hours=1)).name != night.name, "the next start begins a new one"


@pytest.mark.parametrize("status", [130, 143, 5, 6, -9])
def test_a_night_that_was_cut_short_goes_on(tmp_path: Path, status: int) -> None:
    night, code = night_in(tmp_path, FakeRunner({"run": status}))
    assert code != ExitCode.OK and not night.is_over
    (tmp_path / night.name).mkdir()
    (tmp_path / night.name / "plan.json").write_text("{}")
    again = current_night(tmp_path, NOW + timedelta(hours=3))
    runner = FakeRunner()
    run_night(again, Profile(folder=str(tmp_path)), Path("profile.toml"), runner)
    assert again.name == night.name
    assert runner.asked[0][-2:] == ["--resume", str(tmp_path / night.name)]
    assert [step.name for step in again.steps] == ["run", "record", "publish", "gate"]


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    begun = Night("night-20261130-010000", [Step("run", [], 0, 1.0), Step("record", [], 0, 1.0)])
    save(begun, tmp_path)
    runner = FakeRunner()
    night, _ = night_in(tmp_path, runner)
    assert len(runner.asked) == 2 and night.name == begun.name


def test_a_night_of_another_day_is_given_up(tmp_path: Path) -> None:
    save(Night("night-20261128-010000"), tmp_path)
    assert current_night(tmp_path, NOW).name == "night-20261130-020000"


@pytest.mark.parametrize("state", ["{}", '{"is_over": false}', '{"is_over": false, "name": "x", "steps": []}'])
def test_a_state_that_is_none_says_what_to_do(tmp_path: Path, state: str) -> None:
    (tmp_path / "nightly.json").write_text(state)
    if state == "{}":
        assert current_night(tmp_path, NOW).name == "night-20261130-020000"
        return
    with pytest.raises(FolderError, match="remove it to begin a new night"):
        current_night(tmp_path, NOW)


def test_a_second_start_ends_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = tmp_path / "profile.toml"
    profile.write_text(f'[nightly]\nfolder = "{tmp_path / "nights"}"\n')
    with open_folder(tmp_path / "nights"):
        assert main(["nightly", str(profile)]) == ExitCode.BUSY
    assert "another run is writing to" in capsys.readouterr().err
    assert not list((tmp_path / "nights").glob("night-*"))


def test_a_step_is_logged_and_one_that_cannot_start_fails(tmp_path: Path) -> None:
    log = tmp_path / "new" / "step.log"
    assert start([sys.executable, "-c", "import sys; print('seen'); sys.exit(3)"], log) == 3
    assert start(["/no/such/program"], log) == ExitCode.FAILED
    text = log.read_text()
    assert "seen" in text and "/no/such/program cannot be started" in text


def test_a_step_ends_with_a_night_that_is_killed(tmp_path: Path) -> None:
    child = tmp_path / "child"
    step = f"import os, time; open({str(child)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    code = (
        "import sys; from pathlib import Path; from kparity.harness.nightly.steps import start; "
        f"start([sys.executable, '-c', {step!r}], Path({str(tmp_path / 'log')!r}))"
    )
    night = subprocess.Popen([sys.executable, "-c", code])
    try:
        deadline = time.monotonic() + 60
        while not (child.is_file() and child.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        pid = int(child.read_text())
        night.send_signal(signal.SIGKILL)
        night.wait()
        while _is_alive(pid):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        night.kill()


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_pruning_keeps_the_newest_and_the_first_of_each_month(tmp_path: Path) -> None:
    names = [f"night-2026{month:02}{day:02}-020000" for month in (10, 11) for day in (1, 2, 3)]
    assert superfluous(names, 2, monthly=True) == [names[1], names[2]]
    assert superfluous(names, 2, monthly=False) == names[:4]
    for name in [*names, "mine", "night-by-hand"]:
        (tmp_path / name).mkdir()
    os.symlink(tmp_path / "mine", tmp_path / "night-20260101-020000")
    assert prune(tmp_path, 1, monthly=False) == names[:-1]
    assert {p.name for p in tmp_path.iterdir()} == {names[-1], "mine", "night-by-hand", "night-20260101-020000"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[nightly]\nkeep = 3", "no key is named `keep`; did you mean `keep_nights`"),
        ("[nightly]\nkeep_nights = 0", "at least 1 is needed"),
        ("[nightly]\nrecord = false", "publish needs record"),
        ("[gate]\nmargn = 1", "did you mean `margin`"),
    ],
)
def test_mistakes_are_named_before_the_night_begins(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "profile.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_profile(path)


def test_the_state_is_json(tmp_path: Path) -> None:
    night = Night("night-20261130-010000", [Step("run", ["a"], 0, 1.5)])
    save(night, tmp_path)
    assert json.loads((tmp_path / "nightly.json").read_text()) == asdict(night)
