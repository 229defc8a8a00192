"""The two layers that are set by hand."""

from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import causal_mask, row_steps, softmax
from attention_core.induction import InductionTrace, hand_set


def block(seed: int) -> tuple[list[int], int]:
    """24 tokens: a block of 6 to 10 distinct ones, over and over; and its period."""
    rng = np.random.default_rng(seed)
    period = int(rng.integers(6, 11))
    return np.resize(rng.permutation(20)[:period], 24).tolist(), period


def hand_set_on_200(**given: Any) -> list[InductionTrace]:
    return [hand_set(block(seed)[0], **given) for seed in range(200)]


def mean(traces: list[InductionTrace], name: str) -> float:
    return float(np.mean([getattr(trace, name) for trace in traces]))


# what must be true


@pytest.mark.parametrize("beta", [2.5, 3, 4, 6, 8, 20, 100])
def test_by_hand_every_prediction_is_right(beta: float) -> None:
    for seed, trace in enumerate(hand_set_on_200(beta=beta)):
        tokens, period = block(seed)
        assert trace.accuracy == 1
        assert_array_equal(trace.predictable, np.arange(24) >= period)
        assert_array_equal(trace.predicted[period:-1], tokens[period + 1 :])
        assert trace.predicted[-1] == tokens[24 - period]  # and the block goes on where the sequence stops


def test_without_a_start_token_the_first_token_follows_itself() -> None:
    traces = hand_set_on_200(start_token=False)
    assert 0.90 < mean(traces, "accuracy") < 0.97
    for seed, trace in enumerate(traces):
        tokens, period = block(seed)
        wrong = [i for i in range(period, 23) if trace.predicted[i] != tokens[i + 1]]
        assert wrong == [period]  # the first token, come back: it finds itself
        assert trace.predicted[period] == tokens[0]
    sharper = hand_set_on_200(start_token=False, beta=50)
    assert_allclose(mean(sharper, "accuracy"), mean(traces, "accuracy"))


@pytest.mark.parametrize("beta", [4, 8])
@pytest.mark.parametrize("remove", [1, 2])
def test_with_a_layer_removed_little_is_left(remove: int, beta: float) -> None:
    traces = hand_set_on_200(remove=remove, beta=beta)
    assert mean(traces, "induction_score") < 0.2
    assert mean(traces, "accuracy") < 0.2
    for trace in traces:
        assert_array_equal(trace.maps[remove - 1], 0)
        assert_array_equal(trace.layers[remove - 1].output, 0)


def test_without_layer_1_layer_2_looks_everywhere_alike() -> None:
    trace = hand_set(list("abcabc"), remove=1)
    assert_array_equal(trace.copied, 0)
    assert_allclose(trace.maps[1], np.tri(7) / np.arange(1, 8)[:, None])


def test_without_layer_2_nothing_is_predicted() -> None:
    trace = hand_set(list("abcabc"), remove=2)
    assert trace.predicted.tolist() == [None] * 6
    assert trace.accuracy == 0
    assert trace.induction_score == 0
    assert_array_equal(trace.maps[0], hand_set(list("abcabc")).maps[0])


def test_short_periods_reach_much_without_layer_1() -> None:
    scores = [hand_set(np.resize(np.arange(p), 24), remove=1).induction_score for p in (1, 2, 3)]
    assert all(score is not None and score > 0.2 for score in scores)  # so the page may not promise less


@pytest.mark.parametrize(("beta", "score"), [(2, 0.21), (4, 0.75), (6, 0.97), (8, 0.996)])
def test_sharper_layers_look_more_surely(beta: float, score: float) -> None:
    assert_allclose(mean(hand_set_on_200(beta=beta), "induction_score"), score, atol=0.015)


# the numbers


def test_the_residual_stream_by_hand() -> None:
    beta = 3.0
    trace = hand_set(["A", "B", "A"], beta)
    assert (trace.vocabulary, trace.first, trace.slots.token) == (("A", "B"), 1, slice(0, 3))
    x, slots = trace.residual, trace.slots
    assert x.shape == (3, 4, 13)
    assert_array_equal(x[0, :, slots.token], [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]])  # start A B A
    assert_array_equal(x[0, :, slots.position], np.eye(4))
    assert_array_equal(x[0, :, slots.position.stop :], 0)

    one_back = np.eye(4, k=-1)
    hidden = np.where(causal_mask(4), 0, -np.inf)
    assert_array_equal(trace.layers[0].scores[causal_mask(4)], one_back[causal_mask(4)])
    assert_array_equal(trace.layers[0].logits, beta * one_back + hidden)
    weights_1 = softmax(beta * one_back + hidden)
    copied = weights_1 @ x[0, :, slots.token]
    assert_allclose(trace.copied, copied)
    assert_allclose(x[1, :, slots.previous], copied)
    assert_array_equal(x[1, :, slots.following], 0)

    scores = x[0, :, slots.token] @ copied.T
    weights_2 = softmax(beta * scores + hidden)
    assert_allclose(trace.layers[1].scores, scores)
    assert_allclose(trace.maps, [weights_1, weights_2])
    assert_allclose(x[2, :, slots.following], weights_2 @ x[0, :, slots.token])
    assert_array_equal(x[2, :, slots.following][1:, :2], trace.logits)
    assert_array_equal(x[2, :, : slots.following.start], x[1, :, : slots.following.start])

    assert trace.predicted.tolist()[-1] == "B"
    assert_array_equal(trace.predictable, [False, False, True])
    assert trace.accuracy is None  # what comes after the last A is not given
    assert trace.induction_score == pytest.approx(weights_2[3, 2])


