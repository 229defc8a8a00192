from collections.abc import Callable
from math import pi, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import (
    alibi_bias,
    attention,
    learned_positions,
    offset_matrix,
    rope,
    rotate_pairs,
    rotation,
    sinusoidal_positions,
    wavelengths,
)
from tests.arrays import normal

widths = st.integers(1, 64).map(lambda half: 2 * half)
places = st.integers(0, 127)
seeds = st.integers(0, 2**32 - 1)


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
    with pytest.raises(ValueError, match="base must be above 0, got 0"):
        rope([[1, 1]], [1], base=0)
    with pytest.raises(ValueError, match="Q holds NaN or an infinity"):
        attention(rope([[1.7e308, 1.7e308]], [-1]), [[1, 1]], [[1]])
