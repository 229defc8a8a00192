"""Leaks: how far the past sees the future, the causal mask done right, and five ways to get it wrong."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import FloatArray, softmax
from attention_core.masks import causal_mask


def influence(f: Callable[[FloatArray], ArrayLike], X: ArrayLike) -> FloatArray:
    """Measure how far each output moves when one input row is changed.

    The change adds exp(j/d), j = 0 … d − 1, to the row's entries. These numbers are linearly independent over
    the rationals (Lindemann and Weierstrass), so in no sum with whole-number factors do they cancel.

    Parameters
    ----------
    f : callable
        From (n, d) to (n, anything).
    X : array_like, (n, d)
        One word a row.

    Returns
    -------
    ndarray, (n, n)
        Entry [i, t] is the largest |change| of output i after a change of row t. All zero above the diagonal
        if no output depends on a later row.

    Raises
    ------
    ValueError
        If `X` is not (n, d), or `f` returns a number of rows other than n.

    References
    ----------
    Karpathy 2019, A Recipe for Training Neural Networks (charting what depends on what, there by gradients).

    Examples
    --------
    >>> influence(lambda X: X.cumsum(axis=0), [[1.0], [2.0]])
    array([[1., 0.],
           [1., 1.]])
    """
    rows = np.array(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ValueError(f"X must be (n, d) with d >= 1, got shape {rows.shape}")
    n, d = rows.shape
    change = np.exp(np.arange(d) / d)  # (d,), from 1 to almost e
    before = _outputs(f, rows)
    moved = np.zeros((n, n))
    for t in range(n):
        changed = rows.copy()
        changed[t] += change
        moved[:, t] = np.abs(_outputs(f, changed) - before).max(axis=1, initial=0)
    return moved


def leak(f: Callable[[FloatArray], ArrayLike], X: ArrayLike) -> float:
    """Measure the largest change of any earlier output when a later row changes.

    Parameters
    ----------
    f, X
        As in `influence`.

    Returns
    -------
    float
        The largest entry of the influence above its diagonal: exactly 0 for a right causal mask.

    Raises
    ------
    ValueError
        As in `influence`.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.2.3 (no information may flow leftward).

    Examples
    --------
    >>> leak(lambda X: X.cumsum(axis=0), [[1.0], [2.0]]), leak(lambda X: X[::-1], [[1.0], [2.0]])
    (0.0, 1.0)
    """
    return float(np.triu(influence(f, X), 1).max(initial=0))


def _outputs(f: Callable[[FloatArray], ArrayLike], X: FloatArray) -> FloatArray:
    """f(X) as (n, anything flat)."""
    outputs = np.asarray(f(X.copy()), dtype=np.float64)
    if outputs.ndim == 0 or len(outputs) != len(X):
        raise ValueError(f"f must return one row for each of the {len(X)} rows, got shape {outputs.shape}")
    return outputs.reshape(len(X), -1) if outputs.size else np.zeros((len(X), 0))


def _right(logits: FloatArray) -> FloatArray:
    """-inf where a later word stands, before the softmax."""
    return softmax(np.where(_before(logits), logits, -np.inf))


def _zero_before(logits: FloatArray) -> FloatArray:
    """0 instead of -inf: exp(0) is 1, so a later word is heard like any word at a right angle."""
    return softmax(np.where(_before(logits), logits, 0))


def _zero_after(logits: FloatArray) -> FloatArray:
    """Later weights set to 0 after the softmax: they still count in the total that divides the others."""
    return np.where(_before(logits), softmax(logits), 0)


def _flipped(logits: FloatArray) -> FloatArray:
    """True taken to mean hidden: each word sees only what comes after it, the last one nothing."""
    return softmax(np.where(_before(logits), -np.inf, logits))


def _transposed(logits: FloatArray) -> FloatArray:
    """Rows and columns mixed up: each word sees itself and what comes after it."""
    return softmax(np.where(_before(logits).T, logits, -np.inf))


def _wrong_axis(logits: FloatArray) -> FloatArray:
    """Columns sum to 1 instead of rows: words compete for being the one who listens, later words too."""
    return softmax(np.where(_before(logits), logits, -np.inf), axis=-2)


def _before(logits: FloatArray) -> np.ndarray:
    """The causal mask for logits (n, n)."""
    if logits.ndim != 2 or logits.shape[0] != logits.shape[1]:
        raise ValueError(f"logits must be (n, n), got shape {logits.shape}")
    return causal_mask(len(logits))


# From scaled scores (n, n), not yet masked, to weights (n, n).
MASKINGS: Mapping[str, Callable[[FloatArray], FloatArray]] = MappingProxyType(
    {
        "right": _right,
        "zero before softmax": _zero_before,
        "zero after softmax": _zero_after,
        "flipped": _flipped,
        "transposed": _transposed,
        "softmax over the wrong axis": _wrong_axis,
    }
)
WRONG_MASKINGS = tuple(name for name in MASKINGS if name != "right")
