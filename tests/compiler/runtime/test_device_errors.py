"""Failures of a device as typed errors: what was asked for, what ran, what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kparity.compiler import (
    DeviceError,
    DeviceFault,
    DeviceLost,
    LaunchRefused,
    OutOfDeviceMemory,
    alive,
    array,
    compile_program,
    empty,
    zeros,
)
from kparity.compiler.runtime.device_errors import device_error, device_errors, launched

from ..sources import kernel
from .fake_device import DriverError, FakeDevice, devices

ROOT = Path(__file__).parents[3]
FILL = kernel("""
    def fill(y: Out[f64, "n"], a: f64):
        for i in parallel(n):
            y[i] = a
    """)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FakeDevice:
    launched.clear()
    return devices(1, monkeypatch)[0]


def here() -> int:
    """Return the line of the caller."""
    return sys._getframe(1).f_lineno


@pytest.mark.usefixtures("nothing_stays_alive")
def test_no_memory_left_says_who_has_it(device: FakeDevice) -> None:
    device.capacity, line = 10_000, here() + 1
    kept = array(np.ones(1000)).prefetch(device.place)
    more = empty(500, "f32")
    with pytest.raises(OutOfDeviceMemory) as caught:
        device.launch(FILL, y=array(np.ones(500)), a=1.0)
    text = str(caught.value)
    assert text.startswith("4,000 bytes for float64[500] on fake:0: the device has no memory left; owned arrays hold")
    assert "8,000 bytes on fake:0: float64[1000], made at " in text and text.endswith(f"{__file__}:{line}")
    assert isinstance(caught.value, MemoryError) and isinstance(caught.value, DeviceError)
    kept.free()
    device.launch(FILL, y=(y := zeros(500)), a=1.0)
    assert y.numpy().tolist() == [1.0] * 500
    del more, y


@pytest.mark.parametrize(
    ("status", "kind", "remedy"),
    [
        (2, OutOfDeviceMemory, "no memory left"),
        (700, DeviceFault, "launched last: `fill`. What this process has on the device is gone"),
        (719, DeviceFault, "compute-sanitizer"),
        (701, LaunchRefused, "Nothing of it ran"),
        (214, DeviceLost, "it may need a reset"),
        (999, DeviceError, "(code 999)"),
    ],
)
def test_each_answer_has_its_type(status: int, kind: type[DeviceError], remedy: str, device: FakeDevice) -> None:
    launched.append("fill")
    y = zeros(4)
    device.failure = status
    with pytest.raises(DeviceError) as caught:
        y.prefetch(device.place)
    device.failure = 0
    assert type(caught.value) is kind and remedy in str(caught.value)
    assert isinstance(caught.value.__cause__, DriverError)
    assert type(device_error(status, "an answer", "trying")) is kind


def test_a_fault_is_told_by_what_waits_next(device: FakeDevice) -> None:
    y = zeros(4)
    device.launch(FILL, y=y, a=1.0)
    device.failure = 700
    with pytest.raises(
        DeviceFault, match=r"waiting for fake:0: the driver answered error 700 .*launched last: .*`fill`"
    ):
        y.free()
    device.failure = 0
    assert y.numpy().tolist() == [1.0] * 4, "a failed wait changes nothing"


def test_other_errors_pass() -> None:
    with pytest.raises(RuntimeError, match="not of a driver"), device_errors("trying"):
        raise RuntimeError("not of a driver")
    with pytest.raises(DeviceLost, match=r"^once$"), device_errors("trying"):
        raise DeviceLost("once")


# -- what is alive ----------------------------------------------------------------------------------------------------


def test_what_is_alive_is_known_by_its_line(device: FakeDevice) -> None:
    x, line = array(np.ones(10)).prefetch(device.place), here()
    y = zeros((2, 3), "f32")
    (one,) = (a for a in alive() if "fake:0" in a.places)
    assert (one.array, one.bytes) == ("float64[10]", 80) and one.made_at == f"{__file__}:{line}"
    y.prefetch(device.place)
    x.free()
    (one,) = (a for a in alive() if "fake:0" in a.places)
    assert (one.array, one.bytes) == ("float32[2, 3]", 24)
    y.into_numpy()
    assert not [a for a in alive() if "fake:0" in a.places] and device.bytes_alive == 0


def test_a_bound_program_lets_go_of_its_arrays_at_once(device: FakeDevice) -> None:
    """Without the collector of cycles: memory of a device is not to wait for that."""
    y = empty(100)
    device.bind(FILL, y=y, a=1.0).run()
    compile_program(FILL, "cpu1").bind({"y": y, "a": 1.0}).run()
    FILL(y, 1.0)
    del y
    assert device.bytes_alive == 0


def test_the_report_at_exit() -> None:
    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "from kparity.compiler import zeros\n"
        "from kparity.compiler.runtime import memories\n"
        "from tests.compiler.runtime.fake_device import FakeDevice\n"
        "memories._memories['fake:0'] = FakeDevice()\n"
        "kept = zeros(3).prefetch('fake:0')\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "KPARITY_REPORT_ALIVE": "1"}, check=True
    )
    assert done.stderr == "kparity: alive at exit: 24 bytes on fake:0: float64[3], made at <string>:6\n"


# -- the real thing ---------------------------------------------------------------------------------------------------


@pytest.mark.cuda
@pytest.mark.usefixtures("nothing_stays_alive")
def test_a_gpu_without_memory() -> None:
    import cupy

    kept = zeros(1000).to_device()
    free, _ = cupy.cuda.runtime.memGetInfo()
    with pytest.raises(
        OutOfDeviceMemory, match=r"8,000 bytes on gpu:0: float64\[1000\], made at .*test_device_errors.py"
    ):
        empty(2 * free // 8).memory("y", "gpu:0")
    assert kept.to_device().numpy().tolist() == [0.0] * 1000
    del kept


@pytest.mark.cuda
def test_foreign_code_that_writes_where_it_may_not() -> None:
    code = (
        "import cupy, os\n"
        "from kparity.compiler import DeviceFault, device_of\n"
        "from kparity.compiler.runtime.streams import stream_at\n"
        "device = device_of('cuda')\n"
        "bad = cupy.RawKernel('extern \"C\" __global__ void bad(long a) { *(double *)a = 1.0; }', 'bad')\n"
        "with stream_at(device.stream):\n    bad((1,), (1,), (8,))\n"
        "try:\n    device.synchronize()\n"
        "except DeviceFault as error:\n    print('told', error, flush=True)\n"
        "os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert "told" in done.stdout and "What this process has on the device is gone" in done.stdout, done.stderr
