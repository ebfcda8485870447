"""Index arrays on every target: launches with good ones compute what NumPy does, all others are refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kparity.compiler import CompileError, Kernel, LaunchError, compile_program, freeze
from kparity.compiler.checks.proved import Tier

from ..sources import kernel
from .emulation import Emulator, Lent

Array = np.ndarray[Any, Any]
Launch = Callable[..., None]


@pytest.fixture(params=["cpu1", "cpu", "emulated"])
def launch(request: pytest.FixtureRequest) -> Launch:
    """`launch(kernel, a=array, ...)`, in place."""
    if request.param != "emulated":
        return lambda one, **arguments: compile_program(one, request.param).bind(arguments).run()
    gpu: Emulator = request.getfixturevalue("gpu")

    def run(one: Kernel, **arguments: Any) -> None:
        gpu.compile(one).bind({n: Lent(v) if isinstance(v, np.ndarray) else v for n, v in arguments.items()}).run()

    return run


def refused(launch: Launch, one: Kernel, **arguments: Any) -> str:
    """What a launch is refused with; nothing may have been written."""
    before = {n: v.copy() for n, v in arguments.items() if isinstance(v, np.ndarray)}
    try:
        launch(one, **arguments)
    except LaunchError as error:
        for name, value in before.items():
            np.testing.assert_array_equal(arguments[name], value)
        assert str(error).startswith("error[KP0806]") and "<text" in str(error)
        return str(error)
    return ""


ZONES = {
    type_: kernel(f"""
        def zones(div: Mut[f64, "n"], x: Ref[f64, "n"], list_: Ref[{type_}, "m"], jp: i64):
            for ii in parallel(m):
                z = list_[ii]
                div[z] = x[z] + x[z + 1] - x[jp + z]
        """)
    for type_ in ("i32", "i64")
}


def zone_lists(type_: str) -> list[list[int]]:
    """Lists for 12 nodes and jp = 3, good and bad in every way."""
    ends = [2**31 - 1, -(2**31)] if type_ == "i32" else [2**63 - 1, -(2**63), 2**63 - 2, 2**32]
    chooser = np.random.default_rng(1)
    good = [[], [0], [8], [0, 4, 8], [7, 2, 5, 0], list(range(9))]
    random = [chooser.integers(-1, 10, chooser.integers(1, 6)).tolist() for _ in range(20)]
    mixed = [chooser.permutation(9)[:5].tolist() for _ in range(10)]
    return [*good, [9], [-1], [3, 3], [0, 1, 2, 0], *([2, e] for e in ends), *random, *mixed]


@pytest.mark.parametrize("type_", ["i32", "i64"])
def test_zone_list(type_: str, launch: Launch) -> None:
    seen = {True: 0, False: 0}
    for zones in zone_lists(type_):
        list_ = np.array(zones, type_.replace("i", "int"))
        x, div = np.arange(12.0) ** 2, np.full(12, -1.0)
        is_good = all(0 <= z < 9 for z in zones) and len(set(zones)) == len(zones)
        seen[is_good] += 1
        message = refused(launch, ZONES[type_], div=div, x=x, list_=list_, jp=3)
        assert (not message) == is_good, (zones, message)
        if is_good:
            wanted = np.full(12, -1.0)
            wanted[list_] = x[list_] + x[list_ + 1] - x[list_ + 3]
            np.testing.assert_array_equal(div, wanted)
    assert min(seen.values()) >= 10


def test_what_a_refusal_says(launch: Launch) -> None:
    x = np.zeros(12)
    one, lists = ZONES["i64"], [np.array(v) for v in ([1, 5, 2, 5], [1, 10, 2])]
    meeting = refused(launch, one, div=x.copy(), x=x, list_=lists[0], jp=3)
    assert "two threads meet in div[5], one of them writing" in meeting
    assert "thread ii = 1 by list_[1]" in meeting and "thread ii = 3 by list_[3]" in meeting
    assert "remove the duplicates from `list_`" in meeting and ":5" in meeting
    outside = refused(launch, one, div=x.copy(), x=x, list_=lists[1], jp=3)
    assert "`x[jp + z]` reads x[13], but 0 <= index < 12" in outside and "thread ii = 1 by list_[1]" in outside


HALO = kernel("""
    def halo(var: Mut[f64, "v", "n"], list_: Ref[i64, "m"], buffer: Ref[f64, "v", "m"]):
        for k, ii in parallel(v, m):
            var[k, list_[ii]] = buffer[k, ii]
    """)


@pytest.mark.parametrize(("list_", "is_good"), [
    ([3, 0, 6], True), ([], True), ([3, 0, 3], False), ([7], False), ([-1], False), ([6, 5, 4, 3, 2, 1, 0], True),
])  # fmt: skip
def test_halo_list(list_: list[int], is_good: bool, launch: Launch) -> None:
    var, buffer, places = np.zeros((3, 7)), np.arange(3.0 * len(list_)).reshape(3, -1), np.array(list_, np.int64)
    wanted = var.copy()
    if is_good:
        wanted[:, places] = buffer
    assert (not refused(launch, HALO, var=var, list_=places, buffer=buffer)) == is_good
    np.testing.assert_array_equal(var, wanted)


def test_an_own_coordinate_falls_away() -> None:
    """The variable's index needs no mark: a shadow of one row, one thread an entry of the list."""
    (inspection,) = HALO.proved.inspections
    made = inspection.proved.kernel
    assert [v.name for v in made.body.indices] == ["ii"]
    assert [len(a.dims) for a in made.arrays if a.name == "kp.var"] == [1]


