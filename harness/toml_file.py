"""TOML files as data classes: a key that nobody knows is an error that names the nearest one."""

from __future__ import annotations

import dataclasses
import tomllib
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from .errors import UsageError
from .selection import unknown_name

T = TypeVar("T")
TABLES = ("run", "verify", "gate", "nightly", "cluster")  # of one profile that several commands read


def read_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file holds.

    Raises
    ------
    UsageError
        It cannot be read, or is not TOML; the message has line and column.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from error


def section(raw: Mapping[str, Any], name: str, path: Path, known: tuple[str, ...] = TABLES) -> Mapping[str, Any]:
    """Return one table of a file whose tables are `known`; empty if it is not there."""
    for key in raw:
        if key not in known:
            raise UsageError(f"{path}: {unknown_name(key, list(known), 'table')}")
    found = raw.get(name, {})
    if not isinstance(found, dict):
        raise UsageError(f"{path}: `{name}` must be a table, [{name}]")
    return found


def fill(kind: type[T], raw: Mapping[str, Any], where: str) -> T:
    """Make a data class from a table.

    Parameters
    ----------
    kind : type
        A data class. Its fields are the keys; they may be bool, int, float, str, tuples of str, `Literal`s, other data
        classes (tables), mappings from a name to a data class (tables of tables), and any of these or None.
    raw : mapping
        The table.
    where : str
        For messages: file and table.

    Raises
    ------
    UsageError
        A key that is no field (the nearest is named), or a value of the wrong kind.
    """
    hints = typing.get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(typing.cast(Any, kind))]
    values = {}
    for key, value in raw.items():
        if key not in names:
            raise UsageError(f"{where}: {unknown_name(key, names, 'key')}")
        values[key] = _value(hints[key], value, f"{where}: {key}")
    try:
        return kind(**values)
    except TypeError as error:
        raise UsageError(f"{where}: {error}") from error  # a field without a default


def _value(hint: Any, value: Any, where: str) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return _value(next(a for a in arguments if a is not type(None)), value, where)
    if origin is typing.Literal:
        if value not in arguments:
            raise UsageError(f"{where} = {value!r}: one of {', '.join(map(str, arguments))} is needed")
        return value
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return fill(hint, _expect(value, dict, "a table", where), where)
    if origin is tuple:
        items = [value] if isinstance(value, str) else _expect(value, list, "a list", where)
        return tuple(_value(arguments[0], item, where) for item in items)
    if origin is not None:  # a mapping from a name to a table
        table = _expect(value, dict, "a table of tables", where)
        return {name: _value(arguments[1], item, f"{where}.{name}") for name, item in table.items()}
    if hint is float and type(value) is int:
        return float(value)
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    if type(value) is not hint:
        raise UsageError(f"{where} = {value!r}: {words[hint]} is needed")
    return value


def _expect(value: Any, kind: type, words: str, where: str) -> Any:
    if not isinstance(value, kind):
        raise UsageError(f"{where} = {value!r}: {words} is needed")
    return value
