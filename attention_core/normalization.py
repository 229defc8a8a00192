"""Layer normalisation: every word's numbers brought to mean 0 and spread 1, then stretched and moved as learned."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import FloatArray, _one_number, _real, _working_dtype


def layer_norm(x: ArrayLike, gamma: ArrayLike, beta: ArrayLike, eps: float = 1e-5) -> FloatArray:
    """Normalise each word by itself: (x − mean) / √(variance + eps) · gamma + beta.

    Parameters
    ----------
    x : array_like, (..., d)
        Words, one a row.
    gamma, beta : array_like, (d,)
        Stretch and shift. With more axes, mean and variance run over as many last axes of `x`.
    eps : float
        Added to the variance, above 0: a row of equal numbers becomes beta.

    Returns
    -------
    ndarray
        In the shape of `x`; float32 if all that was given is float32, otherwise float64.

    Raises
    ------
    ValueError
        If sizes do not fit (both are named), an entry is not finite, `eps` is not above 0, or the numbers are so
        large that their squares overflow.

    References
    ----------
    Ba, Kiros, Hinton 2016, Layer Normalization, equation 4.

    Examples
    --------
    >>> layer_norm([1, 2, 3], gamma=[1, 1, 2], beta=[0, 0, 10]).round(3)
    array([-1.225,  0.   , 12.449])
    """
    x, gamma, beta = _checked(x, gamma, eps, beta=beta)
    normalized, _ = _normalized(x, gamma.ndim, eps)
    return normalized * gamma + beta


def layer_norm_backward(
    d_output: ArrayLike, x: ArrayLike, gamma: ArrayLike, eps: float = 1e-5
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Carry a gradient back through `layer_norm`.

    Parameters
    ----------
    d_output : array_like, (..., d)
        Gradient of a loss by the output.
    x, gamma, eps
        What `layer_norm` was given; beta makes no difference.

    Returns
    -------
    dx : ndarray, (..., d)
    dgamma, dbeta : ndarray, (d,)

    Raises
    ------
    ValueError
        As `layer_norm`.

    References
    ----------
    Ba, Kiros, Hinton 2016, Layer Normalization, equation 4, differentiated.

    Examples
    --------
    >>> dx, dgamma, dbeta = layer_norm_backward([[1, 0, 0]], [[1, 2, 3]], [1, 1, 1])
    >>> dx.round(3), dgamma.round(3), dbeta
    (array([[ 0.204, -0.408,  0.204]]), array([-1.225,  0.   ,  0.   ]), array([1., 0., 0.]))
    """
    x, gamma, d_output = _checked(x, gamma, eps, d_output=d_output)
    if d_output.shape != x.shape:
        raise ValueError(f"d_output of shape {d_output.shape} does not fit x of shape {x.shape}")
    normalized, inverse = _normalized(x, gamma.ndim, eps)
    last = tuple(range(-gamma.ndim, 0))  # the axes of one word
    others = tuple(range(x.ndim - gamma.ndim))
    dgamma, dbeta = (d_output * normalized).sum(axis=others), d_output.sum(axis=others)
    d_normalized = d_output * gamma
    along = (d_normalized * normalized).mean(axis=last, keepdims=True)
    dx = inverse * (d_normalized - d_normalized.mean(axis=last, keepdims=True) - normalized * along)
    return dx, dgamma, dbeta


def _normalized(x: FloatArray, axes: int, eps: float) -> tuple[FloatArray, FloatArray]:
    """(x − mean) / √(variance + eps) over the last axes, and 1 / √(variance + eps)."""
    last = tuple(range(-axes, 0))
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        centred = x - x.mean(axis=last, keepdims=True)
        variance = (centred**2).mean(axis=last, keepdims=True)
    if not np.isfinite(variance).all():
        raise ValueError(f"the variance overflows {x.dtype}: the entries of x are too large")
    inverse = 1 / np.sqrt(variance + x.dtype.type(eps))
    return centred * inverse, inverse


def _checked(
    x: ArrayLike, gamma: ArrayLike, eps: float, **other: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """All three as finite arrays of one dtype; sizes that do not fit are refused, both named."""
    ((name, given),) = other.items()
    arrays = {"x": _real("x", x), "gamma": _real("gamma", gamma), name: _real(name, given)}
    dtype = _working_dtype(*arrays.values())
    for key, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{key} holds NaN or an infinity; every entry must be finite")
    if not _one_number("eps", eps) > 0:
        raise ValueError(f"eps must be above 0, got {eps!r}")
    words, stretch, third = (array.astype(dtype, copy=False) for array in arrays.values())
    if stretch.ndim == 0 or stretch.size == 0 or words.shape[-stretch.ndim :] != stretch.shape:
        raise ValueError(f"gamma must have the last axes of x, got {stretch.shape} for x of shape {words.shape}")
    if name == "beta" and third.shape != stretch.shape:
        raise ValueError(f"gamma and beta must have the same shape, got {stretch.shape} and {third.shape}")
    return words, stretch, third
