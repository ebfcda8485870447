"""What owned arrays move, on a device that counts: never more than the program needs; and the order of its streams."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kparity.compiler import LaunchError, OwnedArray, array, empty, move, zeros
from kparity.compiler.runtime import memories

from ..sources import kernel, program
from .fake_device import FakeDevice, devices

pytestmark = pytest.mark.usefixtures("nothing_stays_alive")

N = 100
BYTES = 8 * N

AXPY = kernel("""
    def axpy(y: Mut[f64, "n"], x: Ref[f64, "n"], a: f64):
        for i in parallel(n):
            y[i] += a * x[i]
    """)
FILL = kernel("""
    def fill(y: Out[f64, "n"], a: f64):
        for i in parallel(n):
            y[i] = a
    """)
PING_PONG = program("""
    @kernel
    def doubled(b: Out[f64, "n"], a: Ref[f64, "n"]):
        for i in parallel(n):
            b[i] = 2.0 * a[i]

    @program
    def ping_pong(a: Mut[f64, "n"], b: Mut[f64, "n"], steps: i64):
        for t in range(steps):
            doubled(b, a)
            doubled(a, b)
    """)
BRANCHES = program("""
    @kernel
    def add(y: Mut[f64, "n"], x: Ref[f64, "n"]):
        for i in parallel(n):
            y[i] += x[i]

    @program
    def branches(y: Mut[f64, "n"], x: Ref[f64, "n"], seldom: Ref[f64, "n"], count: i64):
        add(y, x)
        if count > 5:
            add(y, seldom)
    """)
ONES = np.ones(N)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FakeDevice:
    return devices(1, monkeypatch)[0]


def holds(owned: OwnedArray, value: float) -> None:
    np.testing.assert_array_equal(owned.numpy(), np.full(owned.shape, value))


# -- scenarios: bytes moved are the least that the program needs; beside them what copying around each launch costs ---


def test_first_touch(device: FakeDevice) -> None:
    y, x = zeros(N), array(ONES)
    device.launch(AXPY, y=y, x=x, a=3.0)
    assert device.moved == [BYTES, BYTES], "in only, before the host asks"
    holds(y, 3.0)
    assert (sum(device.moved), device.naive) == (3 * BYTES, 3 * BYTES)


def test_read_only_reuse(device: FakeDevice) -> None:
    y, x = zeros(N), array(ONES)
    bound = device.bind(AXPY, y=y, x=x, a=1.0)
    for _ in range(1000):
        bound.run()
    holds(y, 1000.0)
    holds(x, 1.0)
    assert (sum(device.moved), device.naive) == (3 * BYTES, 3000 * BYTES)


def test_output_only(device: FakeDevice) -> None:
    y = empty(N)
    for value in range(5):
        device.launch(FILL, y=y, a=float(value))
    holds(y, 4.0)
    assert (sum(device.moved), device.naive) == (BYTES, 5 * BYTES)


def test_ping_pong(device: FakeDevice) -> None:
    """`b` is declared as changed, but the first launch overwrites it: nothing of it is copied in."""
    a, b = array(ONES), zeros(N)
    device.bind(PING_PONG, a=a, b=b, steps=4).run(2)
    holds(a, 2.0**16)
    assert (sum(device.moved), device.naive) == (2 * BYTES, 32 * BYTES)


def test_the_host_reads_one_element_each_step(device: FakeDevice) -> None:
    y, x = zeros(N), array(ONES)
    bound = device.bind(AXPY, y=y, x=x, a=1.0)
    for step in range(1, 51):
        bound.run()
        with y.read(rows=(7, 8)) as seen:
            assert seen.tolist() == [float(step)]
    assert (sum(device.moved), device.naive) == (2 * BYTES + 50 * 8, 150 * BYTES)


def test_the_host_changes_some_rows(device: FakeDevice) -> None:
    y, x = zeros(N), array(ONES)
    bound = device.bind(AXPY, y=y, x=x, a=1.0)
    for _ in range(10):
        with x.write(rows=(20, 30)) as v:
            v += 1.0
        bound.run()
    expected = np.full(N, 10.0)
    expected[20:30] = sum(range(2, 12))
    np.testing.assert_array_equal(y.numpy(), expected)
    # The first launch takes all of `x`; then ten rows go up each time, and the host has them already.
    assert (sum(device.moved), device.naive) == (2 * BYTES + 9 * 80 + BYTES, 30 * BYTES)


def test_a_branch_that_does_not_run_moves_nothing(device: FakeDevice) -> None:
    y, x, seldom = zeros(N), array(ONES), array(ONES)
    for count in range(5):
        device.launch(BRANCHES, y=y, x=x, seldom=seldom, count=count)
    assert seldom.places == {"host"} and device.moved == [BYTES] * 2
    device.launch(BRANCHES, y=y, x=x, seldom=seldom, count=6)
    holds(y, 7.0)
    assert (sum(device.moved), device.naive) == (4 * BYTES, 21 * BYTES)


def test_two_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one device computed goes to the other directly; what both only read, each gets once, from the host."""
    first, second = devices(2, monkeypatch)
    y, x = zeros(N), array(ONES)
    for device in (first, second, second, first):
        device.launch(AXPY, y=y, x=x, a=1.0)
    assert y.places == {"fake:0"} and x.places == {"host", "fake:0", "fake:1"}
    holds(y, 4.0)
    moved, naive = (sum(sum(d.moved) if i == 0 else d.naive for d in (first, second)) for i in (0, 1))
    assert (moved, naive) == (6 * BYTES, 12 * BYTES)


