"""Arrays that kparity owns: borrows, moves, transfers to and from an emulated GPU, verdicts that follow versions."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

from kparity.compiler import (
    LaunchError,
    OwnedArray,
    alive,
    array,
    compile_program,
    empty,
    f32,
    freeze,
    i64,
    move,
    zeros,
)

from ..sources import kernel, program
from .emulation import Emulator, Lent

pytestmark = pytest.mark.usefixtures("nothing_stays_alive")

AXPY = kernel("""
    def axpy(y: Mut[f64, "n"], x: Ref[f64, "n"], a: f64):
        for i in parallel(n):
            y[i] += a * x[i]
    """)
SCATTER = kernel("""
    def scatter(y: Mut[f64, "n"], where: Ref[i64, "m"]):
        for i in parallel(m):
            y[where[i]] = 1.0
    """)
FILL = kernel("""
    def fill(y: Out[f64, "n"], a: f64):
        for i in parallel(n):
            y[i] = a
    """)


def refusal(call: Any, *texts: str) -> None:
    with pytest.raises(LaunchError) as caught:
        call()
    for text in ("error[", *texts):
        assert text in str(caught.value)


def test_making_and_reading() -> None:
    assert zeros((2, 3), f32).numpy().tolist() == [[0.0] * 3] * 2 and zeros(4, i64).dtype == np.int64
    made = array([[1, 2], [3, 4]], "i32")
    assert (made.shape, made.dtype, made.version) == ((2, 2), np.dtype("int32"), 1)
    with made.read() as one, made.read() as two:
        assert one.tolist() == two.tolist() == [[1, 2], [3, 4]]
        with pytest.raises(ValueError, match="read-only"):
            one[0, 0] = 5
    assert made.version == 1 and array(made).numpy().tolist() == [[1, 2], [3, 4]]
    assert made.memory("made", "host").ctypes.data % 64 == 0


def test_host_borrows_exclude_each_other() -> None:
    a = zeros(3)
    with a.write() as view:
        view[:] = 2.0
        refusal(lambda: a.numpy(), "KP0807", "the host borrows it with `.write()`")
        refusal(lambda: AXPY(a, np.ones(3), 1.0), "KP0807", "`y` is needed as `Mut`")
        refusal(lambda: move(a), "KP0807")
    assert a.version == 2 and not view.flags.writeable
    with a.read():
        refusal(lambda: AXPY(a, np.ones(3), 1.0), "KP0807", "the host borrows it with `.read()`")
        AXPY(np.ones(3), a, 1.0)
        with pytest.raises(LaunchError, match="KP0807"), a.write():
            pass
        refusal(a.free, "KP0807")
    AXPY(a, np.ones(3), 1.0)
    assert a.numpy().tolist() == [3.0] * 3 and a.version == 3


def test_an_error_inside_a_borrow_ends_it() -> None:
    a = zeros(2)
    with pytest.raises(ZeroDivisionError), a.write() as view:
        view[0] = 1 // 0
    assert a.numpy().tolist() == [0.0, 0.0] and a.version == 2


def test_moved_and_freed() -> None:
    a = array([1.0, 2.0])
    b = move(a)
    refusal(lambda: AXPY(np.ones(2), a, 1.0), "KP0807", "`x` is used, but was moved at", "test_owned_arrays.py:")
    refusal(a.numpy, "was moved at")
    assert b.numpy().tolist() == [1.0, 2.0]
    bound = compile_program(AXPY, "cpu1").bind({"y": np.ones(2), "x": b, "a": 1.0})
    b.free()
    refusal(bound.run, "`x` is used, but was freed at", "test_owned_arrays.py:")
    with pytest.raises(LaunchError, match="only owned arrays move"):
        move(np.ones(2))  # type: ignore[arg-type]


def test_nothing_is_read_before_it_is_written() -> None:
    y = empty(3)
    refusal(lambda: AXPY(y, np.ones(3), 1.0), "KP0807", "`y` is needed as `Mut`, but holds nothing yet")
    refusal(y.numpy, "holds nothing yet")
    FILL(y, 2.5)
    AXPY(y, np.ones(3), 1.0)
    assert y.numpy().tolist() == [3.5] * 3


def test_one_array_twice_is_still_refused() -> None:
    a = zeros(3)
    refusal(lambda: AXPY(a, a, 1.0), "KP0803")
    refusal(lambda: AXPY(freeze(a), a, 1.0), "KP0804", "`y` is read-only")


def test_frozen_arrays_are_copies_that_never_change() -> None:
    source = np.arange(3.0)
    frozen = freeze(source)
    source[:] = 9.0
    assert frozen.numpy().tolist() == [0.0, 1.0, 2.0]
    refusal(lambda: frozen.write().__enter__(), "KP0804", "read-only")
    assert frozen.version == 1


@pytest.mark.parametrize("target", ["cpu1", "emulated"])
def test_a_verdict_follows_the_version(target: str, request: pytest.FixtureRequest) -> None:
    """A host write between two launches makes a new inspection; nothing else does."""
    compiled: Any = compile_program(SCATTER, "cpu1") if target == "cpu1" else None
    y: Any = np.zeros(6)
    if target == "emulated":
        compiled, y = request.getfixturevalue("gpu").compile(SCATTER), Lent(y)
    where = array([0, 4, 2])
    bound = compiled.bind({"y": y, "where": where})
    spent = bound.inspection_seconds
    assert spent > 0.0
    bound.run()
    where.numpy()
    bound.run(5)
    assert bound.inspection_seconds == spent
    with where.write() as view:
        view[1] = 2
    refusal(bound.run, "KP0806", "two threads meet in y[2]")
    with where.write() as view:
        view[1] = 5
    bound.run()
    assert bound.inspection_seconds > spent
    with where.write() as view:
        view[0] = 6
    refusal(lambda: compiled.bind({"y": y, "where": where}), "KP0806", "writes y[6], but 0 <= index < 6")


def test_a_kernel_makes_a_new_version() -> None:
    number = kernel("""
        def number(where: Mut[i64, "m"], by: i64):
            for i in parallel(m):
                where[i] = i * by
        """)
    where, y = zeros(3, i64), np.zeros(6)
    number(where, 2)
    SCATTER(y, where)
    number(where, 0)
    refusal(lambda: SCATTER(y, where), "KP0806", "two threads meet in y[0]")
    number(where, 3)
    refusal(lambda: SCATTER(y, where), "KP0806", "y[6]")
    assert y.tolist() == [1.0, 0.0] * 3


def test_a_moved_list_keeps_its_verdict() -> None:
    compiled = compile_program(SCATTER, "cpu1")
    first = array([0, 1])
    compiled.bind({"y": np.zeros(2), "where": first}).run()
    assert compiled.bind({"y": np.zeros(2), "where": move(first)}).inspection_seconds == 0.0


# -- transfers ------------------------------------------------------------------------------------------------------


def test_a_launch_moves_what_it_needs(gpu: Emulator) -> None:
    y, x = array([1.0, 2.0, 3.0]), array([10.0, 20.0, 30.0])
    bound = gpu.compile(AXPY).bind({"y": y, "x": x, "a": 2.0})
    assert places(y) == places(x) == {"host"}, "binding alone moves nothing"
    bound.run()
    assert places(y) == {"gpu"} and places(x) == {"host", "gpu"}
    bound.run()
    assert y.numpy().tolist() == [41.0, 82.0, 123.0]
    assert places(y) == {"host", "gpu"}
    with x.write() as view:
        view[:] = 0.5
    assert places(x) == {"host"}
    bound.run()
    assert y.numpy().tolist() == [42.0, 83.0, 124.0]


def test_out_needs_no_copy(gpu: Emulator) -> None:
    y = empty(4)
    gpu.compile(FILL).bind({"y": y, "a": 1.5}).run()
    assert places(y) == {"gpu"} and y.numpy().tolist() == [1.5] * 4


def test_explicit_and_synthesised_transfers_are_one(gpu: Emulator) -> None:
    x = array([1.0, 2.0]).to_device().to_device()
    y = zeros(2).prefetch("cuda")
    bound = gpu.compile(AXPY).bind({"y": y, "x": x, "a": 1.0})
    bound.run()
    bound.run()
    assert gpu.moved == [16, 16]
    assert y.to_host().numpy().tolist() == [2.0, 4.0] and x.numpy().tolist() == [1.0, 2.0]
    assert gpu.moved == [16, 16, 16]


def test_an_array_of_the_gpu_is_copied_there(gpu: Emulator) -> None:
    del gpu
    frozen = freeze(Lent(np.arange(3.0)))
    assert places(frozen) == {"gpu"} and frozen.numpy().tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("kept", [lambda v: v[:], memoryview])
def test_what_outlives_a_host_borrow_changes_no_inspected_list(kept: Any) -> None:
    y, at = zeros(4), array([0, 1, 2], i64)
    with at.write() as v:
        v[2] = 3
        alive = kept(v)
    SCATTER(y, at)
    np.asarray(alive)[1] = 0  # would make two threads meet, and no new version
    SCATTER(y, at)
    assert at.numpy().tolist() == [0, 1, 3] and y.numpy().tolist() == [1.0, 1.0, 0.0, 1.0]


@pytest.mark.cuda
def test_pinned_memory_is_given_back_with_its_last_view() -> None:
    x = zeros(1 << 18)
    for value in range(5):
        with x.write() as v:
            v[:] = value
        x.to_device()
    given = x.into_numpy()[7:9]
    assert given.tolist() == [4.0, 4.0]
    del x
    y = zeros(1 << 18)  # may well lie at the same place
    for value in range(5):
        with y.write() as v:
            v[:] = value
        y.to_device()
    assert y.numpy().min() == 4.0 and given.tolist() == [4.0, 4.0]


@pytest.mark.cuda
def test_a_frozen_copy_is_finished_before_its_source_may_go() -> None:
    import cupy

    stream = cupy.cuda.Stream(non_blocking=True)
    busy = cupy.ones((4096, 4096))
    for _ in range(20):
        with stream:
            source = cupy.arange(8)
        stream.synchronize()
        busy @ busy  # the copy has to wait behind this
        frozen = freeze(source)
        del source  # its memory is the next array's
        with stream:
            other = cupy.full(8, -1)
        stream.synchronize()
        assert frozen.numpy().tolist() == list(range(8)) and other.size == 8


@pytest.mark.cuda
def test_memory_that_a_launch_uses_is_not_handed_on() -> None:
    import cupy

    stream = cupy.cuda.Stream(non_blocking=True)
    bound = compile_program(FILL, "cuda")
    for _ in range(20):
        y = empty(1 << 22)
        bound.bind({"y": y, "a": 1.0}).run(200, stream=stream.ptr)
        del y
        other = cupy.full(1 << 22, 2.0)  # from the pool of the stream that `y` was allocated on
        stream.synchronize()
        assert float(other.min()) == 2.0


def test_a_bound_program_lets_go_at_once(gpu: Emulator) -> None:
    y, x = array([1.0, 2.0]).to_device(), array([3.0, 4.0])
    gpu.compile(AXPY).bind({"y": y, "x": x, "a": 1.0}).run()
    assert [one.array for one in alive()] == ["float64[2]"] * 2
    del y, x
    assert not alive()


def test_a_call_made_again_borrows_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but the borrows is looked at; what was found of the arrays' form holds."""
    from kparity.compiler import launch

    y, x = array([0.0, 0.0]), array([1.0, 2.0])
    AXPY(y, x, 2.0)
    monkeypatch.setattr(launch, "_bound", None)  # binding again would fail
    AXPY(y, x, 2.0)
    assert y.numpy().tolist() == [4.0, 8.0] and y.version == 3
    with y.read():
        refusal(lambda: AXPY(y, x, 2.0), "KP0807", "`y` is needed as `Mut`")
    z = move(y)
    AXPY(z, x, 2.0)
    refusal(lambda: AXPY(y, x, 2.0), "`y` is used, but was moved at")
    assert z.numpy().tolist() == [6.0, 12.0]
    x.free()
    refusal(lambda: AXPY(z, x, 2.0), "`x` is used, but was freed at")


