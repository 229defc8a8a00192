"""Lengths, angles and hulls: what a picture in the plane shows of a dot product and of a blend."""

from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import FloatArray


@dataclass(frozen=True, eq=False)
class Alignment:
    """How one query lies among the keys; q · k = |q| |k| cos.

    Parameters
    ----------
    query_length : float
        |q|.
    key_lengths : ndarray, (n,)
        |k|.
    cosines : ndarray, (n,)
        Of the angle between them, -1 to 1; 0 where either has no length.
    degrees : ndarray, (n,)
        The angle, 0 to 180; NaN where either has no length, for then there is none.

    Examples
    --------
    >>> alignment([2, 2], [[2, 0]]).degrees.round(6)
    array([45.])
    """

    query_length: float
    key_lengths: FloatArray
    cosines: FloatArray
    degrees: FloatArray


def alignment(q: ArrayLike, K: ArrayLike) -> Alignment:
    """Measure a query against each key.

    Parameters
    ----------
    q : array_like, (d,)
    K : array_like, (n, d)

    Returns
    -------
    Alignment

    Raises
    ------
    ValueError
        If the widths differ.

    Examples
    --------
    >>> a = alignment([2, 0], [[3, 0], [0, 1], [-1, 0], [0, 0]])
    >>> a.key_lengths, a.cosines
    (array([3., 1., 1., 0.]), array([ 1.,  0., -1.,  0.]))
    """
    q, K = np.asarray(q, np.float64), np.asarray(K, np.float64)
    if q.ndim != 1 or K.ndim != 2 or K.shape[1] != q.shape[0]:
        raise ValueError(f"q (d,) and K (n, d) must share d, got {q.shape} and {K.shape}")
    query_length, key_lengths = float(np.linalg.norm(q)), np.linalg.norm(K, axis=1)
    lengths = query_length * key_lengths  # (n,)
    long = lengths > 0
    cosines = np.zeros(len(K))
    cosines[long] = np.clip((K @ q)[long] / lengths[long], -1, 1)
    degrees = np.where(long, np.degrees(np.arccos(cosines)), np.nan)
    return Alignment(query_length, key_lengths, cosines, degrees)


def unit_circle_ceiling(n: int, gain: float = 1.0) -> float:
    """Return the largest weight that n keys allow when query and keys have length 1.

    Scores then lie between -1 and 1. The best case is one key along the query and the others against it:
    e^g / (e^g + (n - 1) e^-g), with g what a score of 1 becomes as a logit.

    Parameters
    ----------
    n : int
        Keys that the query may look at, 1 or more.
    gain : float
        What a dot product is multiplied by before the softmax: 1 unscaled, 1/√2 for d_k = 2.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If n is below 1.

    Examples
    --------
    >>> [round(unit_circle_ceiling(n), 3) for n in (3, 4, 6)]
    [0.787, 0.711, 0.596]
    """
    if n < 1:
        raise ValueError(f"n must be 1 or more, got {n}")
    return 1 / (1 + (n - 1) * exp(-2 * gain))


def convex_hull(points: ArrayLike) -> FloatArray:
    """Return the corners of the smallest convex polygon round some points of the plane.

    Parameters
    ----------
    points : array_like, (n, 2)

    Returns
    -------
    ndarray, (corners, 2)
        Counter-clockwise from the leftmost; two corners if all lie on a line, one if all coincide.

    Raises
    ------
    ValueError
        If the points are not in a plane.

    References
    ----------
    Andrew 1979, Another efficient algorithm for convex hulls in two dimensions.

    Examples
    --------
    >>> convex_hull([[0, 0], [2, 0], [1, 1], [1, 3]])
    array([[0., 0.],
           [2., 0.],
           [1., 3.]])
    """
    points = np.asarray(points, np.float64)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"points must be (n, 2), got {points.shape}")
    ordered = np.unique(points, axis=0)  # by x, then y
    if len(ordered) < 3:
        return ordered
    return np.array(_chain(ordered)[:-1] + _chain(ordered[::-1])[:-1])


def _chain(points: FloatArray) -> list[FloatArray]:
    """One side of the hull: corners at which the way turns left."""
    side: list[FloatArray] = []
    for point in points:
        while len(side) > 1:
            a, b = side[-1] - side[-2], point - side[-1]
            if a[0] * b[1] - a[1] * b[0] > 0:
                break
            side.pop()
        side.append(point)
    return side
