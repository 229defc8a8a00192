"""Other weights that give the same output: why one grid of weights is not the only story."""

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.attention import FloatArray, _real

MAX_SUPPORTS = 20_000  # groups of words that are tried; 12 words with values in the plane make 495
_TOLERANCE = 1e-9  # below it, relative to vectors of length 1, a number counts as 0


@dataclass(frozen=True, eq=False)
class EquivalentWeights:
    """The ways in which a row of weights can move while the output stays where it is; all arrays are read-only.

    Every weights + t · direction with low ≤ t ≤ high is a distribution with the same output.

    Parameters
    ----------
    directions : ndarray, (m, n)
        One way to move a row; each sums to 0 and leaves the output alone. The word that moves most gains exactly
        t. Few words take part in each, and together the rows span all ways there are; m = n_words − rank.
    low, high : ndarray, (m,)
        How far each can go, low ≤ 0 ≤ high: there, a weight reaches 0.
    lowest, highest : ndarray, (m, n)
        The weights at these two ends.
    n_words : int
        How many words take part: those with any weight. A word of weight exactly 0 stays at 0.
    rank : int
        How many numbers tie these words down: the values' own dimensions, and 1 for the sum. With n_words no
        larger than that, nothing can move: every other distribution has another output.

    Examples
    --------
    >>> equivalent_weights([0.5, 0.5], [[1, 0], [0, 1]]).directions.shape
    (0, 2)
    """

    directions: FloatArray
    low: FloatArray
    high: FloatArray
    lowest: FloatArray
    highest: FloatArray
    n_words: int
    rank: int


def equivalent_weights(weights: ArrayLike, V: ArrayLike) -> EquivalentWeights:
    """Find the directions in which weights can move, staying a distribution, while weights V does not change.

    Each is a trade between as few words as possible. The first moves the heaviest word furthest, from end to
    end; the next is the one that moves it furthest among those not made of the ones before, and so on. If the
    heaviest word takes part in none, those come first in which the words together move furthest.

    Parameters
    ----------
    weights : array_like, (n,)
        One row of an attention's weights: 0 or more, with sum 1 or, for a row with nothing to see, all 0. A word
        of weight exactly 0 is taken as hidden and stays at 0, so a one-hot row has no such direction.
    V : array_like, (n, d_v)
        The values.

    Returns
    -------
    EquivalentWeights

    Raises
    ------
    ValueError
        If sizes do not fit, the weights are no distribution, a value is not finite, or there are so many words
        and dimensions that trying all groups of words would take too long.

    References
    ----------
    Brunner et al. 2020, On Identifiability in Transformers, section 3; Jain and Wallace 2019, Attention is not
    Explanation.

    Examples
    --------
    >>> found = equivalent_weights([0.0434, 0.7346, 0.1786, 0.0434], [[1, 0], [4, 0], [0, 2], [1, 1]])
    >>> (found.directions * -6).round(6)
    array([[ 2.,  1.,  3., -6.]])
    >>> found.highest.round(3)  # down's weight can be 0.17
    array([[0.   , 0.713, 0.113, 0.174]])
    """
    weights = np.asarray(_real("weights", weights), np.float64)
    V = np.asarray(_real("V", V), np.float64)
    if weights.ndim != 1 or V.ndim != 2 or len(weights) != len(V):
        raise ValueError(f"weights (n,) and V (n, d_v) must share n, got {weights.shape} and {V.shape}")
    if not np.isfinite(V).all():
        raise ValueError("V holds NaN or an infinity; every entry must be finite")
    total = weights.sum()
    if not (weights >= 0).all() or not (abs(total - 1) < 1e-5 or total == 0):  # NaN compares False
        raise ValueError(f"weights must be 0 or more with sum 1, or all 0, got {weights} with sum {total}")

    n = len(weights)
    words = np.flatnonzero(weights)
    columns, lengths = _columns(V[words])  # (d_v + 1, n_words), (n_words,)
    rank = int(np.linalg.matrix_rank(columns, tol=_TOLERANCE)) if len(words) else 0
    among = _smallest_trades(columns, lengths, rank, weights[words]) if len(words) > rank else np.zeros((0, len(words)))
    trades = np.zeros((len(among), n))
    trades[:, words] = among

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        room = weights / np.abs(trades)  # (m, n): how far until this word is at 0
    high = np.where(trades < 0, room, np.inf).min(axis=1, initial=np.inf)
    low = -np.where(trades > 0, room, np.inf).min(axis=1, initial=np.inf)
    moves = np.abs(trades) * (high - low)[:, None]  # (m, n): how far each word moves from end to end
    top = int(weights.argmax()) if n else 0
    furthest = moves[:, top] if n else moves.sum(axis=1)
    order = np.lexsort((-moves.sum(axis=1).round(9), -furthest.round(9)))  # the last key counts first
    chosen = _independent(trades, order, len(words) - rank)

    directions, low, high = trades[chosen], low[chosen], high[chosen]
    lowest, highest = (np.maximum(weights + t[:, None] * directions, 0) for t in (low, high))
    for x in (directions, low, high, lowest, highest):
        x.setflags(write=False)
    return EquivalentWeights(directions, low, high, lowest, highest, len(words), rank)


