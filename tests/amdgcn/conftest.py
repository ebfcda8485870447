"""Emulated AMD GPUs in the place of the emulated GPU that `tests/compiler/targets` runs generated code on."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from .device import Device


class _NoDecoder(pytest.Module):
    """A file of tests that cannot be imported."""

    def collect(self) -> NoReturn:
        pytest.skip("no tinygrad: pip install 'kparity[amd-toolchain]'", allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """The emulator takes its decoder of instructions from tinygrad's wheel."""
    if importlib.util.find_spec("tinygrad") is not None:
        return None
    module: pytest.Module = _NoDecoder.from_parent(parent, path=module_path)
    return module


@pytest.fixture(params=["gfx942", "gfx1100"])
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Device:
    from .device import Device

    return Device(request.param, monkeypatch)
