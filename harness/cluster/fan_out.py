"""Spreads walks over devices: each part of a walk is carried out on one device, as many at once as there are."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from ..campaign import CampaignRun
from ..crew import Crew, Step
from ..errors import HarnessError, UsageError, WorkerCannotStart
from ..journal import load
from ..plan import Comparison, by_data, cells_of, walk_order
from ..progress import Watcher, line_of
from ..records import Cell, Record
from ..settings import Settings
from ..site import Site
from ..sources import fingerprint, source_folders
from ..standing import is_final, pending
from ..supervisor import COMMAND, Ending, Event
from ..targets import Probed, probed_from
from .part import Outcome, Part, last_step

Engine = Callable[[Part], "Future[Outcome]"]
_LOSSES = 3  # processes lost before they reached a kernel, after which something is wrong with all of them


@dataclass(slots=True)
class RemoteCrew(Crew):
    """Has jobs carried out elsewhere.

    Attributes
    ----------
    engine : callable
        Sends a part to wherever a device is free.
    sources : str
        Fingerprint that every node must have.
    """

    engine: Engine = field(kw_only=True)
    sources: str = ""
    _numbers: count[int] = field(default_factory=count)

    def submit(
        self, job: Mapping[str, Any], name: str, attempts: Counter[tuple[Cell, int]]
    ) -> tuple[Part, Future[Outcome]]:
        """Send a job, and return what was sent with what will come of it."""
        part = Part(
            self.run, str(self.folder.resolve()), self.settings.to_json(), {**job}, f"{name}.{next(self._numbers)}",
            tuple((asdict(cell), walk, number) for (cell, walk), number in attempts.items() if number),
            self.sources, tuple(self.command),
        )  # fmt: skip
        return part, self.engine(part)

    def outcome(self, part: Part, future: Future[Outcome]) -> tuple[Outcome, bool]:
        """Return what came of a part, and whether the process that carried it was lost."""
        try:
            return future.result(), False
        except HarnessError:
            raise
        except Exception as error:  # whatever an engine says of a process or node that is gone
            what, cells = last_step(self.folder, part.name)
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            return Outcome(Ending("crashed", f"the process on the node was lost ({reason})"), what, cells), True

    def listen(self, job: Mapping[str, Any], name: str, hear: Callable[[Event], None]) -> Ending:
        """Have a job done, and pass on all that its worker told once it has ended."""
        outcome, _ = self.outcome(*self.submit(job, name, Counter()))
        self.step = Step(outcome.what or "starting", outcome.cells)
        for event in outcome.events:
            hear(event)
        return outcome.ending

    def cannot_start(self, ending: Ending, name: str) -> WorkerCannotStart:
        """Return the error for parts that end before they reach any work."""
        return WorkerCannotStart(
            f"parts of `{name}` end before they reach a kernel ({ending.message or 'they did none of their work'}); "
            f"the logs are in {self.folder / 'logs'} and, the engine's, in {self.folder / 'engine'}"
        )


@dataclass(slots=True)
class FannedOut(CampaignRun):
    """A campaign whose walks are carried out part by part.

    Attributes
    ----------
    places : int
        Parts at once.
    """

    places: int = 1
    _losses: Counter[tuple[Cell, int]] = field(default_factory=Counter, init=False)

    def _walks(self, walks: Sequence[int], comparisons: Sequence[Comparison]) -> None:
        """Visit comparisons in every walk; parts of all walks are under way at once."""
        crew = self.crew
        assert isinstance(crew, RemoteCrew)
        queue = deque((walk, part) for walk in walks for part in self._parts(walk, comparisons))
        if not queue:
            return
        crew.watcher.begin(
            f"{self._title(walks[0])} and on, {self.places} at once", sum(len(cells_of(p)) for _, p in queue)
        )
        running: dict[Future[Outcome], tuple[Part, int, list[Comparison]]] = {}
        idle = 0
        while queue or running:
            while queue and len(running) < self.places:
                walk, comparisons = queue.popleft()
                if left := pending(comparisons, self.records, walk):
                    self.check_sources()
                    part, future = crew.submit(self._job(walk, left), f"walk-{walk}", self._attempts)
                    running[future] = part, walk, left
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                part, walk, comparisons = running.pop(future)
                known = len(self.records)
                ending = self._conclude(part, future, walk)
                queue.appendleft((walk, comparisons))  # what is left of it
                idle = 0 if len(self.records) > known else idle + bool(pending(comparisons, self.records, walk))
                if idle >= _LOSSES:
                    raise crew.cannot_start(ending, f"walk-{walk}")

    def _parts(self, walk: int, comparisons: Sequence[Comparison]) -> list[list[Comparison]]:
        """Return a walk's comparisons, in its order, dealt to as many parts as there are places; data stay together."""
        left = pending(walk_order(comparisons, self.settings.seed, walk), self.records, walk)
        place = {comparison.data_key: number for number, (comparison, *_) in enumerate(_groups(left))}
        parts: list[list[Comparison]] = [[] for _ in range(self.places)]
        for comparison in left:
            parts[place[comparison.data_key] % self.places].append(comparison)
        return [part for part in parts if part]

    def _conclude(self, part: Part, future: Future[Outcome], walk: int) -> Ending:
        """Take over the records of a part that has ended, and charge its cells with how it did."""
        assert isinstance(self.crew, RemoteCrew)
        outcome, is_lost = self.crew.outcome(part, future)
        for event in outcome.events:
            if event["event"] == "record":
                self._adopt(Record.from_json(event["record"]))
            else:
                self._hear(event)
        if is_lost:
            for record in load(self.crew.folder).records:  # what it recorded before stands in its shard
                self._adopt(record)
        if outcome.ending.kind != "finished":
            message = f"{outcome.ending.message} while {outcome.what or 'starting'}"
            for cell in outcome.cells:
                self._losses[cell, walk] += is_lost
                again = is_lost and self._losses[cell, walk] == 1  # nodes die of other things too: it is tried again
                self.fail(cell, "interrupted" if again else outcome.ending.kind, message, walk)
        return outcome.ending

    def _adopt(self, record: Record) -> None:
        """Count a record that stands in a shard, once."""
        key = record.cell, record.walk
        if record.attempt < self._attempts[key]:
            return
        self.records.append(record)
        self._attempts[key] = record.attempt + 1
        self._final |= {key} if is_final(record) else set()
        self.crew.watcher.advance(line_of(record), alarming=record.status != "ok")