def test_a_coordinate_that_one_access_does_not_carry_stays(launch: Launch) -> None:
    """Each row reads the first one: only a single row is alone with it."""
    one = kernel("""
        def rows(y: Mut[f64, "k", "n"], list_: Ref[i32, "m"]):
            for g, ii in parallel(k, m):
                y[g, list_[ii]] = y[0, list_[ii]] + 1.0
        """)
    for rows in (1, 2):
        found = refused(launch, one, y=np.zeros((rows, 4)), list_=np.array([2, 0, 3], np.int32))
        assert bool(found) == (rows > 1)


def test_no_threads_means_no_inspection(launch: Launch) -> None:
    launch(HALO, var=np.zeros((0, 7)), list_=np.array([9, 9]), buffer=np.zeros((0, 2)))


NESTED = kernel("""
    def nested(y: Mut[f64, "n"], a: Ref[i32, "p"], b: Ref[i64, "m"]):
        for i in parallel(m):
            y[a[b[i]]] += 1.0
    """)
IN_PLACE = kernel("""
    def in_place(y: Mut[f64, "n"], q: Ref[i32, "n"]):
        for i in parallel(n):
            if q[i] >= 0:
                y[q[i]] = y[i] + 1.0
    """)
ROWS = kernel("""
    def rows(y: Mut[f64, "n"], start: Ref[i64, "n + 1"], column: Ref[i32, "nonzeros"], x: Ref[f64, "m"]):
        for i in parallel(n):
            s = 0.0
            for j in range(start[i], start[i + 1]):
                s += x[column[j]]
            y[i] = s
    """)
COUNTED = kernel("""
    def counted(y: Mut[f64, "n"], length: Ref[i32, "m"], x: Ref[f64, "m", 3]):
        for i in parallel(m):
            first = 0
            for j in range(i):
                first += i64(length[j])
            for j in range(length[i]):
                y[first + j] = x[i, j]
    """)


def test_nested_lists(launch: Launch) -> None:
    chooser = np.random.default_rng(2)
    seen = {True: 0, False: 0}
    for _ in range(40):
        a, b = chooser.permutation(7).astype(np.int32)[:6] - chooser.integers(2), chooser.integers(0, 8, 3)
        a, b = a.astype(np.int32), b - chooser.integers(2)
        is_good = all(0 <= i < 6 for i in b) and all(0 <= a[i] < 6 for i in b) and len({*a[b % 6]}) == 3
        seen[is_good] += 1
        y = np.zeros(6)
        assert (not refused(launch, NESTED, y=y, a=a, b=b)) == is_good, (a, b)
        assert y.sum() == 3.0 * is_good
    assert min(seen.values()) >= 3


