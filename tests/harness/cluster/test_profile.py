"""The table `[cluster]`, and what Parsl is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kparity.harness.cluster.part import VISIBLE, pin_device
from kparity.harness.cluster.profile import Cluster, engine_config, read_cluster
from kparity.harness.errors import UsageError


def profile(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "site.toml"
    path.write_text("[run]\nwalks = 5\n[cluster]\n" + text)
    return path


def test_places_are_devices_of_all_nodes(tmp_path: Path) -> None:
    text = 'provider = "slurm"\ndevices = ["0", "1", "2", "3"]\nnodes = 2\nblocks = 3\npartition = "gpu"\n'
    assert read_cluster(profile(tmp_path, text)).places == 24
    assert Cluster().places == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('provider = "slurn"', "one of local, slurm, pbs, flux"),
        ("node = 2", "did you mean `nodes`"),
        ("nodes = 0", "at least 1"),
        ("nodes = 2", "has this node alone"),
        ('devices = ["0", "0"]', "named twice"),
    ],
)
def test_a_fault_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_cluster(profile(tmp_path, text))


def test_a_device_chosen_by_its_index_is_pinned_by_its_uuid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text('#!/bin/sh\nif [ "$1" = --id=1 ]; then echo GPU-beef; fi\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    for given, pinned in (("1", "GPU-beef"), ("GPU-cafe", "GPU-cafe"), ("", "host"), ("0,1", "host"), ("7", "7")):
        monkeypatch.setenv(VISIBLE, given)
        assert pin_device() == pinned
    assert os.environ[VISIBLE] == "7"  # what no driver knows stays as the engine chose it


@pytest.mark.parametrize("provider", ["local", "slurm", "pbs", "flux"])
def test_every_provider_makes_a_configuration(tmp_path: Path, provider: str) -> None:
    pytest.importorskip("parsl")
    cluster = Cluster(provider=provider, devices=("GPU-a", "GPU-b"), blocks=2, address="127.0.0.1")  # type: ignore[arg-type]
    (executor,) = engine_config(cluster, tmp_path).executors
    assert executor.available_accelerators == ["GPU-a", "GPU-b"]
    assert executor.provider.init_blocks == 2
