import os
import subprocess
import sys
from dataclasses import FrozenInstanceError
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from attention_core import causal_mask, row_steps, softmax
from attention_core.induction import InductionRun, InductionTrace, followers, hand_set, train
from attention_core.induction.sequences import Sequences, draw, elimination_guessing, repeated
from attention_core.induction.transformer import Adam, _few_rows, cross_entropy, first_numbers, forward, gradient, views

ROOT = Path(__file__).parents[2]
SEEDS = range(10)


def block(seed: int) -> tuple[list[int], int]:
    """24 tokens: a block of 6 to 10 distinct ones, over and over; and its period."""
    rng = np.random.default_rng(seed)
    period = int(rng.integers(6, 11))
    return np.resize(rng.permutation(20)[:period], 24).tolist(), period


def hand_set_on_200(**given: Any) -> list[InductionTrace]:
    return [hand_set(block(seed)[0], **given) for seed in range(200)]


def mean(traces: list[InductionTrace], name: str) -> float:
    return float(np.mean([getattr(trace, name) for trace in traces]))


# where copying looks


def test_followers_by_hand() -> None:
    assert_array_equal(
        followers([7, 5, 7, 5, 5]),
        [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 1]],
    )
    assert_array_equal(followers([[1, 1], [1, 2]]), [[[0, 0], [0, 1]], [[0, 0], [0, 0]]])
    assert followers([3]).shape == (1, 1)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_followers_are_what_their_definition_says(ids: list[int]) -> None:
    n = len(ids)
    expected = np.zeros((n, n), bool)
    for i in range(n):
        for j in range(i):
            expected[i, j + 1] = ids[j] == ids[i]
    assert_array_equal(followers(ids), expected)


@pytest.mark.parametrize("bad", [3, [1.0], ["a"], [True], None])
def test_followers_want_whole_numbers(bad: Any) -> None:
    with pytest.raises(ValueError, match="ids must be whole numbers, one sequence a row"):
        followers(bad)


# set by hand: what must be true


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


# set by hand: the numbers


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


# set by hand: whatever is typed


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


# learned: the sequences


def test_sequences_repeat_a_block_after_words_that_come_once() -> None:
    tokens, following, predictable = draw(np.random.default_rng(0), 500)
    assert tokens.shape == following.shape == predictable.shape == (500, 24)
    assert_array_equal(tokens[:, 1:], following[:, :-1])
    assert set(np.unique(tokens)) == set(range(20))
    starts, periods = set(), set()
    for row, last, asked in zip(tokens, following[:, -1], predictable, strict=True):
        text = [*row.tolist(), int(last)]
        assert_array_equal(asked, [text[i] in text[:i] for i in range(24)])
        first = int(asked.argmax())
        start = text.index(text[first])
        period = first - start
        assert text[start:] == (text[start:first] * 5)[: 25 - start]
        starts.add(start)
        periods.add(period)
    assert starts == set(range(9))
    assert periods == set(range(6, 11))


def test_elimination_guessing_by_hand() -> None:
    example = repeated(np.arange(20)[None], np.array([[0]]), np.array([[7]]))  # 0 … 6, over and over
    assert_allclose(elimination_guessing(example), 1 / 2)  # of seven words, five are struck out
    assert_allclose(elimination_guessing(example, within=10), 1 / 2)
    before = repeated(np.arange(20)[None], np.array([[3]]), np.array([[7]]))  # 0 1 2, then 3 … 9
    assert_allclose(elimination_guessing(before), 1 / 5)
    # within ten places stand 1 2 4 5, then 2 5 6, and from then on two words of the block
    assert_allclose(elimination_guessing(before, within=10), (1 / 4 + 1 / 3 + 12 / 2) / 14)


# learned: the gradient


