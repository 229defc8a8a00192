from collections.abc import Callable
from math import e, exp, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from attention_core import (
    D_K_CHOICES,
    HEAD_ANGLES,
    MASKINGS,
    SENTENCES,
    WRONG_MASKINGS,
    attention,
    causal_mask,
    embed,
    influence,
    leak,
    multi_head_attention,
    project,
    sliding_window_mask,
)

Array = NDArray[Any]
FIVE = list(SENTENCES)[:5]


def layer(masking: str, d_k: int = 2, head: int = 0) -> Callable[[Array], Array]:
    def f(X: Array) -> Array:
        Q, K, V = project(X, d_k, head)
        return MASKINGS[masking](Q @ K.T / sqrt(d_k)) @ V

    return f


# the meter


def test_influence_by_hand() -> None:
    X = np.array([[1.0, 2], [3, 4], [5, 6]])
    change = np.array([1, exp(0.5)])
    assert_allclose(influence(lambda X: X, X), np.eye(3) * change[1])
    assert_allclose(influence(lambda X: np.roll(X, -1, axis=0), X), np.eye(3)[[1, 2, 0]] * change[1])
    # a word may be asked for all at once: an output of any shape, one row a word
    assert_allclose(influence(lambda X: X.sum(axis=1), X), np.eye(3) * change.sum())
    assert_allclose(influence(lambda X: X[:, :, None] * [1, -3], X), np.eye(3) * 3 * change[1])


def test_leak_is_the_worst_of_what_lies_above_the_diagonal() -> None:
    X = np.zeros((4, 1))
    assert leak(lambda X: X.cumsum(axis=0), X) == 0
    assert leak(lambda X: X[::-1].cumsum(axis=0)[::-1] * [[1], [5], [1], [9]], X) == 5
    assert leak(lambda X: X[[0, 1, 3, 3]] * -7, X) == 7
    assert leak(lambda X: X, X[:1]) == 0  # nothing comes later
    assert leak(lambda X: X, X[:0]) == 0
    assert leak(lambda X: np.zeros((4, 0)), X) == 0


@pytest.mark.parametrize("factors", [[1, -1, 0, 0], [1, 1, -1, -1], [2, -1, -1, 0], [1, -3, 3, -1]])
def test_no_change_cancels_in_a_whole_number_sum(factors: list[int]) -> None:
    assert leak(lambda X: np.flip(X, 0) @ factors, np.zeros((2, 4))) > 1e-3


def test_what_was_given_is_left_alone() -> None:
    X = np.ones((3, 2))

    def f(X: Array) -> Array:
        X *= 2
        return X

    assert leak(f, X) == 0
    assert_array_equal(X, 1)


@pytest.mark.parametrize("bad", [[1.0, 2], 1.0, np.zeros((2, 3, 1)), np.zeros((2, 0))])
def test_one_word_a_row(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"X must be \(n, d\) with d >= 1, got shape"):
        leak(lambda X: X, bad)


def test_an_output_for_each_word() -> None:
    with pytest.raises(ValueError, match=r"one row for each of the 3 rows, got shape \(2, 2\)"):
        leak(lambda X: X[1:], np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"got shape \(\)"):
        leak(lambda X: X.sum(), np.ones((3, 2)))


# what it says of masks


@pytest.mark.parametrize("id_", FIVE)
@pytest.mark.parametrize("d_k", D_K_CHOICES)
def test_the_right_mask_leaks_exactly_nothing(id_: str, d_k: int) -> None:
    X = embed(SENTENCES[id_].tokens)
    for head in range(len(HEAD_ANGLES)):
        assert leak(layer("right", d_k, head), X) == 0
    for mask in (causal_mask(len(X)), sliding_window_mask(len(X), 1), sliding_window_mask(len(X), 99)):
        assert leak(lambda X, mask=mask: multi_head_attention(X, 4, d_k, mask).output, X) == 0  # type: ignore[misc]


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 5))
def test_the_right_mask_leaks_exactly_nothing_for_any_words(seed: int, n: int, d: int) -> None:
    X = np.random.default_rng(seed).normal(scale=10, size=(n, d))
    assert leak(lambda X: attention(X, X, X, mask=causal_mask(n)).output, X) == 0
    assert leak(lambda X: MASKINGS["right"](X @ X.T) @ X, X) == 0


@pytest.mark.parametrize("id_", FIVE)
@pytest.mark.parametrize("masking", WRONG_MASKINGS)
@pytest.mark.parametrize("d_k", D_K_CHOICES)
def test_every_wrong_mask_leaks_in_every_sentence(id_: str, masking: str, d_k: int) -> None:
    assert leak(layer(masking, d_k), embed(SENTENCES[id_].tokens)) > 0.01


def test_no_mask_leaks_too() -> None:
    for id_ in FIVE:
        X = embed(SENTENCES[id_].tokens)
        assert leak(lambda X: multi_head_attention(X, 1).output, X) > 0.01


# the museum


def test_maskings_by_hand() -> None:
    logits = np.log([[1.0, 2.0], [3.0, 5.0]])
    shown = {name: masking(logits) for name, masking in MASKINGS.items()}
    assert list(shown) == ["right", *WRONG_MASKINGS]
    assert len(WRONG_MASKINGS) == 5
    assert_allclose(shown["right"], [[1.0, 0], [3 / 8, 5 / 8]])
    assert_allclose(shown["zero before softmax"], [[1 / 2, 1 / 2], [3 / 8, 5 / 8]])
    assert_allclose(shown["zero after softmax"], [[1 / 3, 0.0], [3 / 8, 5 / 8]])
    assert_allclose(shown["flipped"], [[0, 1], [0, 0]])
    assert_allclose(shown["transposed"], [[1 / 3, 2 / 3], [0.0, 1]])
    assert_allclose(shown["softmax over the wrong axis"], [[1 / 4, 0.0], [3 / 4, 1.0]])


def test_the_right_masking_is_attention_with_a_causal_mask() -> None:
    qkv = SENTENCES["cat-sat"].qkv
    assert qkv is not None
    trace = attention(*qkv, mask=causal_mask(4))
    assert_array_equal(MASKINGS["right"](trace.scores * trace.scale), trace.weights)


@pytest.mark.parametrize("masking", MASKINGS)
def test_large_and_equal_scores_stay_finite(masking: str) -> None:
    large = np.array([[e, 1e6, -1e6]] * 3)
    for logits in (np.full((3, 3), 1e6), np.full((3, 3), -0.0), large, np.zeros((1, 1))):
        weights = MASKINGS[masking](logits)
        assert np.isfinite(weights).all()
        assert (weights <= 1).all()
    with pytest.raises(ValueError, match=r"logits must be \(n, n\), got shape \(2, 3\)"):
        MASKINGS[masking](np.zeros((2, 3)))
