"""What dividing by √d is for: scores and softmax of random vectors, at any width."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from attention_core.attention import FloatArray, softmax
from attention_core.masks import _whole
from attention_core.sharpness import softmax_jacobian


@dataclass(frozen=True, eq=False)
class SoftmaxStatistics:
    """What softmax makes of many rows of scores, one number a query; all arrays are read-only.

    Parameters
    ----------
    scale : float
        The number that the scores were multiplied by.
    weights : ndarray, (n_queries, n_keys)
    largest : ndarray, (n_queries,)
        The largest weight of each query.
    jacobian_norms : ndarray, (n_queries,)
        ‖∂w/∂s‖, the Frobenius norm of each query's softmax Jacobian.
    query_gradient_norms : ndarray, (n_queries,)
        ‖∂w/∂q‖ = ‖scale · (∂w/∂s) K‖: what reaches the query, which long keys make larger again.

    Examples
    --------
    >>> random_scores(64).scaled.scale
    0.125
    """

    scale: float
    weights: FloatArray
    largest: FloatArray
    jacobian_norms: FloatArray
    query_gradient_norms: FloatArray


@dataclass(frozen=True, eq=False)
class ScoreStatistics:
    """Scores of random queries, each against random keys of its own; all arrays are read-only.

    Parameters
    ----------
    d : int
        The width of the vectors.
    scores : ndarray, (n_queries, n_keys)
        q · k.
    variance : float
        Of all scores; d up to chance.
    raw, scaled : SoftmaxStatistics
        With the scores as they are, and divided by √d.

    Examples
    --------
    >>> random_scores(64, n_queries=500).scores.shape
    (500, 8)
    """

    d: int
    scores: FloatArray
    variance: float
    raw: SoftmaxStatistics
    scaled: SoftmaxStatistics


def random_scores(d: int, n_queries: int = 2000, n_keys: int = 8, seed: int = 0) -> ScoreStatistics:
    """Let random queries look at random keys, fresh ones for each query, with and without ÷√d.

    The entries are N(0, 1). One query and its n keys span at most n + 1 dimensions, so they are drawn in an
    orthonormal basis that starts with the query and takes up one key after the other (Bartlett's
    decomposition): all lengths and dot products have exactly the distribution that d entries each would
    give, at a cost that does not grow with d.

    Parameters
    ----------
    d : int
        The width of queries and keys, 1 or more.
    n_queries, n_keys : int
        How many, 1 or more.
    seed : int
        0 or more; the same seed gives the same numbers.

    Returns
    -------
    ScoreStatistics

    Raises
    ------
    ValueError
        If a number is not whole or too small.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, footnote 4; Bartlett 1933, On the theory of statistical
    regression (the triangular draw).

    Examples
    --------
    >>> statistics = random_scores(512)
    >>> statistics.raw.largest.mean().round(1), statistics.scaled.largest.mean().round(1)
    (np.float64(1.0), np.float64(0.4))
    """
    d, n_queries, n_keys = _whole("d", d, 1), _whole("n_queries", n_queries, 1), _whole("n_keys", n_keys, 1)
    rng = np.random.default_rng(_whole("seed", seed))
    size = min(d, n_keys + 1)
    # Along each vector before it, a vector has a N(0, 1) entry; the rest of it has a length and no direction.
    vectors = np.tril(rng.standard_normal((n_queries, n_keys + 1, size)), -1)
    corner = np.arange(size)
    vectors[:, corner, corner] = np.sqrt(rng.chisquare(d - corner, (n_queries, size)))
    q, K = vectors[:, 0], vectors[:, 1:]  # (n_queries, size), (n_queries, n_keys, size)
    scores = (K @ q[:, :, None])[..., 0]
    scores.setflags(write=False)
    return ScoreStatistics(
        d, scores, float(scores.var()), _statistics(scores, K, 1.0), _statistics(scores, K, 1 / sqrt(d))
    )


def _statistics(scores: FloatArray, K: FloatArray, scale: float) -> SoftmaxStatistics:
    """What softmax makes of scores (n_queries, n_keys) at one scale."""
    weights = softmax(scores * scale)
    J = softmax_jacobian(weights)  # (n_queries, n_keys, n_keys)
    largest = weights.max(axis=-1)
    jacobian_norms = np.linalg.norm(J, axis=(-2, -1))
    query_gradient_norms = np.linalg.norm(scale * (J @ K), axis=(-2, -1))
    for x in (weights, largest, jacobian_norms, query_gradient_norms):
        x.setflags(write=False)
    return SoftmaxStatistics(scale, weights, largest, jacobian_norms, query_gradient_norms)
