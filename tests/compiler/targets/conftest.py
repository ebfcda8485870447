"""An emulated GPU for every test that runs generated GPU code."""

from __future__ import annotations

import ctypes

import pytest

from kparity.baselines.toolchain import cpp_compiler
from kparity.compiler import TargetUnavailable
from kparity.compiler.targets import cuda_tools

from .emulation import Emulator, build


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    try:
        cuda_tools.libdevice()
        compiler = cpp_compiler().path
    except TargetUnavailable as error:
        pytest.skip(str(error))
    return build(tmp_path_factory.mktemp("emulated"), str(compiler))


@pytest.fixture
def gpu(library: ctypes.CDLL, monkeypatch: pytest.MonkeyPatch) -> Emulator:
    return Emulator(library, monkeypatch)