def test_prefetched_and_used(device: FakeDevice) -> None:
    y, x = zeros(N), array(ONES)
    x.prefetch(device.place).prefetch(device.place)
    y.prefetch(device.place)
    bound = device.bind(AXPY, y=y, x=x, a=1.0)
    bound.run()
    bound.run()
    y.to_host().to_host()
    holds(y, 2.0)
    assert (sum(device.moved), device.naive) == (3 * BYTES, 6 * BYTES)


def test_freed_early(device: FakeDevice) -> None:
    """What a launch still uses is given back when it is over; what nobody asks for never comes back."""
    y, x = zeros(N), array(ONES)
    device.launch(AXPY, y=y, x=x, a=1.0)
    assert device.is_busy
    x.free()
    assert not device.is_busy and device.bytes_alive == BYTES
    holds(y, 1.0)
    y.free()
    assert device.bytes_alive == 0
    assert (sum(device.moved), device.naive) == (3 * BYTES, 3 * BYTES)


# -- order ------------------------------------------------------------------------------------------------------------


def test_the_host_waits_before_it_changes_what_a_copy_still_reads(device: FakeDevice) -> None:
    y, x = zeros(N), array(ONES)
    bound = device.bind(AXPY, y=y, x=x, a=1.0)
    bound.run()
    assert device.is_busy
    with x.write() as v:
        v[:] = 10.0
    bound.run()
    holds(y, 11.0)


def test_a_freed_array_waits_even_if_it_only_fell_out_of_scope(device: FakeDevice) -> None:
    y = empty(N)
    device.launch(FILL, y=y, a=1.0)
    del y
    assert not device.is_busy and device.bytes_alive == 0


def test_waiting_is_for_the_own_launches_only(device: FakeDevice) -> None:
    """What was enqueued later goes on: a copy to the device overlaps with it, and so does freeing."""
    x, y, z = array(ONES), zeros(N), empty(N)
    device.launch(AXPY, y=y, x=x, a=1.0)
    done: list[int] = []
    device.enqueue(0, lambda: done.append(1))
    device.launch(FILL, y=z, a=2.0)
    x.free()
    y.to_host()
    with y.write() as v:
        v += 1.0
    y.prefetch(device.place)
    device.wait(device.copier)
    assert not done, "nothing waited for what came after the launch"
    holds(y, 2.0)
    holds(z, 2.0)
    assert done


def test_what_goes_back_and_forth_is_pinned_once(device: FakeDevice) -> None:
    x, y = array(ONES), zeros(N)
    for _ in range(4):
        with x.write() as v:
            v += 1.0
        x.prefetch(device.place)
    y.prefetch(device.place)
    assert device.pinned == [BYTES]


def test_memory_given_away_is_finished(device: FakeDevice) -> None:
    y = empty(N)
    device.launch(FILL, y=y, a=1.0)
    given = y.into_numpy()
    assert given.tolist() == [1.0] * N and device.bytes_alive == 0
    with pytest.raises(LaunchError, match=r"was given away at .*test_ownership.py:\d+"):
        y.numpy()


