"""Positions: sines, a learned table, turned queries and keys, and a bias that grows with the distance."""

from math import pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import FloatArray, _one_number, _real, _working_dtype
from attention_core.masks import _positions, _whole


def wavelengths(d: int) -> FloatArray:
    """Return after how many positions each dimension of the sinusoids repeats: 2π · 10000^(2i/d).

    Parameters
    ----------
    d : int
        Width, 1 or more.

    Returns
    -------
    ndarray, (d,)
        Dimensions 2i and 2i + 1 share theirs.

    Raises
    ------
    ValueError
        If the width is not a whole number, 1 or more.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.5.

    Examples
    --------
    >>> wavelengths(4).round(2)
    array([  6.28,   6.28, 628.32, 628.32])
    """
    return 2 * pi / _frequencies(_whole("d", d, 1), 10000.0).repeat(2)[:d]


def sinusoidal_positions(n: int, d: int) -> FloatArray:
    """Return the position vectors of the paper: sines in the even dimensions, cosines in the odd ones.

    PE[p, 2i] = sin(p / 10000^(2i/d)) and PE[p, 2i + 1] = cos(p / 10000^(2i/d)).

    Parameters
    ----------
    n : int
        Number of positions, 0 or more.
    d : int
        Width, 1 or more. An odd width ends with a sine that has no cosine.

    Returns
    -------
    ndarray, PE, (n, d)

    Raises
    ------
    ValueError
        If a size is too small or not a whole number.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.5.

    Examples
    --------
    >>> sinusoidal_positions(2, 4).round(2)
    array([[0.  , 1.  , 0.  , 1.  ],
           [0.84, 0.54, 0.01, 1.  ]])
    """
    n, d = _whole("n", n), _whole("d", d, 1)
    angles = np.arange(n)[:, None] * _frequencies(d, 10000.0)  # (n, ⌈d/2⌉)
    vectors = np.empty((n, d))
    vectors[:, 0::2] = np.sin(angles)
    vectors[:, 1::2] = np.cos(angles[:, : d // 2])
    return vectors


def offset_matrix(k: int, d: int) -> FloatArray:
    """Return the matrix M_k that moves every sinusoidal position vector k places on: PE[p + k] = PE[p] M_k.

    Parameters
    ----------
    k : int
        The offset; negative moves back.
    d : int
        Width, even, 2 or more.

    Returns
    -------
    ndarray, M_k, (d, d)
        d/2 turns side by side on the diagonal. It does not depend on p.

    Raises
    ------
    ValueError
        If `k` is not a whole number, or `d` is not an even one: a sine without its cosine cannot be moved.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.5 (there as a hypothesis of use).

    Examples
    --------
    >>> offset_matrix(1, 2).round(2)
    array([[ 0.54, -0.84],
           [ 0.84,  0.54]])
    """
    d = _even("d", d)
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise ValueError(f"k must be a whole number, got {k!r}")
    angles = int(k) * _frequencies(d, 10000.0)  # (d/2,)
    M = np.zeros((d, d))
    sine_at = np.arange(0, d, 2)
    M[sine_at, sine_at] = M[sine_at + 1, sine_at + 1] = np.cos(angles)
    M[sine_at + 1, sine_at] = np.sin(angles)  # sin(a + b) = sin a cos b + cos a sin b
    M[sine_at, sine_at + 1] = 0 - np.sin(angles)  # cos(a + b) = cos a cos b − sin a sin b
    return M


def learned_positions(n: int, d: int, seed: int) -> FloatArray:
    """Return a table of position vectors as training finds it at the start: random, one row a position.

    Parameters
    ----------
    n : int
        Number of positions, 0 or more.
    d : int
        Width, 1 or more.
    seed : int
        0 or more. A longer table with the same seed begins with the shorter one.

    Returns
    -------
    ndarray, (n, d)
        N(0, 1/2) entries: as long, on average, as sinusoidal position vectors.

    Raises
    ------
    ValueError
        If a number is too small or not whole.

    References
    ----------
    Gehring et al. 2017, Convolutional Sequence to Sequence Learning, section 3.1; Devlin et al. 2019, BERT.

    Examples
    --------
    >>> learned_positions(3, 4, seed=0).shape
    (3, 4)
    """
    n, d = _whole("n", n), _whole("d", d, 1)
    return np.random.default_rng(_whole("seed", seed)).normal(scale=sqrt(1 / 2), size=(n, d))


def rotate_pairs(x: ArrayLike, cos: ArrayLike, sin: ArrayLike, *, interleaved: bool = True) -> FloatArray:
    """Turn each pair of entries counter-clockwise: (a, b) becomes (a cos − b sin, a sin + b cos).

    Parameters
    ----------
    x : array_like, (..., n, d)
        `d` even.
    cos, sin : array_like
        One of each for every pair; they broadcast to (..., n, d/2).
    interleaved : bool
        Whether pair i is entries 2i and 2i + 1, or entries i and i + d/2.

    Returns
    -------
    ndarray, (..., n, d)
        float32 if all that was given is float32, otherwise float64.

    Raises
    ------
    ValueError
        If `d` is odd, sizes do not fit (both are named), or a number is not finite.

    References
    ----------
    Su et al. 2021, RoFormer, equation 34.

    Examples
    --------
    >>> rotate_pairs([[1, 0, 2, 0]], cos=[[0, -1]], sin=[[1, 0]])
    array([[ 0.,  1., -2.,  0.]])
    >>> rotate_pairs([[1, 0, 2, 0]], cos=[[0, -1]], sin=[[1, 0]], interleaved=False)
    array([[-2.,  0.,  1.,  0.]])
    """
    x, cos, sin = _real("x", x), _real("cos", cos), _real("sin", sin)
    dtype = _working_dtype(x, cos, sin)
    if x.ndim == 0 or x.shape[-1] % 2:
        raise ValueError(f"x must be (..., n, d) with d even, got shape {x.shape}")
    pairs = (*x.shape[:-1], x.shape[-1] // 2)
    for name, table in (("cos", cos), ("sin", sin)):
        try:
            fits = np.broadcast_shapes(table.shape, pairs) == pairs
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(f"{name} of shape {table.shape} does not broadcast to the pairs' shape {pairs}")
    for name, numbers in (("x", x), ("cos", cos), ("sin", sin)):
        if not np.isfinite(numbers).all():
            raise ValueError(f"{name} holds NaN or an infinity; every entry must be finite")
    half = x.shape[-1] // 2
    first = slice(0, None, 2) if interleaved else slice(0, half)
    second = slice(1, None, 2) if interleaved else slice(half, None)
    turned = np.empty(x.shape, dtype=dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # attention refuses what overflows here
        turned[..., first] = x[..., first] * cos - x[..., second] * sin
        turned[..., second] = x[..., first] * sin + x[..., second] * cos
    return turned


def rope(x: ArrayLike, positions: ArrayLike, base: float = 10000.0, interleaved: bool = True) -> FloatArray:
    """Turn queries or keys by their position: pair i by position · base^(−2i/d) radians.

    Two turned vectors then have a dot product that depends on how far apart they stand, not on where.

    Parameters
    ----------
    x : array_like, (..., n, d)
        Queries or keys, `d` even, 2 or more.
    positions : array_like, (n,) or broadcasting to (..., n)
        Any finite numbers; they need not be whole. With d = 2 the one pair turns by `positions` radians, so
        0.1 · arange(n) turns by 0.1 a position.
    base : float
        Above 0; the larger, the slower the last pairs turn.
    interleaved : bool
        As in `rotate_pairs`.

    Returns
    -------
    ndarray, (..., n, d)
        float32 for float32 `x`, otherwise float64.

    Raises
    ------
    ValueError
        If `d` is odd, sizes do not fit, a number is not finite, or the base is not above 0.

    References
    ----------
    Su et al. 2021, RoFormer, equations 15 and 34.

    Examples
    --------
    >>> rope([[1, 0], [1, 0]], [0, np.pi / 2]).round(2)
    array([[1., 0.],
           [0., 1.]])
    """
    x, positions = _real("x", x), _real("positions", positions)
    if x.ndim < 2:
        raise ValueError(f"x must be (..., n, d), got shape {x.shape}")
    if _one_number("base", base) <= 0:
        raise ValueError(f"base must be above 0, got {base!r}")
    if not np.isfinite(positions).all():
        raise ValueError("positions hold NaN or an infinity; every position must be finite")
    angles = positions[..., None] * _frequencies(_even("the width of x", x.shape[-1]), base)  # (..., n, d/2)
    dtype = _working_dtype(x)
    cos, sin = np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)
    return rotate_pairs(x, cos, sin, interleaved=interleaved)


def alibi_bias(n_heads: int, n_q: int, n_k: int | None = None) -> FloatArray:
    """Return what ALiBi adds to the scaled scores: −m · |i − j|, with a slope m for each head.

    Parameters
    ----------
    n_heads : int
        H, 1 or more; head h has the slope 2^(−8(h + 1)/H).
    n_q : int
        Number of queries, 0 or more.
    n_k : int, optional
        Number of keys, `n_q` unless given. The queries are the last `n_q` positions, as in `causal_mask`.

    Returns
    -------
    ndarray, (n_heads, n_q, n_k)

    Raises
    ------
    ValueError
        If a size is too small or not a whole number.

    References
    ----------
    Press, Smith, Lewis 2022, Train Short, Test Long, section 3 (there with a causal mask: i ≥ j).

    Examples
    --------
    >>> alibi_bias(8, 2, 3)[0]
    array([[-0.5,  0. , -0.5],
           [-1. , -0.5,  0. ]])
    """
    n_heads = _whole("n_heads", n_heads, 1)
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    query_at, key_at = _positions(n_q, n_k)
    distances = np.abs(query_at - key_at)  # (n_q, n_k)
    bias: FloatArray = 0 - slopes[:, None, None] * distances  # 0 - 0 is 0, where -0 would be printed
    return bias


def _frequencies(d: int, base: float) -> FloatArray:
    """Radians a position for each pair of dimensions, base^(−2i/d), (⌈d/2⌉,)."""
    frequencies: FloatArray = base ** (-np.arange(0, d, 2) / d)
    return frequencies


def _even(name: str, value: int) -> int:
    """`value` as an int that is even and 2 or more."""
    if _whole(name, value, 2) % 2:
        raise ValueError(f"{name} must be even, so that each sine has its cosine, got {value!r}")
    return int(value)
