from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import SENTENCES, AttentionTrace, attention, causal_mask, contributions


def worksheet(mask: Any = None) -> AttentionTrace:
    qkv = SENTENCES["cat-sat"].qkv
    assert qkv is not None
    return attention(*qkv, mask=mask)


def test_worksheet() -> None:
    trace = worksheet()
    found = contributions(trace, 2)
    assert_array_equal(found.weights, trace.weights[2])
    assert_allclose(found.value_lengths, [1, 4, 2, np.sqrt(2)])
    assert_allclose(found.term_lengths, [0.0434, 2.9384, 0.3572, 0.0614], atol=1e-4)
    without_cat = (np.array([1, 0]) + np.exp(np.sqrt(2)) * np.array([0, 2]) + np.array([1, 1])) / (
        2 + np.exp(np.sqrt(2))
    )
    assert_allclose(found.output_changes[1], np.linalg.norm(trace.output[2] - without_cat))


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.data())
def test_dropping_a_word_is_hiding_it(seed: int, n: int, data: st.DataObject) -> None:
    Q, K, V = np.random.default_rng(seed).normal(size=(3, n, 2))
    look = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    trace = attention(Q, K, V, mask=look)
    found = contributions(trace, 1)
    for word in range(n):
        without = attention(Q, K, V, mask=look & (np.arange(n) != word))
        change = np.linalg.norm(trace.output[1] - without.output[1])
        assert_allclose(found.output_changes[word], change, atol=1e-14)
        weight = trace.weights[1, word]
        if 0 < weight < 0.99:  # the same by renormalising: w / (1 - w) times the distance from value to output
            direct = weight / (1 - weight) * np.linalg.norm(V[word] - trace.output[1])
            assert_allclose(found.output_changes[word], direct, rtol=1e-9, atol=1e-12)
    assert_array_equal(found.output_changes[~look], 0)
    assert_allclose(found.term_lengths, np.linalg.norm(trace.weights[1][:, None] * V, axis=1))


def test_hidden_words_contribute_exactly_nothing() -> None:
    found = contributions(worksheet(causal_mask(4)), 2)
    assert found.value_lengths[3] > 0
    assert (found.weights[3], found.term_lengths[3], found.output_changes[3]) == (0, 0, 0)


def test_one_word_takes_all_with_it() -> None:
    found = contributions(attention([[1.0]], [[1.0]], [[3.0, 4.0]]), 0)
    assert_array_equal(
        [found.weights, found.value_lengths, found.term_lengths, found.output_changes], [[1], *[[5]] * 3]
    )


def test_without_a_one_hot_winner_the_rest_shares_by_its_own_scores() -> None:
    trace = attention([[1.0]], [[2000.0], [0.0], [0.0]], [[1.0], [3.0], [5.0]])
    assert_array_equal(trace.weights, [[1, 0, 0]])
    assert_array_equal(contributions(trace, 0).output_changes, [3, 0, 0])  # 1 becomes (3 + 5) / 2


def test_a_row_with_nothing_to_see() -> None:
    found = contributions(attention([[1.0]], [[1.0], [2.0]], [[1.0], [2.0]], mask=[False, False]), 0)
    for x in (found.weights, found.term_lengths, found.output_changes):
        assert_array_equal(x, [0, 0])


def test_a_small_weight_on_a_huge_value_decides() -> None:
    trace = worksheet()
    V = trace.V.copy()
    V[3] *= 1000  # down
    found = contributions(attention(trace.Q, trace.K, V), 2)
    assert found.weights.argmax() == 1
    assert found.term_lengths.argmax() == 3
    assert found.output_changes[3] > 0.9 * np.linalg.norm(attention(trace.Q, trace.K, V).output[2])
    assert found.output_changes[1] > found.output_changes[3]  # without cat, down's share of the rest is larger still


def test_lengths_that_overflow_are_refused() -> None:
    with pytest.raises(ValueError, match="the lengths overflow float64"):
        contributions(attention([[1.0]], [[1.0]], [[1e200, 1e200]]), 0)


@pytest.mark.parametrize("query", [-1, 4])
def test_rows_that_do_not_exist_are_refused(query: int) -> None:
    with pytest.raises(ValueError, match=f"query must be 0 to 3, got {query}"):
        contributions(worksheet(), query)


def test_leading_axes_are_refused() -> None:
    x = np.ones((2, 3, 2))
    with pytest.raises(ValueError, match=r"\(n_q, n_k\), got \(2, 3, 3\)"):
        contributions(attention(x, x, x), 0)


def test_results_are_read_only() -> None:
    found = contributions(worksheet(), 0)
    for x in (found.weights, found.value_lengths, found.term_lengths, found.output_changes):
        with pytest.raises(ValueError, match="read-only"):
            x[...] = 0
