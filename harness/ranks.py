"""The processes that measure one walk together: one, or the ranks of an MPI program, which run each kernel at once."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

MODE = "mpi"  # first argument of a worker that is a rank among others
LOCAL_RANK = ("MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "PALS_LOCAL_RANKID")


class Ranks:
    """A process that is alone."""

    rank, count = 0, 1

    def barrier(self) -> None:
        """Wait until every rank is here."""

    def greatest(self, value: float) -> float:
        """Return the greatest value of all ranks, so that all decide alike."""
        return value

    def fault_elsewhere(self, own: str) -> str:
        """Tell the others what is wrong here, empty if nothing is; return what is wrong elsewhere."""
        return ""

    def gathered(self, samples: Sequence[float]) -> list[list[float]]:
        """Return the samples of every rank; on each of them."""
        return [list(samples)]

    def give_up(self) -> None:
        """End all ranks: one that stays away leaves the others waiting."""


class MpiRanks(Ranks):
    """The ranks of `MPI_COMM_WORLD`."""

    def __init__(self) -> None:
        from mpi4py import MPI

        self._mpi, self._world = MPI, MPI.COMM_WORLD
        self.rank, self.count = self._world.Get_rank(), self._world.Get_size()

    def shared(self, value: Any) -> Any:
        """Return what the first rank has."""
        return self._world.bcast(value)

    def barrier(self) -> None:
        """Wait until every rank is here."""
        self._world.Barrier()

    def greatest(self, value: float) -> float:
        """Return the greatest value of all ranks."""
        greatest: float = self._world.allreduce(value, op=self._mpi.MAX)
        return greatest

    def fault_elsewhere(self, own: str) -> str:
        """Return what is wrong on other ranks, with the first one's number."""
        faults = self._world.allgather(own)
        return next((f"rank {n}: {fault}" for n, fault in enumerate(faults) if fault and n != self.rank), "")

    def gathered(self, samples: Sequence[float]) -> list[list[float]]:
        """Return the samples of every rank."""
        own: list[list[float]] = self._world.allgather(list(samples))
        return own

    def give_up(self) -> None:
        """End all ranks at once."""
        self._world.Abort(1)


def over_ranks(samples: Sequence[Sequence[float]]) -> tuple[list[float], dict[str, list[float]]]:
    """Return the mean of the ranks, sample by sample, and their least and greatest.

    Examples
    --------
    >>> over_ranks([[1.0, 2.0], [3.0, 2.0]])
    ([2.0, 2.0], {'minimum': [1.0, 2.0], 'maximum': [3.0, 2.0]})
    """
    together = list(zip(*samples, strict=True))
    mean = [sum(own) / len(own) for own in together]
    return mean, {"minimum": [min(own) for own in together], "maximum": [max(own) for own in together]}


def launcher(ranks: int) -> tuple[str, ...]:
    """Return the words that start a program in several ranks."""
    return ("mpiexec", "-n", str(ranks)) if ranks > 1 else ()


def choose_device(environment: Mapping[str, str] = os.environ) -> str:
    """Return the GPU of this rank, as `CUDA_VISIBLE_DEVICES` names it: a host's are dealt to its ranks; or nothing."""
    local = next((int(environment[name]) for name in LOCAL_RANK if name in environment), 0)
    visible = [name for name in environment.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
    if not visible and shutil.which("nvidia-smi"):
        query = ["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader"]
        visible = subprocess.run(query, capture_output=True, text=True, check=False).stdout.split()
    return visible[local % len(visible)] if visible else ""
