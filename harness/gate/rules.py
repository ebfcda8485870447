"""What the gate lets pass, as a TOML file says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..errors import UsageError
from ..toml_file import fill, read_toml, section


@dataclass(frozen=True, slots=True)
class Limit:
    """Of a figure of the generated code: how much it may grow from the baseline, and how large it may be."""

    increase: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class KernelRules:
    """What differs for one kernel.

    Attributes
    ----------
    margin : float or None
    worst_tier : int or None
    ignore : str
        Why the kernel is not judged at all; empty if it is.
    static : dict
    """

    margin: float | None = None
    worst_tier: int | None = None
    ignore: str = ""
    static: Mapping[str, Limit] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HistoryRules:
    """Which nights of asv's history are the baseline.

    Attributes
    ----------
    nights : int
        The latest so many before the campaign are looked at.
    since : str
        Ledger commit or campaign id (`run`) of the first night that counts: a slower level is accepted by naming it.
    channel : str
        Toolchain channel.
    """

    nights: int = 60
    since: str = ""
    channel: str = "default"


@dataclass(frozen=True, slots=True)
class Rules:
    """The table [gate].

    Attributes
    ----------
    margin : float
        Relative slowdown that counts as none.
    measure : {"time", "speedup"}
        The checked kernel's time, or its speedup over the C++ baseline of the same campaign: that does not see what
        slows both, but can be compared from one machine to another.
    clock : {"", "device", "wall"}
        Empty: the device's, unless a campaign read the wall clock only.
    across : tuple of str
        `machine`: times may be compared although they are of different machines.
    must_run : tuple of str
        Kernels and groups that must be in the campaign and right, whatever the baseline has.
    missing, weaker_tier : {"fail", "allow"}
        A kernel of the baseline that the campaign lacks; an access that is proved later than it was.
    worst_tier : int
        Largest tier of any obligation (1 static, 2 guard, 3 inspected, 4 checked, 5 unsafe).
    static : dict
        Figure (`registers`, `spill_bytes`, `shared_bytes`) -> limit, for the checked kernels.
    kernels : dict
        Full name of a kernel -> what differs for it.
    history : HistoryRules
    """

    margin: float = 0.05
    measure: Literal["time", "speedup"] = "time"
    clock: Literal["", "device", "wall"] = ""
    across: tuple[Literal["machine"], ...] = ()
    must_run: tuple[str, ...] = ()
    missing: Literal["fail", "allow"] = "fail"
    weaker_tier: Literal["fail", "allow"] = "fail"
    worst_tier: int = 5
    static: Mapping[str, Limit] = field(default_factory=lambda: {"spill_bytes": Limit(increase=0)})
    kernels: Mapping[str, KernelRules] = field(default_factory=dict)
    history: HistoryRules = field(default_factory=HistoryRules)

    def margin_of(self, kernel: str) -> float:
        """Return the relative slowdown that a kernel may have."""
        own = self.kernels.get(kernel, KernelRules()).margin
        return self.margin if own is None else own

    def worst_tier_of(self, kernel: str) -> int:
        """Return the largest tier that a kernel may have."""
        return self.kernels.get(kernel, KernelRules()).worst_tier or self.worst_tier

    def static_of(self, kernel: str) -> dict[str, Limit]:
        """Return the limits of a kernel's figures."""
        return {**self.static, **self.kernels.get(kernel, KernelRules()).static}

    def ignored(self, kernel: str) -> str:
        """Return why a kernel is not judged; empty if it is."""
        return self.kernels.get(kernel, KernelRules()).ignore


def read_rules(path: Path | None) -> Rules:
    """Return the rules of a file's table [gate]; the defaults without a file.

    Raises
    ------
    UsageError
        The file cannot be read, or holds a key or value that is none of the gate's.
    """
    if path is None:
        return Rules()
    rules = fill(Rules, section(read_toml(path), "gate", path), f"{path}: [gate]")
    margins = {"margin": rules.margin, **{f"kernels.{k}.margin": rules.margin_of(k) for k in rules.kernels}}
    for key, margin in margins.items():
        if not 0 < margin < 10:
            raise UsageError(f"{path}: [gate]: {key} = {margin}: a relative slowdown such as 0.05 is needed")
    if rules.history.nights < 5:
        raise UsageError(f"{path}: [gate]: history.nights = {rules.history.nights}: at least 5 are needed")
    return rules