@pytest.mark.parametrize("scenario", [test_first_touch, test_read_only_reuse, test_ping_pong, test_prefetched_and_used])
def test_the_device_notices_what_nothing_waits_for(
    scenario: Callable[[FakeDevice], None], device: FakeDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scenarios are only as good as the device."""
    monkeypatch.setattr(memories.Copy, "use", lambda self, stream, access: None)
    with pytest.raises(AssertionError):
        scenario(device)


def test_a_launch_during_a_host_borrow(device: FakeDevice) -> None:
    y, x = zeros(N), array(ONES)
    bound = device.bind(AXPY, y=y, x=x, a=1.0)
    with y.read(), pytest.raises(LaunchError, match="the host borrows it with"):
        bound.run()
    with x.read() as v:
        bound.run()  # both only read `x`
        assert v.tolist() == [1.0] * N
    with x.write(rows=(0, 1)), pytest.raises(LaunchError, match="the host borrows it with"):
        bound.run()
    holds(y, 1.0)


def test_rows_that_are_not_there() -> None:
    a = zeros((4, 2))
    for rows in ((-1, 2), (0, 5), (3, 2)):
        with pytest.raises(LaunchError, match="KP0807"), a.read(rows):
            pass
    with a.write((1, 3)) as v:
        v[:] = 1.0
    assert a.numpy().tolist() == [[0.0] * 2, [1.0] * 2, [1.0] * 2, [0.0] * 2]
    half = empty(4)
    with half.write((0, 2)) as v:
        v[:] = 1.0
    with half.read((0, 2)) as v:
        assert v.tolist() == [1.0, 1.0]
    with pytest.raises(LaunchError, match="holds nothing yet"):
        half.numpy()


def test_scalars_and_empty_arrays_have_rows(device: FakeDevice) -> None:
    one, none = array(2.0), zeros(0)
    assert one.prefetch(device.place).places == {"host", device.place} and device.moved == [8]
    none.prefetch(device.place)
    assert none.numpy().size == 0 and device.moved == [8]
    with one.write() as v:
        v[...] = 3.0
    assert one.prefetch(device.place).numpy() == 3.0


# -- any order --------------------------------------------------------------------------------------------------------


class Model:
    """Which places have the newest version of each element, one by one."""

    def __init__(self, places: list[str]) -> None:
        self.places, self.values = places, np.ones(12)
        self.newest = [{"host"} for _ in range(12)]

    def borrow(self, place: str, rows: tuple[int, int], access: str) -> int:
        """Return the bytes that have to move."""
        missing = 0
        for r in range(*rows):
            missing += 8 * (access != "Out" and place not in self.newest[r])
            self.newest[r] = self.newest[r] | {place} if access == "Ref" else {place}
        return missing


@pytest.mark.parametrize("seed", range(30))
def test_any_order_moves_the_least_and_computes_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    made = devices(2, monkeypatch)
    owned, models = [array(np.ones(12)) for _ in range(3)], [Model([d.place for d in made]) for _ in range(3)]
    expected = 0
    for _ in range(40):
        one, other = chance.sample(range(3), 2)
        rows = sorted(chance.sample(range(13), 2))
        low, high = rows
        device: Any = chance.choice(made)
        match chance.choice(["axpy", "fill", "read", "write", "prefetch", "move"]):
            case "axpy":
                expected += models[other].borrow(device.place, (0, 12), "Ref")
                expected += models[one].borrow(device.place, (0, 12), "Mut")
                models[one].values += 0.5 * models[other].values
                device.launch(AXPY, y=owned[one], x=owned[other], a=0.5)
            case "fill":
                models[one].borrow(device.place, (0, 12), "Out")
                models[one].values[:] = 2.0
                device.launch(FILL, y=owned[one], a=2.0)
            case "read":
                expected += models[one].borrow("host", (low, high), "Ref")
                with owned[one].read((low, high)) as seen:
                    np.testing.assert_array_equal(seen, models[one].values[low:high])
            case "write":
                expected += models[one].borrow("host", (low, high), "Mut")
                models[one].values[low:high] *= 1.5
                with owned[one].write((low, high)) as view:
                    view *= 1.5
            case "prefetch":
                expected += models[one].borrow(device.place, (0, 12), "Ref")
                owned[one].prefetch(device.place)
            case "move":
                owned[one] = move(owned[one])
        assert sum(sum(d.moved) for d in made) == expected
    for array_, model in zip(owned, models, strict=True):
        np.testing.assert_array_equal(array_.numpy(), model.values)
