"""A history as large as years of nights make it, to time the gate and `asv publish` with; not part of the tests.

    python -m tests.harness.large_history FOLDER [COMMITS]

makes a repository with asv's database of 82 kernels in 4 variants, and a campaign `tonight` to judge. Then, in FOLDER:
`kparity gate tonight --against asv`, `asv publish --no-pull`.
"""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from pathlib import Path

from kparity.harness.recording import record
from kparity.harness.records import Campaign, Cell, Record

from .repository import make_repository
from .sample_campaign import PROVENANCE, write_campaign

VARIANTS = ("checked", "native", "rajaperf_Base_CUDA", "rajaperf_RAJA_CUDA")
KERNELS = tuple(f"Group_KERNEL{number}" for number in range(82))


def campaign(run: str, noise: random.Random) -> Campaign:
    records = []
    for walk in range(5):
        for kernel in KERNELS:
            for variant in VARIANTS:
                seconds = 1e-5 * noise.gauss(1, 0.01)
                cell = Cell("rajaperf", kernel, "cuda", 1_000_000, variant)
                records.append(
                    Record(run, cell, walk, 0, "ok", device_seconds=[seconds] * 3, wall_seconds=[seconds] * 3)
                )
    return Campaign(run, dict(PROVENANCE), records, {})


def main(folder: Path, commits: int) -> None:
    folder.mkdir(parents=True)
    make_repository(folder)
    noise = random.Random(1)
    first = record(campaign("night-0", noise), folder / "asv.conf.json")
    text = first.files[0].read_text()
    template = json.loads(text)
    stream = "".join(
        f"commit refs/heads/ledger\ncommitter t <t@localhost> {1_700_000_000 + 86400 * n} +0000\n"
        f"data {len(f'run night-{n}')}\nrun night-{n}\n" + (f"from {first.commit}\n" if n == 1 else "") + "\n"
        for n in range(1, commits)
    )
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], input=stream, text=True, check=True)
    hashes = subprocess.run(
        ["git", "-C", str(folder), "rev-list", "--reverse", "ledger"], capture_output=True, text=True, check=True
    ).stdout.split()
    columns = template["result_columns"]
    for number, commit in enumerate(hashes[1:], 1):
        for row in template["results"].values():
            values = [1e-5 * noise.gauss(1, 0.01) for _ in row[columns.index("result")]]
            row[columns.index("result")] = [value if math.isfinite(value) else None for value in values]
        path = first.files[0].with_name(first.files[0].name.replace(first.commit[:8], commit[:8]))
        later = {**template, "commit_hash": commit, "date": (1_700_000_000 + 86400 * number) * 1000}
        path.write_text(json.dumps(later))
    write_campaign(campaign("tonight", noise), folder / "tonight")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
