"""Random queries and keys of every width that the chapter on scaling offers, drawn once a server."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from attention_core import ScoreStatistics, random_scores

WIDTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512)
DEFAULT_WIDTH = 64  # narrower, the two Jacobians hardly differ
LARGEST, JACOBIAN, GRADIENT = "largest weight", "‖∂w/∂s‖", "‖∂w/∂q‖"


@lru_cache(maxsize=len(WIDTHS))
def random_queries(d: int) -> ScoreStatistics:
    """Return 2,000 random queries of width d, each against 8 random keys of its own."""
    return random_scores(d)


def measures(d: int) -> tuple[str, ...]:
    """Return what may be counted at this width; the gradient at the query tells its story only at the widest.

    Examples
    --------
    >>> measures(64), len(measures(512))
    (('largest weight', '‖∂w/∂s‖'), 3)
    """
    return (LARGEST, JACOBIAN, GRADIENT) if d == WIDTHS[-1] else (LARGEST, JACOBIAN)


def measured(d: int, measure: str, scaled: bool) -> np.ndarray:
    """Return one number for each of the random queries, (2000,)."""
    statistics = random_queries(d).scaled if scaled else random_queries(d).raw
    of = {
        LARGEST: statistics.largest,
        JACOBIAN: statistics.jacobian_norms,
        GRADIENT: statistics.query_gradient_norms,
    }
    return of[measure]


@lru_cache
def mean_of(d: int, measure: str, scaled: bool) -> float:
    """Return the mean over the random queries.

    Examples
    --------
    >>> round(mean_of(512, LARGEST, scaled=False), 1), round(mean_of(512, LARGEST, scaled=True), 1)
    (1.0, 0.4)
    """
    return float(measured(d, measure, scaled).mean())


@lru_cache
def median_of(d: int, measure: str, scaled: bool) -> float:
    """Return the median over the random queries.

    Examples
    --------
    >>> median_of(512, JACOBIAN, scaled=False) < 0.001 < median_of(512, JACOBIAN, scaled=True)
    True
    """
    return float(np.median(measured(d, measure, scaled)))
