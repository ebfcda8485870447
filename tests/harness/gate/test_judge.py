"""Each rule of the gate, with a campaign that breaks it and one that does not."""

from __future__ import annotations

import functools
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from kparity.harness.errors import UsageError
from kparity.harness.gate import texts
from kparity.harness.gate.findings import Finding, Verdict
from kparity.harness.gate.judge import judge
from kparity.harness.gate.rules import KernelRules, Limit, Rules
from kparity.harness.records import Campaign, Record

from ..sample_campaign import KERNELS, SIZES, altered, sample_campaign


def of_a_few(campaign: Campaign) -> Campaign:
    """Eight kernels on two targets: enough for every rule."""
    kernels = sorted(KERNELS)[-8:]
    records = [r for r in campaign.records if r.cell.kernel in kernels and r.cell.target != "cpu"]
    return replace(campaign, records=records, kernels={k: campaign.kernels[k] for k in kernels})


BASE = of_a_few(sample_campaign(walks=8, faults=False, sizes=SIZES[:1]))


def verdict_of(campaign: Campaign, rules: Rules | None = None, baseline: Campaign = BASE) -> Verdict:
    return judge(campaign, baseline, rules or Rules(), ("tonight", "yesterday"))


def found(campaign: Campaign, rules: Rules | None = None, *, state: str = "regression") -> list[Finding]:
    return [f for f in verdict_of(campaign, rules).findings if f.state == state]


def changed(change: Callable[[Record], Record], kernel: str, campaign: Campaign = BASE) -> Campaign:
    records = [change(r) if r.cell.kernel == kernel and r.cell.variant == "checked" else r for r in campaign.records]
    return replace(campaign, records=records)


def wrong(record: Record) -> Record:
    return replace(record, status="wrong", message="x[17] is 0.125", device_seconds=[], wall_seconds=[])


@functools.cache
def noisy(seed: int) -> Campaign:
    """The same kernels measured again: other noise, no change."""
    other = of_a_few(sample_campaign(walks=8 + seed, faults=False, sizes=SIZES[:1]))
    return replace(other, records=[r for r in other.records if r.walk >= seed])


def with_facts(**facts: Any) -> Campaign:
    return replace(BASE, kernels={**BASE.kernels, "Stream_TRIAD": {**BASE.kernels["Stream_TRIAD"], **facts}})


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_change_passes(seed: int) -> None:
    verdict = verdict_of(noisy(seed))
    assert verdict.state == "ok" and verdict.counts["ok"] >= 2 * 16 + 8
    assert texts.headline(verdict).startswith("gate: passed; tonight against yesterday: ")


def test_a_slowdown_is_a_regression_with_its_figures_and_cause() -> None:
    (triad,) = [f for f in found(altered(BASE, "b", {"Stream_TRIAD": 1.2})) if f.place.startswith("cuda")]
    assert triad.kernel == "Stream_TRIAD" and triad.rule == "time"
    assert triad.message.startswith("slower by 20.0 % [") and ", margin 5 %: " in triad.message
    assert triad.causes[0].startswith("the C++ baseline did not")


def test_a_machine_that_slowed_is_named_as_the_cause() -> None:
    slower = [replace(r, device_seconds=[s * 1.3 for s in r.device_seconds]) for r in BASE.records]
    causes = {f.causes[0] for f in found(replace(BASE, records=slower))}
    assert causes and all("as well: look at machine" in cause for cause in causes)
    assert verdict_of(replace(BASE, records=slower), Rules(measure="speedup")).state == "ok"


def test_faster_passes() -> None:
    assert verdict_of(altered(BASE, "b", {"Stream_TRIAD": 0.5})).state == "ok"


def test_what_straddles_the_margin_cannot_be_judged() -> None:
    verdict = verdict_of(altered(BASE, "b", {"Stream_TRIAD": 1.05}))
    assert verdict.state == "undecided" and not verdict.of("regression")
    assert all("more walks are needed" in f.message for f in verdict.of("undecided"))


def test_one_of_many_kernels_needs_more_evidence_than_one_alone() -> None:
    def noisy_step(record: Record) -> Record:
        factor = 1.085 * (1.045 if record.walk % 2 else 1 / 1.045)
        return replace(record, device_seconds=[s * factor for s in record.device_seconds])

    slower = changed(noisy_step, "Stream_TRIAD")
    alone = replace(slower, records=[r for r in slower.records if r.cell.kernel == "Stream_TRIAD"])
    base = replace(BASE, records=[r for r in BASE.records if r.cell.kernel == "Stream_TRIAD"])
    few = Rules(margin=0.03)
    assert "regression" in verdict_of(alone, few, base).counts
    many = verdict_of(slower, few)
    assert not many.of("regression") and many.state == "undecided"
    assert any("not confirmed with so many kernels" in f.message for f in many.of("undecided"))