@pytest.mark.parametrize("n_layers", [1, 2])
def test_gradient_against_central_differences(n_layers: int) -> None:
    rng = np.random.default_rng(3)
    numbers = first_numbers(rng, n_layers, np.float64) * 2  # uneven attention, so that every term counts
    batch = draw(rng, 3)
    d_numbers = np.full_like(numbers, np.nan)
    loss = gradient(views(numbers, n_layers), batch, views(d_numbers, n_layers))
    assert np.isfinite(d_numbers).all()

    def loss_at(numbers: NDArray[Any]) -> float:
        W = views(numbers, n_layers)
        return cross_entropy(W, forward(W, batch.tokens)[0], batch)[0]

    assert_allclose(loss_at(numbers), loss, rtol=1e-14)
    at = np.cumsum([0, *(x.size for x in _flat(views(numbers, n_layers)))])
    for first, stop in pairwise(at):  # some entries of every matrix, those that matter most
        matter = np.argsort(-np.abs(d_numbers[first:stop]))[:3]
        for i in first + np.concatenate([matter, rng.integers(0, stop - first, 5)]):
            h = np.zeros_like(numbers)
            h[i] = 1e-5
            difference = (loss_at(numbers + h) - loss_at(numbers - h)) / 2e-5
            assert_allclose(d_numbers[i], difference, rtol=1e-6, atol=1e-9)
    direction = rng.normal(size=numbers.shape)  # and all of them at once
    difference = (loss_at(numbers + 1e-5 * direction) - loss_at(numbers - 1e-5 * direction)) / 2e-5
    assert_allclose(d_numbers @ direction, difference, rtol=1e-6)


def _flat(W: Any) -> list[NDArray[Any]]:
    return [W.W_E, W.W_P, W.W_U, *(matrix for layer in W.layers for matrix in layer)]


def test_the_model_starts_as_it_should() -> None:
    W = views(first_numbers(np.random.default_rng(0), 2, np.float32), 2)
    assert [x.shape for x in _flat(W)[:7]] == [(20, 32), (24, 32), (32, 20), (32, 16), (32, 16), (32, 16), (16, 32)]
    for x in _flat(W):
        assert x.dtype == np.float32
        assert_allclose(x.std(), 16**-0.5 if x.shape == (16, 32) else 32**-0.5, rtol=0.1)


def test_the_model_looks_as_attention_does() -> None:
    W = views(first_numbers(np.random.default_rng(0), 1, np.float64), 1)
    tokens = draw(np.random.default_rng(1), 2).tokens
    x, (step,) = forward(W, tokens)
    words = W.W_E[tokens[1]]
    placed, layer = words + W.W_P, W.layers[0]
    scores = (placed @ layer.W_Q) @ (placed @ layer.W_K).T / 4
    weights = softmax(np.where(causal_mask(24), scores, -np.inf))
    assert_allclose(step.weights[1], weights, rtol=0, atol=1e-14)
    assert_allclose(x[24:], words + weights @ (words @ layer.W_V) @ layer.W_O, rtol=0, atol=1e-13)


def test_products_are_too_small_to_be_shared_among_threads() -> None:
    groups = _few_rows(np.zeros((32 * 24, 32)))
    assert groups.shape == (4, 192, 32)
    assert 192 * 32 * 32 < 262_144  # multiplications from which OpenBLAS starts its threads, many times slower
    assert _few_rows(np.zeros((24, 32))).shape == (1, 24, 32)


def test_adam_by_hand() -> None:
    adam = Adam(np.array([1.0, -1.0]), lr=0.1)
    adam.update(np.array([2.0, -5.0]))
    assert_allclose(adam.numbers, [0.9, -0.9])  # its first step has the length of the rate
    adam.update(np.array([0.0, -5.0]))
    mean, square = 0.9 * 0.1 * 2 / (1 - 0.81), 0.999 * 0.001 * 4 / (1 - 0.999**2)
    assert_allclose(adam.numbers, [0.9 - 0.1 * mean / square**0.5, -0.8])


# learned: what must be true


@lru_cache
def run(seed: int, n_layers: int = 2, steps: int = 240) -> InductionRun:
    return train(seed, n_layers=n_layers, steps=steps)


@pytest.mark.parametrize("seed", SEEDS)
def test_two_layers_learn_an_induction_head(seed: int) -> None:
    learned = run(seed)
    assert learned.steps[-1] == 240
    assert learned.accuracy[-1] > 0.95
    assert learned.induction_score[-1] > 0.9
    assert learned.loss[-1] < 0.3
    assert learned.previous_score[-1] > 0.5
    assert learned.accuracy[0] < 0.15
    assert learned.induction_score[0] < 0.2
    assert learned.previous_score[0] < 0.2


def test_the_head_forms_suddenly() -> None:
    learned = run(0)
    half = int((learned.accuracy > 0.5).argmax())
    before, after = learned.accuracy[half - 8], learned.accuracy[half + 8]  # 40 steps to each side
    assert before < 0.35
    assert after > 0.9


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_one_layer_stays_near_elimination_guessing(seed: int) -> None:
    control = run(seed, n_layers=1, steps=800)
    assert control.accuracy.max() < 0.55
    assert control.elimination < control.accuracy[-1] < control.elimination_within_ten
    assert control.induction_score.max() < 0.4
    assert control.maps.shape == (161, 1, 24, 24)


