"""Verdicts, means and who is compared with whom."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kparity.harness import markdown_export
from kparity.harness.comparison import (
    ComparisonResult,
    Outcome,
    _among_many,
    by_place,
    compare,
    compile_seconds,
    variant_notes,
)
from kparity.harness.headline import headlines, main_clock, mean
from kparity.harness.records import Campaign, Cell

from .sample_campaign import SIZES, own_sizes, sample_campaign


def found(campaign: Campaign, kernel: str, target: str, size: int = SIZES[0]) -> ComparisonResult:
    return next(c for c in compare(campaign) if (c.kernel, c.target, c.size) == (kernel, target, size))


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return sample_campaign()


def test_verdicts(campaign: Campaign) -> None:
    def judgement(kernel: str, target: str) -> str:
        return found(campaign, kernel, target).outcomes["device"].judgement

    assert judgement("Stream_COPY", "cuda") == "parity"
    assert judgement("Polybench_JACOBI_2D", "cpu") == "faster"
    assert judgement("Apps_VOL3D", "cuda") == "slower"
    assert judgement("Basic_IF_QUAD", "cpu") == "undecided"


@pytest.mark.parametrize(
    ("kernel", "target", "reason"),
    [
        ("Lcals_HYDRO_1D", "cpu1", "checked wrong: x[17] is 0.125"),
        ("Basic_TRAP_INT", "cuda", "native failed: trap_int.cpp(12): error"),
        ("Stream_ADD", "cuda", "checked crashed: worker ended by SIGSEGV"),
    ],
)
def test_a_failed_side_gives_no_ratio_and_a_reason(campaign: Campaign, kernel: str, target: str, reason: str) -> None:
    for outcome in found(campaign, kernel, target).outcomes.values():
        assert (outcome.estimate, outcome.ratio, outcome.judgement) == (None, None, "none")
        assert outcome.reason.startswith(reason)
        assert "\n" not in outcome.reason


def test_fewer_than_five_valid_walks_give_an_estimate_without_a_verdict(campaign: Campaign) -> None:
    throttled = found(campaign, "Stream_MUL", "cuda").outcomes["device"]
    assert throttled.estimate == pytest.approx(1.0, abs=0.03)
    assert (throttled.ratio, throttled.judgement) == (None, "none")
    assert throttled.reason == "4 valid walks, a verdict needs 5"


def test_a_difference_that_one_of_many_may_show_by_chance_is_undecided() -> None:
    alone = Outcome(1.2, None, "faster", "")
    assert _among_many(alone, 0.049).judgement == "faster"
    among = _among_many(alone, 0.05)
    assert (among.judgement, among.reason) == ("undecided", "faster by its own interval, not among all kernels")
    assert _among_many(replace(alone, judgement="parity"), 1.0).judgement == "parity"


def test_the_margin_of_the_campaign_decides(campaign: Campaign) -> None:
    wide = replace(campaign, provenance={"margin": 0.5})
    assert found(wide, "Apps_VOL3D", "cuda").outcomes["device"].judgement == "parity"


def test_the_fastest_tuning_of_each_side_is_compared(campaign: Campaign) -> None:
    extra = [
        replace(r, cell=replace(r.cell, tuning="block_512"), device_seconds=[s / 2 for s in r.device_seconds])
        for r in campaign.records
        if r.cell.variant == "native" and r.cell.kernel == "Stream_COPY"
    ]
    c = found(replace(campaign, records=campaign.records + extra), "Stream_COPY", "cuda")
    assert c.native is not None
    assert c.native.cell == Cell("rajaperf", "Stream_COPY", "cuda", SIZES[0], "native", "block_512")
    assert c.outcomes["device"].estimate == pytest.approx(0.5, rel=0.03)
    assert len(c.cells) == 3


def test_a_missing_side_is_named(campaign: Campaign) -> None:
    alone = replace(campaign, records=[r for r in campaign.records if r.cell.variant == "checked"])
    c = found(alone, "Stream_COPY", "cuda")
    assert c.native is None
    assert c.outcomes["device"].reason == "no native side in the campaign"


def test_a_clock_that_was_not_read_is_named(campaign: Campaign) -> None:
    wall = replace(campaign, records=[replace(r, device_seconds=[]) for r in campaign.records])
    c = found(wall, "Stream_COPY", "cpu")
    assert c.outcomes["device"].reason == "the device clock was not read"
    assert c.outcomes["wall"].judgement == "parity"


def test_p_values_are_adjusted_within_a_target_and_size(campaign: Campaign) -> None:
    slow = found(campaign, "Apps_VOL3D", "cuda").outcomes["device"]
    even = found(campaign, "Stream_COPY", "cuda").outcomes["device"]
    assert slow.p_value is not None and even.p_value is not None
    assert slow.p_value < 0.01 < even.p_value


def test_means_leave_out_what_has_no_interval_and_count_it(campaign: Campaign) -> None:
    by_place = {(h.target, h.size): h for h in headlines(compare(campaign))}
    assert list(by_place) == [(t, s) for t in ("cpu1", "cpu", "cuda") for s in SIZES]
    cuda = by_place["cuda", SIZES[0]]
    assert (cuda.means["device"].count, cuda.means["device"].of) == (13, 16)  # failed, crashed, throttled
    quiet = cuda.means_without_scalars["device"]
    assert (quiet.count, quiet.of) == (11, 13)
    assert cuda.verdicts["device"] == {"parity": 11, "faster": 1, "slower": 1, "none": 3}
    assert cuda.means["device"].low is not None


def test_the_mean_is_the_geometric_one(campaign: Campaign) -> None:
    group = [found(campaign, k, "cpu") for k in ("Polybench_JACOBI_2D", "Stream_COPY")]
    estimates = [c.outcomes["device"].estimate for c in group]
    assert estimates[0] is not None and estimates[1] is not None
    assert mean(group, "device").value == pytest.approx((estimates[0] * estimates[1]) ** 0.5)


def test_quick_mode_has_point_estimates_only() -> None:
    quick = sample_campaign(walks=1, faults=False)
    for headline in headlines(compare(quick)):
        assert headline.verdicts["device"] == {"none": 16}
        assert headline.means["device"].value == pytest.approx(1.02, abs=0.02)
        assert headline.means["device"].low is None


def test_scalars_that_come_back_cost_wall_time_only(campaign: Campaign) -> None:
    dot = found(campaign, "Stream_DOT", "cuda")
    assert dot.returns_scalars
    assert dot.checked is not None and dot.checked.wall_seconds is not None and dot.checked.device_seconds is not None
    assert dot.checked.wall_seconds > 2 * dot.checked.device_seconds
    assert not found(campaign, "Stream_COPY", "cuda").returns_scalars


def test_work_of_the_size_that_was_run(campaign: Campaign) -> None:
    assert found(campaign, "Stream_TRIAD", "cpu", SIZES[1]).bytes_moved == 24 * SIZES[1]
    unknown = replace(campaign, kernels={})
    assert found(unknown, "Stream_TRIAD", "cpu").bytes_moved is None


def test_a_campaign_planned_without_verdicts_gets_none(campaign: Campaign) -> None:
    checked = replace(campaign, provenance={"gives_verdicts": False})
    outcome = found(checked, "Apps_VOL3D", "cuda").outcomes["device"]
    assert outcome.estimate == pytest.approx(0.87, abs=0.02)
    assert (outcome.ratio, outcome.judgement) == (None, "none")


def test_the_wall_clock_leads_where_only_it_was_read(campaign: Campaign) -> None:
    assert main_clock(compare(campaign)) == "device"
    wall = replace(campaign, records=[replace(r, device_seconds=[]) for r in campaign.records])
    assert main_clock(compare(wall)) == "wall"


def test_the_compilation_that_no_cache_served_is_shown(campaign: Campaign) -> None:
    c = found(campaign, "Stream_COPY", "cpu")
    assert c.checked is not None
    assert compile_seconds(campaign, c.checked) == 0.41
    facts = {"Stream_COPY": {"compile_seconds": {"cpu": {"checked": 1.5}}}}
    assert compile_seconds(replace(campaign, kernels=facts), c.checked) == 1.5


def test_kernels_at_a_size_of_their_own_each_are_one_group() -> None:
    compared = compare(own_sizes(sample_campaign()))
    assert {c.size for c in compared} == set(SIZES)
    assert {place: len(found) for place, found in by_place(compared).items()} == {("cuda", None): 16}
    (headline,) = headlines(compared)
    assert (headline.size, headline.identity, headline.means["device"].of) == (None, "cuda-own", 16)
    both = by_place(compare(sample_campaign()))
    assert set(both) == {(target, size) for target in ("cpu1", "cpu", "cuda") for size in SIZES}


def test_a_single_size_keeps_its_name() -> None:
    compared = compare(sample_campaign(sizes=SIZES[:1]))
    assert {size for _, size in by_place(compared)} == {SIZES[0]}


def test_what_a_variant_is_stands_beside_it(campaign: Campaign) -> None:
    assert variant_notes(compare(campaign)) == []
    hip = [
        replace(r, cell=replace(r.cell, variant="hip_on_cuda"))
        for r in campaign.records
        if (r.cell.target, r.cell.variant) == ("cuda", "native")
    ]
    both = replace(campaign, records=[*campaign.records, *hip])
    (note,) = variant_notes(compare(both))
    assert "says nothing of the speed on AMD's GPUs" in note
    assert note in markdown_export.render(both)
