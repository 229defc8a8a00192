"""One row of attention, step by step: what a person writes down when doing it on paper."""

from dataclasses import dataclass

import numpy as np

from attention_core.attention import AttentionTrace, FloatArray
from attention_core.model import lift_matrix

EXP_LIMIT = 50.0  # a row whose largest logit is farther from 0 is exponentiated after taking that logit off


@dataclass(frozen=True, eq=False)
class RowSteps:
    """The arithmetic of one query against n keys.

    Parameters
    ----------
    products : ndarray, (n, d_k)
        Entry by entry, query times key; a row adds up to its score.
    scores, logits : ndarray, (n,)
        q · k, and the same scaled, biased and masked (-inf = hidden).
    shift : float
        Taken off every logit before the exponential: 0, or the largest one where that is beyond ±`EXP_LIMIT`.
    exps : ndarray, (n,)
        exp(logit - shift).
    total : float
        Their sum.
    weights : ndarray, (n,)
        exps / total; all 0 where there is nothing to see.
    terms : ndarray, (n, d_v)
        Weight times value; the column sums are the output.
    output : ndarray, (d_v,)

    Examples
    --------
    >>> from attention_core import attention
    >>> row_steps(attention([[2, 0]], [[2, 0], [0, 3]], np.eye(2)), 0).products
    array([[4., 0.],
           [0., 0.]])
    """

    products: FloatArray
    scores: FloatArray
    logits: FloatArray
    shift: float
    exps: FloatArray
    total: float
    weights: FloatArray
    terms: FloatArray
    output: FloatArray


def row_steps(trace: AttentionTrace, query: int) -> RowSteps:
    """Write out one row of a trace without batch or head axes.

    Parameters
    ----------
    trace : AttentionTrace
        With Q (n_q, d_k), K (n_k, d_k) and V (n_k, d_v).
    query : int
        The row, 0 to n_q - 1.

    Returns
    -------
    RowSteps

    Raises
    ------
    ValueError
        If the trace has leading axes, or there is no such row.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, equation 1.

    Examples
    --------
    >>> from attention_core import attention
    >>> steps = row_steps(attention([[2, 0]], [[0, 1], [2, 0], [1, 1], [0, 2]], np.eye(4)), 0)
    >>> steps.exps.round(2), round(steps.total, 2)
    (array([ 1.  , 16.92,  4.11,  1.  ]), 23.03)
    """
    if trace.scores.ndim != 2:
        raise ValueError(f"one row needs a trace of shape (n_q, n_k), got {trace.scores.shape}")
    if not 0 <= query < len(trace.scores):
        raise ValueError(f"query must be 0 to {len(trace.scores) - 1}, got {query}")
    logits, weights = trace.logits[query], trace.weights[query]  # (n_k,)
    top = float(logits.max())
    shift = top if EXP_LIMIT < abs(top) < np.inf else 0.0
    exps = np.exp(logits - shift)
    return RowSteps(
        products=trace.Q[query] * trace.K,
        scores=trace.scores[query],
        logits=logits,
        shift=shift,
        exps=exps,
        total=float(exps.sum()),
        weights=weights,
        terms=weights[:, None] * trace.V,
        output=trace.output[query],
    )


def lift_factor(d_k: int) -> float:
    """Return by how much the lift to d_k dimensions stretches every dot product, √(d_k/2).

    Parameters
    ----------
    d_k : int
        One of `D_K_CHOICES`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If `d_k` is not one of the choices.

    Examples
    --------
    >>> lift_factor(2), round(lift_factor(64), 2)
    (1.0, 5.66)
    """
    R = lift_matrix(d_k)
    return float(R[0] @ R[0])
