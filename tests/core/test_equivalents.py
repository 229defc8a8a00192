from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from attention_core import SENTENCES, EquivalentWeights, attention, embed, equivalent_weights, project

Array = NDArray[Any]


def worksheet() -> tuple[Array, Array]:
    qkv = SENTENCES["cat-sat"].qkv
    assert qkv is not None
    return attention(*qkv).weights[2], qkv[2]


def assert_sound(found: EquivalentWeights, weights: Array, V: Array, atol: float = 1e-12) -> None:
    m = len(found.directions)
    assert found.directions.shape == found.lowest.shape == found.highest.shape == (m, len(weights))
    assert m == found.n_words - found.rank or (m == 0 and found.n_words == 0)
    assert m == 0 or np.linalg.matrix_rank(found.directions) == m
    assert_allclose(found.directions.sum(axis=1), 0, atol=atol)
    assert_allclose(found.directions @ V, 0, atol=atol)
    assert_allclose(np.abs(found.directions).max(axis=1), 1)
    assert_allclose(found.directions.max(axis=1), 1)  # the word that moves most gains t
    assert (found.low <= 0).all()
    assert (found.high >= 0).all()
    nothing = found.directions[np.abs(found.directions) < 1e-9]
    assert_array_equal(nothing, 0)
    assert not np.signbit(nothing).any()  # -0.0 would be printed
    for direction in found.directions != 0:  # a trade between so few that each needs all the others
        traders = np.c_[V, np.ones(len(V))][direction]
        assert np.linalg.matrix_rank(traders / np.linalg.norm(traders, axis=1)[:, None]) == direction.sum() - 1
    for t, ends in ((found.low, found.lowest), (found.high, found.highest)):
        assert_allclose(ends, weights + t[:, None] * found.directions, atol=atol)
        assert (ends >= 0).all()
        assert_allclose(ends.min(axis=1, where=found.directions != 0, initial=np.inf), 0, atol=1e-15)  # no further
        assert_allclose(ends.sum(axis=1), weights.sum(), atol=atol)
        assert_allclose(ends @ V, np.tile(weights @ V, (m, 1)), atol=atol)


def test_worksheet() -> None:
    weights, V = worksheet()
    found = equivalent_weights(weights, V)
    assert_sound(found, weights, V)
    assert_allclose(found.directions * -6, [[2, 1, 3, -6]], atol=1e-12)
    assert_array_equal(weights.round(2), [0.04, 0.73, 0.18, 0.04])
    assert found.highest[0, 3].round(2) == 0.17
    assert_array_equal((found.highest[0] @ V).round(2), [3.03, 0.40])
    assert (found.n_words, found.rank) == (4, 3)


def test_one_word_and_two_words() -> None:
    for weights, V, rank in (([1.0], [[3, 4]], 1), ([0.3, 0.7], [[1, 2], [1, 3]], 2)):
        found = equivalent_weights(weights, V)
        assert_sound(found, np.array(weights), np.array(V))
        assert (len(found.directions), found.n_words, found.rank) == (0, rank, rank)
    equal = equivalent_weights([0.3, 0.7], [[1, 2], [1, 2]])
    assert_allclose(equal.directions, [[-1, 1]])  # the heavier word leads
    assert_allclose([equal.low, equal.high], [[-0.7], [0.3]])


def test_a_one_hot_row_cannot_move() -> None:
    found = equivalent_weights([0, 1, 0, 0, 0], np.ones((5, 2)))
    assert (len(found.directions), found.n_words, found.rank) == (0, 1, 1)


def test_a_row_with_nothing_to_see_cannot_move() -> None:
    assert len(equivalent_weights([0, 0], [[1], [1]]).directions) == 0
    assert len(equivalent_weights([], np.zeros((0, 2))).directions) == 0


@pytest.mark.parametrize("n", [2, 5, 12])
def test_among_equal_values_every_direction_is_free(n: int) -> None:
    weights = np.arange(1, n + 1) / (n * (n + 1) / 2)
    found = equivalent_weights(weights, np.tile([3.0, -1.0], (n, 1)))
    assert_sound(found, weights, np.tile([3.0, -1.0], (n, 1)))
    assert (len(found.directions), found.rank) == (n - 1, 1)
    assert ((found.directions != 0).sum(axis=1) == 2).all()  # trades between two words
    assert_array_equal(found.directions[:, -1], 1)  # the heaviest takes part in each
    assert_array_equal(found.directions[0].nonzero()[0], [n - 2, n - 1])  # and moves furthest with the next one


