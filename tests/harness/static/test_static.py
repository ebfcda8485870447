"""Classes of instructions, loops, occupancy, and the verdict that follows from the figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kparity.baselines import hip_compiler
from kparity.compiler import TargetUnavailable
from kparity.harness.cli import main
from kparity.harness.static.judge import findings, standing
from kparity.harness.static.listing import codes
from kparity.harness.static.occupancy import occupancy
from kparity.harness.static.sides import Figures, pairs

GCN = """
	.type	scale,@function
scale:                                  ; @scale
; %bb.0:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_mov_b32_e32 v1, 0
.LBB0_1:                                ; =>This Loop Header: Depth=1
	v_add_u32_e32 v1, 1, v1
.LBB0_2:                                ;   Parent Loop BB0_1 Depth=1
	global_load_dwordx2 v[2:3], v1, s[0:1]
	s_waitcnt vmcnt(0)
	v_mul_f64 v[2:3], v[2:3], v[2:3]
	global_store_dwordx4 v1, v[2:5], s[2:3]
	s_cbranch_scc1 .LBB0_2
; %bb.3:
	ds_write_b64 v1, v[2:3]
	s_barrier
	global_atomic_add_f64 v1, v[2:3], s[0:1]
	s_cbranch_scc1 .LBB0_1
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel scale
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
"""

PTX = """
.visible .entry scale(
	.param .u64 scale_param_0
)
.maxntid 16, 16
{
	.reg .pred 	%p<2>;
	ld.param.u64 	%rd1, [scale_param_0];
$L__BB0_1:
	ld.global.nc.v2.f64 	{%fd1, %fd2}, [%rd1];
	fma.rn.f64 	%fd3, %fd1, %fd2, %fd3;
	st.global.f64 	[%rd1], %fd3;
	@%p1 bra 	$L__BB0_1;
	bar.sync 	0;
	ret;
}
"""


def test_instructions_of_amd() -> None:
    code = codes(GCN)["scale"]
    assert code.counts == {
        "scalar loads": 1, "integer": 2, "loads": 1, "waits": 1, "f64": 1, "stores": 1, "branches": 2, "shared": 1,
        "barriers": 1, "atomics": 1, "scalar": 1,
    }  # fmt: skip
    assert code.widths == {"loads 64": 1, "stores 128": 1}
    assert (code.total, code.loop) == (12, 5)


def test_instructions_of_ptx() -> None:
    code = codes(PTX)["scale"]
    assert (code.counts["loads"], code.counts["f64"], code.counts["branches"], code.counts["barriers"]) == (1, 1, 1, 1)
    assert code.widths == {"loads 128": 1, "stores 64": 1}
    assert (code.loop, code.threads) == (4, 256)


@pytest.mark.parametrize(
    ("architecture", "registers", "shared", "threads", "waves"),
    [
        ("gfx90a", 64, 0, 256, 32),  # eight waves a SIMD
        ("gfx90a", 65, 0, 256, 28),
        ("gfx90a", 128, 0, 256, 16),
        ("gfx90a", 512, 0, 256, 4),
        ("gfx942", 32, 16 * 1024, 256, 16),  # four groups' memory
        ("gfx942", 32, 64 * 1024, 64, 1),
        ("gfx1100", 96, 0, 256, 32),
        ("gfx1100", 97, 0, 256, 24),  # 12 waves a SIMD
        ("sm_90", 32, 0, 256, 64),
        ("sm_90", 33, 0, 256, 48),
        ("sm_90", 255, 0, 256, 8),
        ("sm_90", 32, 48 * 1024, 256, 32),
        ("tpu", 32, 0, 256, None),
    ],
)
def test_occupancy(architecture: str, registers: int, shared: int, threads: int, waves: int | None) -> None:
    assert occupancy(architecture, registers, shared, threads) == waves


def figures(waves: int = 32, **numbers: int) -> Figures:
    return Figures({"registers": 32, "shared_bytes": 0, **numbers}, waves, codes(GCN)["scale"])


@pytest.mark.parametrize(
    ("native", "checked", "verdict", "what"),
    [
        (figures(), figures(), "same", []),
        (figures(spills=2), figures(), "better", ["spills 2 -> 0"]),
        (figures(), figures(scalar_spills=1), "worse", ["spills 0 -> 1"]),
        (figures(spills=2), figures(private_bytes=8), "worse", ["spills 2 -> 0", "private bytes 0 -> 8"]),
        (figures(), figures(waves=24), "worse", ["occupancy 32 -> 24"]),
        (figures(waves=24), figures(), "better", ["occupancy 24 -> 32"]),
        (figures(shared_bytes=8), figures(shared_bytes=512), "same", []),  # one granule each
        (figures(shared_bytes=8), figures(shared_bytes=513), "worse", ["shared bytes 512 -> 1024"]),
    ],
)
def test_verdicts(native: Figures, checked: Figures, verdict: str, what: list[str]) -> None:
    found = findings(native, checked, "gfx90a")
    assert (standing(found), [str(finding) for finding in found]) == (verdict, what)


def test_a_warp_more_in_a_reduction_is_allowed_for() -> None:
    (found,) = findings(figures(shared_bytes=64), figures(shared_bytes=260), "sm_90")
    assert (str(found), found.standing) == ("shared bytes 128 -> 384", "same")


def test_kernels_of_one_name_are_compared_with_each_other_and_of_others_the_worst() -> None:
    native = {"a": figures(), "first": figures(spills=1), "second": figures(private_bytes=8, waves=8)}
    checked = {"a": figures(spills=3), "all": figures()}
    named, others = pairs(native, checked)
    assert (named[0], named[1].numbers.get("spills", 0), named[2].numbers["spills"]) == ("a", 0, 3)
    assert (others[0], others[1].numbers["spills"], others[1].numbers["private_bytes"], others[1].waves) == (
        "all",
        1,
        8,
        8,
    )
    assert pairs(native, {}) == []
    assert [name for name, *_ in pairs(native, checked, named_only=True)] == ["a"]  # a library does the rest


def test_a_target_without_architecture_is_refused(capsys: Any) -> None:
    assert main(["static", "TRIAD", "--targets", "hip"]) == 2
    assert "name a GPU and its architecture, such as hip:gfx90a" in capsys.readouterr().err


@pytest.mark.toolchain
@pytest.mark.slow
def test_both_sides_of_some_kernels(tmp_path: Path, capsys: Any) -> None:
    try:
        hip_compiler("gfx90a")
    except TargetUnavailable as error:
        pytest.skip(str(error))
    record = tmp_path / "static.json"
    names = ["TRIAD", "DOT", "HALO_SENDRECV"]
    assert main(["static", *names, "--targets", "hip:gfx90a", "--output", str(record)]) == 0
    rows = {row["kernel"]: row for row in json.loads(record.read_text())["kernels"]}
    triad = rows["Stream_TRIAD"]
    assert triad["verdict"] == "same" and triad["compiler"]
    (part,) = triad["parts"]
    for side in ("native", "checked"):
        assert part[side]["occupancy"] == 32 and part[side]["spills"] == 0
        assert part[side]["instructions"]["loads 64"] == 2 and part[side]["instructions"]["f64"] >= 1
    assert rows["Stream_DOT"]["parts"][0]["native"]["innermost_loop"] > 0
    assert rows["Comm_HALO_SENDRECV"]["verdict"] is None
    assert "hip:gfx90a: 1 none, 2 same" in capsys.readouterr().out