def test_accuracy_counts_what_comes_not_what_came() -> None:
    trace = hand_set(["A", "B", "A", "C", "A", "B"])
    assert_array_equal(trace.predictable, [False, False, True, False, True, True])
    assert trace.predicted[2] == "B"  # C came
    assert trace.accuracy == 0.5


def test_ids_and_words_are_the_same_sequence() -> None:
    words, ids = hand_set(list("abcab")), hand_set(np.array([7, 0, 3, 7, 0]))
    assert_array_equal(words.residual, ids.residual)
    assert words.predicted.tolist()[-1] == "c"
    assert ids.predicted.tolist()[-1] == 3
    assert ids.vocabulary == (7, 0, 3)
    assert hand_set(("1", 1, "1")).vocabulary == ("1", 1)


def test_of_words_that_tie_the_first_seen_is_predicted() -> None:
    trace = hand_set(list("ABACA"), 200)  # so sharp that the places behind both As are looked at alike
    assert_allclose(trace.logits[-1], [0, 0.5, 0.5], atol=1e-12)
    assert trace.predicted[-1] == "B"
    rounding = hand_set(list("AABCBCC"), 30)  # C ahead of B by 5e-14
    assert rounding.logits[-1].argmax() == 2
    assert rounding.predicted[-1] == "B"


def test_a_row_can_be_written_out() -> None:
    trace = hand_set(["A", "B", "A"])
    steps = row_steps(trace.layers[1], 3)  # the last A's query against start, A, B and itself
    assert_allclose(steps.products.sum(axis=1), trace.layers[1].scores[3])
    assert_allclose(steps.output[:2], trace.logits[-1])
    assert row_steps(hand_set(["A"], remove=1).layers[0], 1).weights.sum() == 0


# whatever is typed


@pytest.mark.parametrize("start_token", [True, False])
@pytest.mark.parametrize("remove", [None, 1, 2])
@pytest.mark.parametrize(
    "tokens",
    [
        *[np.resize(np.arange(p), 24).tolist() for p in range(1, 12)],
        list(range(24)),
        ["once"],
        ["same"] * 24,
        list("abcde") * 5,
        ["<s>", "</s>", "$5", "*x*", "a<b>c", "&amp;", "`", "\\frac", "", " ", "⟨start⟩", "\x00", "<s>", "</s>"],
        ["我", "爱", "我", "👍🏽", "爱"],
    ],
)
def test_any_sequence_works(tokens: list[Any], remove: int | None, start_token: bool) -> None:
    trace = hand_set(tokens, start_token=start_token, remove=remove)
    n, m = len(tokens), len(tokens) + start_token
    assert trace.tokens == tuple(tokens)
    assert trace.maps.shape == (2, m, m)
    for layer in (1, 2):
        assert_allclose(trace.maps[layer - 1].sum(axis=1), 0 if layer == remove else 1, atol=1e-12)
        assert_array_equal(trace.maps[layer - 1][~causal_mask(m)], 0)
    assert trace.predicted.shape == trace.predictable.shape == (n,)
    assert set(trace.predicted) <= ({None} if remove == 2 else set(tokens))
    assert np.isfinite(trace.residual).all()
    seen_before = [tokens[i] in tokens[:i] for i in range(n)]
    assert_array_equal(trace.predictable, seen_before)
    assert (trace.induction_score is None) == (not any(seen_before))
    assert (trace.accuracy is None) == (not any(seen_before[:-1]))


@pytest.mark.parametrize("beta", [2.5, 4, 8])
@pytest.mark.parametrize("period", range(1, 12))
def test_every_period_is_continued(period: int, beta: float) -> None:
    trace = hand_set([f"w{i % period}" for i in range(24)], beta)
    assert trace.accuracy == 1
    assert trace.predicted[-1] == f"w{24 % period}"


@given(st.lists(st.text(max_size=3) | st.integers(), min_size=1, max_size=24), st.floats(0, 100))
def test_a_sequence_may_be_anything(tokens: list[str | int], beta: float) -> None:
    trace = hand_set(tokens, beta)
    assert_allclose(trace.maps.sum(axis=2), 1, rtol=1e-12)
    assert set(trace.predicted) <= set(tokens)
    assert_allclose(trace.logits.sum(axis=1), 1 - trace.residual[2, 1:, -1], rtol=0, atol=1e-12)


def test_a_trace_cannot_be_changed() -> None:
    trace = hand_set(list("aba"))
    arrays = [x for x in vars(trace).values() if isinstance(x, np.ndarray)]
    assert len(arrays) == 7
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(FrozenInstanceError):
        trace.beta = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"tokens": "a b a"}, "tokens must be several words, got one string"),
        ({"tokens": []}, "there must be at least one token"),
        ({"tokens": [1.0]}, r"each token must be a word or a whole number, got 1\.0"),
        ({"tokens": ["a", None]}, "each token must be a word or a whole number, got None"),
        ({"tokens": [True]}, "each token must be a word or a whole number, got True"),
        ({"tokens": np.eye(2, dtype=int)}, "each token must be a word or a whole number"),
        *[({"beta": b}, "beta must be one finite number, 0 or more") for b in (-1, np.nan, np.inf, True, "4", None)],
        *[({"remove": r}, "remove must be None, 1 or 2, got") for r in (0, 3, True, 1.0, "1", [1])],
        *[({"start_token": s}, "start_token must be True or False, got") for s in (None, 1, "yes")],
    ],
)
def test_what_hand_set_refuses(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        hand_set(**{"tokens": ["a", "b"], **given})
