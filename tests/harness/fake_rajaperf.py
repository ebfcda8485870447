"""A stand-in for RAJAPerf's executable: takes its options, and writes its files."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path

TUNINGS = ("block_128", "block_256")


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("kernels", "variants", "tunings", "size", "outdir", "npasses", "repfact", "checkrun"):
        parser.add_argument(f"--{name}")
    options = parser.parse_args()
    with open(os.environ["FAKE_RAJAPERF_LOG"], "a") as log:
        log.write(" ".join(sys.argv[1:]) + "\n")
    kernel, variant = options.kernels, options.variants
    fault = os.environ.get("FAKE_RAJAPERF", "")
    if fault == "crash" and options.tunings == "block_256":
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "refuse":
        print("RAJAPerf: no such device", file=sys.stderr)
        return 1
    size = int(options.size) + (fault == "larger")
    tunings = [options.tunings] if options.tunings else TUNINGS
    rows = [
        "Kernel , Variant , Tuning , Problem size , Checksum , Mean time per rep (sec.) , Mean Bandwidth , Mean flops"
    ]
    rows += [f"{kernel} , {variant} , {t} , {size} , PASSED , 1.5e-05 , 1.0 , 1.0" for t in tunings]
    rows = rows[:1] if fault == "lacks" else rows
    folder = Path(options.outdir)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "RAJAPerf-kernel-run-data.csv").write_text("\n".join(rows) + "\n")
    (folder / "RAJAPerf-checksum.txt").write_text(
        f"{kernel}\n" + "".join(f"{variant}-{t}   PASSED  1e-10   160928301.9   1.2e-16\n" for t in tunings)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
