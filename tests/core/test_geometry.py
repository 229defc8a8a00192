from collections.abc import Sequence
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import alignment, attention, convex_hull, unit_circle_ceiling

Points = Sequence[tuple[float, float]]
numbers = st.floats(-1000, 1000).map(lambda x: round(x, 2))
points = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=12)
few = st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0])  # many repeated and collinear points
crowded = st.lists(st.tuples(few, few), min_size=1, max_size=12)


def turns(corners: np.ndarray) -> np.ndarray:
    """The cross product at each corner of a polygon: above 0 where it turns left."""
    a = corners - np.roll(corners, 1, axis=0)
    b = np.roll(corners, -1, axis=0) - corners
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def sides(corners: np.ndarray, point: np.ndarray) -> np.ndarray:
    """The cross product of each side with the way to a point: below 0 where the point is outside."""
    a, b = np.roll(corners, -1, axis=0) - corners, point - corners
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


# Alignment


def test_aligned_is_large_a_right_angle_0_and_opposite_negative() -> None:
    found = alignment([2, 0], [[3, 0], [0, 1], [-1, 0], [2, 2]])
    assert found.query_length == 2
    assert_allclose(found.key_lengths, [3, 1, 1, sqrt(8)])
    assert_allclose(found.cosines, [1, 0, -1, sqrt(0.5)])
    assert_allclose(found.degrees, [0, 90, 180, 45])


def test_an_arrow_of_length_0_has_no_angle() -> None:
    for q, K in (([0, 0], [[1, 2], [0, 0]]), ([1, 2], [[0, 0], [0, 0]])):
        found = alignment(q, K)
        assert_array_equal(found.cosines, [0, 0])
        assert np.isnan(found.degrees).all()


@given(st.tuples(numbers, numbers), points)
def test_the_dot_product_is_lengths_times_the_cosine(q: tuple[float, float], K: Points) -> None:
    found = alignment(q, K)
    dots = np.array(K) @ np.array(q)
    assert_allclose(found.query_length * found.key_lengths * found.cosines, dots, rtol=1e-9, atol=1e-6)
    assert (np.abs(found.cosines) <= 1).all()
    angled = np.isfinite(found.degrees)
    assert_array_equal(angled, (found.query_length > 0) & (found.key_lengths > 0))
    assert ((found.degrees[angled] >= 0) & (found.degrees[angled] <= 180)).all()


@pytest.mark.parametrize(("q", "K"), [([1, 2], [[1, 2, 3]]), ([1], [[1, 2]]), ([[1, 2]], [[1, 2]]), ([1, 2], [1, 2])])
def test_widths_that_differ_are_refused(q: list[float], K: list[float]) -> None:
    with pytest.raises(ValueError, match="must share d"):
        alignment(q, K)


# The ceiling on the unit circle


def test_the_ceilings_of_the_facts() -> None:
    assert [round(unit_circle_ceiling(n), 3) for n in (3, 4, 6)] == [0.787, 0.711, 0.596]
    assert [round(unit_circle_ceiling(n, 1 / sqrt(2)), 3) for n in (3, 4, 6)] == [0.673, 0.578, 0.451]
    assert unit_circle_ceiling(1) == 1


@given(st.integers(1, 12), st.floats(0.1, 8), st.floats(0, 6.28), st.integers(0, 2**32 - 1))
def test_no_arrangement_on_the_circle_passes_the_ceiling(n: int, gain: float, angle: float, seed: int) -> None:
    angles = np.random.default_rng(seed).uniform(0, 2 * np.pi, n)
    q = np.array([[np.cos(angle), np.sin(angle)]])
    K = np.column_stack([np.cos(angles), np.sin(angles)])
    ceiling = unit_circle_ceiling(n, gain)
    assert attention(q, K, K, scale=gain).weights.max() <= ceiling + 1e-12
    best = np.vstack([q, np.repeat(-q, n - 1, axis=0)])
    assert attention(q, best, best, scale=gain).weights.max() == pytest.approx(ceiling)


def test_a_ceiling_over_no_keys_is_refused() -> None:
    with pytest.raises(ValueError, match="n must be 1 or more, got 0"):
        unit_circle_ceiling(0)


# Hulls


@given(points | crowded)
def test_a_hull_holds_every_point_and_turns_left_at_each_corner(given_points: Points) -> None:
    corners = convex_hull(given_points)
    unique = {tuple(point) for point in given_points}
    assert {tuple(corner) for corner in corners.tolist()} <= unique
    assert len({tuple(corner) for corner in corners.tolist()}) == len(corners)
    assert len(corners) == min(len(corners), len(unique))
    if len(corners) > 2:
        assert (turns(corners) > 0).all()
        for point in given_points:
            assert (sides(corners, np.array(point)) >= -1e-6).all()
    assert tuple(corners[0]) == min(unique)


@given(crowded, st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_matters(given_points: Points, random: object) -> None:
    again = [*given_points, *given_points]
    random.shuffle(again)  # type: ignore[attr-defined]
    assert_array_equal(convex_hull(again), convex_hull(given_points))


@given(points, st.integers(0, 2**32 - 1))
def test_a_blend_lies_in_the_hull_of_the_values(values: Points, seed: int) -> None:
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(values)))
    corners = convex_hull(values)
    if len(corners) > 2:
        assert (sides(corners, weights @ np.array(values)) >= -1e-6).all()


@pytest.mark.parametrize(
    ("given_points", "corners"),
    [
        ([(0, 0)], [(0, 0)]),
        ([(1, 2)] * 5, [(1, 2)]),
        ([(0, 0), (1, 1)], [(0, 0), (1, 1)]),
        ([(2, 2), (0, 0), (1, 1), (3, 3), (1, 1)], [(0, 0), (3, 3)]),
        ([(0, 3), (0, 1), (0, 2)], [(0, 1), (0, 3)]),
        ([(0, 0), (1, 0), (2, 0), (2, 2), (0, 2), (1, 1)], [(0, 0), (2, 0), (2, 2), (0, 2)]),
    ],
)
def test_hulls_worked_by_hand(given_points: Points, corners: Points) -> None:
    assert_array_equal(convex_hull(given_points), corners)


@pytest.mark.parametrize("given_points", [[1, 2], [[1, 2, 3]], [[[1, 2]]]])
def test_points_outside_a_plane_are_refused(given_points: list[float]) -> None:
    with pytest.raises(ValueError, match=r"points must be \(n, 2\)"):
        convex_hull(given_points)
