"""The options of `run` and `verify`: RAJAPerf's names where they mean the same."""

from __future__ import annotations

import argparse
import math
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from .errors import UsageError
from .selection import positive_size
from .settings import Protocol, Settings

KEPT_ON_RESUME = (
    "budget",
    "walks",
    "time_limit",
    "cell_limit",
    "memory_limit",
)  # the rest of a resumed campaign stays as it was planned
CHECKRUN_REPETITIONS = 1
DEFAULTS = Settings()
GIB = 2.0**30


@dataclass(frozen=True, slots=True)
class Choice:
    """What the command line selects, before names are resolved."""

    suite: str
    kernels: tuple[str, ...]
    exclude_kernels: tuple[str, ...]
    features: tuple[str, ...]
    exclude_features: tuple[str, ...]
    variants: tuple[str, ...]
    exclude_variants: tuple[str, ...]
    targets: tuple[str, ...]


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what is run."""
    group = parser.add_argument_group("what to run")
    add = group.add_argument
    add("--suite", metavar="NAME", help="suite by name, or the folder of your own (default: rajaperf)")
    add("-k", "--kernels", nargs="+", metavar="NAME", help="kernels or groups: Stream, Stream_TRIAD or TRIAD")
    add("-ek", "--exclude-kernels", nargs="+", metavar="NAME", help="kernels or groups to leave out")
    add("-f", "--features", nargs="+", metavar="NAME", help="kernels with one of these RAJA features")
    add("-ef", "--exclude-features", nargs="+", metavar="NAME", help="leave out kernels with one of these")
    add("-v", "--variants", nargs="+", metavar="NAME", help="checked, native, or RAJAPerf's Base_Seq, CUDA, ...")
    add("-ev", "--exclude-variants", nargs="+", metavar="NAME", help="variants to leave out")
    add("-t", "--tunings", nargs="+", metavar="NAME", help="tunings of the native side (default: all)")
    add("-et", "--exclude-tunings", nargs="+", metavar="NAME", help="tunings to leave out")
    add("--targets", nargs="+", metavar="NAME", help="cpu1, cpu, cuda (default: those that work here)")
    add("--size", nargs="+", metavar="N", help="problem sizes (default: each kernel's own)")
    add("--sweep", nargs=3, metavar=("LO", "HI", "N"), help="N problem sizes from LO to HI, evenly spread by ratio")
    add("--sizefact", type=positive_number("--sizefact"), metavar="X", help="multiply the size")
    add("--seed", type=int, metavar="N", help="of the walks' orders and of the random test data")


def add_outcome(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where results go, and those to go on with a campaign or only to plan it."""
    group = add_folder(parser)
    group.add_argument("--resume", metavar="DIR", help="go on with an unfinished campaign")
    group.add_argument("--dryrun", action="store_true", help="show the plan and stop")


