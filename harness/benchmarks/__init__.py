"""asv's benchmarks of this project: the kernels of its suite, and the compiler itself.

asv knows a benchmark's kind by the last word of its name. `kparity run --record` stores names that end in a plain word,
so that word is made known here; everything else is asv's `track`, whose functions may return samples.
"""

import re

from asv_runner.benchmarks import benchmark_types
from asv_runner.benchmarks.track import TrackBenchmark


class SampledBenchmark(TrackBenchmark):  # type: ignore[misc]  # asv ships no types
    """A benchmark that takes its own samples, or what else it tracks, and returns them."""

    name_regex = re.compile(r"(time|wall|cold|cached|checking|error|registers|spilled|shared_bytes)\Z")


if SampledBenchmark.__name__ not in {kind.__name__ for kind in benchmark_types}:
    benchmark_types.append(SampledBenchmark)
