"""The hand-built model: one set of matrices for every sentence, at any width, with up to eight heads."""

from dataclasses import dataclass
from math import cos, isfinite, radians, sin, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.attention import AttentionTrace, FloatArray, attention

D_K_CHOICES = (2, 4, 8, 16, 32, 64)
HEAD_CHOICES = (1, 2, 4, 8)
HEAD_ANGLES = (0, 90, 180, 270, 45, 135, 225, 315)  # degrees by which each head turns the queries


def _matrix(rows: ArrayLike) -> FloatArray:
    """A read-only matrix."""
    matrix = np.array(rows, dtype=np.float64)
    matrix.setflags(write=False)
    return matrix


# d_model x d_k and d_model x d_v; the rows are nature…food, made by people, ambiguous, action
W_Q = _matrix([[2, 0], [0, 2], [0, 0], [1, 0]])
W_K = _matrix([[2, 0], [0, 2], [0, -4], [0, 0]])  # -4 turns an ambiguous word's key away from its own query
W_V = _matrix([[4, 0], [0, 4], [0, 0], [1, 1]])


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """Every number of a multi-head attention; all arrays are read-only.

    Parameters
    ----------
    heads : tuple of AttentionTrace
        One trace a head.
    concat : ndarray, (..., n, n_heads · 2)
        The heads' outputs side by side.
    W_O : ndarray, (n_heads · 2, 2)
        The matrix that mixes them.
    output : ndarray, (..., n, 2)
        concat W_O.

    Examples
    --------
    >>> len(multi_head_attention(np.ones((3, 4)), n_heads=2).heads)
    2
    """

    heads: tuple[AttentionTrace, ...]
    concat: FloatArray
    W_O: FloatArray
    output: FloatArray


def rotation(degrees: float) -> FloatArray:
    """Return the matrix Rot for which q Rot is the row vector q turned counter-clockwise.

    Parameters
    ----------
    degrees : float
        The angle; any finite number.

    Returns
    -------
    ndarray, (2, 2)
        Made of exactly 0 and ±1 at multiples of 90°, where cos and sin of a rounded π are a little off.

    Raises
    ------
    ValueError
        If the angle is not finite.

    References
    ----------
    Su et al. 2021, RoFormer, equation 13 (there for column vectors, so transposed).

    Examples
    --------
    >>> np.array([1, 0]) @ rotation(90)
    array([0., 1.])
    """
    if not isfinite(degrees):
        raise ValueError(f"degrees must be finite, got {degrees!r}")
    quarters, rest = divmod(degrees, 90)
    x, y = cos(radians(rest)), sin(radians(rest))
    for _ in range(int(quarters % 4)):
        x, y = 0.0 - y, x  # a quarter turn without rounding; 0.0 - 0.0 is 0, where -0.0 would be printed
    return np.array([[x, y], [0.0 - y, x]])


def lift_matrix(d_k: int) -> FloatArray:
    """Return the matrix R that carries 2-D queries and keys into d_k dimensions, their picture unchanged.

    R Rᵀ = √(d_k/2) I: all dot products grow by √(d_k/2), as they do for random vectors, and dividing by
    √d_k brings them back to what they were at d_k = 2.

    Parameters
    ----------
    d_k : int
        One of `D_K_CHOICES`.

    Returns
    -------
    ndarray, R, (2, d_k)
        Its columns point evenly round the circle; the identity for d_k = 2.

    Raises
    ------
    ValueError
        If `d_k` is not one of the choices.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, footnote 4 (why dot products grow with d_k).

    Examples
    --------
    >>> R = lift_matrix(8)
    >>> (R @ R.T).round(12) + 0
    array([[2., 0.],
           [0., 2.]])
    """
    _one_of("d_k", d_k, D_K_CHOICES)
    return _LIFTS[d_k]


def _lift(d_k: int) -> FloatArray:
    """R for one d_k, (2, d_k)."""
    if d_k == 2:
        return _matrix(np.eye(2))  # two columns round the circle would lie on one line
    columns = [rotation(360 * j / d_k)[0] for j in range(d_k)]  # (cos 2πj/d_k, sin 2πj/d_k)
    return _matrix(np.transpose(columns) * sqrt(2 / d_k) * (d_k / 2) ** (1 / 4))


_LIFTS = {d_k: _lift(d_k) for d_k in D_K_CHOICES}  # made once: every head asks for it
_TURNS = _matrix([rotation(angle) for angle in HEAD_ANGLES])  # (8, 2, 2)


