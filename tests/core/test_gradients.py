from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import AttentionTrace, attention, attention_backward, causal_mask
from tests.arrays import Array, normal


def central_differences(loss: Callable[[Array], float], x: Array, step: float = 1e-5) -> Array:
    """The gradient of `loss` at `x`, one entry at a time."""
    gradient = np.empty_like(x)
    for at in np.ndindex(x.shape):
        nudge = np.zeros_like(x)
        nudge[at] = step
        gradient[at] = (loss(x + nudge) - loss(x - nudge)) / (2 * step)
    return gradient


def relative_error(ours: Array, theirs: Array) -> float:
    return float(np.linalg.norm(ours - theirs) / np.linalg.norm(theirs))


# The worked case: two equal scores, so each value counts half and d_logits = w (dw - mean dw).


def test_by_hand() -> None:
    dQ, dK, dV = attention_backward([[1]], attention([[1]], [[1], [1]], [[2], [4]]))
    assert_array_equal(dV, [[0.5], [0.5]])  # the weights
    assert_array_equal(dK, [[-0.5], [0.5]])  # 0.5 (2 - 3), 0.5 (4 - 3), times q = 1 and scale = 1
    assert_array_equal(dQ, [[0]])  # both keys are the same: no query tells them apart
    dQ, dK, _ = attention_backward([[1]], attention([[3]], [[1], [1]], [[2], [4]], scale=0.5))
    assert_array_equal(dK, [[-0.75], [0.75]])
    assert_array_equal(dQ, [[0]])


CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "plain": ((4, 3), (5, 3), {}),
    "causal": ((2, 4, 3), (2, 4, 3), {"mask": causal_mask(4)}),
    "dead rows": ((2, 4, 3), (2, 2, 3), {"mask": causal_mask(4, 2)}),
    "scale": ((3, 2), (4, 2), {"scale": 1.7}),
    "bias": ((2, 3, 2), (2, 4, 2), {"bias": np.array([[0.3, -1, 0, -np.inf], [0] * 4, [2, 0, -np.inf, 1]])}),
    "batch and heads": ((2, 3, 4, 2), (2, 3, 5, 2), {}),
    "grouped-query": ((2, 4, 3, 2), (2, 2, 5, 2), {"mask": causal_mask(3, 5)}),
    "multi-query": ((2, 4, 3, 2), (2, 1, 5, 2), {}),
    "one batch of keys": ((3, 4, 3, 2), (1, 2, 5, 2), {}),
    "keys without a batch": ((3, 4, 3, 2), (2, 5, 2), {}),
    "keys without heads": ((2, 4, 3, 2), (5, 2), {}),
    "queries without heads": ((3, 2), (2, 5, 2), {}),
    "one query, one key": ((1, 1), (1, 1), {}),
}


@pytest.mark.parametrize("name", CASES)
def test_central_differences(name: str) -> None:
    q_shape, k_shape, options = CASES[name]
    Q, K, V = normal(0, *q_shape), normal(1, *k_shape), normal(2, *k_shape[:-1], 3)
    trace = attention(Q, K, V, **options)
    d_output = normal(3, *trace.output.shape)
    ours = attention_backward(d_output, trace)
    losses = (
        lambda x: float((attention(x, K, V, **options).output * d_output).sum()),
        lambda x: float((attention(Q, x, V, **options).output * d_output).sum()),
        lambda x: float((attention(Q, K, x, **options).output * d_output).sum()),
    )
    for x, gradient, loss in zip((Q, K, V), ours, losses, strict=True):
        assert gradient.shape == x.shape
        theirs = central_differences(loss, x)
        if name == "one query, one key" and x is not V:
            assert_array_equal(gradient, 0)  # the only weight is 1, whatever Q and K are
        else:
            assert relative_error(gradient, theirs) <= 1e-7


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
def test_what_any_gradient_must_do(seed: int, n_q: int, n_k: int, d: int) -> None:
    Q, K, V, d_output = normal(seed, 4, max(n_q, n_k), d)
    trace = attention(Q[:n_q], K[:n_k], V[:n_k])
    dQ, dK, dV = attention_backward(d_output[:n_q], trace)
    # moving all keys by the same vector shifts each row of scores, which changes nothing
    assert_allclose(dK.sum(axis=0), 0, atol=1e-12 * (1 + np.abs(Q).max()) * (1 + np.abs(V).max()) * 100)
    # weights sum to 1, so moving all values moves the output as far
    assert_allclose(dV.sum(axis=0), d_output[:n_q].sum(axis=0), atol=1e-12)
    doubled = attention_backward(2 * d_output[:n_q], trace)
    for once, twice in zip((dQ, dK, dV), doubled, strict=True):
        assert_allclose(twice, 2 * once, rtol=1e-12)


def test_what_is_hidden_gets_nothing() -> None:
    Q, K, V = normal(0, 4, 2), normal(1, 2, 2), normal(2, 2, 2)
    dQ, dK, dV = attention_backward(np.ones((4, 2)), attention(Q, K, V, mask=causal_mask(4, 2)))
    assert_array_equal(dQ[:2], 0)  # rows that had nothing to see
    assert (dQ[3] != 0).all()
    _, dK, dV = attention_backward(np.ones((4, 2)), attention(Q, K, V, bias=np.array([0, -np.inf])))
    assert_array_equal(dK[1], 0)
    assert_array_equal(dV[1], 0)
    everywhere_dead = attention_backward(np.ones((4, 2)), attention(Q, K, V, mask=np.zeros((4, 2), bool)))
    for gradient in everywhere_dead:
        assert_array_equal(gradient, 0)


def test_the_dtype_is_the_traces() -> None:
    Q, K, V = (normal(i, 3, 2).astype(np.float32) for i in range(3))
    for d_output in (np.ones((3, 2)), np.ones((3, 2), np.int64)):
        assert {x.dtype for x in attention_backward(d_output, attention(Q, K, V))} == {np.dtype(np.float32)}
    assert attention_backward(np.ones((3, 2), np.float32), attention(Q, K, V))[0].dtype == np.float32
    assert attention_backward(np.ones((3, 2)), attention(Q.astype(float), K, V))[0].dtype == np.float64


def test_scores_of_ten_thousand_stay_finite() -> None:
    trace = attention([[100, 0]], [[100, 0], [-100, 0]], [[1], [2]], scale=1)
    dQ, dK, dV = attention_backward([[1]], trace)
    assert_array_equal(dQ, 0)
    assert_array_equal(dK, 0)
    assert_array_equal(dV, [[1], [0]])


def small() -> AttentionTrace:
    return attention(np.ones((2, 1)), np.ones((3, 1)), [[1.0], [2.0], [4.0]])


@pytest.mark.parametrize("bad", [1, [1, 1], [[1], [1], [1]], [[True], [True]], [["a"], ["b"]], [[1j], [1j]]])
def test_a_gradient_has_the_outputs_shape(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"real numbers of the output's shape \(2, 1\), got "):
        attention_backward(bad, small())


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_gradient_is_finite(bad: float) -> None:
    with pytest.raises(ValueError, match="d_output holds NaN or an infinity"):
        attention_backward([[1.0], [bad]], small())


def test_an_overflow_is_refused() -> None:
    with pytest.raises(ValueError, match="the gradients overflow float64"):
        attention_backward([[1e308], [1e308]], small())
