"""Attention backwards: from a change of the output to the changes of what went in."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import AttentionTrace, FloatArray, _for_each_query_head


def attention_backward(d_output: ArrayLike, trace: AttentionTrace) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Carry the gradient of a loss from an attention's output back to its queries, keys and values.

    Parameters
    ----------
    d_output : array_like, (..., h, n_q, d_v)
        The derivative of the loss by each entry of the output.
    trace : AttentionTrace
        What `attention` returned.

    Returns
    -------
    dQ, dK, dV : ndarray
        In the shapes and the dtype of the trace's Q, K and V. Where several query heads (or a whole batch)
        share keys and values, these get the sum of their gradients. What a mask or a bias of -inf hides
        gets none, nor does a row that had nothing to see.

    Raises
    ------
    ValueError
        If `d_output` has not the shape of the output or holds NaN or infinities, or if a gradient overflows.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, equation 1, whose derivative this is; for the softmax,
    d_logits = w (d_w − w · d_w), Dao et al. 2022, FlashAttention, appendix B.2.

    Examples
    --------
    >>> from attention_core import attention
    >>> trace = attention(Q=[[1]], K=[[1], [1]], V=[[2], [4]])  # half of each value
    >>> dQ, dK, dV = attention_backward([[1]], trace)
    >>> dV
    array([[0.5],
           [0.5]])
    >>> dK  # a larger second key would raise the output, a larger first one lower it
    array([[-0.5],
           [ 0.5]])
    """
    given = np.asarray(d_output)
    if given.shape != trace.output.shape or given.dtype.kind not in "iuf":
        raise ValueError(
            f"d_output must be real numbers of the output's shape {trace.output.shape}, "
            f"got {given.dtype} of shape {given.shape}"
        )
    if not np.isfinite(given).all():
        raise ValueError("d_output holds NaN or an infinity; every entry must be finite")
    d_output = given.astype(trace.output.dtype, copy=False)
    Q, weights = trace.Q, trace.weights
    K, V = _for_each_query_head(trace.K, Q), _for_each_query_head(trace.V, Q)  # (..., h, n_k, d)

    with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # an overflow is refused in words
        dV = np.swapaxes(weights, -1, -2) @ d_output  # (..., h, n_k, d_v)
        d_weights = d_output @ np.swapaxes(V, -1, -2)  # (..., h, n_q, n_k)
        d_logits = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))
        d_scores = d_logits * trace.scale
        dQ = d_scores @ K  # (..., h, n_q, d_k)
        dK = np.swapaxes(d_scores, -1, -2) @ Q  # (..., h, n_k, d_k)
        gradients = _sum_to(dQ, Q.shape), _sum_to(dK, trace.K.shape), _sum_to(dV, trace.V.shape)
    if not all(np.isfinite(x).all() for x in gradients):
        raise ValueError(f"the gradients overflow {Q.dtype}: entries of d_output, Q, K or V are too large")
    return gradients


def _sum_to(x: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Gradients of what was broadcast or repeated to `x`'s shape: added up over all its uses."""
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    for axis, size in enumerate(shape):
        if x.shape[axis] != size:  # heads 0 0 1 1 become 0 1, and so does any axis become 1
            x = x.reshape(*shape[: axis + 1], x.shape[axis] // size, *x.shape[axis + 1 :]).sum(axis=axis + 1)
    return x
