"""Sequences that repeat: where copying may look, random ones to learn from, and how far guessing goes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.attention import BoolArray

N_WORDS = 20
SEQUENCE_LENGTH = 24
MAX_BEFORE = 8  # words before the block, at most
PERIODS = (6, 10)  # the shortest and the longest block

IntArray = NDArray[np.integer[Any]]


class Sequences(NamedTuple):
    """B sequences: `tokens` and what comes `next` after each, both (B, 24), and which are `predictable`."""

    tokens: IntArray
    next: IntArray
    predictable: BoolArray


def followers(ids: ArrayLike) -> BoolArray:
    """Tell, for each position i, the places j + 1 that follow an earlier appearance j < i of the same token.

    These are the places where an induction head looks: what stands there came next the last time.

    Parameters
    ----------
    ids : array_like of int, (..., n)
        Tokens as whole numbers, one sequence a row.

    Returns
    -------
    ndarray of bool, (..., n, n)
        Row i is the position that looks. A row without any True is a token that stands there for the first
        time: nothing can be copied.

    Raises
    ------
    ValueError
        If `ids` are not whole numbers.

    References
    ----------
    Olsson et al. 2022, In-context Learning and Induction Heads (prefix matching).

    Examples
    --------
    >>> followers([7, 5, 7, 7]).astype(int)
    array([[0, 0, 0, 0],
           [0, 0, 0, 0],
           [0, 1, 0, 0],
           [0, 1, 0, 1]])
    """
    tokens = np.asarray(ids)
    if tokens.ndim < 1 or tokens.dtype.kind not in "iu":
        raise ValueError(f"ids must be whole numbers, one sequence a row, got {tokens.dtype} of shape {tokens.shape}")
    n = tokens.shape[-1]
    found = np.zeros((*tokens.shape, n), bool)
    found[..., 1:] = tokens[..., :, None] == tokens[..., None, :-1]  # place j + 1 follows token j
    found &= np.tri(n, dtype=bool)  # j + 1 <= i
    return found


def draw(rng: np.random.Generator, n: int) -> Sequences:
    """Draw n sequences: 0 to 8 words that come once, then a block of 6 to 10 others, over and over."""
    words = rng.random((n, N_WORDS)).argsort(axis=1)  # in each row, all words in random order
    before = rng.integers(0, MAX_BEFORE + 1, (n, 1))
    period = rng.integers(PERIODS[0], PERIODS[1] + 1, (n, 1))
    return repeated(words, before, period)


def repeated(words: IntArray, before: IntArray, period: IntArray) -> Sequences:
    """Sequences of the first words of each row, (B, 20): so many, (B, 1), once, then a block of the next ones."""
    at = np.arange(SEQUENCE_LENGTH + 1)
    which = np.where(at < before, at, before + (at - before) % period)  # (B, 25)
    text = np.take_along_axis(words, which, axis=1)
    return Sequences(text[:, :-1], text[:, 1:], at[:-1] >= before + period)


def elimination_guessing(sequences: Sequences, within: int | None = None) -> float:
    """How often guessing is right, on average, that knows the last five words not to come next.

    It guesses evenly among the other words seen so far, or among the last `within` places of them.
    """
    struck_out = PERIODS[0] - 1  # no block is shorter than six, so its last five words do not come next
    right = []
    for tokens, following, predictable in zip(*(x.tolist() for x in sequences), strict=True):
        for i in np.flatnonzero(predictable):
            nearest = 0 if within is None else max(0, i + 1 - within)
            candidates = set(tokens[nearest : i + 1]) - set(tokens[i + 1 - struck_out : i + 1])
            right.append((following[i] in candidates) / max(1, len(candidates)))
    return float(np.mean(right))
