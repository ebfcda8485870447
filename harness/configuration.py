"""Options from a TOML profile and from the environment: the file first, then variables, then the command line.

The table of a command has its long options as keys (`[run]`, `walks = 10`); the variable of an option is
`KPARITY_RUN_WALKS`. What is given later in that order replaces what was given before. A key or variable that is no
option of the command is an error that names the nearest one.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import UsageError
from .options import KEPT_ON_RESUME
from .selection import unknown_name
from .toml_file import read_toml, section

_OWN = ("config", "show-config", "help", "resume")  # what cannot come from a profile
_INSTEAD = {"quick": "walks", "walks": "quick", "checkrun": "protocol"}  # given on the command line: not of the profile
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--config` and `--show-config`."""
    group = parser.add_argument_group("configuration")
    group.add_argument("--config", type=Path, metavar="FILE", help="TOML profile with these options as keys")
    group.add_argument(
        "--show-config", action="store_true", help="print the options in force, with their origin, and stop"
    )


class Configuration:
    """The options of one call of a command, with where each is from.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Of the command.
    command : str
    words : sequence of str
        The command's own, without its name.
    environment : mapping

    Raises
    ------
    UsageError
        The profile cannot be read; a key, a variable or a value of one is unusable.
    """

    def __init__(
        self, parser: argparse.ArgumentParser, command: str, words: Sequence[str], environment: Mapping[str, str]
    ) -> None:
        self.command, self.words = command, list(words)
        self.actions = {
            name.removeprefix("--"): action
            for name, action in parser._option_string_actions.items()
            if name.startswith("--") and name.removeprefix("--") not in _OWN
        }
        self.values: dict[str, tuple[Any, str]] = {}
        if "--config" in parser._option_string_actions:
            self._read_file()
            self._read_environment(environment)

    def complete(self) -> list[str]:
        """Return the words with those of the profile and of the environment before them: the later ones win."""
        resumes = any(word == "--resume" or word.startswith("--resume=") for word in self.words)
        kept = {name.replace("_", "-") for name in KEPT_ON_RESUME} | {"json", "record", "cluster"}
        instead = {_INSTEAD.get(word.split("=", 1)[0].removeprefix("--")) for word in self.words}
        chosen = {n: v for n, (v, _) in self.values.items() if (not resumes or n in kept) and n not in instead}
        return [word for name, value in chosen.items() for word in _words(name, value)] + self.words

    def describe(self, options: argparse.Namespace) -> str:
        """Return the options in force as the command's table, each with its origin."""
        lines = [f"[{self.command}]"]
        defaults = []
        for name, action in self.actions.items():
            value = getattr(options, action.dest)
            if value is None or value is False:
                defaults.append(name)
                continue
            _, origin = self.values.get(name, (None, ""))
            given = any(word.split("=", 1)[0] in action.option_strings for word in self.words)
            text = json.dumps(value, ensure_ascii=False, default=str)
            lines.append(f"{name} = {text}  # {origin if origin and not given else 'command line'}")
        return "\n".join([*lines, *(f"# {name}: default" for name in defaults)])

    def _read_file(self) -> None:
        reader = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
        reader.add_argument("--config", type=Path)
        path = reader.parse_known_args(self.words)[0].config
        if path is not None:
            for key, value in section(read_toml(path), self.command, path).items():
                where = f"{path}: [{self.command}]"
                name = key.replace("_", "-")
                self._take(name, _checked(self._action(name, where), value, f"{where}: {key}"), str(path))

    def _read_environment(self, environment: Mapping[str, str]) -> None:
        prefix = f"KPARITY_{self.command.upper()}_"
        for variable, text in environment.items():
            if variable.startswith(prefix):
                name = variable.removeprefix(prefix).lower().replace("_", "-")
                action = self._action(name, f"the variable {variable}")
                self._take(name, _checked(action, _from_text(action, text, variable), variable), variable)

    def _action(self, name: str, where: str) -> argparse.Action:
        if name not in self.actions:
            raise UsageError(f"{where}: {unknown_name(name, list(self.actions), f'option of {self.command}')}")
        return self.actions[name]

    def _take(self, name: str, value: Any, origin: str) -> None:
        self.values[name] = (value, origin)


def _checked(action: argparse.Action, value: Any, where: str) -> Any:
    """Return a value that the option takes: true or false for a switch, a list where it takes several."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise UsageError(f"{where} = {value!r}: true or false is needed")
        return value
    several = isinstance(value, list)
    if isinstance(action.nargs, int) and not (several and len(value) == action.nargs):
        raise UsageError(f"{where} = {value!r}: a list of {action.nargs} is needed")
    if several and action.nargs in (None, "?"):
        raise UsageError(f"{where} = {value!r}: one value is needed")
    for item in value if several else [value]:
        if isinstance(item, (bool, dict, list)):
            raise UsageError(f"{where} = {item!r}: a text or a number is needed")
        if action.choices and item not in action.choices:
            raise UsageError(f"{where} = {item!r}: one of {', '.join(map(str, action.choices))} is needed")
        if callable(action.type):
            try:
                action.type(str(item))
            except (UsageError, ValueError) as error:
                raise UsageError(f"{where} = {item!r}: {error}") from error
    return value


def _from_text(action: argparse.Action, text: str, variable: str) -> Any:
    if action.nargs == 0:
        if text.lower() not in _YES + _NO:
            raise UsageError(f"{variable}={text}: 1 or 0 is needed")
        return text.lower() in _YES
    return [word for word in re.split(r"[,\s]+", text) if word] if action.nargs not in (None, "?") else text


def _words(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [f"--{name}"] if value else []
    if isinstance(value, list):
        return [f"--{name}", *map(str, value)] if value else []
    return [f"--{name}={value}"]
