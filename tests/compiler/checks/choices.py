"""Choices that a seed makes, in the words of `hypothesis.strategies`.

Not hypothesis itself: its draws cost half as much as the proof of the kernel that they make, and a quarter of the
kernels are repeated ones. Here a kernel has a number, from which it can be made again, alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from random import Random
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True)
class Strategy(Generic[T]):
    """What can be drawn."""

    make: Callable[[Random], T]


@dataclass(frozen=True)
class DrawFn:
    """Draws, one after the other."""

    random: Random

    def __call__(self, strategy: Strategy[T]) -> T:
        return strategy.make(self.random)


def sampled_from(values: Iterable[T]) -> Strategy[T]:
    """One of the values."""
    kept = tuple(values)
    return Strategy(lambda random: random.choice(kept))


def integers(low: int, high: int) -> Strategy[int]:
    """A number between two others, both included."""
    return Strategy(lambda random: random.randint(low, high))


def booleans() -> Strategy[bool]:
    """True or False."""
    return sampled_from((False, True))


def lists(items: Strategy[T], max_size: int) -> Strategy[list[T]]:
    """A list of independent items."""
    return Strategy(lambda random: [items.make(random) for _ in range(random.randint(0, max_size))])


def composite(function: Callable[Concatenate[DrawFn, P], Any]) -> Callable[P, Strategy[Any]]:
    """Turn a function that draws into a strategy."""

    @wraps(function)
    def strategy(*arguments: P.args, **named: P.kwargs) -> Strategy[Any]:
        return Strategy(lambda random: function(DrawFn(random), *arguments, **named))

    return strategy
