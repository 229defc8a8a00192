import os
import subprocess
import sys
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

from attention_core import causal_mask, softmax
from attention_core.induction import InductionRun, followers, train
from attention_core.induction.sequences import Sequences, draw, elimination_guessing, repeated
from attention_core.induction.transformer import Adam, _few_rows, cross_entropy, first_numbers, forward, gradient, views

ROOT = Path(__file__).parents[2]
SEEDS = range(10)


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
