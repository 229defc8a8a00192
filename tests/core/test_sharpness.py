from collections.abc import Callable
from math import exp, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from attention_core import effective_number, entropy, largest_slope, softmax, softmax_jacobian

Array = NDArray[Any]
scores = arrays(np.float64, array_shapes(max_dims=3, max_side=5), elements=st.floats(-30, 30))


@given(scores)
def test_jacobian_is_what_finite_differences_give(s: Array) -> None:
    step = 1e-6
    nudges = step * np.eye(s.shape[-1])
    ahead, behind = softmax(s[..., None, :] + nudges), softmax(s[..., None, :] - nudges)  # (..., j, i)
    J = softmax_jacobian(softmax(s))
    assert_allclose(J, ((ahead - behind) / (2 * step)).swapaxes(-1, -2), atol=1e-8)
    assert_allclose(J, J.swapaxes(-1, -2), atol=0)
    assert_allclose(J.sum(axis=-1), 0, atol=1e-15)  # a shift of all scores changes nothing
    assert_array_equal(largest_slope(softmax(s)), np.abs(J).max(axis=(-1, -2)))


@given(scores)
def test_entropy_lies_between_a_choice_and_none(s: Array) -> None:
    w = softmax(s)
    n = s.shape[-1]
    assert_allclose(entropy(w), -(w * np.log(w)).sum(axis=-1), atol=1e-12)
    assert (entropy(w) >= -1e-15).all()
    assert (entropy(w) <= log(n) + 1e-12).all()
    assert_allclose(effective_number(w), np.exp(entropy(w)))
    assert_allclose(entropy(np.flip(w, -1)), entropy(w), atol=1e-12)  # names do not matter


@pytest.mark.parametrize("n", [1, 2, 7, 128])
def test_one_hot_and_even_rows(n: int) -> None:
    assert_array_equal(entropy(np.eye(n)), 0)
    assert not np.signbit(entropy(np.eye(n))).any()
    assert_array_equal(effective_number(np.eye(n)), 1)
    assert_array_equal(largest_slope(np.eye(n)), 0)
    even = softmax(np.full(n, -0.0))  # all scores equal
    assert_allclose(entropy(even), log(n), atol=1e-14)
    assert_allclose(effective_number(even), n)
    assert_allclose(largest_slope(even), (n - 1) / n**2)


def test_nothing_to_see_is_no_word_at_all() -> None:
    hidden = softmax([-np.inf, -np.inf])
    assert_array_equal(softmax_jacobian(hidden), np.zeros((2, 2)))
    for f in (entropy, effective_number, largest_slope):
        assert f(hidden) == 0
    assert_array_equal(effective_number([[0, 0], [1, 0]]), [0, 1])
    assert effective_number(np.zeros((3, 0))).shape == (3,)
    assert_array_equal(largest_slope(np.zeros((3, 0))), 0)


def test_scores_of_sat_times_one_to_ten() -> None:
    w = softmax(np.arange(1, 11)[:, None] * [0, 4, 2, 0])  # (10, 4)
    assert_allclose(w[0], [0.02, 0.85, 0.12, 0.02], atol=5e-3)
    assert_allclose(w[9], [0, 1, 0, 0], atol=1e-8)
    assert_allclose(largest_slope(w[0]), w[0, 1] * (1 - w[0, 1]))  # cat's own
    assert_allclose(largest_slope(w)[0], 0.125, atol=1e-3)
    assert_allclose(largest_slope(w)[9], exp(-20), rtol=1e-6)
    assert_allclose(effective_number(w)[[0, 9]], [1.7, 1], atol=0.05)
    assert (np.diff(largest_slope(w)) < 0).all()
    assert (np.diff(entropy(w)) < 0).all()


def test_dtype_follows_the_weights() -> None:
    w = softmax(np.array([1, 2, 3], np.float32))
    for f in (softmax_jacobian, entropy, effective_number, largest_slope):
        assert f(w).dtype == np.float32
    assert entropy([1, 0]).dtype == np.float64


@pytest.mark.parametrize("f", [softmax_jacobian, entropy, effective_number, largest_slope])
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ([0.5, 0.6], "sum to 1, or 0 if all hidden, got 1.1"),
        ([[0.5, 0.5], [0.5, 0.4]], "got 0.9"),
        ([1.5, -0.5], "0 or more"),
        ([np.nan, 1], "without NaN"),
        ([np.inf, 0], "got inf"),
        (1.0, "got one number"),
        ([True], "real numbers"),
    ],
)
def test_what_no_softmax_returns_is_refused(f: Callable[[Any], Any], bad: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        f(bad)