def test_readers_look_for_the_marks_of_others(launch: Launch) -> None:
    chooser = np.random.default_rng(3)
    seen = {True: 0, False: 0}
    lists = [*(chooser.integers(-2, 5, 4) for _ in range(40)), [0, 1, 2, 3], [-1, -1, -1, -1], [0, -1, 2, -5]]
    for q in lists:
        # Reading `y[i]` happens only where `q[i]` is not negative, so only those threads can be disturbed.
        active = [i for i in range(4) if q[i] >= 0]
        is_good = all(q[i] < 4 for i in active) and all(q[i] != j for i in active for j in active if i != j)
        is_good = is_good and len({q[i] for i in active}) == len(active)
        seen[is_good] += 1
        assert (not refused(launch, IN_PLACE, y=np.zeros(4), q=np.array(q, np.int32))) == is_good, q
    assert min(seen.values()) >= 3


@pytest.mark.parametrize(("start", "column", "is_good"), [
    ([0, 2, 2, 5], [0, 3, 1, 2, 0], True),
    ([0, 2, 2, 6], [0, 3, 1, 2, 0], False),
    ([0, 2, 2, 5], [0, 4, 1, 2, 0], False),
    ([1, 3, 2, 4], [9, 3, 1, 2, 9], True),
    ([-1, 2, 2, 5], [0, 3, 1, 2, 0], False),
])  # fmt: skip
def test_rows_of_a_sparse_matrix(start: list[int], column: list[int], is_good: bool, launch: Launch) -> None:
    x, y = np.array([1.0, 10.0, 100.0, 1000.0]), np.full(3, -1.0)
    arguments = {"y": y, "start": np.array(start), "column": np.array(column, np.int32), "x": x}
    assert (not refused(launch, ROWS, **arguments)) == is_good
    if is_good:
        assert y.tolist() == [sum(x[c] for c in column[a:b]) for a, b in itertools.pairwise(start)]


@pytest.mark.parametrize(("length", "is_good"), [([2, 0, 3], True), ([3, 3, 3], False), ([2, -1, 3], False)])
def test_places_that_are_summed_up(length: list[int], is_good: bool, launch: Launch) -> None:
    """What a loop carries from iteration to iteration is computed again; threads that overlap are found."""
    y, x = np.zeros(6), np.arange(1.0, 10.0).reshape(3, 3)
    assert (not refused(launch, COUNTED, y=y, length=np.array(length, np.int32), x=x)) == is_good
    if is_good:
        assert y.tolist() == [1.0, 2.0, 7.0, 8.0, 9.0, 0.0]


FIRST_FREE = kernel("""
    def first_free(y: Mut[f64, "n"], wish: Ref[i32, "m", 3], taken: Ref[i32, "n"]):
        for i in parallel(m):
            k = i64(wish[i, 0])
            for j in range(3):
                if wish[i, j] < 0:
                    continue
                k = i64(wish[i, j])
                if taken[k] == 0:
                    break
            y[k] = 1.0
    """)


def test_an_index_that_a_while_loop_finds_is_refused() -> None:
    """Where the kernel would not go, such a loop need not end, so it is in no slice."""
    chains = kernel("""
        def chains(y: Mut[f64, "n"], start: Ref[i64, "m"], next_: Ref[i32, "n"]):
            for i in parallel(m):
                k = start[i]
                while 0 <= k and k < n and next_[k] >= 0:
                    k = i64(next_[k])
                if 0 <= k and k < n:
                    y[k] = 1.0
        """)
    with pytest.raises(CompileError) as caught:
        assert chains.proved
    assert [d.code for d in caught.value.diagnostics] == ["KP0402"]


@pytest.mark.parametrize(("wish", "taken", "is_good"), [
    ([[0, 1, 2], [0, 1, 2]], [0, 0, 0], False),
    ([[0, 1, 2], [1, 2, 0]], [0, 0, 0], True),
    ([[0, 1, 2], [-1, 1, 2]], [1, 1, 0], False),
    ([[0, 9, 9], [-1, 1, 9]], [0, 0, 0], True),
    ([[1, -1, 9], [0, 9, 9]], [0, 1, 0], False),
])  # fmt: skip
def test_loops_that_end_early(wish: list[list[int]], taken: list[int], is_good: bool, launch: Launch) -> None:
    arguments = {"y": np.zeros(3), "wish": np.array(wish, np.int32), "taken": np.array(taken, np.int32)}
    message = refused(launch, FIRST_FREE, **arguments)
    assert (not message) == is_good, message
    assert arguments["y"].sum() == 2.0 * is_good


