from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import (
    ALIBI_HEADS,
    D_K_CHOICES,
    DEFAULT_STRENGTH,
    POSITION_KINDS,
    ROPE_ANGLE,
    SENTENCES,
    Positioned,
    alibi_bias,
    attend_in_heads,
    attention,
    causal_mask,
    embed,
    learned_positions,
    multi_head_attention,
    permutation_residual,
    positioned,
    project,
    rope,
    rotation,
    sinusoidal_positions,
)
from tests.arrays import Array, normal

FIVE = list(SENTENCES)[:5]

seeds = st.integers(0, 2**32 - 1)


# a sentence that knows its order


def attend(given_: Positioned, **how: Any) -> Array:
    output: Array = attend_in_heads(given_.Q, given_.K, given_.V, 1, bias=given_.bias, **how).output
    return output


def looks_at(id_: str, kind: str, d_k: int = 2, scaled: bool = True, **how: Any) -> tuple[int, float]:
    """Where the focus word looks most, and its weight on the cue."""
    sentence = SENTENCES[id_]
    given_ = positioned(embed(sentence.tokens), kind, **how)
    trace = attend_in_heads(given_.Q, given_.K, given_.V, 1, d_k, scaled=scaled, bias=given_.bias).heads[0]
    assert sentence.cue is not None
    return int(trace.weights[sentence.focus].argmax()), float(trace.weights[sentence.focus, sentence.cue])


@pytest.mark.parametrize("id_", FIVE)
@pytest.mark.parametrize("kind", POSITION_KINDS)
@pytest.mark.parametrize("d_k", D_K_CHOICES)
@pytest.mark.parametrize("scaled", [True, False])
def test_at_the_default_strength_the_cue_wins(id_: str, kind: str, d_k: int, scaled: bool) -> None:
    assert looks_at(id_, kind, d_k, scaled)[0] == SENTENCES[id_].cue


def test_at_full_strength_it_loses_in_four_of_five() -> None:
    assert DEFAULT_STRENGTH == 0.1
    lost = {id_ for id_ in FIVE if looks_at(id_, "sinusoidal", strength=1)[0] != SENTENCES[id_].cue}
    assert lost == {"river-bank", "money-bank", "apple-phone", "keyboard-mouse"}


def test_without_strength_nothing_changes() -> None:
    for id_ in FIVE:
        X = embed(SENTENCES[id_].tokens)
        plain = multi_head_attention(X, 1).output
        for kind in ("none", "sinusoidal", "learned"):
            assert_array_equal(attend(positioned(X, kind, strength=0)), plain)


def test_what_each_kind_adds() -> None:
    X = embed(SENTENCES["river-bank"].tokens)
    Q, K, V = project(X)
    for kind in POSITION_KINDS:
        given_ = positioned(X, kind, strength=0.5, seed=3)
        added = {"sinusoidal": sinusoidal_positions(6, 4), "learned": learned_positions(6, 4, 3)}.get(kind, 0)
        assert given_.kind == kind
        assert_array_equal(given_.X, X + 0.5 * np.asarray(added))
        q_plain, k_plain, v_plain = project(given_.X)
        assert_array_equal(given_.V, v_plain)
        turn = [rotation(np.degrees(ROPE_ANGLE * p)) if kind == "rope" else np.eye(2) for p in range(6)]
        assert_allclose(given_.Q, [q @ R for q, R in zip(q_plain, turn, strict=True)], atol=1e-15)
        assert_allclose(given_.K, [k @ R for k, R in zip(k_plain, turn, strict=True)], atol=1e-15)
        if kind == "alibi":
            assert_array_equal(given_.bias, alibi_bias(ALIBI_HEADS, 6)[0])
            assert alibi_bias(ALIBI_HEADS, 6)[0, 3, 2] == -0.5
        else:
            assert given_.bias is None
    assert ROPE_ANGLE == 0.1
    assert_array_equal(positioned(X, "none").Q, Q)
    assert_array_equal(positioned(X, "none").K, K)
    assert_array_equal(positioned(X, "none").V, V)


def test_a_bias_is_the_same_for_every_head() -> None:
    given_ = positioned(embed(SENTENCES["apple-pie"].tokens), "alibi")
    heads = attend_in_heads(given_.Q, given_.K, given_.V, 4, 8, bias=given_.bias).heads
    plain = attend_in_heads(given_.Q, given_.K, given_.V, 4, 8).heads
    for with_bias, without in zip(heads, plain, strict=True):
        assert given_.bias is not None
        assert_array_equal(with_bias.logits, without.logits + given_.bias)


# the shuffle test


def residual(X: Array, order: Any, kind: str = "none", mask: Array | None = None) -> float:
    return permutation_residual(lambda X: attend(positioned(X, kind), mask=mask), X, order)


