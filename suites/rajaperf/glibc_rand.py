"""The numbers that the C library's `rand` returns on GNU/Linux, many at a time and on any machine.

glibc's default generator is additive: r[i] = r[i-3] + r[i-31] mod 2^32, of which `rand` returns the upper 31 bits. The
state of 31 words moves by a matrix, so a power of the matrix jumps ahead: the sequence is cut into strands whose start
states come from jumps, and all strands advance together, one vector operation for three steps of each.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

RAND_MAX = 2147483647

WORDS = 31  # of state: r[i-31] ... r[i-1]
SHORT_LAG = 3
DISCARDED = 310  # outputs thrown away after seeding
STRANDS = 2048  # at most: a strand's 32-bit word of each fills one vector operation that stays in the cache
SHORTEST = 256  # steps a strand is worth its jump for
STEPS = 93  # steps between two copies into the result; a multiple of SHORT_LAG

Words = npt.NDArray[np.uint32]


def glibc_rand(seed: int, n: int) -> npt.NDArray[np.int32]:
    """Return the first `n` values of `rand()` after `srand(seed)`.

    Parameters
    ----------
    seed : int
        0 <= seed < 2**32; zero acts as one.
    n : int
        Number of values.

    Returns
    -------
    (n,) int32
        0 <= value <= 2147483647.
    """
    strands = max(1, min(STRANDS, n // SHORTEST))
    length = -(-n // strands)
    states = _strand_states(_seeded(seed), strands, length)
    result = np.empty((strands, length), np.int32)
    window = np.empty((WORDS + STEPS, strands), np.uint32)
    for first in range(0, length, STEPS):
        window[:WORDS] = states
        _advance(window)
        count = min(STEPS, length - first)
        result[:, first : first + count] = (window[WORDS : WORDS + count] >> 1).T
        states = window[STEPS:].copy()
    return result.reshape(-1)[:n]


def _advance(window: Words) -> None:
    """Fill the rows after the first WORDS; steps closer than SHORT_LAG do not depend on one another."""
    for row in range(0, len(window) - WORDS, SHORT_LAG):
        new = row + WORDS
        np.add(window[row : row + SHORT_LAG], window[new - SHORT_LAG : new], out=window[new : new + SHORT_LAG])


def _seeded(seed: int) -> Words:
    """Return the state, shape (31, 1), that precedes the first value returned."""
    if not 0 <= seed < 2**32:
        raise ValueError(f"a seed is an unsigned 32-bit number, not {seed}")
    word = (seed or 1) - 2**32 * (seed >= 2**31)  # srand reads its argument as a signed int
    words = [word]
    for _ in range(WORDS - 1):
        words.append(16807 * words[-1] % 2147483647)
    window = np.empty((WORDS + 312, 1), np.uint32)  # 310 steps, rounded up to a multiple of SHORT_LAG
    window[:WORDS, 0] = np.array(words[SHORT_LAG:] + words[:SHORT_LAG]).astype(np.uint32)
    _advance(window)
    return window[DISCARDED : DISCARDED + WORDS]


def _strand_states(state: Words, strands: int, length: int) -> Words:
    """Return the states, shape (31, strands), at the start of each strand of `length` values."""
    step = np.eye(WORDS, k=1, dtype=np.uint32)  # the window moves by one word,
    step[-1, [0, -SHORT_LAG]] = 1  # and its new last word is the sum
    jump = _power(step, length)
    states = state
    while states.shape[1] < strands:
        states = np.hstack([states, jump @ states])
        jump = jump @ jump
    return states[:, :strands]


def _power(matrix: Words, exponent: int) -> Words:
    """Return a power mod 2^32, by squaring."""
    result = np.eye(len(matrix), dtype=np.uint32)
    while exponent:
        if exponent & 1:
            result = result @ matrix
        matrix = matrix @ matrix
        exponent >>= 1
    return result
