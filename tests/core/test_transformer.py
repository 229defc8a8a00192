from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from attention_core import (
    SENTENCES,
    BlockParams,
    attention,
    causal_mask,
    embed,
    gelu,
    layer_norm,
    random_blocks,
    transformer_block,
    transformer_stack,
)

Array = NDArray[Any]
WORDS = embed(SENTENCES["river-bank"].tokens)


def by_hand(X: Array, p: BlockParams, norm: str, mask: Array | None) -> Array:
    """A block head by head, in the words of the two papers."""

    def attend(x: Array) -> Array:
        outputs = [
            attention(x @ W_Q, x @ W_K, x @ W_V, mask=mask).output
            for W_Q, W_K, W_V in zip(p.W_Q, p.W_K, p.W_V, strict=True)
        ]
        return np.asarray(np.concatenate(outputs, axis=-1) @ p.W_O)

    def feed_forward(x: Array) -> Array:
        return np.asarray(gelu(x @ p.W_1 + p.b_1) @ p.W_2 + p.b_2)

    def norm_1(x: Array) -> Array:
        return layer_norm(x, p.gamma_1, p.beta_1)

    def norm_2(x: Array) -> Array:
        return layer_norm(x, p.gamma_2, p.beta_2)

    if norm == "pre":
        X = X + attend(norm_1(X))
        return X + feed_forward(norm_2(X))
    X = norm_1(X + attend(X))
    return norm_2(X + feed_forward(X))


def unlike(seed: int, n_heads: int) -> BlockParams:
    """Random params of which no two are alike, the shifts and stretches too."""
    rng = np.random.default_rng(seed)
    (params,) = random_blocks(1, seed, n_heads=n_heads)
    return replace(params, **{f.name: rng.normal(size=getattr(params, f.name).shape) for f in fields(params)})


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("n_heads", [1, 2, 4])
@pytest.mark.parametrize("mask", [None, causal_mask(6)])
def test_a_block_is_what_the_papers_say(norm: str, n_heads: int, mask: Array | None) -> None:
    params = unlike(3, n_heads)
    trace = transformer_block(WORDS, params, norm=norm, mask=mask)
    assert_allclose(trace.output, by_hand(WORDS, params, norm, mask), rtol=0, atol=1e-12)
    assert trace.heads.weights.shape == (n_heads, 6, 6)
    if norm == "pre":
        assert_array_equal(trace.middle, trace.X + trace.attention_added)
        assert_array_equal(trace.output, trace.middle + trace.feed_forward_added)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_leading_axes_equal_a_loop(norm: str) -> None:
    X = np.random.default_rng(0).normal(size=(2, 3, 5, 4))
    trace = transformer_block(X, unlike(0, 2), norm=norm, mask=causal_mask(5))
    for at in np.ndindex(2, 3):
        alone = transformer_block(X[at], unlike(0, 2), norm=norm, mask=causal_mask(5))
        assert_allclose(trace.output[at], alone.output, rtol=0, atol=1e-12)


@settings(max_examples=25)
@given(st.integers(0, 1000), st.integers(1, 8), st.sampled_from(["pre", "post"]), st.booleans())
def test_the_stream_is_what_the_blocks_leave(seed: int, n_blocks: int, norm: str, causal: bool) -> None:
    blocks = random_blocks(n_blocks, seed)
    mask = causal_mask(6) if causal else None
    trace = transformer_stack(WORDS, blocks, norm=norm, mask=mask)
    assert trace.stream.shape == (2 * n_blocks + 1, 6, 4)
    assert trace.added.shape == (2 * n_blocks, 6, 4)
    X = WORDS
    for b, params in enumerate(blocks):
        assert_array_equal(trace.stream[2 * b], X)
        X = transformer_block(X, params, norm=norm, mask=mask).output
    assert_array_equal(trace.stream[-1], X)
    if norm == "pre":
        assert_allclose(trace.stream[0] + trace.added.sum(axis=0), trace.stream[-1], rtol=0, atol=1e-12)
    else:
        gammas = [gamma for p in blocks for gamma in (p.gamma_1, p.gamma_2)]
        for i, gamma in enumerate(gammas):
            summed = trace.stream[i] + trace.added[i]
            assert_allclose(trace.stream[i + 1], layer_norm(summed, gamma, np.zeros(4)), rtol=0, atol=1e-12)
    assert_allclose(trace.lengths, np.sqrt((trace.stream**2).sum(axis=-1)))
    assert_allclose(trace.added_lengths, np.sqrt((trace.added**2).sum(axis=-1)))
    assert np.isfinite(trace.stream).all()


@pytest.mark.parametrize("size", [0, 1, 1e6, 1e100])
def test_eight_blocks_stay_finite(size: float) -> None:
    for seed in range(5):
        trace = transformer_stack(WORDS * size, random_blocks(8, seed), norm="post")
        assert (trace.lengths[1:] <= 2 + 1e-9).all()  # mean square at most 1 in four numbers
    assert np.isfinite(transformer_stack(WORDS * size, random_blocks(8)).stream).all()


