"""Sharpness: how spread a row of weights is, and how far it gives way when a score is nudged."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import FloatArray, _real, _working_dtype


def softmax_jacobian(weights: ArrayLike) -> FloatArray:
    """Return how every weight answers to every logit: ∂w/∂s = diag(w) − w wᵀ.

    Parameters
    ----------
    weights : array_like, (..., n)
        What a softmax returned: each row sums to 1, or is all 0 if it had nothing to see.

    Returns
    -------
    ndarray, (..., n, n)
        Entry [i, j] is ∂wᵢ/∂sⱼ, between −1/4 and 1/4. Symmetric; each row and column sums to 0. float32 for
        float32, otherwise float64.

    Raises
    ------
    ValueError
        If a weight is negative or NaN, or a row sums to neither 1 nor 0.

    References
    ----------
    Bridle 1990, Probabilistic Interpretation of Feedforward Classification Network Outputs.

    Examples
    --------
    >>> softmax_jacobian([0.5, 0.5])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    w = _weights(weights)
    return w[..., :, None] * np.eye(w.shape[-1], dtype=w.dtype) - w[..., :, None] * w[..., None, :]


def largest_slope(weights: ArrayLike) -> FloatArray:
    """Return the largest |∂w/∂s|: by how much any weight moves at most, for a small nudge of any one logit.

    Parameters
    ----------
    weights : array_like, (..., n)
        As in `softmax_jacobian`.

    Returns
    -------
    ndarray, (...)
        Between 0, for a choice that is made, and 1/4, for an even choice between two.

    Raises
    ------
    ValueError
        As in `softmax_jacobian`.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.2.1 (large scores, small gradients).

    Examples
    --------
    >>> largest_slope([[0.5, 0.5, 0], [1, 0, 0]])
    array([0.25, 0.  ])
    """
    slopes: FloatArray = np.abs(softmax_jacobian(weights)).max(axis=(-2, -1), initial=0)
    return slopes


def entropy(weights: ArrayLike) -> FloatArray:
    """Measure how undecided a row of weights is: −Σ w log w, in nats, with 0 · log 0 = 0.

    Parameters
    ----------
    weights : array_like, (..., n)
        As in `softmax_jacobian`.

    Returns
    -------
    ndarray, (...)
        Between exactly 0, for a row that is one 1 and zeros, and log n, for n equal weights.

    Raises
    ------
    ValueError
        As in `softmax_jacobian`.

    References
    ----------
    Shannon 1948, A Mathematical Theory of Communication, section 6.

    Examples
    --------
    >>> entropy([[0.25, 0.25, 0.25, 0.25], [0, 1, 0, 0]]).round(4)
    array([1.3863, 0.    ])
    """
    w = _weights(weights)
    # log of 1 where the weight is 0; and 0 - 0 is 0, where -0 would be printed
    nats: FloatArray = 0 - (w * np.log(np.where(w == 0, 1, w))).sum(axis=-1)
    return nats


def effective_number(weights: ArrayLike) -> FloatArray:
    """Count the words that a row of weights listens to: exp(entropy), the n of n equal weights.

    Parameters
    ----------
    weights : array_like, (..., n)
        As in `softmax_jacobian`.

    Returns
    -------
    ndarray, (...)
        Between 1 and n; 0 for a row that had nothing to see.

    Raises
    ------
    ValueError
        As in `softmax_jacobian`.

    References
    ----------
    Jost 2006, Entropy and diversity, Oikos 113 (there: the number of equally common species).

    Examples
    --------
    >>> effective_number([[0.25, 0.25, 0.25, 0.25], [0, 1, 0, 0], [0, 0, 0, 0]]).round(12)
    array([4., 1., 0.])
    """
    w = _weights(weights)
    return np.exp(entropy(w)) * (w > 0).any(axis=-1)


def _weights(weights: ArrayLike) -> FloatArray:
    """`weights` as floats, (..., n); what no softmax returns is refused."""
    w = _real("weights", weights)
    w = w.astype(_working_dtype(w), copy=False)
    if w.ndim == 0:
        raise ValueError("weights must be (..., n), got one number")
    if not (w >= 0).all():  # NaN compares False
        raise ValueError("weights must be 0 or more, without NaN")
    totals = w.sum(axis=-1)
    wrong = (np.abs(totals - 1) > 1e-5) & (totals != 0)
    if wrong.any():
        raise ValueError(f"each row of weights must sum to 1, or 0 if all hidden, got {totals[wrong][0]:.6g}")
    return w
