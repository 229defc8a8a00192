from dataclasses import FrozenInstanceError
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import ScoreStatistics, random_scores, softmax

# d: mean largest weight raw and scaled, median norm of the Jacobian raw and scaled
MEASURED = {
    2: (0.406, 0.328, 0.362, 0.356),
    8: (0.647, 0.350, 0.362, 0.363),
    64: (0.875, 0.361, 0.059, 0.37),
    512: (0.957, 0.360, 0.0001, 0.37),
}


@pytest.mark.parametrize("d", MEASURED)
@pytest.mark.parametrize("seed", [0, 1])
def test_what_scaling_keeps_from_shrinking(d: int, seed: int) -> None:
    raw_largest, scaled_largest, raw_norm, scaled_norm = MEASURED[d]
    statistics = random_scores(d, seed=seed)
    raw, scaled = statistics.raw, statistics.scaled
    assert_allclose(statistics.variance, d, rtol=0.1)
    assert_allclose(raw.largest.mean(), raw_largest, atol=0.02)
    assert_allclose(scaled.largest.mean(), scaled_largest, atol=0.02)
    assert_allclose(np.median(raw.jacobian_norms), raw_norm, atol=0.012)
    assert_allclose(np.median(scaled.jacobian_norms), scaled_norm, atol=0.012)


def test_what_reaches_the_query_rises_first_and_collapses_for_most_at_512() -> None:
    medians = {d: np.median(random_scores(d).raw.query_gradient_norms) for d in MEASURED}
    assert_allclose(medians[8], 0.86, atol=0.04)
    assert medians[8] > medians[2]
    assert medians[64] > np.median(random_scores(64).scaled.query_gradient_norms)
    wide = random_scores(512)
    assert_allclose(medians[512], 0.002, atol=0.001)
    assert_allclose(np.median(wide.scaled.query_gradient_norms), 0.37, atol=0.01)
    assert_allclose(wide.raw.query_gradient_norms.mean(), 1.3, atol=0.2)  # a few get huge ones


@pytest.mark.parametrize("d", [1, 2, 3, 8, 9, 40])
def test_the_short_draw_is_distributed_like_the_long_one(d: int) -> None:
    n = 4000
    vectors = np.random.default_rng(5).standard_normal((n, 4, d))  # a query and three keys
    q, K = vectors[:, :1], vectors[:, 1:]
    scores = (q @ K.swapaxes(-1, -2))[:, 0]
    J = np.array([np.diag(w) - np.outer(w, w) for w in softmax(scores)])
    drawn = random_scores(d, n, 3)
    for long, short in [
        (scores[:, 0], drawn.scores[:, 0]),
        (scores[:, 2], drawn.scores[:, 2]),
        (scores[:, 0] * scores[:, 1], drawn.scores[:, 0] * drawn.scores[:, 1]),  # they share the query
        (softmax(scores).max(axis=1), drawn.raw.largest),
        (np.linalg.norm(J @ K, axis=(1, 2)), drawn.raw.query_gradient_norms),
    ]:
        at = np.sort(np.concatenate([long, short]))
        shares = [np.searchsorted(np.sort(x), at, side="right") / n for x in (long, short)]
        assert np.abs(shares[0] - shares[1]).max() < 1.95 * sqrt(2 / n)  # Kolmogorov–Smirnov, p < 0.001


def test_each_number_follows_from_the_scores() -> None:
    statistics = random_scores(16, n_queries=5, n_keys=3, seed=2)
    assert statistics.d == 16
    assert statistics.scores.shape == (5, 3)
    assert statistics.variance == statistics.scores.var()
    for side, scale in ((statistics.raw, 1), (statistics.scaled, 0.25)):
        assert side.scale == scale
        assert_array_equal(side.weights, softmax(statistics.scores * scale))
        assert_array_equal(side.largest, side.weights.max(axis=1))
        for w, norm in zip(side.weights, side.jacobian_norms, strict=True):
            assert_allclose(norm, np.linalg.norm(np.diag(w) - np.outer(w, w)))
        assert side.query_gradient_norms.shape == (5,)


def test_one_key_leaves_no_choice() -> None:
    statistics = random_scores(4, n_keys=1)
    assert_array_equal(statistics.raw.weights, 1)
    assert_array_equal(statistics.raw.query_gradient_norms, 0)


def test_the_seed_decides() -> None:
    assert_array_equal(random_scores(8, seed=3).scores, random_scores(8, seed=3).scores)
    assert (random_scores(8, seed=3).scores != random_scores(8, seed=4).scores).all()


def test_a_trace_stays_as_it_is() -> None:
    statistics: ScoreStatistics = random_scores(4, 3)
    with pytest.raises(FrozenInstanceError):
        statistics.d = 5  # type: ignore[misc]
    for x in (statistics.scores, statistics.raw.weights, statistics.scaled.query_gradient_norms):
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1


@pytest.mark.parametrize("bad", [0, -1, 2.0, True, "8", None])
@pytest.mark.parametrize("name", ["d", "n_queries", "n_keys"])
def test_sizes_are_whole_and_at_least_one(name: str, bad: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a whole number, 1 or more, got "):
        random_scores(**{"d": 4, name: bad})


def test_the_seed_is_whole_and_not_negative() -> None:
    with pytest.raises(ValueError, match="seed must be a whole number, 0 or more, got -1"):
        random_scores(4, seed=-1)
