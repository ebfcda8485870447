"""The emulator's parts by themselves: pseudocode, arithmetic, memory, lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from . import functions, lanes
from .amendments import pseudocode_of
from .code_object import CodeObject
from .memory import Fault, Memory
from .pseudocode import Untranslatable, compiled

LANES = np.arange(4, dtype=np.uint32)


def bits(*values: float) -> Any:
    return np.array(values).view(np.uint64)


def run(text: str, scalar: bool = False, **operands: Any) -> dict[str, Any]:
    """Run pseudocode on operands whose widths are those of their types; D0 has 32 bits unless given."""
    given = {"D0": np.uint32(0), **operands}
    widths = {name: value.dtype.itemsize * 8 for name, value in given.items() if name not in ("VCC", "EXEC", "SCC")}
    function, _ = compiled(text, widths, scalar)
    return function(**given, laneId=LANES)


@pytest.mark.parametrize(
    ("text", "a", "b", "expected"),
    [
        ("D0.u32 = S0.u32 + S1.u32", [1, 2**32 - 1], [2, 1], [3, 0]),
        ("D0.i32 = (S1.i32 >> S0[4 : 0].u32)", [1, 33], [2**32 - 8, 16], [2**32 - 4, 8]),
        ("D0.i32 = S0.i32 >= S1.i32 ? S0.i32 : S1.i32", [2**32 - 1, 5], [0, 3], [0, 5]),
        ("D0.u32 = 32'U((64'U(S0.u32) * 64'U(S1.u32)) >> 32U)", [2**31, 3], [4, 5], [2, 0]),
        ("D0.u32 = S0.u32[0 : 31]", [1, 6], [0, 0], [2**31, 0x60000000]),
        ("D0.u32 = { S1[15 : 0], S0[15 : 0] }", [0x12345, 1], [0x67890, 2], [0x78902345, 0x20001]),
        ("D0.i32 = S0.i24 * S1.i24", [0xFFFFFF, 2], [3, 0xFFFFFE], [2**32 - 3, 2**32 - 4]),
        ("if S0.u32 > S1.u32 then D0.u32 = 1U elsif S0.u32 == 7U then D0.u32 = 2U else D0.u32 = 3U endif",
         [9, 7], [1, 8], [1, 2]),
    ],
)  # fmt: skip
def test_integers(text: str, a: list[int], b: list[int], expected: list[int]) -> None:
    out = run(text, S0=np.array(a, np.uint32), S1=np.array(b, np.uint32))["D0"]
    assert np.broadcast_to(out, 2).tolist() == expected


def test_a_comparison_gives_a_lane_mask() -> None:
    out = run("D0.u64[laneId] = S0.f64 < S1.f64", S0=bits(1.0, np.nan), S1=bits(2.0, 2.0), D0=np.uint64(0))
    assert out["D0"].tolist() == [True, False]


def test_a_carry_goes_in_and_out() -> None:
    text = """tmp = 64'U(S0.u32) + 64'U(S1.u32) + VCC.u64[laneId].u64;
        VCC.u64[laneId] = tmp >= 0x100000000ULL ? 1'1U : 1'0U;
        D0.u32 = tmp.u32"""
    out = run(text, S0=np.array([2**32 - 1, 1], np.uint32), S1=np.uint32(0), VCC=np.array([True, False]))
    assert out["D0"].tolist() == [0, 1] and out["VCC"].tolist() == [True, False]


def test_a_scalar_instruction_sees_masks_as_numbers() -> None:
    text = "saveexec = EXEC.u64;\nEXEC.u64 = (S0.u64 & EXEC.u64);\nD0.u64 = saveexec.u64;\nSCC = EXEC.u64 != 0ULL"
    out = run(text, scalar=True, S0=np.uint64(6), D0=np.uint64(0), EXEC=np.uint64(3))
    assert (int(out["D0"]), int(out["EXEC"]), bool(out["SCC"])) == (3, 2, True)


def test_what_is_not_known_is_said() -> None:
    with pytest.raises(Untranslatable, match="`for`"):
        compiled("for i in 0 : 3 do\nD0.u32 = 1U\nendfor", {"D0": 32}, scalar=False)
    with pytest.raises(Untranslatable, match="the function secret"):
        compiled("D0.u32 = secret(S0.u32)", {"S0": 32, "D0": 32}, scalar=False)


def test_division_takes_its_steps() -> None:
    """Scale, estimate, refine, undo the scale and fix up: the quotient that C++ has, extremes included."""
    pytest.importorskip("tinygrad")
    from .arithmetic import function

    a = np.array([1.0, 1e300, 5e-324, 3.0, -7.0, 0.0, np.inf, 1.0])
    b = np.array([3.0, 1e-5, 3.0, 1e308, 0.1, 2.0, 2.0, 0.0])

    def step(family: str, name: str, **operands: Any) -> dict[str, Any]:
        widths = {key: 64 for key in operands if key not in ("VCC",)} | {"D0": 64}
        run_, _ = function("cdna", family, name, tuple(sorted(widths.items())), False)
        raw = {key: value.view(np.uint64) if value.dtype != bool else value for key, value in operands.items()}
        return run_(**{"D0": raw.get("S0"), **raw}, EXEC=None, laneId=np.arange(8, dtype=np.uint32))

    with np.errstate(all="ignore"):
        scale = {"family": "VOP3SDOp", "name": "V_DIV_SCALE_F64"}
        below = step(**scale, S0=b, S1=b, S2=a, VCC=np.zeros(8, bool))["D0"].view(np.float64)
        scaled = step(**scale, S0=a, S1=b, S2=a, VCC=np.zeros(8, bool))
        above, flag = scaled["D0"].view(np.float64), np.broadcast_to(scaled["VCC"], 8)
        estimate = above / below
        rest = functions.fma(-below, estimate, above)
        refined = step("VOP3Op", "V_DIV_FMAS_F64_E64", S0=rest, S1=1 / below, S2=estimate, VCC=flag)["D0"]
        out = step("VOP3Op", "V_DIV_FIXUP_F64_E64", S0=refined.view(np.float64), S1=b, S2=a)["D0"].view(np.float64)
        assert np.array_equal(out, a / b)


def test_a_fused_multiply_add_rounds_once() -> None:
    a = np.array([1 + 2.0**-30, 0.1])
    product = functions.fma(a, a, -np.array([1.0, 0.01]))
    assert product[0] == 2.0**-29 + 2.0**-60 and product[1] != 0.1 * 0.1 - 0.01


def test_amended_pseudocode() -> None:
    assert pseudocode_of("V_ADD_U32_E32", "printed") == "printed"
    ones = np.array([0b1011, 0, 2**31], np.uint32)
    assert run(pseudocode_of("V_FFBL_B32_E32", ""), S0=ones)["D0"].view(np.int32).tolist() == [0, -1, 31]
    assert run(pseudocode_of("V_FFBH_U32_E32", ""), S0=ones)["D0"].view(np.int32).tolist() == [28, -1, 0]
    counted = run(pseudocode_of("V_MBCNT_LO_U32_B32", ""), S0=np.uint32(0b1101), S1=np.uint32(10))["D0"]
    assert counted.tolist() == [10, 11, 11, 12]


def test_memory_refuses_what_lies_outside() -> None:
    memory = Memory()
    place = memory.add("x", np.arange(4.0))
    fixed = memory.add("table", np.arange(4, dtype=np.int32), writable=False)
    assert memory.load(np.array([place + 8], np.uint64), 4, 2).T.copy().view(np.float64).tolist() == [[1.0]]
    with pytest.raises(Fault, match="8 bytes at offset 32 of x, which has 32 bytes"):
        memory.load(np.array([place, place + 32], np.uint64), 4, 2)
    with pytest.raises(Fault, match="8 bytes at offset 28 of x"):
        memory.store(np.array([place + 28], np.uint64), np.zeros((2, 1), np.uint32), 4)
    with pytest.raises(Fault, match="table, which is read-only"):
        memory.store(np.array([fixed], np.uint64), np.zeros((1, 1), np.uint32), 4)
    with pytest.raises(Fault, match="lies in no array"):
        memory.load(np.array([16], np.uint64), 4, 1)


def test_atomic_updates_follow_each_other() -> None:
    memory = Memory()
    place = memory.add("x", np.zeros(2))
    lanes_ = np.array([place, place + 8, place, place], np.uint64)
    old = memory.update(lanes_, np.float64, lambda held, index: held + index + 1)
    assert old.tolist() == [0.0, 0.0, 1.0, 4.0] and memory.contents(place, np.float64, 2).tolist() == [8.0, 2.0]


@pytest.mark.parametrize(
    ("control", "family", "lane", "source"),
    [
        (0x1B, "cdna", 1, 2),  # four lanes in reverse
        (0x111, "cdna", 17, 16),  # a row, one up
        (0x101, "rdna3", 3, 4),  # a row, one down
        (0x140, "rdna3", 18, 29),  # a row mirrored
        (0x142, "cdna", 20, 15),  # the last lane of the row before
        (0x143, "cdna", 40, 31),  # the last lane of the half before
        (0x161, "rdna3", 4, 5),  # the neighbour by its lowest bit
    ],
)
def test_lanes_read_each_other(control: int, family: str, lane: int, source: int) -> None:
    chosen, valid = lanes._control(control, 64 if family == "cdna" else 32, family)
    assert valid[lane] and chosen[lane] == source


def test_what_is_no_code_object_is_refused() -> None:
    with pytest.raises(ValueError, match="not an AMDGPU code object"):
        CodeObject(b"\x7fELF" + bytes(100))
