"""The command line: `kparity COMMAND ...`; a command's module is loaded when it is asked for."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Sequence
from types import FrameType, ModuleType
from typing import Any, cast

from kparity.compiler import KparityError, TargetUnavailable

from .configuration import Configuration
from .errors import ExitCode, HarnessError, Terminated

COMMANDS = {
    "run": "measure kernels against their C++ baselines and write a report",
    "verify": "check results only: RAJAPerf's checksums and random data",
    "gate": "fail if a campaign is slower, less right or less safe than its baseline",
    "nightly": "update, run, record, publish, gate, prune and show, by one profile",
    "import-rajaperf": "read the output of RAJAPerf itself, as variants of a campaign",
    "merge": "join the folders of one campaign that ran in several places",
    "list": "show kernels, groups, features, sizes and targets",
    "report": "write the report of a campaign again, in several formats",
    "compare": "set campaigns beside each other: machines, compilers, commits",
    "static": "compare the code of both sides for GPUs, without one",
    "check": "show what the compiler proves of the kernels in a file",
    "plan": "show what the programs in a file move to a GPU and back, and why",
    "selftest": "measure the checked kernels against themselves, once with a planted slowdown",
    "explain": "explain an error code",
    "doctor": "show which targets work here, and how to get the missing ones",
}
_PURPOSE = "Is the checked kernel still right, and still as fast as the hand-written C++ one?"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; a user's mistake gives a message, never a traceback."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    warnings.showwarning = cast(Any, _show_warning)
    previous = signal.signal(signal.SIGTERM, _terminate)
    try:
        return int(_execute(words))
    except HarnessError as error:
        return _say(error, error.exit_code)
    except TargetUnavailable as error:
        return _say(error, ExitCode.UNAVAILABLE)
    except KparityError as error:
        return _say(error, ExitCode.FAILED)
    except KeyboardInterrupt:
        return _say("stopped", ExitCode.INTERRUPTED)
    except BrokenPipeError:
        return _reader_is_gone()
    except Exception:
        traceback.print_exc()  # nobody's mistake but ours: the trace is what a report of it needs
        return _say("this is a defect of kparity; please report it with the lines above", ExitCode.INTERNAL)
    finally:
        signal.signal(signal.SIGTERM, previous)


def _execute(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="kparity", description=_PURPOSE, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=_version())
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen = next((word for word in words if not word.startswith("-")), None)
    modules: dict[str, ModuleType] = {}
    for name, summary in COMMANDS.items():
        if name == chosen:
            modules[name] = importlib.import_module(f".commands.{module_of(name)}", __package__)
            modules[name].add_parser(subparsers)
        else:
            subparsers.add_parser(name, help=summary)
    _offer_nearest(chosen)
    if chosen is None or chosen not in modules:
        parser.parse_args(words)  # --help, --version, or nothing at all: it ends here
    place = words.index(str(chosen))
    configuration = Configuration(subparsers.choices[str(chosen)], str(chosen), words[place + 1 :], os.environ)
    options = parser.parse_args([*words[: place + 1], *configuration.complete()])
    if getattr(options, "show_config", False):
        print(configuration.describe(options))
        return ExitCode.OK
    command: Any = modules[options.command]
    return int(command.execute(options))


def module_of(command: str) -> str:
    """Return the name of a command's module."""
    return command.replace("-", "_")


def _offer_nearest(command: str | None) -> None:
    if command is not None and command not in COMMANDS:
        from .selection import unknown_name

        raise unknown_name(command, list(COMMANDS), "command")


def _say(error: Exception | str, code: ExitCode) -> int:
    print(f"kparity: {error}", file=sys.stderr)
    return int(code)


def _reader_is_gone() -> int:
    """End quietly when the reader of our output has ended, as `kparity list | head` does."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return int(ExitCode.OK)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated("stopped by SIGTERM")


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"kparity: warning: {message}", file=sys.stderr)


def _version() -> str:
    from importlib import metadata

    return f"kparity {metadata.version('kparity')}"


if __name__ == "__main__":
    sys.exit(main())
