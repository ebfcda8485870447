"""Planted defects can still be planted, and are found: a few of them here, all of them by `planted`."""

from __future__ import annotations

from pathlib import Path

import pytest

import kparity.compiler

from .defects import DEFECTS
from .planted import failing
from .planting import Defect

FOLDER = Path(kparity.compiler.__file__).parent
_QUICK = ("the last element is one too far", "a barrier that is removed still parts others")


@pytest.mark.parametrize("defect", DEFECTS, ids=[d.name for d in DEFECTS])
def test_the_text_is_what_the_defect_changes(defect: Defect) -> None:
    source = FOLDER.joinpath(*defect.module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    compile(defect.planted(source), defect.module, "exec")


def test_there_are_enough() -> None:
    assert len({d.name for d in DEFECTS}) == len(DEFECTS) >= 50
    assert all(d.found_by for d in DEFECTS)


@pytest.mark.parametrize("name", _QUICK)
def test_a_defect_is_found(name: str) -> None:
    (defect,) = (d for d in DEFECTS if d.name == name)
    assert failing(defect, [defect.found_by]) == defect.found_by


@pytest.mark.long
@pytest.mark.parametrize("defect", DEFECTS, ids=[d.name for d in DEFECTS])
def test_every_defect_is_found(defect: Defect) -> None:
    assert failing(defect, [defect.found_by]) == defect.found_by


def test_without_a_defect_nothing_fails() -> None:
    assert failing(None, [d.found_by for d in DEFECTS if d.name in _QUICK]) is None