def test_hidden_words_stay_hidden() -> None:
    weights, V = worksheet()
    with_hidden = np.insert(weights, 1, 0.0)
    found = equivalent_weights(with_hidden, np.insert(V, 1, [2, 2], axis=0))
    assert_array_equal(found.directions[:, 1], 0)
    assert_allclose(np.delete(found.directions, 1, axis=1), equivalent_weights(weights, V).directions, atol=1e-12)
    assert (found.n_words, found.rank) == (4, 3)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(0, 3), st.booleans(), st.data())
def test_every_direction_leaves_the_output_alone(seed: int, n: int, d_v: int, whole: bool, data: st.DataObject) -> None:
    rng = np.random.default_rng(seed)
    V = rng.integers(-2, 3, (n, d_v)).astype(float) if whole else rng.normal(size=(n, d_v))
    hidden = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    weights = np.where(hidden, 0, rng.dirichlet(np.ones(n)))
    weights = weights / (weights.sum() or 1)
    found = equivalent_weights(weights, V)
    assert_sound(found, weights, V)
    assert found.rank == (np.linalg.matrix_rank(np.c_[V, np.ones(n)][weights > 0]) if weights.any() else 0)
    moved = np.abs(found.directions[:, weights.argmax()]) * (found.high - found.low)
    assert (np.diff(moved) < 1e-9).all()  # the heaviest word moves furthest in the first


def test_no_trade_moves_the_heaviest_word_further_than_the_first() -> None:
    rng = np.random.default_rng(0)
    weights, V = rng.dirichlet(np.ones(7)), rng.normal(size=(7, 2))
    found = equivalent_weights(weights, V)
    top = int(weights.argmax())
    furthest = abs(found.directions[0, top]) * (found.high - found.low)[0]
    for words in combinations(range(7), 4):
        if top in words:
            group = np.array(words)
            alone = equivalent_weights(weights[group] / weights[group].sum(), V[group])
            moved = abs(alone.directions[0, words.index(top)]) * (alone.high - alone.low)[0]
            assert moved * weights[group].sum() <= furthest + 1e-9


def test_a_huge_value_does_not_hide_the_others() -> None:
    weights = np.full(4, 0.25)
    for huge in (1e3, 1e9, 1e300):
        V = np.array([[huge, huge], [1, 0], [0, 1], [0, 0]])
        found = equivalent_weights(weights, V)
        assert (found.n_words, found.rank) == (4, 3)
        assert_allclose(found.highest @ V, [weights @ V], rtol=1e-12)
    five = np.array([[1e6, 0], [1, 0], [0, 1], [0, 0], [0, 0]])
    assert_sound(equivalent_weights(np.full(5, 0.2), five), np.full(5, 0.2), five, atol=1e-9)


def test_float32_weights_are_taken() -> None:
    qkv = SENTENCES["cat-sat"].qkv
    assert qkv is not None
    trace = attention(*(x.astype(np.float32) for x in qkv))
    assert_allclose(equivalent_weights(trace.weights[2], trace.V).directions * -6, [[2, 1, 3, -6]], atol=1e-6)


@pytest.mark.parametrize("id", [id for id, sentence in SENTENCES.items() if sentence.qkv is None])
def test_the_five_sentences(id: str) -> None:
    sentence = SENTENCES[id]
    Q, K, V = project(embed(sentence.tokens))
    weights = attention(Q, K, V).weights[sentence.focus]
    found = equivalent_weights(weights, V)
    assert_sound(found, weights, V)
    assert len(found.directions) == len(weights) - 3


def test_results_are_read_only() -> None:
    found = equivalent_weights(*worksheet())
    for x in (found.directions, found.low, found.high, found.lowest, found.highest):
        with pytest.raises(ValueError, match="read-only"):
            x[...] = 0


@pytest.mark.parametrize(
    ("weights", "V", "says"),
    [
        ([0.5, 0.5], [[1], [2], [3]], r"must share n, got \(2,\) and \(3, 1\)"),
        ([[1.0]], [[1]], r"must share n, got \(1, 1\)"),
        ([1.0], [1.0], r"must share n, got \(1,\) and \(1,\)"),
        ([0.5, 0.6], [[1], [2]], "0 or more with sum 1, or all 0, got .* with sum 1.1"),
        ([1.5, -0.5], [[1], [2]], "0 or more with sum 1"),
        ([np.nan, 1], [[1], [2]], "0 or more with sum 1"),
        ([0.5, 0.5], [[1], [np.inf]], "V holds NaN or an infinity"),
        (["a"], [[1]], "weights must hold real numbers"),
        (np.full(40, 1 / 40), np.random.default_rng(0).normal(size=(40, 8)), "40 words with 8 dimensions .* 20000"),
    ],
)
def test_what_is_no_row_of_weights_is_refused(weights: Any, V: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        equivalent_weights(weights, V)
