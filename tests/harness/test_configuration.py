"""Profile, variables, command line: the later one wins, and a mistake is named."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from kparity.harness.cli import main
from kparity.harness.commands import run
from kparity.harness.configuration import Configuration
from kparity.harness.errors import ExitCode, UsageError

PROFILE = """
[run]
walks = 7
kernels = ["Stream", "DAXPY"]
size = [1000, 2000]
time-limit = 60
margin = 0.03
record = true
quick = false

[gate]
margin = 0.1
"""


def parsed(tmp_path: Path, *words: str, profile: str = PROFILE, **environment: str) -> argparse.Namespace:
    path = tmp_path / "profile.toml"
    path.write_text(profile)
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command")
    run.add_parser(commands)
    configuration = Configuration(commands.choices["run"], "run", ["--config", str(path), *words], environment)
    return parser.parse_args(["run", *configuration.complete()])


def test_the_profile_gives_options(tmp_path: Path) -> None:
    options = parsed(tmp_path)
    assert (options.walks, options.kernels, options.size) == (7, ["Stream", "DAXPY"], ["1000", "2000"])
    assert (options.time_limit, options.margin, options.record, options.quick) == (60.0, 0.03, True, False)


def test_later_wins(tmp_path: Path) -> None:
    options = parsed(
        tmp_path, "--walks", "9", KPARITY_RUN_WALKS="8", KPARITY_RUN_KERNELS="ADD, COPY", KPARITY_RUN_RECORD="0",
        KPARITY_CACHE="elsewhere",
    )  # fmt: skip
    assert (options.walks, options.kernels, options.record, options.margin) == (9, ["ADD", "COPY"], False, 0.03)


def test_what_contradicts_the_command_line_is_left_out(tmp_path: Path) -> None:
    assert (parsed(tmp_path, "--quick").walks, parsed(tmp_path, "--quick").quick) == (None, True)
    quick = "[run]\nquick = true\nprotocol = 'interleaved'\n"
    assert not parsed(tmp_path, "--walks=6", profile=quick).quick
    assert parsed(tmp_path, "--checkrun", profile=quick).protocol is None


def test_resuming_takes_limits_alone(tmp_path: Path) -> None:
    options = parsed(tmp_path, "--resume", "folder")
    assert (options.walks, options.time_limit, options.record) == (7, 60.0, True)
    assert (options.kernels, options.size, options.margin) == (None, None, None)


def test_an_option_of_several_values_is_a_list(tmp_path: Path) -> None:
    sweep = "[run]\nsweep = [1000, 100000, 9]\n"
    assert parsed(tmp_path, profile=sweep).sweep == ["1000", "100000", "9"]
    assert parsed(tmp_path, profile=sweep, KPARITY_RUN_SWEEP="10, 20, 2").sweep == ["10", "20", "2"]
    assert parsed(tmp_path, "--sweep", "1", "2", "3", profile=sweep).sweep == ["1", "2", "3"]


def test_every_option_may_come_from_a_profile_or_a_variable(tmp_path: Path) -> None:
    """Of each kind of option one value that it takes: nothing on the command line is out of a profile's reach."""
    for name in Configuration(run_parser(), "run", [], {}).actions:
        action = run_parser()._option_string_actions[f"--{name}"]
        value = {None: "1", "?": "1", "+": "[1]", 0: "true", 3: "[1, 2, 3]"}[action.nargs]  # type: ignore[index]
        value = f"'{next(iter(action.choices))}'" if action.choices else value
        text = value.strip("'[]").replace(", ", " ")
        from_file = parsed(tmp_path, profile=f"[run]\n{name} = {value}\n")
        from_variable = parsed(tmp_path, profile="", **{f"KPARITY_RUN_{name.replace('-', '_').upper()}": text})
        assert getattr(from_file, action.dest) == getattr(from_variable, action.dest) not in (None, False)


def run_parser() -> argparse.ArgumentParser:
    commands = argparse.ArgumentParser().add_subparsers()
    run.add_parser(commands)
    parser: argparse.ArgumentParser = commands.choices["run"]
    return parser


@pytest.mark.parametrize(
    ("profile", "environment", "message"),
    [
        ("[run]\nwalk = 3", {}, r"\[run\]: no option of run is named `walk`; did you mean `walks`"),
        ("[rnu]\nwalks = 3", {}, "no table is named `rnu`; did you mean `run`"),
        ("[run]\nwalks = 'many'", {}, "walks = 'many': --walks many: not a whole number"),
        ("[run]\nwalks = true", {}, "walks = True: a text or a number is needed"),
        ("[run]\nwalks = [1]", {}, "one value is needed"),
        ("[run]\nsweep = [1, 2]", {}, r"sweep = \[1, 2\]: a list of 3 is needed"),
        ("[run]\nsweep = 1000", {}, "sweep = 1000: a list of 3 is needed"),
        ("", {"KPARITY_RUN_SWEEP": "10 20"}, "a list of 3 is needed"),
        ("[run]\nquick = 1", {}, "quick = 1: true or false is needed"),
        ("[run]\nprotocol = 'mine'", {}, "one of interleaved, rajaperf is needed"),
        ("[run]\nresume = 'x'", {}, "no option of run is named `resume`"),
        ("", {"KPARITY_RUN_KERNEL": "x"}, "KPARITY_RUN_KERNEL: .*did you mean `kernels`"),
        ("", {"KPARITY_RUN_QUICK": "perhaps"}, "KPARITY_RUN_QUICK=perhaps: 1 or 0 is needed"),
        ("", {"KPARITY_RUN_MARGIN": "-1"}, "a number above 0 is needed"),
    ],
)
def test_mistakes(tmp_path: Path, profile: str, environment: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parsed(tmp_path, profile=profile, **environment)


def test_the_options_in_force_are_shown_with_their_origin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "profile.toml"
    path.write_text(PROFILE)
    monkeypatch.setenv("KPARITY_RUN_MARGIN", "0.04")
    assert main(["run", "--config", str(path), "--show-config", "--budget", "30"]) == ExitCode.OK
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "[run]"
    assert f"walks = 7  # {path}" in shown
    assert "margin = 0.04  # KPARITY_RUN_MARGIN" in shown
    assert "budget = 30.0  # command line" in shown
    assert "# seed: default" in shown
    again = tmp_path / "again.toml"
    again.write_text("\n".join(shown))
    monkeypatch.delenv("KPARITY_RUN_MARGIN")
    assert main(["run", "--config", str(again), "--show-config"]) == ExitCode.OK
    assert f"margin = 0.04  # {again}" in capsys.readouterr().out


def test_a_mistake_ends_with_the_usage_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--config", str(tmp_path / "none.toml")]) == ExitCode.USAGE
    assert "cannot read" in capsys.readouterr().err
