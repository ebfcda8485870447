"""Which nodes and devices a campaign is spread over: a profile's table `[cluster]`, as Parsl is told of it."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..errors import NotPossibleHere, UsageError
from ..toml_file import fill, read_toml, section

if TYPE_CHECKING:
    from parsl.config import Config


@dataclass(frozen=True, slots=True)
class Cluster:
    """The table `[cluster]`.

    Attributes
    ----------
    provider : {"local", "slurm", "pbs", "flux"}
        Who starts the nodes' processes. `flux` runs inside of a Flux allocation.
    devices : tuple of str
        GPUs of each node: UUIDs, or indices, which become UUIDs on the node. Empty: a node is one place, for CPUs.
    nodes, blocks : int
        Nodes of a batch job, and batch jobs.
    walltime : str
        Of a batch job.
    partition, account : str
        PBS: the partition is its queue.
    options : str
        More lines for the batch script: `#SBATCH --exclusive`.
    setup : str
        Shell commands before anything starts on a node: modules, the Python environment.
    address : str
        Where nodes reach this host; empty for the first interface that works, `local` stays on the loopback interface.
    lost_seconds : int
        Silence of a node after which it counts as lost.
    """

    provider: Literal["local", "slurm", "pbs", "flux"] = "local"
    devices: tuple[str, ...] = ()
    nodes: int = 1
    blocks: int = 1
    walltime: str = "01:00:00"
    partition: str = ""
    account: str = ""
    options: str = ""
    setup: str = ""
    address: str = ""
    lost_seconds: int = 120

    @property
    def places(self) -> int:
        """Parts that run at once."""
        nodes = self.blocks if self.provider == "local" else self.nodes * self.blocks
        return max(1, len(self.devices)) * nodes


def read_cluster(path: Path) -> Cluster:
    """Return the table `[cluster]` of a TOML file; raises UsageError for a key or a value that is none."""
    raw = section(read_toml(path), "cluster", path)
    cluster = fill(Cluster, raw, f"{path}: [cluster]")
    for name in ("nodes", "blocks", "lost_seconds"):
        if getattr(cluster, name) < 1:
            raise UsageError(f"{path}: [cluster]: {name} = {getattr(cluster, name)}: at least 1 is needed")
    if len(set(cluster.devices)) < len(cluster.devices):
        raise UsageError(f"{path}: [cluster]: devices: one is named twice")
    if cluster.provider == "local" and cluster.nodes > 1:
        raise UsageError(f"{path}: [cluster]: nodes = {cluster.nodes}: the provider `local` has this node alone")
    return cluster


def engine_config(cluster: Cluster, folder: Path) -> Config:
    """Return the configuration of Parsl's high-throughput executor.

    Parameters
    ----------
    cluster : Cluster
    folder : Path
        Where Parsl keeps its logs and scripts; the nodes see it too.

    Raises
    ------
    NotPossibleHere
        Parsl is not installed.
    """
    try:
        from parsl.config import Config
        from parsl.executors import HighThroughputExecutor
    except ImportError as error:
        raise NotPossibleHere("--cluster needs Parsl: pip install 'kparity[cluster]'") from error
    address: dict[str, Any] = {"address": cluster.address} if cluster.address else {}
    if cluster.provider == "local":
        address = {"address": cluster.address or "127.0.0.1"}
    executor = HighThroughputExecutor(
        label="kparity", provider=_provider(cluster), max_workers_per_node=max(1, len(cluster.devices)),
        available_accelerators=list(cluster.devices), cores_per_worker=1e-6, heartbeat_threshold=cluster.lost_seconds,
        heartbeat_period=max(1, cluster.lost_seconds // 4), worker_logdir_root=str(folder), **address,
    )  # fmt: skip
    # Whether a part is tried again is the campaign's decision, which knows the records.
    return Config(executors=[executor], run_dir=str(folder), retries=0, strategy="none", usage_tracking=0)


def _provider(cluster: Cluster) -> Any:
    launchers: Any = importlib.import_module("parsl.launchers")
    providers: Any = importlib.import_module("parsl.providers")
    blocks = {"init_blocks": cluster.blocks, "min_blocks": cluster.blocks, "max_blocks": cluster.blocks}
    common: dict[str, Any] = {**blocks, "worker_init": cluster.setup}
    batch: dict[str, Any] = {
        **common, "nodes_per_block": cluster.nodes, "walltime": cluster.walltime, "account": cluster.account or None,
        "scheduler_options": cluster.options,
    }  # fmt: skip
    match cluster.provider:
        case "slurm":
            return providers.SlurmProvider(
                partition=cluster.partition or None, launcher=launchers.SrunLauncher(), **batch
            )
        case "pbs":
            return providers.PBSProProvider(
                queue=cluster.partition or None, launcher=launchers.MpiExecLauncher(), **batch
            )
        case "flux":
            launcher = launchers.WrappedLauncher(f"flux run --nodes={cluster.nodes} --ntasks={cluster.nodes}")
            return providers.LocalProvider(launcher=launcher, **common)
        case "local":
            return providers.LocalProvider(**common)