def test_a_loop_that_data_end_is_not_run_for_ever(launch: Launch) -> None:
    one = kernel("""
        def searched(y: Mut[f64, "n"], d: Ref[f64, "n"], q: Ref[i32, "n"]):
            for i in parallel(n):
                while q[i] >= 0:
                    if d[i] > 0.0:
                        y[q[i]] = 1.0
                        break
        """)
    y = np.zeros(3)
    assert not refused(launch, one, y=y, d=np.ones(3), q=np.array([1, 0, 2], np.int32))
    assert y.tolist() == [1.0, 1.0, 1.0]
    assert "meet in y[1]" in refused(launch, one, y=y, d=np.ones(3), q=np.array([1, 1, 2], np.int32))


def test_what_a_broken_list_counts_is_not_counted_out(launch: Launch) -> None:
    """The first fault of a thread ends its loops: this one would take years."""
    arguments = {"y": np.zeros(1), "start": np.array([0, 2**62]), "column": np.zeros(2, np.int32), "x": np.zeros(1)}
    assert "reads column[2]" in refused(launch, ROWS, **arguments)


def test_a_slice_is_safe_where_a_condition_is_left_out(launch: Launch) -> None:
    """Both sides are taken, so loads and divisions of the side that the kernel would not take must do no harm."""
    require = kernel("""
        def require_(y: Mut[f64, "n"], d: Ref[f64, "n"], q: Ref[i32, "n"]):
            for i in parallel(n):
                if d[i] > 0.0 and i + 1 < n:
                    if q[i + 1] > 0:
                        y[i64(q[i]) // i64(q[i + 1])] = 1.0
        """)
    for q in ([0, 0, 0, 0], [0, 2, 4, 6], [5, 1, 0, 1], [0, 1, 2, 0]):
        y, d = np.zeros(4), np.array([1.0, -1.0, -1.0, -1.0])
        pairs = [q[i] // q[i + 1] for i in range(3) if q[i + 1] > 0]  # whatever `d` holds
        is_good = len(set(pairs)) == len(pairs) and all(0 <= k < 4 for k in pairs)
        assert (not refused(launch, require, y=y, d=d, q=np.array(q, np.int32))) == is_good, q


def test_evidence_names_the_tier() -> None:
    evidence = {(e.obligation, e.access): e for e in ZONES["i32"].proved.evidence}
    for key in (("bounds", "x[z]"), ("bounds", "div[z]"), ("overflow", "z + 1"), ("race", "div[z] / div[z]")):
        assert evidence[key].tier is Tier.INSPECTED and "inspected" in evidence[key].detail
    assert evidence["bounds", "list_[ii]"].tier is Tier.STATIC
    assert "div" in ZONES["i32"].proved.unaliased


def test_a_frozen_list_is_inspected_once(launch: Launch) -> None:
    one, x = ZONES["i32"], np.arange(12.0)
    compiled = compile_program(one, "cpu1")
    bound = compiled.bind(
        {"div": np.zeros(12), "x": x, "list_": (frozen := freeze(np.array([1, 3], np.int32))), "jp": 3}
    )
    spent = bound.inspection_seconds
    assert spent > 0.0
    bound.run(3)
    again = compiled.bind({"div": np.zeros(12), "x": x, "list_": frozen, "jp": 3})
    again.run()
    assert bound.inspection_seconds == spent and again.inspection_seconds == 0.0
    other = compiled.bind({"div": np.zeros(12), "x": x, "list_": frozen, "jp": 4})
    assert other.inspection_seconds > 0.0, "another scalar, another verdict"
    launch(one, div=np.zeros(12), x=x, list_=frozen, jp=3)
    with pytest.raises(LaunchError, match=r"x\[12\]"):
        launch(one, div=np.zeros(12), x=x, list_=frozen, jp=9)


def test_a_foreign_list_is_inspected_at_each_launch() -> None:
    list_ = np.array([1, 3], np.int32)
    bound = compile_program(ZONES["i32"], "cpu1").bind(
        {"div": np.zeros(12), "x": np.zeros(12), "list_": list_, "jp": 3}
    )
    assert bound.inspection_seconds == 0.0
    bound.run()
    list_[0] = 3
    with pytest.raises(LaunchError, match="two threads meet"):
        bound.run()
    list_[0] = 0
    bound.run()


ONE_OF_A_ROW = kernel("""
    def one_of_a_row(y: Mut[f64, "n"], q: Ref[i64, "n", "m"]):
        for i, j in parallel(n, m):
            if q[i, j] == 1:
                y[i] = 1.0
    """)


@pytest.mark.parametrize(("row", "is_good"), [([0, 1, 0], True), ([0, 0, 0], True), ([1, 0, 1], False)])
def test_an_own_coordinate_is_kept_where_a_shadow_would_have_none(
    row: list[int], is_good: bool, launch: Launch
) -> None:
    y, q = np.zeros(2), np.array([row, [0, 1, 0]])
    message = refused(launch, ONE_OF_A_ROW, y=y, q=q)
    assert (not message) == is_good
    if is_good:
        np.testing.assert_array_equal(y, q.sum(axis=1))


def teams(body: str) -> Kernel:
    return kernel(f"""
        def scattered(
            y: Mut[f64, "m"], start: Ref[i32, "k + 1"], to: Ref[i32, "n"], other: Ref[i32, "n"], z: Mut[f64, "k"]
        ):
            for b in teams(k):
                for t in threads(4):
                    for j in range(start[b] + t, start[b + 1], 4):
                        {body}
        """)


@pytest.mark.parametrize(
    ("to", "meeting"),
    [
        ([9, 4, 7, 1, 0, 2, 3, 5], ""),
        ([9, 4, 7, 1, 0, 2, 9, 5], "two teams meet in y[9]"),  # elements 0 and 6: of teams 0 and 1
        ([9, 4, 9, 1, 0, 2, 3, 5], "two threads meet in y[9]"),  # of threads 0 and 2 of team 0
        ([9, 4, 7, 1, 9, 2, 3, 5], ""),  # of one thread
    ],
)
def test_teams_are_compared_with_teams(to: list[int], meeting: str, launch: Launch) -> None:
    start, to_ = np.array([0, 5, 5, 8], "int32"), np.array(to, "int32")
    y = np.zeros(10)
    message = refused(
        launch, teams("y[to[j]] += f64(j + 1)"), y=y, start=start, to=to_, other=to_, z=np.zeros(3)
    )  # fmt: skip
    assert meeting in message and bool(meeting) == bool(message)
    if meeting:
        places = [place for place, element in enumerate(to) if element == 9]
        assert f"`to` holds 9 at [{places[0]}] and [{places[1]}]" in message
    else:
        wanted = np.zeros(10)
        np.add.at(wanted, to_, np.arange(1.0, 9.0))
        np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize(
    ("other", "meeting"),
    [
        ([8, 8, 8, 8, 8, 8, 8, 8], ""),  # nobody writes it
        ([9, 4, 7, 1, 0, 2, 3, 5], ""),  # each reads what it writes itself
        ([8, 8, 8, 8, 8, 9, 8, 8], "two teams meet in y[9]"),
        ([4, 8, 8, 8, 8, 8, 8, 8], "two threads meet in y[4]"),
    ],
)
def test_teams_look_for_the_marks_of_others(other: list[int], meeting: str, launch: Launch) -> None:
    start, to = np.array([0, 5, 5, 8], "int32"), np.array([9, 4, 7, 1, 0, 2, 3, 5], "int32")
    message = refused(
        launch, teams("y[to[j]] = y[other[j]]"), y=np.zeros(10), start=start, to=to, other=np.array(other, "int32"),
        z=np.zeros(3),
    )  # fmt: skip
    assert meeting in message and bool(meeting) == bool(message)
