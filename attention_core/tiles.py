"""Attention tile by tile: the same numbers as `attention`, without ever holding the whole grid."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import (
    BoolArray,
    FloatArray,
    _may_look,
    _one_number,
    _real,
    _refuse_misfit,
    _refuse_overflow,
    _scores_shape,
    _working_dtype,
)
from attention_core.masks import _whole


@dataclass(frozen=True, eq=False)
class TileStep:
    """What is known once one more tile of the grid has been looked at; all arrays are read-only.

    Parameters
    ----------
    rows, columns : slice
        The queries and the keys of the tile; `trace.logits[step.rows, step.columns]` is the same part of the grid.
    logits : ndarray, (rows, columns)
        The tile: scaled scores, -inf = hidden.
    largest : ndarray, (rows,)
        The running max of each row after this tile; -inf if the row has seen nothing yet.
    rescale : ndarray, (rows,)
        exp(max before − max after), by which what was summed before is multiplied; 0 at a row's first sight.
    exps : ndarray, (rows, columns)
        exp(logits − largest).
    total : ndarray, (rows,)
        The running sum of exponentials after this tile.
    output : ndarray, (rows, d_v)
        The output of these rows as far as they have seen: their running sum of exp · value, divided by total.
    cells : int
        Cells held now, those of this tile; the whole grid would be n_q · n_k.

    Examples
    --------
    >>> online_trace([[1.0]], [[1.0], [2.0]], [[3.0], [4.0]], block_k=1).steps[1].rescale.round(4)
    array([0.3679])
    """

    rows: slice
    columns: slice
    logits: FloatArray
    largest: FloatArray
    rescale: FloatArray
    exps: FloatArray
    total: FloatArray
    output: FloatArray
    cells: int


@dataclass(frozen=True, eq=False)
class OnlineTrace:
    """Every tile of one attention without leading axes, and what comes of them.

    Parameters
    ----------
    steps : tuple of TileStep
        In the order of computing: all keys for the first queries, then for the next. Tiles that the mask hides
        throughout are skipped.
    output : ndarray, (n_q, d_v)
        The same as `attention(...).output`.

    Examples
    --------
    >>> len(online_trace(np.eye(4), np.eye(4), np.eye(4), block_q=2, block_k=2).steps)
    4
    """

    steps: tuple[TileStep, ...]
    output: FloatArray


def online_attention(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
    block_q: int = 512,
    block_k: int = 512,
) -> FloatArray:
    """Compute softmax(Q Kᵀ · scale) V exactly, in tiles: n² work, but memory that grows with n, not n².

    Each row keeps a running max and a running sum. When a tile brings a larger max, what was summed before is
    multiplied by exp(old max − new max), and it is as if the new max had been there from the start.

    Parameters
    ----------
    Q, K, V : array_like
        As in `attention`: (..., h, n_q, d_k), (..., h_kv, n_k, d_k), (..., h_kv, n_k, d_v).
    mask : array_like of bool, optional
        True = may look. Anything that broadcasts to (..., h, n_q, n_k). Tiles hidden throughout are skipped.
    scale : float, optional
        The scores are multiplied by it; 1/√d_k unless given.
    block_q, block_k : int
        Queries and keys of a tile, 1 or more. They change the time, not the result.

    Returns
    -------
    ndarray, (..., h, n_q, d_v)
        The output of `attention`, up to rounding. A row that may look nowhere has output 0.

    Raises
    ------
    ValueError
        As `attention`; and already if the largest entries of Q and K together could make a score overflow, or
        if the values' sum, undivided, does.

    References
    ----------
    Milakov and Gimelshein 2018, Online normalizer calculation for softmax, algorithm 3; Rabe and Staats 2021,
    Self-attention Does Not Need O(n²) Memory; Dao et al. 2022, FlashAttention, algorithm 1.

    Examples
    --------
    >>> Q, K, V = [[2, 0]], [[0, 1], [2, 0], [1, 1], [0, 2]], [[1, 0], [4, 0], [0, 2], [1, 1]]
    >>> online_attention(Q, K, V, block_k=3).round(4)
    array([[3.0251, 0.4006]])
    """
    Q, K, V, may_look, shape, scale = _checked(Q, K, V, mask, scale)
    block_q, block_k = _whole("block_q", block_q, 1), _whole("block_k", block_k, 1)
    lead, n_q = shape[:-2], shape[-2]
    kv_lead = lead
    if Q.ndim >= 3 and K.ndim >= 3:
        kv_lead = (*lead[:-1], K.shape[-3])
    group = lead[-1] // kv_lead[-1] if lead and kv_lead[-1] else 1  # query heads that share one key head
    Q = np.broadcast_to(Q, (*lead, *Q.shape[-2:]))
    K, V = np.broadcast_to(K, (*kv_lead, *K.shape[-2:])), np.broadcast_to(V, (*kv_lead, *V.shape[-2:]))

    memory = _memory(Q, K, block_q, block_k)  # once for all heads
    output = np.zeros((*lead, n_q, V.shape[-1]), Q.dtype)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # an overflow is refused in words
        for at in np.ndindex(lead):
            kv_at = (*at[:-1], at[-1] // group) if at else ()
            largest, total = np.full(n_q, -np.inf, Q.dtype), np.zeros(n_q, Q.dtype)
            look = None if may_look is None else may_look[at]
            for rows, columns, tile in _tiles(memory, Q[at], K[kv_at], look, scale, block_q, block_k):
                _absorb(tile, V[kv_at][columns], largest[rows], total[rows], output[at][rows])
            output[at] /= np.where(total == 0, 1, total)[:, None]
    _refuse_overflow("output", output)
    return output


def online_trace(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
    block_q: int = 2,
    block_k: int = 2,
) -> OnlineTrace:
    """Compute what `online_attention` computes, and keep what is known after each tile.

    Parameters
    ----------
    Q, K, V : array_like, (n_q, d_k), (n_k, d_k) and (n_k, d_v)
        Without leading axes.
    mask, scale, block_q, block_k
        As in `online_attention`; small tiles are for reading.

    Returns
    -------
    OnlineTrace

    Raises
    ------
    ValueError
        If there are leading axes, and as `online_attention`.

    References
    ----------
    Milakov and Gimelshein 2018, Online normalizer calculation for softmax, algorithm 3.

    Examples
    --------
    >>> trace = online_trace([[2, 0]], [[0, 1], [2, 0], [1, 1], [0, 2]], [[1, 0], [4, 0], [0, 2], [1, 1]])
    >>> for step in trace.steps:
    ...     print(step.columns, step.largest.round(2), step.total.round(2), step.output.round(2), step.cells)
    slice(0, 2, None) [2.83] [1.06] [[3.83 0.  ]] 2
    slice(2, 4, None) [2.83] [1.36] [[3.03 0.4 ]] 2
    """
    Q, K, V, may_look, shape, scale = _checked(Q, K, V, mask, scale)
    if len(shape) != 2:
        raise ValueError(f"the steps are those of one head, (n_q, n_k), got scores of shape {shape}")
    block_q, block_k = _whole("block_q", block_q, 1), _whole("block_k", block_k, 1)
    memory, n_q = _memory(Q, K, block_q, block_k), len(Q)
    largest, total = np.full(n_q, -np.inf, Q.dtype), np.zeros(n_q, Q.dtype)
    summed = np.zeros((n_q, V.shape[-1]), Q.dtype)
    steps = []
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # an overflow is refused in words
        for rows, columns, tile in _tiles(memory, Q, K, may_look, scale, block_q, block_k):
            logits = tile.copy()
            rescale = _absorb(tile, V[columns], largest[rows], total[rows], summed[rows])
            output = summed[rows] / np.where(total[rows] == 0, 1, total[rows])[:, None]
            known = (logits, largest[rows].copy(), rescale, tile.copy(), total[rows].copy(), output)
            for x in known:
                x.setflags(write=False)
            steps.append(TileStep(rows, columns, *known, cells=tile.size))
        summed /= np.where(total == 0, 1, total)[:, None]
    _refuse_overflow("output", summed)
    summed.setflags(write=False)
    return OnlineTrace(tuple(steps), summed)


def _memory(Q: FloatArray, K: FloatArray, block_q: int, block_k: int) -> FloatArray:
    """Room for one tile."""
    return np.empty(min(block_q, Q.shape[-2]) * min(block_k, K.shape[-2]), Q.dtype)


def _tiles(
    memory: FloatArray,
    Q: FloatArray,
    K: FloatArray,
    may_look: BoolArray | None,
    scale: float,
    block_q: int,
    block_k: int,
) -> Iterator[tuple[slice, slice, FloatArray]]:
    """Each tile of the logits that is not hidden throughout, with its rows and columns; always in `memory`."""
    n_q, n_k = len(Q), len(K)
    for top in range(0, n_q, block_q):
        rows = slice(top, min(top + block_q, n_q))
        scaled = Q[rows] * scale  # (rows, d_k); fewer numbers than the tile has
        for left in range(0, n_k, block_k):
            columns = slice(left, min(left + block_k, n_k))
            look = None if may_look is None else may_look[rows, columns]
            if look is not None and not look.any():
                continue
            shape = (len(scaled), columns.stop - left)
            tile = memory[: shape[0] * shape[1]].reshape(shape)
            np.matmul(scaled, K[columns].T, out=tile)
            if look is not None and not look.all():
                np.copyto(tile, -np.inf, where=~look)
            yield rows, columns, tile


def _absorb(tile: FloatArray, V: FloatArray, largest: FloatArray, total: FloatArray, summed: FloatArray) -> FloatArray:
    """Add a tile of logits to what its rows know, in place, and make it its exponentials; return the rescale factor."""
    new = np.maximum(largest, tile.max(axis=1))  # (rows,)
    shift = np.where(np.isneginf(new), 0, new)  # a row with nothing to see yet: -inf - -inf would be NaN
    np.exp(np.subtract(tile, shift[:, None], out=tile), out=tile)
    rescale: FloatArray = np.exp(largest - shift)  # 0 where nothing was seen before
    total *= rescale
    total += tile @ np.ones(tile.shape[1], tile.dtype)  # the row sums; a product is faster than sum()
    summed *= rescale[:, None]
    summed += tile @ V
    largest[:] = new
    return rescale


def _checked(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None, scale: float | None
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray | None, tuple[int, ...], float]:
    """What `attention` checks, without a copy of what is already in the working dtype."""
    Q, K, V = _real("Q", Q), _real("K", K), _real("V", V)
    dtype = _working_dtype(Q, K, V)
    Q, K, V = (x.astype(dtype, copy=False) for x in (Q, K, V))
    for name, x in (("Q", Q), ("K", K), ("V", V)):
        if not isfinite(_largest(x)):
            raise ValueError(f"{name} holds NaN or an infinity; every entry must be finite")
    shape = _scores_shape(Q, K, V)
    scale = 1 / sqrt(Q.shape[-1]) if scale is None else _one_number("scale", scale)
    bound = max(1, Q.shape[-1] * _largest(Q)) * max(1, _largest(K)) * max(1, abs(scale))
    if not bound < np.finfo(dtype).max:
        raise ValueError(f"the scores may overflow {np.dtype(dtype)}: the entries of Q, K or the scale are too large")
    may_look = None
    if mask is not None:
        may_look = _may_look(mask)
        _refuse_misfit("mask", may_look.shape, shape)
        may_look = np.broadcast_to(may_look, shape)
    return Q, K, V, may_look, shape, scale


def _largest(x: FloatArray) -> float:
    """The largest absolute value, NaN if there is any; without the copy that abs(x) makes."""
    return max(float(x.max(initial=0)), -float(x.min(initial=0)))
