from collections.abc import Callable
from math import pi, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

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
    offset_matrix,
    permutation_residual,
    positioned,
    project,
    rope,
    rotate_pairs,
    rotation,
    sinusoidal_positions,
    wavelengths,
)

Array = NDArray[Any]
FIVE = list(SENTENCES)[:5]

widths = st.integers(1, 64).map(lambda half: 2 * half)
places = st.integers(0, 127)
seeds = st.integers(0, 2**32 - 1)


def normal(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


# sinusoidal


@pytest.mark.parametrize(("n", "d"), [(4, 4), (4, 128), (128, 4), (128, 128), (5, 7), (3, 1), (0, 4)])
def test_sinusoids_are_the_papers(n: int, d: int) -> None:
    table = sinusoidal_positions(n, d)
    assert table.shape == (n, d)
    for p, j in np.ndindex(n, d):
        angle = p / 10000 ** ((j - j % 2) / d)
        assert table[p, j] == pytest.approx(np.cos(angle) if j % 2 else np.sin(angle), abs=1e-12)


def test_sinusoids_by_hand() -> None:
    assert_array_equal(sinusoidal_positions(1, 5), [[0, 1, 0, 1, 0]])
    assert_allclose(sinusoidal_positions(3, 2)[2], [0.9093, -0.4161], atol=5e-5)
    assert_allclose(sinusoidal_positions(2, 3)[1, 2], np.sin(10000 ** (-2 / 3)))  # odd: a sine on its own


@given(st.integers(1, 128))
def test_wavelengths(d: int) -> None:
    lengths = wavelengths(d)
    assert lengths.shape == (d,)
    assert_allclose(lengths, [2 * pi * 10000 ** (2 * (j // 2) / d) for j in range(d)])
    assert lengths[0] == 2 * pi


def test_a_wavelength_is_where_a_dimension_comes_round() -> None:
    table, lengths = sinusoidal_positions(4400, 8), wavelengths(8)
    assert_allclose(lengths, [2 * pi * x for x in (1, 1, 10, 10, 100, 100, 1000, 1000)])
    for j in range(6):  # the last two repeat after 6283 positions
        whole = round(lengths[j] * 7)  # near a whole number of turns, and off by at most half a position
        assert abs(table[whole, j] - table[0, j]) <= 0.5 * 2 * pi / lengths[j]


@settings(max_examples=40)
@given(places, places, places, widths)
def test_their_dot_product_depends_on_the_distance_only(p: int, other: int, k: int, d: int) -> None:
    table = sinusoidal_positions(256, d)
    assert_allclose(table[p] @ table[p + k], table[other] @ table[other + k], atol=1e-11)
    assert_allclose(table[p] @ table[p], d / 2)


def test_for_an_odd_width_it_does_not() -> None:
    table = sinusoidal_positions(128, 3)
    assert abs(table[0] @ table[1] - table[100] @ table[101]) > 0.01


@settings(max_examples=40)
@given(places, st.integers(-127, 127), widths)
def test_one_matrix_moves_every_position(p: int, k: int, d: int) -> None:
    table, M = sinusoidal_positions(256, d), offset_matrix(k, d)
    assert_allclose(table[max(0, -k) : 256 - max(0, k)] @ M, table[max(0, k) : 256 + min(0, k)], atol=1e-11)
    assert_allclose(M @ M.T, np.eye(d), atol=1e-14)  # it turns: no length changes
    assert_allclose(M @ offset_matrix(p, d), offset_matrix(k + p, d), atol=1e-11)


def test_offset_by_nothing_is_the_identity() -> None:
    assert_array_equal(offset_matrix(0, 6), np.eye(6))
    assert not np.signbit(offset_matrix(0, 6)).any()
    assert_array_equal(offset_matrix(int(np.int64(3)), 4), offset_matrix(3, 4))


# learned


def test_a_learned_table_starts_random_and_as_long_as_the_sinusoids() -> None:
    table = learned_positions(128, 64, seed=0)
    assert table.shape == (128, 64)
    assert_allclose((table**2).sum(axis=1).mean(), 32, rtol=0.02)
    assert_allclose(table.mean(), 0, atol=0.02)
    assert_array_equal(learned_positions(5, 64, seed=0), table[:5])
    assert (learned_positions(5, 64, seed=1) != table[:5]).all()


# rotary


def test_pairs_turn_counter_clockwise() -> None:
    x = np.array([[1.0, 2, 3, 4]])
    quarter = [[0, 1]], [[1, 0]]  # cos, sin: the first pair by 90°, the second not
    assert_array_equal(rotate_pairs(x, *quarter), [[-2, 1, 3, 4]])
    assert_array_equal(rotate_pairs(x, *quarter, interleaved=False), [[-3, 2, 1, 4]])
    assert_allclose(rotate_pairs(x[:, :2], np.cos(0.5), np.sin(0.5)), x[:, :2] @ rotation(np.degrees(0.5)))
    assert rotate_pairs(np.zeros((3, 0)), np.zeros((3, 0)), np.zeros((3, 0))).shape == (3, 0)


@settings(max_examples=50)
@given(seeds, st.integers(-500, 500), st.integers(-500, 500), st.integers(-500, 500), widths, st.booleans())
def test_a_rotary_score_depends_on_the_distance_only(
    seed: int, m: int, n: int, shift: int, d: int, interleaved: bool
) -> None:
    q, k = normal(seed, 2, 1, d)
    here = rope(q, [m], interleaved=interleaved) @ rope(k, [n], interleaved=interleaved).T
    there = rope(q, [m + shift], interleaved=interleaved) @ rope(k, [n + shift], interleaved=interleaved).T
    assert_allclose(here, there, atol=1e-10)
    assert_allclose(np.linalg.norm(rope(q, [m])), np.linalg.norm(q))
    assert_array_equal(rope(q, [0], interleaved=interleaved), q)


@given(seeds, widths)
def test_pairs_of_neighbours_and_of_halves_are_the_same_turn_in_another_order(seed: int, d: int) -> None:
    x, positions = normal(seed, 3, d), np.array([0, 5, 2])
    apart = np.r_[0:d:2, 1:d:2]
    halves = rope(x[:, apart], positions, interleaved=False)
    assert_allclose(halves, rope(x, positions)[:, apart], atol=1e-14)


def test_rope_is_a_turn_by_position_over_wavelength() -> None:
    x, d = normal(0, 7, 6), 6
    for p, row in enumerate(rope(x, np.arange(7))):
        for i in range(3):
            turn = rotation(360 * p / wavelengths(d)[2 * i])
            assert_allclose(row[2 * i : 2 * i + 2], x[p, 2 * i : 2 * i + 2] @ turn)
    assert_allclose(rope([[1, 0, 1, 0]], [1], base=4), [[np.cos(1), np.sin(1), np.cos(0.5), np.sin(0.5)]])
    # the sinusoids themselves are (0, 1) turned clockwise
    assert_allclose(rope([[0, 1, 0, 1]] * 5, -np.arange(5)), sinusoidal_positions(5, 4), atol=1e-15)


def test_rope_takes_batches_heads_and_float32() -> None:
    x = normal(1, 2, 3, 4, 8)
    assert_array_equal(rope(x, np.arange(4))[1, 2], rope(x[1, 2], np.arange(4)))
    each = rope(x, np.array([[[0, 1, 2, 3]], [[7, 8, 9, 9]]]))
    assert_array_equal(each[1, 2], rope(x[1, 2], [7, 8, 9, 9]))
    short = rope(x.astype(np.float32), np.arange(4))
    assert short.dtype == np.float32
    assert_allclose(short, rope(x, np.arange(4)), atol=1e-5)


# ALiBi


def test_alibi_by_hand() -> None:
    assert_array_equal(alibi_bias(8, 3)[0], [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]])
    assert_allclose(-alibi_bias(8, 2)[:, 0, 1], [2.0**-i for i in range(1, 9)])  # the paper's eight slopes
    assert_array_equal(-alibi_bias(1, 2)[:, 1, 0], [2.0**-8])
    assert_allclose(-alibi_bias(16, 2)[:2, 1, 0], [1 / sqrt(2), 0.5])
    assert not np.signbit(alibi_bias(2, 2)[:, 0, 0]).any()
    assert alibi_bias(3, 0).shape == (3, 0, 0)


@given(st.integers(1, 9), st.integers(0, 6), st.integers(0, 6))
def test_alibi_is_aligned_to_the_end_like_the_causal_mask(n_heads: int, n_q: int, n_k: int) -> None:
    bias, full = alibi_bias(n_heads, n_q, n_k), alibi_bias(n_heads, max(n_q, n_k))
    assert bias.shape == (n_heads, n_q, n_k)
    assert_array_equal(bias, full[:, full.shape[1] - n_q :, full.shape[1] - n_k :])


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


@pytest.mark.parametrize("bad", [-1, 2.0, True, "3", None])
def test_sizes_are_whole_numbers(bad: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: sinusoidal_positions(bad, 4),
        lambda: sinusoidal_positions(4, bad),
        lambda: wavelengths(bad),
        lambda: offset_matrix(1, bad),
        lambda: learned_positions(bad, 4, 0),
        lambda: learned_positions(4, bad, 0),
        lambda: learned_positions(4, 4, bad),
        lambda: alibi_bias(bad, 2),
        lambda: alibi_bias(2, bad),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"must be a whole number, [012] or more, got"):
            call()


def test_a_width_of_nothing_is_refused() -> None:
    calls: list[Callable[[], Any]] = [
        lambda: sinusoidal_positions(3, 0),
        lambda: wavelengths(0),
        lambda: alibi_bias(0, 2),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="1 or more, got 0"):
            call()


def test_offsets_need_whole_steps_and_pairs() -> None:
    with pytest.raises(ValueError, match=r"d must be even.*got 5"):
        offset_matrix(1, 5)
    for bad in (0.5, True, "1"):
        with pytest.raises(ValueError, match="k must be a whole number, got"):
            offset_matrix(bad, 4)  # type: ignore[arg-type]


def test_rotations_that_do_not_fit_are_refused_with_both_sizes() -> None:
    x = np.ones((3, 4))
    with pytest.raises(ValueError, match=r"d even, got shape \(3, 5\)"):
        rotate_pairs(np.ones((3, 5)), 1, 0)
    with pytest.raises(ValueError, match=r"cos of shape \(3, 4\) .*\(3, 2\)"):
        rotate_pairs(x, x, x)
    with pytest.raises(ValueError, match=r"sin of shape \(2, 3, 2\) .*\(3, 2\)"):
        rotate_pairs(x, np.ones((3, 2)), np.ones((2, 3, 2)))  # they may not enlarge x
    with pytest.raises(ValueError, match=r"cos of shape \(2, 2\) .*\(3, 2\)"):
        rope(x, [1, 2])
    with pytest.raises(ValueError, match="the width of x must be even"):
        rope(np.ones((3, 5)), [1, 2, 3])
    with pytest.raises(ValueError, match=r"x must be \(..., n, d\), got shape \(4,\)"):
        rope(np.ones(4), [1])


def test_numbers_must_be_finite() -> None:
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError, match="x holds NaN"):
            rotate_pairs([[bad, 1]], 1, 0)
        with pytest.raises(ValueError, match="cos holds NaN"):
            rotate_pairs([[1, 1]], bad, 0)
        with pytest.raises(ValueError, match="sin holds NaN"):
            rotate_pairs([[1, 1]], 1, bad)
        with pytest.raises(ValueError, match="positions hold NaN"):
            rope([[1, 1]], [bad])
        with pytest.raises(ValueError, match="base must be one finite number"):
            rope([[1, 1]], [1], base=bad)
        with pytest.raises(ValueError, match="X holds NaN"):
            positioned([[bad, 0, 0, 0]], "none")
        with pytest.raises(ValueError, match="strength must be one finite number"):
            positioned([[1, 0, 0, 0]], "sinusoidal", bad)
    with pytest.raises(ValueError, match="base must be above 0, got 0"):
        rope([[1, 1]], [1], base=0)
    with pytest.raises(ValueError, match="Q holds NaN or an infinity"):
        attention(rope([[1.7e308, 1.7e308]], [-1]), [[1, 1]], [[1]])


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