def _groups(comparisons: Iterable[Comparison]) -> Iterable[list[Comparison]]:
    """Return the comparisons that share their data, in the order of the first of each."""
    order = {c.data_key: number for number, c in reversed(list(enumerate(comparisons)))}
    return sorted(by_data(comparisons), key=lambda group: order[group[0].data_key])


class ClusterSite(Site):
    """Nodes and devices behind an engine.

    Parameters
    ----------
    engine : callable
    places : int
        Parts that it carries out at once.
    command : sequence of str
        Starts a worker, on a node.
    shares_hosts : bool
        Whether several places are on one host, each with a device of its own.
    """

    def __init__(
        self, engine: Engine, places: int, command: Sequence[str] = COMMAND, *, shares_hosts: bool = False
    ) -> None:
        self._engine, self._places, self._command = engine, places, tuple(command)
        self._shares_hosts = shares_hosts
        self._memory = 0

    def probe(self, targets: Iterable[str] = ()) -> dict[str, Probed]:
        """Ask the first node that answers; the others are taken to be like it."""
        job = {"kind": "probe", "targets": list(targets)}
        part = Part("probe", "", Settings().to_json(), job, "probe", command=self._command)
        try:
            outcome = self._engine(part).result()
        except HarnessError:
            raise
        except Exception as error:
            raise WorkerCannotStart(f"no node of the cluster answers: {error}") from error
        self._memory = outcome.memory
        return probed_from(outcome.events, outcome.ending)

    def host_free_memory(self) -> int:
        """Return what was free on the node that was asked."""
        return self._memory

    def crew(self, run: str, folder: Path, settings: Settings, watcher: Watcher) -> Crew:
        """Return who sends a campaign's jobs; raises UsageError if they would disturb each other."""
        if self._shares_hosts and (hosts := [target for target in settings.targets if target.startswith("cpu")]):
            raise UsageError(
                f"{', '.join(hosts)} and several devices of one host disturb each other: leave out `devices` of the "
                "table [cluster], or name the devices' target with --targets"
            )
        sources = fingerprint(source_folders(settings.suite))
        return RemoteCrew(run, folder, settings, watcher, self._command, engine=self._engine, sources=sources)

    def campaign(self, *values: Any, **more: Any) -> CampaignRun:
        """Return a campaign whose walks are spread over all places."""
        return FannedOut(*values, **{**more, "places": self._places})
