from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import D_K_CHOICES, attention, lift_factor, lift_matrix, row_steps
from attention_core.sentences import SENTENCES
from attention_core.steps import EXP_LIMIT


def test_the_worksheets_row() -> None:
    qkv = SENTENCES["cat-sat"].qkv
    assert qkv is not None
    steps = row_steps(attention(*qkv), 2)
    assert_array_equal(steps.products, [[0, 0], [4, 0], [2, 0], [0, 0]])
    assert_array_equal(steps.scores, [0, 4, 2, 0])
    assert_allclose(steps.logits, [0, 2.83, 1.41, 0], atol=5e-3)
    assert steps.shift == 0
    assert_allclose(steps.exps, [1, 16.92, 4.11, 1], atol=5e-3)
    assert steps.total == pytest.approx(23.03, abs=5e-3)
    assert_allclose(steps.weights, [0.0434, 0.7346, 0.1786, 0.0434], atol=5e-5)
    assert_allclose(steps.output, [3.0251, 0.4006], atol=5e-5)


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from([0.1, 1.0, 30.0, 1e6]), st.booleans())
def test_every_step_follows_from_the_one_before(seed: int, n: int, size: float, causal: bool) -> None:
    rng = np.random.default_rng(seed)
    Q, K, V = (rng.normal(0, 1, (n, 2)) * [size, 1] for _ in range(3))
    mask = np.tril(np.ones((n, n), bool)) if causal else None
    trace = attention(Q, K, V, mask=mask)
    for query in range(n):
        steps = row_steps(trace, query)
        assert_allclose(steps.products.sum(axis=1), steps.scores, rtol=1e-9, atol=1e-9 * size**2)
        assert np.isfinite(steps.exps).all()
        assert steps.shift in (0, steps.logits.max())
        assert (steps.shift == 0) == (abs(steps.logits.max()) <= EXP_LIMIT)
        assert_allclose(steps.exps / steps.total, steps.weights, rtol=1e-9, atol=1e-15)
        assert_allclose(steps.terms.sum(axis=0), steps.output, rtol=1e-9, atol=1e-9 * size)
        hidden = np.isneginf(steps.logits)
        assert_array_equal(steps.exps[hidden], 0)
        assert_array_equal(steps.weights[hidden], 0)


def test_a_row_with_nothing_to_see() -> None:
    steps = row_steps(attention([[1, 0]], [[1, 0], [0, 1]], np.eye(2), mask=[[False, False]]), 0)
    assert (steps.shift, steps.total) == (0, 0)
    assert_array_equal(steps.weights, [0, 0])
    assert_array_equal(steps.output, [0, 0])


@pytest.mark.parametrize("query", [-1, 1, 7])
def test_a_row_that_is_not_there_is_refused(query: int) -> None:
    with pytest.raises(ValueError, match=f"query must be 0 to 0, got {query}"):
        row_steps(attention([[1, 0]], [[1, 0]], [[1, 0]]), query)


def test_a_trace_with_heads_is_refused() -> None:
    x = np.ones((2, 3, 2))
    with pytest.raises(ValueError, match=r"one row needs a trace of shape \(n_q, n_k\), got \(2, 3, 3\)"):
        row_steps(attention(x, x, x), 0)


@pytest.mark.parametrize("d_k", D_K_CHOICES)
def test_the_lift_stretches_every_dot_product(d_k: int) -> None:
    assert lift_factor(d_k) == pytest.approx(sqrt(d_k / 2))
    R = lift_matrix(d_k)
    assert_allclose(np.array([3, -1]) @ R @ (np.array([2, 5]) @ R), lift_factor(d_k) * 1, rtol=1e-9, atol=1e-9)


def test_a_width_that_is_not_on_offer_is_refused() -> None:
    with pytest.raises(ValueError, match="d_k must be one of"):
        lift_factor(3)
