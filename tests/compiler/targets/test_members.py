"""Packs whose members differ in any dim: passed whole, member by member, and as index lists, on every target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kparity.compiler import CompileError, LaunchError, Program, compile_program

from ..interpreter import each, interpret
from ..sources import kernel, module, program
from .emulation import Emulator, Lent

Launch = Callable[..., None]
LENGTHS, CELLS = (3, 1, 0, 7, 4), 40


@pytest.fixture(params=["cpu1", "cpu", "emulated"])
def launch(request: pytest.FixtureRequest) -> Launch:
    """`launch(program, a=array, ...)`, in place."""
    if request.param != "emulated":
        return lambda one, **arguments: compile_program(one, request.param).bind(arguments).run()
    gpu: Emulator = request.getfixturevalue("gpu")
    return lambda one, **arguments: gpu.compile(one).bind({n: each(Lent, v) for n, v in arguments.items()}).run()


PROGRAMS = module("""
    L, V = 5, 3


    @kernel
    def pack(buffer: Mut[f64, V, "n"], list_: Ref[i32, "n"], var: Ref[f64, "m"], v: i64):
        for k in parallel(n):
            buffer[v, k] = var[list_[k]]


    @kernel
    def unpack(buffer: Ref[f64, V, "n"], list_: Ref[i32, "n"], var: Mut[f64, "m"], v: i64):
        for k in parallel(n):
            var[list_[k]] = buffer[v, k]


    @program
    def one_by_one(
        variables: Pack[Mut[f64, "m"], V], packs: Pack[Ref[i32, "n[]"], L], unpacks: Pack[Ref[i32, "n[]"], L],
        send: Pack[Mut[f64, V, "n[]"], L], recv: Pack[Ref[f64, V, "n[]"], L], last: i64
    ):
        for l in range(last):
            for v in range(V):
                pack(send[l], packs[l], variables[v], v)
        for l in range(last):
            for v in range(V):
                unpack(recv[l], unpacks[l], variables[v], v)


    @kernel
    def pack_all(
        send: Pack[Mut[f64, V, "n[]"], L], packs: Pack[Ref[i32, "n[]"], L], variables: Pack[Ref[f64, "m"], V],
        longest: i64
    ):
        for l, v, k in parallel(L, V, longest):
            if k < n[l]:
                send[l][v, k] = variables[v][packs[l][k]]


    @kernel
    def unpack_all(
        recv: Pack[Ref[f64, V, "n[]"], L], unpacks: Pack[Ref[i32, "n[]"], L], variables: Pack[Mut[f64, "m"], V],
        longest: i64
    ):
        for l, v, k in parallel(L, V, longest):
            if k < n[l]:
                variables[v][unpacks[l][k]] = recv[l][v, k]


    @program
    def fused(
        variables: Pack[Mut[f64, "m"], V], packs: Pack[Ref[i32, "n[]"], L], unpacks: Pack[Ref[i32, "n[]"], L],
        send: Pack[Mut[f64, V, "n[]"], L], recv: Pack[Ref[f64, V, "n[]"], L], last: i64
    ):
        pack_all(send, packs, variables, last + 2)
        unpack_all(recv, unpacks, variables, last + 2)
    """)  # fmt: skip
HALO = [PROGRAMS["one_by_one"], PROGRAMS["fused"]]
by_name = pytest.mark.parametrize("one", HALO, ids=lambda one: one.name)


def halo(seed: int = 1) -> dict[str, Any]:
    chooser = np.random.default_rng(seed)
    places, at = chooser.permutation(CELLS).astype(np.int32), np.cumsum([0, *LENGTHS])
    return {
        "variables": [chooser.random(CELLS) for _ in range(3)],
        "packs": [chooser.integers(0, CELLS, n).astype(np.int32) for n in LENGTHS],
        "unpacks": [places[first : first + n].copy() for first, n in zip(at, LENGTHS, strict=False)],
        "send": [np.full((3, n), np.nan) for n in LENGTHS],
        "recv": [chooser.random((3, n)) for n in LENGTHS],
        "last": 5,
    }


@by_name
def test_packs_as_lists_and_buffers(one: Program, launch: Launch) -> None:
    given, wanted = halo(), halo()
    for send, places in zip(wanted["send"], wanted["packs"], strict=True):
        send[:] = np.stack(wanted["variables"])[:, places]
    for recv, places in zip(wanted["recv"], wanted["unpacks"], strict=True):
        for variable, values in zip(wanted["variables"], recv, strict=True):
            variable[places] = values
    launch(one, **given)
    meaning = interpret(one, halo())
    for name, members in wanted.items():
        for number, member in enumerate(members if isinstance(members, list) else []):
            np.testing.assert_array_equal(given[name][number], member, f"{name}[{number}]")
            np.testing.assert_array_equal(meaning[name][number], member, f"{name}[{number}]")


@by_name
def test_members_that_meet_are_refused(one: Program, launch: Launch) -> None:
    given = halo()
    given["unpacks"][3][6] = given["unpacks"][3][2]
    before = [np.copy(v) for v in given["variables"]]
    with pytest.raises(LaunchError, match=r"KP0806.*two threads meet"):
        launch(one, **given)
    for held, variable in zip(before, given["variables"], strict=True):
        np.testing.assert_array_equal(variable, held)


def test_lists_of_one_launch_must_be_disjoint(launch: Launch) -> None:
    """One after the other they need not be."""
    fused, one_by_one = halo(), halo()
    for given in (fused, one_by_one):
        given["unpacks"][1][0] = given["unpacks"][0][2]
    launch(HALO[0], **one_by_one)
    with pytest.raises(LaunchError, match=r"two threads meet in variables\[v, \d+\]") as refusal:
        launch(HALO[1], **fused)
    assert "l = 0, k = 2" in str(refusal.value) and "l = 1, k = 0" in str(refusal.value)


@by_name
@pytest.mark.parametrize("index", [CELLS, -1, 2**31 - 1])
def test_an_entry_outside_is_refused(one: Program, index: int, launch: Launch) -> None:
    given = halo()
    given["packs"][4][1] = index
    with pytest.raises(LaunchError, match=rf"KP0806.*\[.*{index}\], but 0 <= index < {CELLS}"):
        launch(one, **given)


def test_a_number_without_a_member_is_refused(launch: Launch) -> None:
    with pytest.raises(LaunchError, match=r"`send\[l\]`, an argument of `pack`, is member 5 of `send`, which has 5"):
        launch(HALO[0], **{**halo(), "last": 6})


@by_name
def test_members_must_not_overlap(one: Program, launch: Launch) -> None:
    given = halo()
    given["variables"][1] = given["variables"][0]
    with pytest.raises(LaunchError, match=r"`variables\[0\]` and `variables\[1\]` overlap"):
        launch(one, **given)


def test_lengths_agree(launch: Launch) -> None:
    given = halo()
    given["recv"][2] = np.zeros((3, 2))
    with pytest.raises(LaunchError, match=r"`recv\[2\]`.*n\[2\]"):
        launch(HALO[1], **given)


ROWS = kernel("""
    def rows(y: Pack[Mut[f64, 2, "n[]", 3], 3], longest: i64):
        for i, j, k in parallel(3, longest, 3):
            if j < n[i]:
                y[i][0, j, k] = f64(100 * i + 10 * j + k)
                y[i][1, j, k] = -y[i][0, j, k]
    """)


def test_a_dim_in_the_middle(launch: Launch) -> None:
    given = [np.zeros((2, n, 3)) for n in (2, 0, 5)]
    launch(ROWS, y=given, longest=9)
    for i, member in enumerate(given):
        wanted = 100.0 * i + 10.0 * np.arange(member.shape[1])[:, None] + np.arange(3.0)
        np.testing.assert_array_equal(member, np.stack([wanted, -wanted]))


LISTED = kernel("""
    def listed(total: Sum[f64], x: Pack[Ref[f64, "n[]"], 4], member: Ref[i32, "m"], place: Ref[i64, "m"]):
        for i in parallel(m):
            total += x[member[i]][place[i]]
    """)


@pytest.mark.parametrize(("member", "place", "is_good"), [
    ([0, 2, 3], [1, 0, 2], True), ([1], [0], False), ([2], [1], False), ([4], [0], False), ([-1], [0], False),
    ([3], [-1], False), ([3], [2**40], False),
])  # fmt: skip
def test_a_list_chooses_the_member(member: list[int], place: list[int], is_good: bool, launch: Launch) -> None:
    """What is in range depends on the member; the inspection of a member that is not there reads nothing else."""
    x, total = [np.arange(n, dtype=float) + 10 * k for k, n in enumerate((2, 0, 1, 3))], np.zeros(1)
    given = {"total": total, "x": x, "member": np.array(member, np.int32), "place": np.array(place)}
    if is_good:
        launch(LISTED, **given)
        assert total[0] == sum(x[k][i] for k, i in zip(member, place, strict=True))
    else:
        with pytest.raises(LaunchError, match=r"KP0806.*reads x"):
            launch(LISTED, **given)


def test_a_scatter_into_different_lengths_is_refused() -> None:
    """A shadow has rows of one length."""
    scatter = kernel("""
        def scatter(x: Pack[Mut[f64, "n[]"], 2], place: Ref[i64, "m"]):
            for i in parallel(m):
                x[0][place[i]] = 1.0
        """)
    with pytest.raises(CompileError, match="KP040"):
        _ = scatter.proved


def test_members_follow_the_repetition() -> None:
    """A member's number is an expression of the launch like any other, the repetition's number included."""
    turns = program("""
        @kernel
        def count(x: Mut[f64, "n"], by: f64):
            for i in parallel(n):
                x[i] += by


        @program
        def turns(xs: Pack[Mut[f64, "n[]"], 2], by: f64):
            count(xs[repetition() % 2], by)
        """)
    xs = [np.zeros(3), np.zeros(2)]
    bound = compile_program(turns, "cpu1").bind({"xs": xs, "by": 1.0})
    bound.run(3)
    assert [x.tolist() for x in xs] == [[2.0] * 3, [1.0] * 2]