def test_the_example_is_learned_too() -> None:
    learned = run(0)
    assert_array_equal(learned.example, [0, 1, 2, *range(3, 10), *range(3, 10), *range(3, 10)])
    assert_array_equal(learned.example_next[:-1], learned.example[1:])
    assert_array_equal(learned.example_predictable, np.arange(24) >= 10)
    assert learned.maps.shape == (49, 2, 24, 24)
    assert learned.maps.dtype == np.float32
    assert_allclose(learned.maps.sum(axis=3), 1, atol=1e-5)
    assert_array_equal(learned.maps[..., ~causal_mask(24)], 0)
    asked = learned.example_predictable
    right = learned.predicted[-1][asked] == learned.example_next[asked]
    assert right.mean() > 0.9
    mass = (learned.maps[-1, 1] * followers(learned.example)).sum(axis=1)[asked]
    assert mass.mean() > 0.9


def test_a_run_depends_on_its_arguments_alone() -> None:
    a, b, other, longer = train(3, steps=25), train(3, steps=25), train(4, steps=25), train(3, steps=40)
    for name in ("steps", "loss", "accuracy", "previous_score", "induction_score", "maps", "predicted"):
        assert_array_equal(getattr(a, name), getattr(b, name))
        assert_array_equal(getattr(a, name), getattr(longer, name)[:6])  # and is the beginning of a longer one
    assert (a.loss != other.loss).all()
    assert_array_equal(a.example, other.example)


def test_a_run_is_the_same_in_every_process_with_any_number_of_threads() -> None:
    assert train(0, steps=10).loss == pytest.approx(
        [3.01886, 3.00402, 2.99344], rel=1e-4
    )  # on any machine, but for rounding
    assert train(0, steps=0).elimination == pytest.approx(0.2127, abs=1e-4)
    assert train(0, steps=0).elimination_within_ten == pytest.approx(0.4815, abs=1e-4)
    script = "from attention_core.induction import train; print(*train(1, steps=15).loss.tolist())"
    for threads in "14":
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **dict.fromkeys(names, threads)}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        assert_array_equal([float(x) for x in done.stdout.split()], train(1, steps=15).loss)


def test_steps_are_recorded_every_five_and_at_the_end() -> None:
    assert_array_equal(train(steps=0).steps, [0])
    assert_array_equal(train(steps=10).steps, [0, 5, 10])
    short = train(steps=12)
    assert_array_equal(short.steps, [0, 5, 10, 12])
    for name in ("loss", "accuracy", "previous_score", "induction_score"):
        assert getattr(short, name).shape == (4,)
        assert getattr(short, name).dtype == np.float64


def test_a_run_cannot_be_changed() -> None:
    short = train(steps=0)
    arrays = [x for x in vars(short).values() if isinstance(x, np.ndarray)]
    assert len(arrays) == 10
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.parametrize(
    ("name", "bad", "says"),
    [
        *[("seed", x, r"seed must be a whole number, 0 to 4294967295, got") for x in (-1, 2**32, 1.0, True, "0")],
        *[("n_layers", x, r"n_layers must be a whole number, 1 to 2, got") for x in (0, 3, 2.0, True, None)],
        *[("steps", x, r"steps must be a whole number, 0 to 5000, got") for x in (-1, 5001, 5.0, True, "9")],
    ],
)
def test_what_train_refuses(name: str, bad: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        train(**{name: bad})


def test_loss_and_accuracy_are_those_of_the_predictable_places() -> None:
    W = views(first_numbers(np.random.default_rng(0), 2, np.float64), 2)
    batch = draw(np.random.default_rng(1), 4)
    x, _ = forward(W, batch.tokens)
    loss, probabilities, rows = cross_entropy(W, x, batch)
    logits = (x @ W.W_U).reshape(4, 24, 20)
    each = -np.log(np.take_along_axis(softmax(logits), batch.next[..., None], 2)[..., 0])
    assert_allclose(loss, each[batch.predictable].mean())
    assert_allclose(probabilities, softmax(logits)[batch.predictable])
    assert_array_equal(rows, np.flatnonzero(batch.predictable))
    nothing_else = Sequences(batch.tokens, np.where(batch.predictable, batch.next, 0), batch.predictable)
    assert cross_entropy(W, x, nothing_else)[0] == loss