def test_nothing_of_a_later_word_leaks_through_eight_blocks() -> None:
    X = WORDS.copy()
    X[4:] = 9
    for norm in ("pre", "post"):
        before = transformer_stack(WORDS, random_blocks(8), norm=norm, mask=causal_mask(6))
        after = transformer_stack(X, random_blocks(8), norm=norm, mask=causal_mask(6))
        assert_allclose(after.stream[:, :4], before.stream[:, :4], rtol=0, atol=1e-12)
        assert np.abs(after.stream[:, 4:] - before.stream[:, 4:]).max() > 0.1


def test_one_word() -> None:
    trace = transformer_stack(WORDS[5:], random_blocks(2))
    assert_array_equal(trace.blocks[0].heads.weights, np.ones((2, 1, 1)))


def test_random_blocks_are_seeded_and_do_not_depend_on_what_follows() -> None:
    for one, other in zip(random_blocks(3, 7), random_blocks(8, 7), strict=False):
        for field in fields(one):
            assert_array_equal(getattr(one, field.name), getattr(other, field.name))
    first, second = random_blocks(2, 7)
    assert (first.W_Q != second.W_Q).all()
    assert (first.W_Q != random_blocks(1, 8)[0].W_Q).all()
    assert (random_blocks(1)[0].W_1.shape, random_blocks(1)[0].W_Q.shape) == ((4, 16), (2, 4, 2))
    wide = random_blocks(1, d_model=64, d_ff=256, n_heads=4)[0]
    assert_allclose(
        [wide.W_Q.std(), wide.W_O.std(), wide.W_1.std(), wide.W_2.std()], [1 / 8, 1 / 8, 1 / 8, 1 / 16], rtol=0.05
    )


def test_traces_and_params_cannot_be_changed() -> None:
    params = random_blocks(1)[0]
    stack = transformer_stack(WORDS, [params])
    block = stack.blocks[0]
    arrays = [getattr(params, field.name) for field in fields(params)]
    arrays += [stack.stream, stack.lengths, stack.added, stack.added_lengths, block.X, block.attention_added]
    arrays += [block.middle, block.hidden, block.feed_forward_added, block.output]
    for x in arrays:
        with pytest.raises(ValueError, match="read-only"):
            x[...] = 0


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"W_Q": np.ones((4, 2))}, r"W_Q must have 3 axes, got shape \(4, 2\)"),
        ({"W_K": np.ones((2, 4, 3))}, r"W_K must be \(2, 4, 2\) beside W_Q \(2, 4, 2\), got \(2, 4, 3\)"),
        ({"W_V": np.ones((1, 4, 2))}, r"W_V must be \(2, 4, 2\)"),
        ({"W_O": np.ones((4, 5))}, r"W_O must be \(4, 4\)"),
        ({"W_1": np.ones((5, 16))}, r"W_1 must be \(4, 16\)"),
        ({"W_2": np.ones((4, 16))}, r"W_2 must be \(16, 4\)"),
        ({"b_1": np.ones(4)}, r"b_1 must be \(16,\)"),
        ({"beta_2": np.ones(5)}, r"beta_2 must be \(4,\)"),
        ({"gamma_1": [np.nan] * 4}, "gamma_1 holds NaN or an infinity"),
        ({"b_2": ["a"] * 4}, "b_2 must hold real numbers"),
    ],
)
def test_params_that_do_not_fit_are_refused(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        replace(random_blocks(1)[0], **changed)


def test_what_does_not_fit_is_refused() -> None:
    params = random_blocks(1)[0]
    with pytest.raises(ValueError, match="norm must be one of pre, post, got 'none'"):
        transformer_block(WORDS, params, norm="none")
    with pytest.raises(ValueError, match=r"X must be \(..., n, 4\) for these params, got shape \(6, 2\)"):
        transformer_block(WORDS[:, :2], params)
    with pytest.raises(ValueError, match=r"got shape \(4,\)"):
        transformer_block(WORDS[0], params)
    with pytest.raises(ValueError, match="mask of shape"):
        transformer_block(WORDS, params, mask=causal_mask(5))
    for bad in (np.nan, np.inf, 1e200, 1e308):
        for norm in ("pre", "post"):
            with pytest.raises(ValueError, match=r"NaN or an infinity|overflow"):
                transformer_block(np.array([[bad, 0, 0, 0]]), params, norm=norm)
    with pytest.raises(ValueError, match="one block or more, got none"):
        transformer_stack(WORDS, [])
    with pytest.raises(ValueError, match="n_blocks must be 1 to 8, got 9"):
        random_blocks(9)
    with pytest.raises(ValueError, match="n_blocks must be a whole number, 1 or more, got 0"):
        random_blocks(0)
    with pytest.raises(ValueError, match="3 heads cannot share a d_model of 4 evenly"):
        random_blocks(1, n_heads=3)