@settings(max_examples=20)
@given(seeds, st.integers(1, 12))
def test_without_mask_and_positions_outputs_shuffle_along(seed: int, n: int) -> None:
    X, order = normal(seed, n, 4), np.random.default_rng(seed).permutation(n)
    assert residual(X, order) <= 1e-12
    for kind in POSITION_KINDS:
        assert residual(X, np.arange(n), kind) == 0  # nothing moved
    assert residual(X, np.arange(n), mask=causal_mask(n)) == 0


@pytest.mark.parametrize("id_", FIVE)
def test_positions_and_a_causal_mask_tell_orders_apart(id_: str) -> None:
    X = embed(SENTENCES[id_].tokens)
    n = len(X)
    assert residual(X, np.arange(n)[::-1]) <= 1e-12
    for order in (np.r_[0:n:2, 1:n:2], np.r_[1, 0, 2:n], np.r_[0 : n - 2, n - 1, n - 2]):
        assert residual(X, order, mask=causal_mask(n)) > 1e-3
        for kind in POSITION_KINDS[1:]:
            assert residual(X, order, kind) > 1e-3, (kind, order)
    for kind in ("sinusoidal", "learned", "rope"):
        assert residual(X, np.arange(n)[::-1], kind) > 1e-3
    assert residual(X, np.arange(n)[::-1], mask=causal_mask(n)) > 1e-3


def test_alibi_cannot_tell_a_sentence_from_its_mirror_image() -> None:
    # |i − j| says how far, not which way; the paper's ALiBi comes with a causal mask
    for id_ in FIVE:
        X = embed(SENTENCES[id_].tokens)
        n = len(X)
        assert residual(X, np.arange(n)[::-1], "alibi") <= 1e-12
        assert residual(X, np.arange(n)[::-1], "alibi", causal_mask(n)) > 1e-3


def test_rope_cannot_tell_words_without_query_and_key_apart() -> None:
    X = embed(SENTENCES["river-bank"].tokens)  # she sat by the river bank: by and the are all zeros
    assert_array_equal(X[2:4], 0)
    assert residual(X, [0, 1, 3, 2, 4, 5], "rope") <= 1e-12
    assert residual(X, [0, 1, 3, 2, 4, 5], "sinusoidal") > 1e-3


@pytest.mark.parametrize("kind", ["sinusoidal", "rope", "alibi"])
@pytest.mark.parametrize(("n", "d"), [(4, 4), (128, 128), (4, 128), (128, 4)])
def test_real_sizes(kind: str, n: int, d: int) -> None:
    X = normal(0, n, d) / 2  # short enough for no word to see itself alone

    def f(X: Array) -> Array:
        x = X + sinusoidal_positions(n, d) if kind == "sinusoidal" else X
        q = rope(x, np.arange(n)) if kind == "rope" else x
        return attention(q, q, x, bias=alibi_bias(8, n)[0] if kind == "alibi" else None).output

    assert permutation_residual(f, X, np.roll(np.arange(n), 1)) > 1e-3


def test_a_positioned_sentence_stays_as_it_is() -> None:
    X = embed(SENTENCES["river-bank"].tokens)
    for kind in POSITION_KINDS:
        given_ = positioned(X, kind)
        for x in (given_.X, given_.Q, given_.K, given_.V, given_.bias):
            if x is not None:
                with pytest.raises(ValueError, match="read-only"):
                    x[0] = 1
    X[0] = 1  # what was given is still the giver's


# what is refused


def test_positioned_names_its_choices() -> None:
    with pytest.raises(ValueError, match="none, sinusoidal, learned, rope, alibi, got 'xpos'"):
        positioned([[1, 0, 0, 0]], "xpos")
    for bad in (-0.1, 1.1):
        with pytest.raises(ValueError, match="strength must lie between 0 and 1, got"):
            positioned([[1, 0, 0, 0]], "sinusoidal", bad)
    with pytest.raises(ValueError, match=r"X must be \(n, 4\), got shape \(1, 1, 4\)"):
        positioned([[[1, 0, 0, 0]]], "none")
    with pytest.raises(ValueError, match=r"X must be \(..., n, 4\), got shape \(1, 3\)"):
        positioned([[1, 0, 0]], "none")
    with pytest.raises(ValueError, match="seed must be a whole number"):
        positioned([[1, 0, 0, 0]], "learned", seed=-1)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_features_and_strength_must_be_finite(bad: float) -> None:
    with pytest.raises(ValueError, match="X holds NaN"):
        positioned([[bad, 0, 0, 0]], "none")
    with pytest.raises(ValueError, match="strength must be one finite number"):
        positioned([[1, 0, 0, 0]], "sinusoidal", bad)