def _columns(V: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What must not change, one word a column of length 1: its value, and the 1 it adds to the sum; their lengths."""
    M = np.vstack([V.T, np.ones(len(V))])  # (d_v + 1, n)
    largest = np.abs(M).max(axis=0)  # squares of huge values would overflow
    lengths = np.linalg.norm(M / largest, axis=0)
    return M / largest / lengths, largest * lengths


def _smallest_trades(columns: FloatArray, lengths: FloatArray, rank: int, weights: FloatArray) -> FloatArray:
    """One row for each group of rank + 1 words: its only trade, or zeros if it has several (others show those)."""
    n = columns.shape[1]
    if comb(n, rank + 1) > MAX_SUPPORTS:
        raise ValueError(
            f"{n} words with {rank - 1} dimensions between them make {comb(n, rank + 1)} groups of {rank + 1};"
            f" at most {MAX_SUPPORTS} are tried"
        )
    groups = np.array(list(combinations(range(n), rank + 1)))  # (m, rank + 1)
    _, sizes, rows = np.linalg.svd(columns.T[groups].swapaxes(1, 2))  # one (d_v + 1, rank + 1) matrix a group
    only = sizes[:, rank - 1] > _TOLERANCE  # as many independent words as there can be: one trade is left
    trades = np.where(only[:, None], rows[:, rank, :], 0)  # (m, rank + 1)
    trades = np.where(np.abs(trades) < _TOLERANCE, 0, trades) / lengths[groups]

    # The word that moves most gets +1; between equals, the heaviest.
    size = np.abs(trades)
    leads = size >= size.max(axis=1, keepdims=True) * (1 - _TOLERANCE)
    lead = np.where(leads, weights[groups], -1).argmax(axis=1)[:, None]
    trades = trades / np.where(only[:, None], np.take_along_axis(trades, lead, axis=1), 1)
    scattered = np.zeros((len(groups), n))
    np.put_along_axis(scattered, groups, trades + 0, axis=1)  # + 0: -0.0 would be printed
    return scattered[only]


def _independent(rows: FloatArray, order: NDArray[np.intp], count: int) -> list[int]:
    """The first `count` rows, in this order, none of which is a combination of those before it."""
    chosen: list[int] = []
    basis = np.zeros((0, rows.shape[1]))
    for i in order:
        rest = rows[i] / np.linalg.norm(rows[i])
        rest = rest - rest @ basis.T @ basis
        if len(chosen) < count and np.linalg.norm(rest) > 1e-7:
            chosen.append(int(i))
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
    return chosen
