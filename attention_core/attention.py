"""Scaled dot-product attention: who looks at whom, how much, and what comes of it."""

from dataclasses import dataclass
from math import isfinite, sqrt
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.floating[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """Every number of one attention, in the order in which it is computed; all arrays are read-only.

    Parameters
    ----------
    Q, K, V : ndarray
        What went in: (..., h, n_q, d_k), (..., h_kv, n_k, d_k) and (..., h_kv, n_k, d_v).
    mask, bias : ndarray or None
        As given. Mask: True = may look. Bias: added to the scaled scores.
    scale : float
        The number that the scores were multiplied by.
    scores : ndarray
        Q Kᵀ, (..., h, n_q, n_k), not yet scaled.
    logits : ndarray
        scores · scale + bias, and -inf where the mask hides a key.
    weights : ndarray
        softmax(logits): each row sums to 1, or is all 0 if it had nothing to see.
    output : ndarray
        weights V, (..., h, n_q, d_v).

    Examples
    --------
    >>> attention([[1.0]], [[2.0]], [[3.0]]).output
    array([[3.]])
    """

    Q: FloatArray
    K: FloatArray
    V: FloatArray
    mask: BoolArray | None
    bias: FloatArray | None
    scale: float
    scores: FloatArray
    logits: FloatArray
    weights: FloatArray
    output: FloatArray


def softmax(x: ArrayLike, axis: int = -1) -> FloatArray:
    """Turn numbers into positive weights that sum to 1: exp(x) / sum(exp(x)).

    The largest number is subtracted first. That changes nothing (it divides top and bottom by the same
    exp), and it keeps exp from overflowing.

    Parameters
    ----------
    x : array_like
        Real numbers of any shape. -inf gets weight exactly 0.
    axis : int
        The axis along which the weights sum to 1.

    Returns
    -------
    ndarray
        The weights, in the shape of `x`; float32 for float32, otherwise float64. A slice that is -inf
        throughout has nothing to choose from: its weights are all 0.

    Raises
    ------
    ValueError
        If `x` holds NaN or +inf, or something other than real numbers.

    References
    ----------
    Goodfellow, Bengio, Courville 2016, Deep Learning, section 4.1 (the max subtraction).

    Examples
    --------
    >>> softmax([0, 4, 2, 0]).round(2)
    array([0.02, 0.85, 0.12, 0.02])
    """
    numbers = _real("x", x)
    numbers = numbers.astype(_working_dtype(numbers), copy=False)
    _refuse_nan_and_plus_inf("x", numbers)
    largest = numbers.max(axis=axis, keepdims=True, initial=-np.inf)
    largest = np.where(np.isneginf(largest), 0, largest)  # an all-hidden slice: -inf - -inf would be NaN
    with np.errstate(over="ignore", under="ignore"):  # a gap past the float range is a weight of 0
        exps = np.exp(numbers - largest)
        total = exps.sum(axis=axis, keepdims=True)  # >= 1 (the largest gives exp(0)), or 0 if all hidden
        weights: FloatArray = exps / np.where(total == 0, 1, total)
    return weights


def attention(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    scale: float | None = None,
) -> AttentionTrace:
    """Let every query look at every key, and mix the values: softmax(Q Kᵀ · scale + bias) V.

    Parameters
    ----------
    Q : array_like, (..., h, n_q, d_k)
        Queries, one a row. The leading axes (batch, heads) are optional.
    K : array_like, (..., h_kv, n_k, d_k)
        Keys. `h_kv` may be smaller than `h` and must divide it: query head i then uses key head
        i // (h / h_kv), which is grouped-query attention, and multi-query attention for h_kv = 1.
    V : array_like, (..., h_kv, n_k, d_v)
        Values, one for each key.
    mask : array_like of bool, optional
        True = may look. Anything that broadcasts to (..., h, n_q, n_k).
    bias : array_like, optional
        Added to the scaled scores; broadcasts like the mask. -inf hides a key.
    scale : float, optional
        The scores are multiplied by it; 1/√d_k unless given.

    Returns
    -------
    AttentionTrace
        With every intermediate. float32 if all that was given is float32, otherwise float64. A row that
        may look nowhere has weights 0 and output 0.

    Raises
    ------
    ValueError
        If sizes do not fit (both are named), if Q, K or V hold NaN or infinities, if the mask is not
        boolean, if the bias holds NaN or +inf, or if the numbers are so large that a result overflows.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, equation 1; Shazeer 2019 (multi-query);
    Ainslie et al. 2023 (grouped-query).

    Examples
    --------
    >>> trace = attention(Q=[[2, 0]], K=[[0, 1], [2, 0], [1, 1], [0, 2]], V=[[1, 0], [4, 0], [0, 2], [1, 1]])
    >>> trace.scores
    array([[0., 4., 2., 0.]])
    >>> trace.weights.round(4)
    array([[0.0434, 0.7346, 0.1786, 0.0434]])
    >>> trace.output.round(4)
    array([[3.0251, 0.4006]])
    """
    Q, K, V = _real("Q", Q), _real("K", K), _real("V", V)
    bias = None if bias is None else _real("bias", bias)
    dtype = _working_dtype(Q, K, V, *([] if bias is None else [bias]))
    Q, K, V = _frozen(Q, dtype), _frozen(K, dtype), _frozen(V, dtype)
    for name, x in (("Q", Q), ("K", K), ("V", V)):
        if not np.isfinite(x).all():
            raise ValueError(f"{name} holds NaN or an infinity; every entry must be finite")
    shape = _scores_shape(Q, K, V)
    scale = 1 / sqrt(Q.shape[-1]) if scale is None else _one_number("scale", scale)

    with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # an overflow is refused in words
        scores = Q @ np.swapaxes(_for_each_query_head(K, Q), -1, -2)  # (..., h, n_q, n_k)
        _refuse_overflow("scores Q Kᵀ", scores)
        logits = scores * scale
        _refuse_overflow("scaled scores", logits)
    if bias is not None:
        bias = _frozen(bias, dtype)
        _refuse_nan_and_plus_inf("bias", bias)
        _refuse_misfit("bias", bias.shape, shape)
        with np.errstate(over="ignore"):
            logits = logits + bias
        _refuse_overflow("scores with their bias", logits[np.broadcast_to(bias > -np.inf, shape)])
    if mask is not None:
        mask = _may_look(mask)
        _refuse_misfit("mask", mask.shape, shape)
        logits = np.where(mask, logits, -np.inf)  # before the softmax, so that the weight is 0 after it

    weights = softmax(logits)  # (..., h, n_q, n_k)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        output = weights @ _for_each_query_head(V, Q)  # (..., h, n_q, d_v)
    _refuse_overflow("output", output)

    for x in (scores, logits, weights, output):
        x.setflags(write=False)
    return AttentionTrace(Q, K, V, mask, bias, scale, scores, logits, weights, output)


def _for_each_query_head(x: FloatArray, Q: FloatArray) -> FloatArray:
    """Keys or values with each head repeated for the group of query heads that shares it."""
    if x.ndim < 3 or Q.ndim < 3 or x.shape[-3] in (1, Q.shape[-3]):  # 1 broadcasts by itself
        return x
    return np.repeat(x, Q.shape[-3] // x.shape[-3], axis=-3)  # heads 0 1 -> 0 0 1 1, not 0 1 0 1


def _scores_shape(Q: FloatArray, K: FloatArray, V: FloatArray) -> tuple[int, ...]:
    """The shape (..., h, n_q, n_k) of the scores; sizes that do not fit are refused, both named."""
    for name, x in (("Q", Q), ("K", K), ("V", V)):
        if x.ndim < 2 or x.shape[-1] == 0:
            raise ValueError(f"{name} must be (..., n, d) with d >= 1, got shape {x.shape}")
    sizes = f"Q is {Q.shape}, K is {K.shape}, V is {V.shape}"
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(f"queries are {Q.shape[-1]} wide but keys are {K.shape[-1]} wide: {sizes}")
    if K.shape[-2] != V.shape[-2]:
        raise ValueError(f"there are {K.shape[-2]} keys but {V.shape[-2]} values: {sizes}")
    if K.shape[:-2] != V.shape[:-2]:
        raise ValueError(f"K and V differ in their leading axes, {K.shape[:-2]} and {V.shape[:-2]}: {sizes}")
    shared = K.shape[:-2]  # what is left of K's leading axes once its heads are repeated
    if Q.ndim >= 3 and K.ndim >= 3:
        heads, kv_heads = Q.shape[-3], K.shape[-3]
        if heads != kv_heads and (kv_heads == 0 or heads == 0 or heads % kv_heads):
            raise ValueError(f"{heads} query heads cannot share {kv_heads} key/value heads evenly: {sizes}")
        shared = (*K.shape[:-3], heads)
    try:
        lead = np.broadcast_shapes(Q.shape[:-2], shared)
    except ValueError:
        raise ValueError(f"leading axes {Q.shape[:-2]} and {K.shape[:-2]} do not fit: {sizes}") from None
    return (*lead, Q.shape[-2], K.shape[-2])


def _real(name: str, x: ArrayLike) -> NDArray[Any]:
    """`x` as an array of real numbers, of whatever dtype it came in."""
    numbers = np.asarray(x)
    if numbers.dtype.kind not in "iuf":
        raise ValueError(f"{name} must hold real numbers, got dtype {numbers.dtype}")
    return numbers


def _working_dtype(*arrays: NDArray[Any]) -> type[np.floating[Any]]:
    """float32 if everything is float32, otherwise float64."""
    return np.float32 if all(x.dtype == np.float32 for x in arrays) else np.float64


def _frozen(x: NDArray[Any], dtype: type[np.floating[Any]]) -> FloatArray:
    """A read-only copy, so that a trace keeps saying what it was computed from."""
    copy = np.array(x, dtype=dtype)
    copy.setflags(write=False)
    return copy


def _one_number(name: str, x: float) -> float:
    """`x` as a float; what is not one finite number is refused."""
    if isinstance(x, bool | np.bool_) or not isinstance(x, Real) or not isfinite(x):
        raise ValueError(f"{name} must be one finite number, got {x!r}")
    return float(x)


def _may_look(mask: ArrayLike) -> BoolArray:
    """A read-only copy of a mask; 0/1 and 0/-inf mean opposite things, so only booleans are taken."""
    may_look = np.array(mask)
    if may_look.dtype != np.bool_:
        raise ValueError(f"mask must be boolean (True = may look), got dtype {may_look.dtype}")
    may_look.setflags(write=False)
    return may_look


def _refuse_misfit(name: str, shape: tuple[int, ...], scores_shape: tuple[int, ...]) -> None:
    """Raise unless an array of this shape broadcasts to the scores without enlarging them."""
    try:
        fits = np.broadcast_shapes(shape, scores_shape) == scores_shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"{name} of shape {shape} does not broadcast to the scores' shape {scores_shape}")


def _refuse_nan_and_plus_inf(name: str, x: FloatArray) -> None:
    """Raise if `x` holds NaN or +inf; -inf is allowed and means hidden."""
    if not (x < np.inf).all():  # NaN compares False
        raise ValueError(f"{name} holds NaN or +inf; only finite numbers and -inf (= hidden) are allowed")


def _refuse_overflow(name: str, x: FloatArray) -> None:
    """Raise if finite input led to numbers past the float range."""
    if not np.isfinite(x).all():
        raise ValueError(f"the {name} overflow {x.dtype}: the entries of Q, K, V or bias are too large")