def output_matrix(n_heads: int) -> FloatArray:
    """Return W_O, which mixes the heads by taking their mean.

    Parameters
    ----------
    n_heads : int
        One of `HEAD_CHOICES`.

    Returns
    -------
    ndarray, W_O, (n_heads · 2, 2)

    Raises
    ------
    ValueError
        If `n_heads` is not one of the choices.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.2.2.

    Examples
    --------
    >>> output_matrix(2)
    array([[0.5, 0. ],
           [0. , 0.5],
           [0.5, 0. ],
           [0. , 0.5]])
    """
    _one_of("n_heads", n_heads, HEAD_CHOICES)
    return np.tile(np.eye(2), (n_heads, 1)) / n_heads


def project(X: ArrayLike, d_k: int = 2, head: int = 0) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Make each word's query, key and value from its features.

    Q = X W_Q Rot R, K = X W_K R, V = X W_V, with Rot the head's turn and R the lift to d_k dimensions.

    Parameters
    ----------
    X : array_like, (..., n, 4)
        Features, one word a row.
    d_k : int
        Width of the queries and keys, one of `D_K_CHOICES`.
    head : int
        Which head, 0 to 7; head 0 does not turn.

    Returns
    -------
    Q, K, V : ndarray
        (..., n, d_k), (..., n, d_k) and (..., n, 2).

    Raises
    ------
    ValueError
        If `X` is not four features wide, or `d_k` or `head` is not one of the choices.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.2.2.

    Examples
    --------
    >>> Q, K, V = project([[1, 1, 1, 0]])  # bank
    >>> Q, K, V
    (array([[2., 2.]]), array([[ 2., -2.]]), array([[4., 4.]]))
    """
    _one_of("head", head, tuple(range(len(HEAD_ANGLES))))
    Q, K, V = _project_plain(X)
    return (*_as_head_sees(Q, K, d_k, head), V)


def multi_head_attention(
    X: ArrayLike, n_heads: int, d_k: int = 2, mask: ArrayLike | None = None, scaled: bool = True
) -> MultiHeadTrace:
    """Run the hand-built model on words given by their features.

    Parameters
    ----------
    X : array_like, (..., n, 4)
        Features, one word a row.
    n_heads, d_k, mask, scaled
        As in `attend_in_heads`.

    Returns
    -------
    MultiHeadTrace

    Raises
    ------
    ValueError
        If `X` is not four features wide, and as in `attend_in_heads`.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.2.2.

    Examples
    --------
    >>> trace = multi_head_attention([[1, 0, 0, 0], [1, 1, 1, 0]], n_heads=1)  # river bank
    >>> trace.heads[0].weights.round(2)
    array([[0.5 , 0.5 ],
           [0.94, 0.06]])
    """
    return attend_in_heads(*_project_plain(X), n_heads, d_k, mask, scaled)


def attend_in_heads(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    n_heads: int,
    d_k: int = 2,
    mask: ArrayLike | None = None,
    scaled: bool = True,
    bias: ArrayLike | None = None,
) -> MultiHeadTrace:
    """Let several heads look at the same plain queries and keys, each turned its own way, and mix them.

    Parameters
    ----------
    Q, K, V : array_like, (..., n, 2)
        Plain, two wide, neither turned nor lifted.
    n_heads : int
        How many heads, one of `HEAD_CHOICES`.
    d_k : int
        The width of each head's queries and keys, one of `D_K_CHOICES`.
    mask : array_like of bool, optional
        True = may look; the same for every head.
    scaled : bool
        Whether the scores are divided by √d_k.
    bias : array_like, optional
        Added to the scaled scores, as in `attention`; the same for every head.

    Returns
    -------
    MultiHeadTrace

    Raises
    ------
    ValueError
        If Q, K or V are not two wide, or `n_heads` or `d_k` is not one of the choices, and as in
        `attention`.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.2.2.

    Examples
    --------
    >>> trace = attend_in_heads([[2, 0]], [[0, 1], [2, 0]], [[1, 0], [4, 0]], n_heads=2)
    >>> trace.concat.round(2)
    array([[3.83, 0.  , 1.59, 0.  ]])
    >>> trace.output.round(2)
    array([[2.71, 0.  ]])
    """
    W_O = output_matrix(n_heads)
    Q, K, V = (_two_wide(name, x)[..., None, :, :] for name, x in (("Q", Q), ("K", K), ("V", V)))  # (..., 1, n, 2)
    Q, K = _as_head_sees(Q, K, d_k, slice(n_heads))  # (..., n_heads, n, d_k) and (..., 1, n, d_k): the heads share keys
    mask, bias = _for_all_heads(mask), _for_all_heads(bias)
    together = attention(Q, K, V, mask=mask, bias=bias, scale=None if scaled else 1.0)
    heads = tuple(_head_of(together, head) for head in range(n_heads))
    concat = np.concatenate([head.output for head in heads], axis=-1)  # (..., n, n_heads * 2)
    output = concat @ W_O  # (..., n, 2)
    for x in (concat, W_O, output):
        x.setflags(write=False)
    return MultiHeadTrace(heads, concat, W_O, output)


def attend_in_head(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    head: int,
    d_k: int = 2,
    mask: ArrayLike | None = None,
    scaled: bool = True,
    bias: ArrayLike | None = None,
) -> AttentionTrace:
    """Let one head look at plain queries and keys, turned its way and lifted to its width.

    Parameters
    ----------
    Q, K, V, d_k, mask, scaled, bias
        As in `attend_in_heads`.
    head : int
        Which one, from 0: an index of `HEAD_ANGLES`.

    Returns
    -------
    AttentionTrace

    Raises
    ------
    ValueError
        If there is no such head, and as in `attend_in_heads`.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.2.2.

    Examples
    --------
    >>> attend_in_head([[2, 0]], [[0, 1], [2, 0]], [[1, 0], [4, 0]], head=0).output.round(2)
    array([[3.83, 0.  ]])
    """
    Q, K, V = _two_wide("Q", Q), _two_wide("K", K), _two_wide("V", V)
    _one_of("head", head, tuple(range(len(HEAD_ANGLES))))
    scale = None if scaled else 1.0
    return attention(*_as_head_sees(Q, K, d_k, head), V, mask=mask, bias=bias, scale=scale)


def _project_plain(X: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Q, K, V before any head turns or lifts them, each (..., n, 2)."""
    features = np.asarray(X, dtype=np.float64)
    if features.ndim < 2 or features.shape[-1] != len(W_Q):
        raise ValueError(f"X must be (..., n, {len(W_Q)}), got shape {features.shape}")
    if not np.isfinite(features).all():
        raise ValueError("X holds NaN or an infinity; every feature must be finite")
    with np.errstate(over="ignore", invalid="ignore"):  # attention refuses what overflows here
        return features @ W_Q, features @ W_K, features @ W_V


