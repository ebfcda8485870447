"""`kparity gate CAMPAIGN --against BASELINE`: pass, or name each regression and its cause."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CannotJudge, ExitCode, HarnessError, Interrupted

if TYPE_CHECKING:
    from ..gate.findings import State, Verdict
    from ..gate.rules import Rules

HISTORY = "asv"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "gate",
        help="fail if a campaign is slower, less right or less safe than its baseline",
        description="Judge a campaign by a baseline: confirmed slowdowns, lost correctness, weaker proofs, missing "
        "kernels, limits of the generated code.",
        epilog="Exit status: 0 ok, 1 regression, 2 cannot judge (or usage). Details: docs/gate.md",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("campaign", metavar="CAMPAIGN", help="folder, or name under results/campaigns")
    add(
        "--against",
        metavar="BASELINE",
        required=True,
        help=f"folder, name under results/campaigns, or `{HISTORY}` for the history in asv's database",
    )
    add(
        "--rules",
        type=Path,
        metavar="FILE",
        help="TOML file with a table [gate] (default: margin 5 %%, and no more spills)",
    )
    add("--markdown", type=Path, metavar="FILE", help="write a summary for a pull request")
    add("--junit", type=Path, metavar="FILE", help="write JUnit XML for a CI server")
    add("--json", action="store_true", help="print one JSON object")
    add("--asv-config", metavar="FILE", type=Path, default=Path("asv.conf.json"), help=argparse.SUPPRESS)
    parser.set_defaults(execute=execute)  # fmt: skip


def execute(options: argparse.Namespace) -> int:
    """Judge, print the verdict and write the files."""
    try:
        return int(_execute(options))
    except Interrupted:
        raise
    except HarnessError as error:  # 1 means a regression here, and nothing else
        raise CannotJudge(f"cannot judge: {error}") from error


def _execute(options: argparse.Namespace) -> ExitCode:
    from ..gate.rules import read_rules

    rules = read_rules(options.rules)
    verdict = judgement(options.campaign, options.against, rules, options.asv_config)
    from ..gate import texts
    from ..report_files import replace_file

    if options.markdown:
        replace_file(options.markdown, texts.markdown(verdict))
    if options.junit:
        replace_file(options.junit, texts.junit(verdict))
    if options.json:
        print(texts.json_text(verdict), end="")
    else:
        print("\n".join(texts.lines(verdict)))
    return exit_code(verdict.state)


def judgement(campaign: str, against: str, rules: Rules, configuration: Path) -> Verdict:
    """Return what the gate says of a campaign against a baseline, both by their names on the command line."""
    from ..across.places import find_sides
    from ..gate.history import judge_by_history
    from ..gate.judge import judge

    if against == HISTORY:
        (side,) = find_sides([campaign])
        return judge_by_history(side.campaign, configuration, rules, side.label)
    baseline, now = find_sides([against, campaign])
    return judge(now.campaign, baseline.campaign, rules, (now.label, baseline.label))


def exit_code(state: State) -> ExitCode:
    """Return the exit status of an answer."""
    return {"ok": ExitCode.OK, "regression": ExitCode.FAILED}.get(state, ExitCode.USAGE)
