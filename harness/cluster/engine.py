"""Parsl as the engine that sends parts to nodes."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

from ..site import Site
from .fan_out import ClusterSite
from .part import Outcome, Part, carry
from .profile import engine_config, read_cluster


@contextmanager
def cluster_site(profile: Path, folder: Path) -> Iterator[Site]:
    """Start the engine that a profile describes, and stop it at the end.

    Parameters
    ----------
    profile : Path
        TOML file with a table `[cluster]`.
    folder : Path
        Of the campaign; the engine's logs and scripts go below it.
    """
    cluster = read_cluster(profile)
    # The engine's own programs are started by name, in a Python environment that nobody need have activated.
    os.environ["PATH"] = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ.get('PATH', '')}"
    config = engine_config(cluster, (folder / "engine").resolve())
    import parsl

    print(f"kparity: waiting for {cluster.places} places ({cluster.provider})", file=sys.stderr)
    with parsl.load(config) as kernel:
        send = parsl.python_app(carry, data_flow_kernel=kernel)

        def engine(part: Part) -> Future[Outcome]:
            future: Future[Outcome] = send(part)
            return future

        yield ClusterSite(engine, cluster.places, shares_hosts=len(cluster.devices) > 1)
