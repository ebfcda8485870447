"""The summary of a campaign as JSON, for programs."""

from __future__ import annotations

import json
from typing import Any

from .comparison import CLOCKS, Clock, compare, margin_of
from .csv_export import rows
from .headline import Headline, Mean, headlines
from .records import Campaign

SCHEMA = 1


def render(campaign: Campaign) -> str:
    """Return one JSON object: `schema`, `run`, `margin`, `provenance`, `summary` (a target and size each), `cells`.

    The entries of `cells` have the columns of the CSV; what is not known is null.
    """
    value = {
        "schema": SCHEMA,
        "run": campaign.run,
        "margin": margin_of(campaign),
        "provenance": campaign.provenance,
        "summary": [_headline(h) for h in headlines(compare(campaign))],
        "cells": list(rows(campaign)),
    }
    return json.dumps(value, indent=1, allow_nan=False, default=str) + "\n"


def _headline(h: Headline) -> dict[str, Any]:
    return {"target": h.target, "size": h.size, **{clock: _on_clock(h, clock) for clock in CLOCKS}}


def _on_clock(h: Headline, clock: Clock) -> dict[str, Any]:
    return {
        "mean": _mean(h.means[clock]),
        "mean_without_scalars": _mean(h.means_without_scalars[clock]),
        "verdicts": dict(h.verdicts[clock]),
    }


def _mean(mean: Mean) -> dict[str, Any]:
    return {"value": mean.value, "low": mean.low, "high": mean.high, "count": mean.count, "of": mean.of}
