"""Compare checker and oracle on random kernels.

    python -m tests.compiler.checks.fuzz --kernels 20000 --processes 16 --first 1
    python -m tests.compiler.checks.fuzz --kernels 1 --first 4711 --show         # one again, with its text

An accepted kernel is clean in every launch that its guards and inspections let through, without the barriers that the
checker removes; no two threads share an array that earned `noalias`; no dividend of a plain division is negative; what
leaves its array in `with checked()` is tested. What breaks this is a hole: it is printed with the smallest kernel that
shows it, and the exit status is 1. So it is if the compiler, or the oracle, crashes or hangs; the other kernels are run
all the same. Prints what was seen: verdicts by reason, the share of kernels at fault, what the kernels are made of, and
what is refused in vain.
"""

from __future__ import annotations

import argparse
import multiprocessing
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection

from .generate import KINDS, text_of
from .verdicts import Hole, Tally, compare

SLOWEST = 300  # seconds that one kernel may take, with all its launches
_BATCH = 40  # kernels of one process


def smallest(text: str, is_hole: Callable[[str], bool]) -> str:
    """Return a kernel as short as leaving out lines, with what is inside of them, can make it."""
    lines = text.split("\n")
    position = len(lines) - 1
    while position >= 0:
        depth = len(lines[position]) - len(lines[position].lstrip())
        end = position + 1
        while end < len(lines) and len(lines[end]) - len(lines[end].lstrip()) > depth:
            end += 1
        shorter = lines[:position] + lines[end:]
        if shorter and is_hole("\n".join(shorter)):
            lines = shorter
        position = min(position, len(lines)) - 1
    return "\n".join(lines)


def _is_hole(text: str, number: int) -> bool:
    try:
        compare(text, number, Tally())
    except Hole:
        return True
    except Exception:  # left out too much: what is left is no kernel
        return False
    return False


def fuzz(numbers: range, kind: str = "", tally: Tally | None = None) -> Tally:
    """Compare the kernels of some numbers; the first hole is raised with the smallest kernel that shows it."""
    tally = tally if tally is not None else Tally()
    for number in numbers:
        text = text_of(number, kind)
        try:
            compare(text, number, tally)
        except Hole as hole:
            tally.holes.append(number)
            if (short := smallest(text, lambda shorter, n=number: _is_hole(shorter, n))) == text:  # type: ignore[misc]
                raise
            compare(short, number, Tally())
            raise AssertionError("a hole that is none the second time") from hole
    return tally


def judge(number: int, kind: str) -> tuple[Tally, str]:
    """Return what one kernel shows, and the text of its hole or crash; nothing is raised."""
    tally, text = Tally(), ""
    try:
        text = text_of(number, kind)
        fuzz(range(number, number + 1), kind, tally)
    except Hole as hole:
        return tally, f"kernel {number}: {hole}"
    except Exception as error:  # a finding, like a hole
        where = traceback.extract_tb(error.__traceback__)[-1]
        tally.crashes[f"{type(error).__name__} in {where.name}: {str(error)[:100]}"].append(number)
        return tally, f"kernel {number} crashes:\n{text}\n{traceback.format_exc()}"
    return tally, ""


def _work(numbers: list[int], kind: str, sender: Connection) -> None:
    for number in numbers:
        sender.send(judge(number, kind))


def _supervise(numbers: list[int], kind: str, results: queue.SimpleQueue[tuple[int, Tally, str]]) -> None:
    """Judge some kernels in a process of their own; one that it does not survive, or not finish, is a crash."""
    context = multiprocessing.get_context("forkserver")
    while numbers:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(numbers, kind, sender), daemon=True)
        process.start()
        sender.close()
        while numbers:
            lost = ""
            try:
                if receiver.poll(SLOWEST):
                    results.put((numbers[0], *receiver.recv()))
                else:
                    lost = f"no verdict within {SLOWEST} s"
            except EOFError:
                process.join()
                lost = f"the process died, exit code {process.exitcode}"
            number = numbers.pop(0)
            if lost:
                shown = f"kernel {number}, {lost}:\n{text_of(number, kind)}"
                results.put((number, Tally(crashes={lost: [number]}), shown))
                break
        process.kill()
        process.join()


def campaign(numbers: range, kind: str, processes: int, minutes: float) -> Tally:
    """Judge the kernels of some numbers on several processes, and print holes and progress."""
    batches: queue.SimpleQueue[list[int]] = queue.SimpleQueue()
    for first in range(0, len(numbers), _BATCH):
        batches.put(list(numbers[first : first + _BATCH]))
    start, tally, done = time.monotonic(), Tally(), 0
    results: queue.SimpleQueue[tuple[int, Tally, str]] = queue.SimpleQueue()

    def supervise() -> None:
        while time.monotonic() < start + 60 * minutes:
            try:
                batch = batches.get_nowait()
            except queue.Empty:
                return
            _supervise(batch, kind, results)

    supervisors = [threading.Thread(target=supervise, daemon=True) for _ in range(processes)]
    for supervisor in supervisors:
        supervisor.start()
    while any(s.is_alive() for s in supervisors) or not results.empty():
        try:
            _, seen, finding = results.get(timeout=1.0)
        except queue.Empty:
            continue
        tally.add(seen)
        done += 1
        if finding:
            print(finding, flush=True)
        if done % 100 == 0:
            passed = (time.monotonic() - start) / 60
            left = passed / done * (len(numbers) - done)
            print(
                f"{done} of {len(numbers)}, {len(tally.holes)} holes, {sum(map(len, tally.crashes.values()))} crashes, "
                f"{tally.refused_in_vain} of {tally.clean} clean ones refused, {passed:.1f} minutes, {left:.1f} left",
                file=sys.stderr, flush=True,
            )  # fmt: skip
    if done < len(numbers):
        print(f"stopped after {minutes} minutes: {len(numbers) - done} kernels were not run")
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare checker and oracle on random kernels.")
    parser.add_argument("--kind", choices=[*KINDS], default="", help="indices of a `parallel`, teams, or flattened")
    parser.add_argument("--first", type=int, default=1, help="number of the first kernel (default 1)")
    parser.add_argument("--kernels", type=int, default=2000, help="how many (default 2000)")
    parser.add_argument("--processes", type=int, default=1, help="how many work at once (default 1)")
    parser.add_argument("--minutes", type=float, default=120.0, help="at most (default 120)")
    parser.add_argument("--show", action="store_true", help="print the text of each kernel")
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.kernels)
    if options.show:
        print(*(f"# kernel {n}\n{text_of(n, options.kind)}\n" for n in numbers), sep="\n")
    tally = campaign(numbers, options.kind, options.processes, options.minutes)
    print(tally)
    return 1 if tally.holes or tally.crashes else 0


if __name__ == "__main__":
    sys.exit(main())
