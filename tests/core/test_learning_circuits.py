"""The gradient, against differences of a loss that is computed the long way round, with keys and values."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from attention_core import attention, attention_backward
from attention_core.learning.circuits import Batch, Sizes, gradient, judge

Array = NDArray[Any]

SIZES = {
    "one head": Sizes(1, 6, 4, 3, 3, mixed=False, scaled=False),
    "scaled": Sizes(1, 6, 4, 3, 3, mixed=False, scaled=True),
    "as narrow as can be": Sizes(1, 6, 1, 1, 1, mixed=False, scaled=True),
    "one head, W_O": Sizes(1, 8, 4, 3, 6, mixed=True, scaled=False),
    "two heads": Sizes(2, 8, 4, 3, 6, mixed=True, scaled=False),
    "three heads, sum": Sizes(3, 8, 2, 5, 3, mixed=True, scaled=True),
}


def random_batch(sizes: Sizes, n_examples: int = 7, n_keys: int = 4) -> Batch:
    rng = np.random.default_rng(1)
    d = sizes.d_model
    return Batch(
        rng.normal(size=(n_examples, n_keys, d)),
        rng.normal(size=(n_examples, d)),
        rng.normal(size=(n_examples, sizes.d_out)),
    )


def predict(numbers: Array, batch: Batch, sizes: Sizes) -> tuple[Array, Any]:
    W = sizes.views(numbers)
    keys, query = batch.keys[:, None], batch.query[:, None, None]  # (B, 1, n_k, d), (B, 1, 1, d)
    trace = attention(query @ W.W_Q, keys @ W.W_K, keys @ W.W_V, scale=sizes.scale)
    output = trace.output if W.W_O is None else trace.output @ W.W_O  # (B, h, 1, d_out)
    return output.sum(axis=1)[:, 0], trace


def loss_of(numbers: Array, batch: Batch, sizes: Sizes) -> float:
    return float(((predict(numbers, batch, sizes)[0] - batch.target) ** 2).sum(axis=1).mean())


def our_gradient(numbers: Array, batch: Batch, sizes: Sizes) -> Array:
    d_numbers = np.full_like(numbers, np.nan)
    gradient(sizes.views(numbers), batch, sizes.scale, out=sizes.views(d_numbers))
    return d_numbers


@pytest.mark.parametrize("name", SIZES)
def test_gradient_against_central_differences(name: str) -> None:
    sizes = SIZES[name]
    batch, numbers = random_batch(sizes), np.random.default_rng(0).normal(size=sizes.n_numbers) * 0.5
    step = 1e-5
    differences = [
        (loss_of(numbers + nudge, batch, sizes) - loss_of(numbers - nudge, batch, sizes)) / (2 * step)
        for nudge in np.eye(sizes.n_numbers) * step
    ]
    ours = our_gradient(numbers, batch, sizes)
    for W, theirs in zip(sizes.views(ours), sizes.views(np.array(differences)), strict=True):
        if W is not None and theirs is not None:
            assert np.linalg.norm(W - theirs) <= 1e-7 * np.linalg.norm(theirs)


@pytest.mark.parametrize("name", SIZES)
def test_gradient_against_attention_backward(name: str) -> None:
    sizes = SIZES[name]
    batch, numbers = random_batch(sizes), np.random.default_rng(2).normal(size=sizes.n_numbers)
    W, d_numbers = sizes.views(numbers), np.zeros(sizes.n_numbers)
    dW = sizes.views(d_numbers)
    predicted, trace = predict(numbers, batch, sizes)
    d_prediction = 2 * (predicted - batch.target)[:, None, None] / len(predicted)  # (B, 1, 1, d_out)
    d_output = d_prediction if W.W_O is None else d_prediction @ W.W_O.mT
    dQ, dK, dV = attention_backward(np.broadcast_to(d_output, trace.output.shape), trace)
    keys, query = batch.keys[:, None], batch.query[:, None, None]
    dW.W_Q[:] = (query.mT @ dQ).sum(axis=0)
    dW.W_K[:] = (keys.mT @ dK).sum(axis=0)
    dW.W_V[:] = (keys.mT @ dV).sum(axis=0)
    if dW.W_O is not None:
        dW.W_O[:] = (trace.output.mT @ d_prediction).sum(axis=0)
    assert_allclose(our_gradient(numbers, batch, sizes), d_numbers, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", SIZES)
def test_judging_several_models_is_judging_each(name: str) -> None:
    sizes = SIZES[name]
    batch, numbers = random_batch(sizes), np.random.default_rng(3).normal(size=(5, sizes.n_numbers))
    marks = np.random.default_rng(4).normal(size=(7, 4, 2))
    squares, marked = judge(sizes.views(numbers), batch, marks, sizes.scale)
    assert squares.shape == (5, sizes.d_out)
    for one, their_squares, their_marked in zip(numbers, squares, marked, strict=True):
        predicted, trace = predict(one, batch, sizes)
        assert_allclose(their_squares, ((predicted - batch.target) ** 2).mean(axis=0), rtol=1e-11)
        weights = trace.weights[:, :, 0]  # (B, h, n_k)
        assert_allclose(their_marked, (weights @ marks).mean(axis=0), rtol=1e-9, atol=1e-12)


def test_huge_scores_do_not_overflow() -> None:
    sizes = SIZES["one head"]
    numbers = np.random.default_rng(0).normal(size=sizes.n_numbers) * 1e4
    assert np.isfinite(our_gradient(numbers, random_batch(sizes), sizes)).all()
