from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kparity.harness.cli import COMMANDS, main
from kparity.harness.errors import ExitCode

ROOT = Path(__file__).resolve().parents[2]


def test_every_command_has_a_module_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        with pytest.raises(SystemExit) as ending:
            main([command, "--help"])
        assert ending.value.code == 0
        assert command in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("rum", ExitCode.USAGE, "no command is named `rum`; did you mean `run`?"),
        ("run --kernels STREEM", ExitCode.USAGE, "did you mean `Stream`"),
        ("run --kernels Stream_TRIADD", ExitCode.USAGE, "did you mean `Stream_TRIAD`"),
        ("run --size 0", ExitCode.USAGE, "--size 0: a problem size is at least 1"),
        ("run --size -7", ExitCode.USAGE, "--size -7: a problem size is at least 1"),
        ("run --size ten", ExitCode.USAGE, "--size ten: not a number"),
        ("run --suite nowhere", ExitCode.USAGE, "no suite `nowhere`"),
        ("run --suite ./nowhere", ExitCode.USAGE, "not a folder"),
        ("run --resume /no/such/folder", ExitCode.FOLDER, "holds no campaign to resume"),
        ("verify --walks 3", ExitCode.USAGE, "unrecognized arguments: --walks"),
        ("list nothing_like_it", ExitCode.USAGE, "no kernel or group is named `nothing_like_it`"),
    ],
)
def test_a_users_mistake_is_a_message_and_a_code(
    words: str, code: ExitCode, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(words.split())
    except SystemExit as ending:  # argparse's own way
        assert isinstance(ending.code, int)
        status = ending.code
    printed = capsys.readouterr().err
    assert status == code
    assert message in printed
    assert "Traceback" not in printed


def test_a_size_beyond_memory_is_refused_before_anything_starts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    words = f"run --kernels DAXPY COPY --targets cpu1 --size 1000 1000000000000 --outdir {folder}"
    assert main(words.split()) == ExitCode.UNAVAILABLE
    printed = capsys.readouterr().err
    assert re.search(r"too large for target `cpu1`: \w+ needs about [\d,.]+ GiB, [\d.]+ GiB are free", printed)
    assert "a size of about" in printed
    assert not folder.exists()


def test_a_defect_is_called_one(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(options: object) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr("kparity.harness.commands.list.execute", broken)
    assert main(["list"]) == ExitCode.INTERNAL
    printed = capsys.readouterr().err
    assert "ZeroDivisionError" in printed
    assert "a defect of kparity" in printed


def test_list_shows_kernels_and_targets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "Stream"]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "TRIAD" in shown
    assert "DAXPY" not in shown
    assert "target cpu1: works here" in shown


def test_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "DAXPY", "--json"]) == ExitCode.OK
    found = json.loads(capsys.readouterr().out)
    (kernel,) = found["kernels"]
    assert (kernel["kernel"], kernel["size"], kernel["features"]) == ("Basic_DAXPY", 1_000_000, ["Forall"])
    assert found["targets"]["cpu1"] == {"works": True, "reason": ""}
    assert found["broken"] == []


def test_list_does_not_load_what_only_reports_need() -> None:
    script = (
        "import sys; from kparity.harness.cli import main; main(['list']); "
        "print([m for m in ('pandas', 'scipy', 'asv', 'jinja2') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_a_reader_that_ends_early_is_no_error() -> None:
    script = "from kparity.harness.cli import main; import sys; sys.exit(main(['list', '--json']))"
    done = subprocess.run(
        ["bash", "-c", f'set -o pipefail; "{sys.executable}" -c "{script}" | head -c 1'],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


def test_the_plan_is_shown_without_running_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = f"run --kernels DAXPY --targets cpu1 --size 1000 --outdir {tmp_path / 'r'} --dryrun"
    assert main(words.split()) == ExitCode.OK
    assert "1 comparisons, 5 walks; nothing was run" in capsys.readouterr().out
    assert main([*words.split(), "--json"]) == ExitCode.OK
    (row,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (row["kernel"], row["size"], row["variants"]) == ("Basic_DAXPY", 1000, ["checked", "native"])
    assert not (tmp_path / "r").exists()


def test_every_exit_code_has_its_line_in_the_page() -> None:
    page = (ROOT / "docs" / "exit-codes.md").read_text()
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", page, re.MULTILINE)
    assert {(int(code), name) for code, name in rows} == {(int(code), code.name) for code in ExitCode}
