"""Emulated AMD GPUs in the place of the emulated GPU that `tests/compiler/targets` runs generated code on."""

from __future__ import annotations

import pytest

from .device import Device


@pytest.fixture(params=["gfx942", "gfx1100"])
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Device:
    return Device(request.param, monkeypatch)