def add_folder(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the options that say where results go."""
    group = parser.add_argument_group("results")
    group.add_argument("-od", "--outdir", metavar="DIR", help="new folder (default: kparity-results/TIME)")
    group.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    group.add_argument(
        "--time-limit", type=positive_number("--time-limit"), metavar="SECONDS",
        help="longest silence of a worker before it counts as hung (default: 120)",
    )  # fmt: skip
    group.add_argument(
        "--cell-limit", type=positive_number("--cell-limit"), metavar="SECONDS",
        help="longest time for one cell of a walk, all its steps together (default: 900)",
    )  # fmt: skip
    group.add_argument(
        "--memory-limit", type=positive_number("--memory-limit"), metavar="GIB",
        help="memory a worker may hold (default: 95 %% of what is free)",
    )  # fmt: skip
    return group


def add_measuring(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how times are taken."""
    add = add_walks(parser).add_argument
    add("--quick", action="store_true", help="one walk: times and checks, no verdict")
    add("--protocol", choices=("interleaved", "rajaperf"), help="rajaperf: passes x repetitions, wall clock")
    add("--graph", action="store_true", help="both sides captured into CUDA graphs, whose replay is timed")
    add("--cold", action="store_true", help="caches swept before each launch, outside of the times")
    add("--npasses", type=_positive_integer("--npasses"), metavar="N", help="of --protocol rajaperf (default: 1)")
    add("--repfact", type=positive_number("--repfact"), metavar="X", help="multiply the suite's repetitions")
    add("--checkrun", nargs="?", const=CHECKRUN_REPETITIONS, type=_positive_integer("--checkrun"), metavar="N",
        help="RAJAPerf's protocol with exactly N repetitions (default: 1)")  # fmt: skip
    add("--record", action="store_true", help="write the times into asv's database as well")
    add("--rajaperf", type=Path, metavar="PATH", help="RAJAPerf's executable, run kernel by kernel between our sides")
    add("--ranks", type=_positive_integer("--ranks"), metavar="N",
        help="run every kernel in N MPI processes at once; the mean over them counts (default: 1)")  # fmt: skip
    add("--cluster", type=Path, metavar="FILE", help="spread walks over the devices and nodes of its table [cluster]")


def add_walks(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the options that say how many walks there are, and what counts as parity."""
    group = parser.add_argument_group("how to measure")
    add = group.add_argument
    add("--walks", type=_positive_integer("--walks"), metavar="N", help="fresh processes for all (default: 5)")
    add("--budget", type=positive_number("--budget"), metavar="SECONDS",
        help="add walks for wide intervals until then (default: 240)")  # fmt: skip
    add("--margin", type=positive_number("--margin"), metavar="X", help="width of parity (default: 0.05)")
    return group


def choice_of(options: argparse.Namespace) -> Choice:
    """Return what the options select."""
    return Choice(
        suite=options.suite or "rajaperf",
        kernels=_names(options.kernels),
        exclude_kernels=_names(options.exclude_kernels),
        features=_names(options.features),
        exclude_features=_names(options.exclude_features),
        variants=_names(options.variants),
        exclude_variants=_names(options.exclude_variants),
        targets=_names(options.targets),
    )


def settings_of(options: argparse.Namespace, *, timed: bool) -> Settings:
    """Return the settings that the options give; kernels, targets and variants are resolved later.

    Raises
    ------
    UsageError
        Options that contradict each other, or a size that is none.
    """
    given = Settings(
        suite=options.suite or "rajaperf",
        tunings=_names(options.tunings),
        exclude_tunings=_names(options.exclude_tunings),
        sizes=_sizes(options),
        size_factor=options.sizefact or 1.0,
        seed=DEFAULTS.seed if options.seed is None else options.seed,
        step_seconds=options.time_limit or DEFAULTS.step_seconds,
        cell_seconds=options.cell_limit or DEFAULTS.cell_seconds,
        memory_limit=(options.memory_limit or 0.0) * GIB,
        timed=timed,
    )
    return _with_measuring(given, options) if timed else _one_walk(given)


def _sizes(options: argparse.Namespace) -> tuple[int, ...]:
    """Return the sizes asked for, each once: those listed, or those of a sweep."""
    if options.sweep is None:
        return tuple(dict.fromkeys(positive_size(text) for text in _names(options.size)))
    if options.size:
        raise UsageError("--sweep chooses the sizes; leave out --sweep or --size")
    low, high, count = (positive_size(str(text)) for text in options.sweep)
    if not low < high or count < 2:
        raise UsageError(f"--sweep {low} {high} {count}: LO below HI, and at least two sizes")
    step = math.log(high / low) / (count - 1)
    return tuple(dict.fromkeys([*(round(low * math.exp(step * i)) for i in range(count - 1)), high]))


def _one_walk(settings: Settings) -> Settings:
    return replace(settings, walks=1, most_walks=1)


def _with_measuring(settings: Settings, options: argparse.Namespace) -> Settings:
    protocol = _protocol_of(options)
    if options.checkrun and options.protocol == "interleaved":
        raise UsageError("--checkrun is RAJAPerf's protocol; leave out --protocol interleaved")
    if options.npasses and protocol != "rajaperf":
        raise UsageError("--npasses belongs to --protocol rajaperf; the number of fresh processes is --walks")
    if options.quick and options.walks:
        raise UsageError("--quick is one walk; leave out --quick or --walks")
    single = options.quick or protocol == "rajaperf"
    walks = options.walks or (1 if single else DEFAULTS.walks)
    return replace(
        settings,
        walks=walks,
        most_walks=walks if single else max(walks, DEFAULTS.most_walks),
        budget_seconds=options.budget or DEFAULTS.budget_seconds,
        protocol=protocol,
        passes=options.npasses or 1,
        repetitions=options.checkrun or 0,
        repetition_factor=options.repfact or 1.0,
        margin=options.margin or DEFAULTS.margin,
        rajaperf=_executable(options.rajaperf, settings, protocol),
        ranks=_ranks(options),
    )


def _ranks(options: argparse.Namespace) -> int:
    """Return how many MPI processes measure; raises UsageError where they cannot."""
    ranks: int = options.ranks or 1
    if ranks > 1:
        for name in ("cluster", "rajaperf"):
            if getattr(options, name):
                raise UsageError(f"--ranks and --{name}: one of them at a time")
        if not shutil.which("mpiexec") or not find_spec("mpi4py"):
            raise UsageError("--ranks needs mpiexec and mpi4py: pip install 'kparity[mpi,mpich]'")
    return ranks


def _executable(path: Path | None, settings: Settings, protocol: Protocol) -> str:
    """Return RAJAPerf's executable; raises UsageError if it is none, or has nothing to be compared with."""
    if path is None:
        return ""
    if settings.suite != "rajaperf":
        raise UsageError(f"--rajaperf knows the kernels of the suite rajaperf, not of {settings.suite}")
    if protocol in ("graph", "cold"):
        raise UsageError(f"--rajaperf and --{protocol}: RAJAPerf cannot measure in that way")
    if not path.is_file() or not os.access(path, os.X_OK):
        raise UsageError(f"--rajaperf {path}: not a program that can be started")
    return str(path.resolve())


def _protocol_of(options: argparse.Namespace) -> Protocol:
    given = {"--graph": options.graph, "--cold": options.cold, "--checkrun": options.checkrun}
    given["--protocol"] = options.protocol and not (options.checkrun and options.protocol == "rajaperf")
    if len(named := [name for name, value in given.items() if value]) > 1 and named != ["--checkrun", "--protocol"]:
        raise UsageError(f"{' and '.join(named)}: one way to measure at a time")
    if options.graph or options.cold:
        return "graph" if options.graph else "cold"
    return "rajaperf" if options.checkrun else options.protocol or "interleaved"


def resumed(saved: Settings, options: argparse.Namespace) -> Settings:
    """Return the settings of a campaign that goes on: as planned, but for its limits.

    Raises
    ------
    UsageError
        An option would change what is measured.
    """
    free = {
        *KEPT_ON_RESUME,
        "resume",
        "cluster",
        "json",
        "record",
        "dryrun",
        "config",
        "show_config",
        "command",
        "execute",
    }
    values = ((name, value) for name, value in vars(options).items() if name not in free)
    given = [name for name, value in values if value is not None and value is not False]
    if given:
        names = ", ".join("--" + name.replace("_", "-") for name in given)
        raise UsageError(f"--resume goes on with the campaign as it was planned; leave out {names}")
    walks = getattr(options, "walks", None) or saved.walks
    return replace(
        saved,
        walks=walks,
        most_walks=max(walks, saved.most_walks),
        budget_seconds=getattr(options, "budget", None) or saved.budget_seconds,
        step_seconds=options.time_limit or saved.step_seconds,
        cell_seconds=options.cell_limit or saved.cell_seconds,
        memory_limit=(options.memory_limit or 0.0) * GIB or saved.memory_limit,
    )


def default_folder(run: str) -> Path:
    """Return where results go if the user does not say."""
    return Path("kparity-results") / run


def _names(values: list[str] | None) -> tuple[str, ...]:
    """Split at commas too: `--kernels Stream,DAXPY` is as good as two words."""
    return tuple(name for value in values or () for name in re.split(r"[,\s]+", value) if name)


def positive_number(option: str) -> Callable[[str], float]:
    """Return the reader of an option whose value is a finite number above 0."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise UsageError(f"{option} {text}: not a number") from None
        if not 0.0 < value < float("inf"):
            raise UsageError(f"{option} {text}: a number above 0 is needed")
        return value

    return read


def _positive_integer(option: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise UsageError(f"{option} {text}: not a whole number") from None
        if value < 1:
            raise UsageError(f"{option} {text}: at least 1 is needed")
        return value

    return read
