"""A git repository with this project's asv configuration, and nights to record in it."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from kparity.harness import recording
from kparity.harness.records import Campaign

from .sample_campaign import altered, sample_campaign

ROOT = Path(__file__).resolve().parents[2]


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def asv(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "asv", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def make_repository(folder: Path) -> Path:
    """Make a checkout with one commit and this project's asv configuration."""
    git(folder, "init", "--quiet", "--initial-branch", "main")
    shutil.copy(ROOT / "asv.conf.json", folder)
    benchmarks = folder / json.loads((ROOT / "asv.conf.json").read_text())["benchmark_dir"]
    benchmarks.mkdir(parents=True)
    (benchmarks / "__init__.py").write_text("")
    (folder / ".gitignore").write_text("results/\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "first")
    return folder


def night(number: int, factor: float = 1.0) -> Campaign:
    """A campaign of seven walks of two kernels, whose TRIAD is slower by `factor` on the checked side."""
    campaign = sample_campaign(walks=7, faults=False, sizes=(1_000_000,))
    kept = [r for r in campaign.records if r.cell.kernel in ("Stream_TRIAD", "Stream_COPY")]
    return altered(replace(campaign, records=kept), f"night-{number}", {"Stream_TRIAD": factor})


def drifting(number: int, factor: float = 1.0) -> Campaign:
    """A night with what differs from one night to the next: one per cent of noise of its own for each kernel."""
    noise = random.Random(number)
    names = ("Stream_TRIAD", "Stream_COPY")
    one = night(number)
    return altered(one, one.run, {k: noise.gauss(1, 0.01) * (factor if k == names[0] else 1) for k in names})


def record(repository: Path, campaign: Campaign) -> recording.Recorded:
    return recording.record(campaign, repository / "asv.conf.json")