def test_a_call_made_again_keeps_no_array() -> None:
    y, x = array([0.0, 0.0]), array([1.0, 2.0])
    AXPY(y, x, 1.0)
    AXPY(y, x, 1.0)
    gone = [weakref.ref(one) for one in (x, y)]
    del y, x
    assert [one() for one in gone] == [None, None]


def test_scratch_memory_is_there_until_the_launch_is_over(gpu: Emulator) -> None:
    add = kernel("""
        def add(total: Sum[f64], x: Ref[f64, "n"]):
            for i in parallel(n):
                total += x[i]
        """)
    total, x = zeros(1), array([1.0, 2.0])
    bound = gpu.compile(add).bind({"total": total, "x": x})
    bound.run()
    gpu.waited.clear()
    del bound
    assert gpu.waited == []
    bound = gpu.compile(add).bind({"total": total, "x": x})
    bound.run(stream=7)
    gpu.waited.clear()
    del bound
    assert gpu.waited == [7] and total.numpy().tolist() == [6.0]


def test_both_targets_share_an_array(gpu: Emulator) -> None:
    y, x = array([0.0, 0.0]), array([1.0, 2.0])
    on_gpu = gpu.compile(AXPY).bind({"y": y, "x": x, "a": 1.0})
    on_cpu = compile_program(AXPY, "cpu1").bind({"y": y, "x": x, "a": 10.0})
    for bound in (on_gpu, on_cpu, on_gpu, on_cpu):
        bound.run()
    assert y.numpy().tolist() == [22.0, 44.0] and y.version == 5


def test_programs_borrow_owned_arrays() -> None:
    both = program("""
        @kernel
        def fill(y: Out[f64, "n"], a: f64):
            for i in parallel(n):
                y[i] = a

        @kernel
        def add(total: Sum[f64], y: Ref[f64, "n"]):
            for i in parallel(n):
                total += y[i]

        @program
        def both(y: Out[f64, "n"], total: Sum[f64], a: f64):
            fill(y, a)
            total.fill(0.0)
            add(total, y)
            total.get()
        """)
    y, total = empty(4), zeros(1)
    assert both(y, total, 2.0) == 8.0 and y.numpy().tolist() == [2.0] * 4 and total.numpy().tolist() == [8.0]


def places(owned: OwnedArray) -> set[str]:
    return {place.partition(":")[0] for place in owned.places}
