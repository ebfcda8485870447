from __future__ import annotations

import argparse

import pytest

from kparity.harness.commands import run, verify
from kparity.harness.errors import UsageError
from kparity.harness.options import choice_of, resumed, settings_of
from kparity.harness.settings import Settings


def parse(*words: str, command: str = "run") -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers(dest="command")
    run.add_parser(subparsers)
    verify.add_parser(subparsers)
    return parser.parse_args([command, *words])


def settings(*words: str) -> Settings:
    return settings_of(parse(*words), timed=True)


def test_the_default_is_five_interleaved_walks() -> None:
    assert settings() == Settings()
    assert (settings().walks, settings().protocol) == (5, "interleaved")
    assert settings().gives_verdicts


def test_rajaperfs_options_have_their_meaning() -> None:
    words = (
        "-k Stream,DAXPY INIT3 -ek ADD -f Forall -ef Sort -v Base_Seq -ev CUDA -t block_256 -et library "
        "--size 1000 2e3 --sizefact 0.5 --repfact 2 -od out --dryrun"
    )
    options = parse(*words.split())
    choice, chosen = choice_of(options), settings_of(options, timed=True)
    assert choice.kernels == ("Stream", "DAXPY", "INIT3")
    assert choice.exclude_kernels == ("ADD",)
    assert (choice.features, choice.exclude_features) == (("Forall",), ("Sort",))
    assert (choice.variants, choice.exclude_variants) == (("Base_Seq",), ("CUDA",))
    assert (chosen.tunings, chosen.exclude_tunings) == (("block_256",), ("library",))
    assert (chosen.sizes, chosen.size_factor, chosen.repetition_factor) == ((1000, 2000), 0.5, 2.0)
    assert (options.outdir, options.dryrun) == ("out", True)


def test_quick_is_one_walk_without_a_verdict() -> None:
    assert settings("--quick").walks == settings("--quick").most_walks == 1
    assert not settings("--quick").gives_verdicts
    assert not settings("--walks", "4").gives_verdicts


def test_checkrun_is_rajaperfs_protocol_with_fixed_repetitions() -> None:
    chosen = settings("--checkrun")
    assert (chosen.protocol, chosen.repetitions, chosen.walks) == ("rajaperf", 1, 1)
    assert settings("--checkrun", "3").repetitions == 3
    assert settings("--protocol", "rajaperf", "--npasses", "4").passes == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--npasses 3", "--walks"),
        ("--quick --walks 5", "one walk"),
        ("--checkrun --protocol interleaved", "RAJAPerf's protocol"),
        ("--size 0", "at least 1"),
        ("--size big", "not a number"),
        ("--walks 0", "at least 1"),
        ("--walks x", "not a whole number"),
        ("--budget -1", "above 0"),
        ("--margin nan", "above 0"),
        ("--repfact many", "not a number"),
    ],
)
def test_what_does_not_fit_is_an_error_that_says_why(words: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        settings(*words.split())


def test_verify_takes_one_walk_and_no_samples() -> None:
    chosen = settings_of(parse("--targets", "cpu1", command="verify"), timed=False)
    assert (chosen.timed, chosen.walks, chosen.gives_verdicts) == (False, 1, False)


def test_a_resumed_campaign_keeps_its_plan_and_may_get_new_limits() -> None:
    saved = Settings(kernels=("G_A",), walks=5, seed=3)
    assert resumed(saved, parse("--resume", "d")) == saved
    longer = resumed(saved, parse("--resume", "d", "--walks", "30", "--budget", "9", "--time-limit", "7"))
    assert (longer.walks, longer.most_walks, longer.budget_seconds, longer.step_seconds) == (30, 30, 9.0, 7.0)
    assert (longer.kernels, longer.seed) == (saved.kernels, 3)


@pytest.mark.parametrize("words", ["--size 5", "--kernels A", "--seed 0", "--quick", "--outdir x", "--margin 0.1"])
def test_a_resumed_campaign_cannot_be_changed(words: str) -> None:
    with pytest.raises(UsageError, match=f"leave out {words.split()[0]}"):
        resumed(Settings(), parse("--resume", "d", *words.split()))


def test_settings_survive_being_saved() -> None:
    chosen = settings("--size", "10", "20", "--tunings", "a", "--margin", "0.02")
    assert Settings.from_json(chosen.to_json()) == chosen
    with pytest.raises(ValueError, match="not the settings"):
        Settings.from_json({"colour": "red"})


def test_a_sweep_is_sizes_evenly_spread_by_ratio() -> None:
    assert settings("--sweep", "1000", "1e6", "4").sizes == (1000, 10000, 100000, 1000000)
    assert settings("--sweep", "1", "3", "9").sizes == (1, 2, 3)  # each size once


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--sweep", "10", "20", "3", "--size", "5"), "leave out --sweep or --size"),
        (("--sweep", "20", "10", "3"), "LO below HI"),
        (("--sweep", "10", "20", "1"), "at least two sizes"),
        (("--sweep", "10", "20", "x"), "not a number"),
    ],
)
def test_a_sweep_that_is_none(words: tuple[str, ...], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        settings(*words)


def test_memory_has_a_limit_that_a_resumed_campaign_may_change() -> None:
    assert settings("--memory-limit", "1.5").memory_limit == 1.5 * 2**30
    assert resumed(Settings(memory_limit=7.0), parse("--resume", "d")).memory_limit == 7.0
    assert resumed(Settings(memory_limit=7.0), parse("--resume", "d", "--memory-limit", "1")).memory_limit == 2**30