def test_too_few_walks_cannot_be_judged() -> None:
    quick = replace(BASE, records=[r for r in BASE.records if r.walk < 3])
    verdict = verdict_of(quick)
    assert verdict.state == "undecided"
    assert "8 valid walks in the baseline, 3 in the campaign; 5 each" in verdict.of("undecided")[0].message


def test_another_machine_cannot_be_judged_by_time() -> None:
    elsewhere = altered(BASE, "b", {}, host="node18")
    verdict = verdict_of(elsewhere)
    assert verdict.state == "undecided" and not verdict.of("regression")
    assert "times of different machines: host: node17 -> node18" in verdict.of("undecided")[0].message
    assert verdict_of(elsewhere, Rules(measure="speedup")).state == "ok"
    assert verdict_of(elsewhere, Rules(across=("machine",))).state == "ok"


def test_other_tools_are_judged_and_named() -> None:
    verdict = verdict_of(altered(BASE, "b", {"Stream_TRIAD": 1.2}, compilers={"cuda": "nvcc 13.1"}))
    assert verdict.state == "regression"
    assert "toolchain: compilers cuda: nvcc 13.0.88 -O3 -> nvcc 13.1" in verdict.differs


def test_different_protocols_cannot_be_judged() -> None:
    base = altered(BASE, "a", {}, settings={"protocol": "interleaved"})
    other = altered(BASE, "b", {"Stream_TRIAD": 2.0}, settings={"protocol": "rajaperf"})
    verdict = verdict_of(other, None, base)
    assert verdict.state == "undecided" and verdict.obstacles and not verdict.of("regression")
    broken = changed(wrong, "Stream_COPY", other)
    assert verdict_of(broken, None, base).state == "regression", "a wrong result needs no comparable times"


def test_lost_correctness_is_a_regression() -> None:
    (first, *_) = found(changed(wrong, "Stream_COPY"))
    assert (first.kernel, first.rule) == ("Stream_COPY", "correctness")
    assert first.message == "lost correctness: wrong: x[17] is 0.125"


def test_what_was_wrong_before_is_a_note_unless_it_must_run() -> None:
    both = changed(wrong, "Stream_COPY")
    verdict = judge(both, both, Rules(), ("b", "a"))
    assert verdict.state == "ok" and {f.message for f in verdict.of("note")} == {
        "still not right: wrong: x[17] is 0.125"
    }
    assert judge(both, both, Rules(must_run=("Stream",)), ("b", "a")).state == "regression"
    right_again = judge(BASE, both, Rules(), ("b", "a"))
    assert right_again.state == "ok" and any("right now, was wrong" in f.message for f in right_again.findings)


def test_a_missing_kernel_is_a_regression_unless_allowed() -> None:
    fewer = replace(BASE, records=[r for r in BASE.records if r.cell.kernel != "Stream_MUL"])
    assert {(f.kernel, f.rule) for f in found(fewer)} == {("Stream_MUL", "missing")}
    assert verdict_of(fewer, Rules(missing="allow")).state == "ok"
    assert verdict_of(fewer, Rules(missing="allow", must_run=("mul",))).state == "regression"
    assert verdict_of(BASE, None, fewer).state == "ok", "a new kernel that is right is a note"
    assert verdict_of(changed(wrong, "Stream_MUL"), None, fewer).state == "regression"


def proofs(tier: int, access: str = "a[i]") -> list[dict[str, Any]]:
    rest = {"kernel": "triad", "detail": "", "line": 4}
    return [
        {"obligation": "bounds", "access": access, "tier": tier, **rest},
        {"obligation": "race", "access": "a[i] / a[i]", "tier": 2, **rest},
    ]


@pytest.mark.parametrize(
    ("before", "now", "message"),
    [
        (proofs(1), proofs(2), "weaker tier: bounds of a[i] was static (1), is guard (2)"),
        (proofs(2), proofs(4), "weaker tier: bounds of a[i] was guard (2), is checked (4)"),
        (proofs(1), proofs(3, "a[p[i]]"), "new bounds of a[p[i]] is inspected (3), the kernel's worst was guard (2)"),
        (proofs(2), proofs(1), ""),
        (proofs(1), proofs(2, "a[i + 1]"), ""),
    ],
)
def test_tiers(before: list[Any], now: list[Any], message: str) -> None:
    verdict = verdict_of(with_facts(evidence=now), None, with_facts(evidence=before))
    shown = [f.message for f in verdict.of("regression")]
    assert len(shown) == bool(message) and all(message in text for text in shown)
    assert verdict_of(with_facts(evidence=now), Rules(weaker_tier="allow"), with_facts(evidence=before)).state == "ok"


