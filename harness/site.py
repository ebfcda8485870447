"""Where a campaign's workers run: here, unless a cluster takes this one's place."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .memory import host_free_memory
from .settings import Settings
from .targets import Probed, probe

if TYPE_CHECKING:  # statistics take a second to import: names are checked first
    from .campaign import CampaignRun
    from .crew import Crew
    from .progress import Watcher


class Site:
    """The machine itself: workers are processes of its own, one after the other."""

    def probe(self, targets: Iterable[str] = ()) -> dict[str, Probed]:
        """Ask which targets work; about all of them if none is named."""
        return probe(targets)

    def host_free_memory(self) -> int:
        """Return the free bytes of the host that measures."""
        return host_free_memory()

    def crew(self, run: str, folder: Path, settings: Settings, watcher: Watcher) -> Crew:
        """Return who starts a campaign's workers."""
        from .crew import Crew

        return Crew(run, folder, settings, watcher)

    def campaign(self, *values: Any, **more: Any) -> CampaignRun:
        """Return a campaign that its crew carries out; takes what `CampaignRun` takes."""
        from .campaign import CampaignRun

        return CampaignRun(*values, **more)


HERE = Site()
