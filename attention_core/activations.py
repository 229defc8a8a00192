"""The bend between the two matrices of a feed-forward part."""

from math import erfc, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import FloatArray, _real, _working_dtype

GELU_FORMS = ("none", "tanh")

_erfc = np.frompyfunc(erfc, 1, 1)  # NumPy has none; math's is exact to the last place


def gelu(x: ArrayLike, approximate: str = "none") -> FloatArray:
    """Let large numbers pass and small ones fade: x times the chance that a standard normal number is below x.

    Parameters
    ----------
    x : array_like
        Finite real numbers of any shape.
    approximate : str
        "none" for x · Φ(x), or "tanh" for x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³))), as in GPT-2.

    Returns
    -------
    ndarray
        In the shape of `x`; float32 for float32, otherwise float64.

    Raises
    ------
    ValueError
        If `x` holds NaN, an infinity or something other than real numbers, or `approximate` is neither.

    References
    ----------
    Hendrycks and Gimpel 2016, Gaussian Error Linear Units, section 2.

    Examples
    --------
    >>> gelu([-1, 0, 1]).round(4) + 0
    array([-0.1587,  0.    ,  0.8413])
    >>> gelu([1], approximate="tanh").round(4)
    array([0.8412])
    """
    given = _real("x", x)
    if not np.isfinite(given).all():
        raise ValueError("x holds NaN or an infinity; every entry must be finite")
    numbers = given.astype(np.float64, copy=False)
    with np.errstate(over="ignore", under="ignore"):  # tanh of a huge number is ±1, Φ of a very negative one 0
        if approximate == "none":
            bent = numbers * (0.5 * np.asarray(_erfc(-numbers / sqrt(2)), np.float64))  # erfc(-z) keeps small Φ exact
        elif approximate == "tanh":
            bent = numbers * (0.5 * (1 + np.tanh(sqrt(2 / pi) * (numbers + 0.044715 * numbers**3))))
        else:
            raise ValueError(f"approximate must be one of {', '.join(GELU_FORMS)}, got {approximate!r}")
        return np.asarray(bent, dtype=_working_dtype(given))
