from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from attention_core import attention, causal_mask, padding_mask, sliding_window_mask

sizes = st.integers(0, 7)


@given(sizes, sizes)
def test_causal_is_aligned_to_the_end(n_q: int, n_k: int) -> None:
    mask = causal_mask(n_q, n_k)
    assert mask.shape == (n_q, n_k)
    assert mask.dtype == np.bool_
    for i, j in np.ndindex(n_q, n_k):
        assert mask[i, j] == (n_k - j >= n_q - i)  # counted from the end


def test_causal_by_hand() -> None:
    assert_array_equal(causal_mask(3), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    assert_array_equal(causal_mask(2, 4), [[1, 1, 1, 0], [1, 1, 1, 1]])
    assert_array_equal(causal_mask(3, 1), [[0], [0], [1]])  # the first rows see nothing


@given(sizes, st.integers(1, 9), sizes)
def test_a_window_is_the_last_keys_of_the_causal_mask(n_q: int, window: int, n_k: int) -> None:
    mask, causal = sliding_window_mask(n_q, window, n_k), causal_mask(n_q, n_k)
    assert mask.shape == (n_q, n_k)
    for row, seen in zip(mask, causal, strict=True):
        assert_array_equal(np.flatnonzero(row), [j for j in np.flatnonzero(seen) if j > seen.sum() - 1 - window])


def test_window_by_hand() -> None:
    assert_array_equal(sliding_window_mask(3, 1), np.eye(3))
    assert_array_equal(sliding_window_mask(4, 3)[3], [0, 1, 1, 1])
    assert_array_equal(sliding_window_mask(1, 2, 4), [[0, 0, 1, 1]])
    assert_array_equal(sliding_window_mask(5, 99), causal_mask(5))


def test_padding_by_hand() -> None:
    assert_array_equal(padding_mask(2, 3), [1, 1, 0])
    assert_array_equal(padding_mask(0, 2), [0, 0])
    assert_array_equal(padding_mask(np.int64(2), 2), [1, 1])
    batch = padding_mask([0, 1, 3], 3)
    assert batch.shape == (3, 1, 1, 3)
    assert_array_equal(batch[:, 0, 0], [[0, 0, 0], [1, 0, 0], [1, 1, 1]])


def test_padding_fits_a_batch_of_heads() -> None:
    x = np.random.default_rng(0).normal(size=(3, 2, 4, 2))
    weights = attention(x, x, x, mask=padding_mask([1, 2, 0], 4)).weights
    assert_array_equal(weights[0, ..., 1:], 0)
    assert_array_equal(weights[1, ..., 2:], 0)
    assert_array_equal(weights[2], 0)


@pytest.mark.parametrize("bad", [-1, 1.0, 2.5, True, "3", [2], np.float64(2), np.True_])
@pytest.mark.parametrize(
    "call",
    [
        lambda bad: causal_mask(bad),
        lambda bad: causal_mask(2, bad),
        lambda bad: sliding_window_mask(bad, 1),
        lambda bad: sliding_window_mask(2, bad),
        lambda bad: sliding_window_mask(2, 1, bad),
        lambda bad: padding_mask(1, bad),
    ],
)
def test_sizes_are_whole_numbers(call: Callable[[Any], Any], bad: Any) -> None:
    with pytest.raises(ValueError, match=r"must be a whole number, [01] or more, got "):
        call(bad)


def test_a_window_sees_at_least_the_word_itself() -> None:
    with pytest.raises(ValueError, match="window must be a whole number, 1 or more, got 0"):
        sliding_window_mask(3, 0)


@pytest.mark.parametrize("bad", [4, -1, [1, 4], [-1, 1]])
def test_no_more_real_words_than_keys(bad: Any) -> None:
    with pytest.raises(ValueError, match="between 0 and n_k = 3, got"):
        padding_mask(bad, 3)


@pytest.mark.parametrize("bad", [1.0, True, [True, False], [1.0], [[1]], "1", None])
def test_real_words_are_counted_in_whole_numbers(bad: Any) -> None:
    with pytest.raises(ValueError, match="n_real must be one whole number or a list of them"):
        padding_mask(bad, 3)
