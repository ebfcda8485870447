"""What a night consists of, as the table [nightly] of a profile says it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import UsageError
from ..gate.rules import read_rules
from ..toml_file import fill, read_toml, section


@dataclass(frozen=True, slots=True)
class Profile:
    """The table [nightly]; `[run]` and `[gate]` of the same file say what is measured and what is let pass.

    Attributes
    ----------
    folder : str
        Where campaigns and the status page go.
    update : bool
        `git pull --ff-only` before the run.
    record, publish : bool
        Put the campaign into asv's database; make asv's pages.
    against : str
        The gate's baseline: `asv`, or a campaign; empty for no gate.
    keep_nights : int
        Campaigns that are kept, the newest; older ones are removed. What asv's database holds stays.
    keep_monthly : bool
        Keep the first night of each month as well.
    trend_nights : int
        Nights that the status page shows.
    asv_config : str
    """

    folder: str = "kparity-results"
    update: bool = False
    record: bool = True
    publish: bool = True
    against: str = "asv"
    keep_nights: int = 30
    keep_monthly: bool = True
    trend_nights: int = 60
    asv_config: str = "asv.conf.json"


def read_profile(path: Path) -> Profile:
    """Return the table [nightly] of a file; raises UsageError for a mistake in it, or in [gate]."""
    read_rules(path)  # a mistake in the rules must not wait until the run is over
    profile = fill(Profile, section(read_toml(path), "nightly", path), f"{path}: [nightly]")
    if profile.keep_nights < 1:
        raise UsageError(f"{path}: [nightly]: keep_nights = {profile.keep_nights}: at least 1 is needed")
    if profile.publish and not profile.record:
        raise UsageError(f"{path}: [nightly]: publish needs record = true: asv's pages show what was recorded")
    return profile