def test_an_absolute_tier_and_lost_proofs() -> None:
    rules = Rules(kernels={"Stream_TRIAD": KernelRules(worst_tier=1)})
    messages = [f.message for f in found(with_facts(evidence=proofs(1)), rules)]
    assert messages[0] == "race of a[i] / a[i] is guard (2), at most static (1) is allowed"
    assert verdict_of(with_facts(evidence=[])).state == "undecided"


def code(registers: int, spills: int) -> dict[str, Any]:
    figures = {"kp_a: registers": 8, "kp_b: registers": registers, "kp_b: spill_bytes": spills}
    return {"static": {"cuda": {"checked": figures}}}


@pytest.mark.parametrize(
    ("limits", "now", "message"),
    [
        ({}, code(64, 0), ""),
        ({"spill_bytes": Limit(increase=0)}, code(16, 8), "more spill_bytes: 0 -> 8, an increase of 0 is allowed"),
        ({"registers": Limit(increase=4)}, code(20, 0), ""),
        ({"registers": Limit(increase=4)}, code(21, 0), "more registers: 16 -> 21, an increase of 4 is allowed"),
        ({"registers": Limit(most=20)}, code(21, 0), "registers 21, at most 20 allowed"),
    ],
)
def test_figures_of_the_code(limits: dict[str, Limit], now: dict[str, Any], message: str) -> None:
    verdict = verdict_of(with_facts(**now), Rules(static=limits), with_facts(**code(16, 0)))
    assert [f.message for f in verdict.of("regression")] == ([message] if message else [])


def test_more_spills_fail_by_default_and_explain_a_slowdown() -> None:
    slower = altered(with_facts(**code(40, 16)), "b", {"Stream_TRIAD": 1.3})
    verdict = verdict_of(slower, None, with_facts(**code(16, 0)))
    assert any(f.rule == "static" for f in verdict.of("regression"))
    (cuda,) = [f for f in verdict.of("regression") if f.rule == "time" and f.place.startswith("cuda")]
    assert "the code grew: registers 16 -> 40, spill_bytes 0 -> 16" in cuda.causes


def test_rules_of_one_kernel() -> None:
    slower = altered(BASE, "b", {"Stream_TRIAD": 1.2})
    assert verdict_of(slower, Rules(kernels={"Stream_TRIAD": KernelRules(margin=0.3)})).state == "ok"
    ignored = verdict_of(slower, Rules(kernels={"Stream_TRIAD": KernelRules(ignore="being rewritten")}))
    assert ignored.state == "ok" and [f.message for f in ignored.of("note")] == ["not judged: being rewritten"]
    with pytest.raises(UsageError, match="did you mean `Stream_TRIAD`"):
        verdict_of(slower, Rules(kernels={"Stream_TRAID": KernelRules(margin=0.3)}))


def test_nothing_is_no_pass() -> None:
    empty = Campaign("empty", {}, [], {})
    assert judge(empty, empty, Rules(), ("b", "a")).state == "undecided"


def test_texts_agree_with_the_verdict() -> None:
    fewer = replace(BASE, records=[r for r in BASE.records if r.cell.kernel != "Stream_MUL"])
    verdict = verdict_of(altered(changed(wrong, "Stream_COPY", fewer), "b", {"Stream_TRIAD": 1.2, "Stream_ADD": 1.05}))
    counts = verdict.counts
    assert counts["regression"] == 3 * 2 and counts["undecided"] == 2
    suite = ElementTree.fromstring(texts.junit(verdict))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == (str(len(verdict.findings)), "6", "2")
    value = json.loads(texts.json_text(verdict))
    assert value["state"] == "regression" and len(value["findings"]) == len(verdict.findings)
    top = texts.markdown(verdict).split("<details>")[0]
    assert "❌ Regression" in top and "slower by 20.0 %" in top and "Lcals_HYDRO_1D" not in top
    plain = list(texts.lines(verdict))
    assert sum(line.startswith("regression: ") for line in plain) == 6
    assert plain[-1].startswith("gate: regression; tonight against yesterday: 6 regression, 2 cannot judge")


def test_junit_holds_whatever_a_compiler_prints() -> None:
    control = Finding("K", "cuda", "correctness", "regression", '\x1b[31mred\x00 <b> & "q"', ("\x07cause",))
    (case,) = ElementTree.fromstring(texts.junit(Verdict("b", "a", (control,))))
    assert case[0].get("message") == '[31mred <b> & "q"' and case[0].text == "cause"
