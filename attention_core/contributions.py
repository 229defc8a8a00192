"""What each word adds to an output, measured in other ways than by its weight."""

from dataclasses import dataclass

import numpy as np

from attention_core.attention import AttentionTrace, FloatArray, softmax


@dataclass(frozen=True, eq=False)
class Contributions:
    """Four measures of how much each of n words matters to one output; all arrays are (n,) and read-only.

    Parameters
    ----------
    weights : ndarray
        The attention weight.
    value_lengths : ndarray
        ‖v‖, the length of the word's value.
    term_lengths : ndarray
        ‖weight · v‖, the length of what it adds to the output.
    output_changes : ndarray
        ‖output − output without the word‖, the other weights renormalised.

    Examples
    --------
    >>> from attention_core import attention
    >>> contributions(attention([[1]], [[0], [0]], [[3, 4], [0, 0]]), 0).term_lengths
    array([2.5, 0. ])
    """

    weights: FloatArray
    value_lengths: FloatArray
    term_lengths: FloatArray
    output_changes: FloatArray


def contributions(trace: AttentionTrace, query: int) -> Contributions:
    """Measure what each word contributes to one row of a trace without batch or head axes.

    Parameters
    ----------
    trace : AttentionTrace
        With Q (n_q, d_k), K (n_k, d_k) and V (n_k, d_v).
    query : int
        The row, 0 to n_q - 1.

    Returns
    -------
    Contributions
        A word is dropped as a mask would drop it, so a one-hot row's only word leaves the rest to their own
        scores. Without its only word, a row has nothing to see: the output becomes 0.

    Raises
    ------
    ValueError
        If the trace has leading axes, there is no such row, or the values are so large that a length overflows.

    References
    ----------
    Kobayashi et al. 2020, Attention is Not Only a Weight (the length of weight · value); Jain and Wallace 2019,
    Attention is not Explanation, section 4.1 (leave one out).

    Examples
    --------
    >>> from attention_core import attention
    >>> trace = attention([[2, 0]], [[0, 1], [2, 0], [1, 1], [0, 2]], [[1, 0], [4, 0], [0, 2], [1, 1]])
    >>> found = contributions(trace, 0)
    >>> found.term_lengths.round(2), found.output_changes.round(2)
    (array([0.04, 2.94, 0.36, 0.06]), array([0.09, 2.92, 0.74, 0.1 ]))
    """
    if trace.scores.ndim != 2:
        raise ValueError(f"one row needs a trace of shape (n_q, n_k), got {trace.scores.shape}")
    if not 0 <= query < len(trace.scores):
        raise ValueError(f"query must be 0 to {len(trace.scores) - 1}, got {query}")
    weights, V = trace.weights[query], trace.V  # (n,), (n, d_v)
    n = len(V)
    dropped = np.where(np.eye(n, dtype=bool), -np.inf, trace.logits[query])  # (n, n): row j is without word j
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        changes = trace.output[query] - softmax(dropped) @ V  # (n, d_v)
        value_lengths = np.linalg.norm(V, axis=1)
        output_changes = np.where(weights == 0, 0, np.linalg.norm(changes, axis=1))  # not even a rounding error
        found = Contributions(weights, value_lengths, weights * value_lengths, output_changes)
    for x in (found.value_lengths, found.term_lengths, found.output_changes):
        if not np.isfinite(x).all():
            raise ValueError(f"the lengths overflow {x.dtype}: the values are too large")
        x.setflags(write=False)
    return found