def _as_head_sees(Q: FloatArray, K: FloatArray, d_k: int, head: int | slice) -> tuple[FloatArray, FloatArray]:
    """Plain Q and K with the turn of a head, or of each of several, and the lift to d_k dimensions: (..., n, d_k)."""
    R = lift_matrix(d_k)
    with np.errstate(over="ignore", invalid="ignore"):  # attention refuses what overflows here
        return Q @ _TURNS[head] @ R, K @ R


def _for_all_heads(x: ArrayLike | None) -> NDArray[Any] | None:
    """A mask or a bias, with an axis for the heads if it has others in front of (n_q, n_k)."""
    array = None if x is None else np.asarray(x)
    return array if array is None or array.ndim < 3 else array[..., None, :, :]


def _head_of(trace: AttentionTrace, head: int) -> AttentionTrace:
    """One head's part of a trace whose arrays are (..., n_heads or 1, n, d)."""

    def part(x: Any) -> Any:
        return x if x is None or x.ndim < 3 else x[..., head if x.shape[-3] > 1 else 0, :, :]

    arrays = (trace.scores, trace.logits, trace.weights, trace.output)
    Q, K, V, mask, bias = map(part, (trace.Q, trace.K, trace.V, trace.mask, trace.bias))
    return AttentionTrace(Q, K, V, mask, bias, trace.scale, *map(part, arrays))


def _two_wide(name: str, x: ArrayLike) -> FloatArray:
    """`x` as an array (..., n, 2)."""
    vectors = np.asarray(x, dtype=np.float64)
    if vectors.ndim < 2 or vectors.shape[-1] != 2:
        raise ValueError(f"{name} must be (..., n, 2), got shape {vectors.shape}")
    return vectors


def _one_of(name: str, value: int, choices: tuple[int, ...]) -> None:
    """Raise unless `value` is one of the choices."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(str, choices))}, got {value!r}")
