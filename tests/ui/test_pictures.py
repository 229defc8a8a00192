"""The planes of arrows and the pictures of chapters 2, 3 and 9 as data."""

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from attention_core import convex_hull, unit_circle_ceiling
from attention_ui.moves import MODES, on_unit_circle, put
from attention_ui.pictures.canvases import query_canvas, value_canvas
from attention_ui.pictures.caution import three_measures, value_hull
from attention_ui.pictures.dashboard import query_plane, value_plane
from attention_ui.pictures.projections import three_arrows, two_outputs
from attention_ui.settings import (
    LIMIT,
    ROLES,
    Settings,
    attend,
    gain,
    hidden_cue,
    in_sight,
    matrices,
    partner,
    plane_vectors,
    qkv,
    same_question,
    shown_head,
)
from tests.cases import HOSTILE_SETTINGS, SAMPLE, THEMES, every_picture

ALL = (*SAMPLE, *HOSTILE_SETTINGS)
numbers = st.floats(-2000, 2000) | st.sampled_from([0.0, -0.0, 1e308, -1e308, 1e-320])


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("settings", [*SAMPLE[::4], *HOSTILE_SETTINGS[:2]])
def test_every_figure_is_one_that_plotly_knows(settings: Settings, theme: str) -> None:
    for make, args in every_picture(settings):
        for figure in make(*args, theme).figures:
            go.Figure(figure)  # refuses unknown names and values


# Planes


@pytest.mark.parametrize("settings", ALL)
def test_the_query_canvas_holds_what_the_shown_head_sees(settings: Settings) -> None:
    plane = query_canvas(settings, "free", "")
    Q, K, _ = plane_vectors(settings)
    query, *keys = plane.arrows
    assert (query.x, query.y) == tuple(Q[settings.focus])
    assert [(key.x, key.y) for key in keys] == [tuple(k) for k in K]
    assert len({arrow.id for arrow in plane.arrows}) == len({arrow.name for arrow in plane.arrows}) == len(K) + 1
    assert all(arrow.movable for arrow in plane.arrows)
    assert plane.alt


@pytest.mark.parametrize("settings", ALL)
def test_the_blend_of_one_head_lies_in_the_hull_that_is_drawn(settings: Settings) -> None:
    for present in (settings, settings.but(keys_as_values=True)):
        plane = value_canvas(present, "")
        V = plane_vectors(present)[2]
        assert plane.result is not None
        assert_allclose([plane.result.x, plane.result.y], attend(present).output[present.focus])
        assert_allclose(plane.hull, convex_hull(V))
        low, high = np.min(plane.hull, axis=0) - 1e-9, np.max(plane.hull, axis=0) + 1e-9
        assert (low <= [plane.result.x, plane.result.y]).all()
        assert ([plane.result.x, plane.result.y] <= high).all()
        assert {arrow.movable for arrow in plane.arrows} == {not present.keys_as_values}


@pytest.mark.parametrize("settings", [*ALL, Settings(mask="causal", focus=0)])
def test_no_two_labels_of_one_tip_stand_on_each_other(settings: Settings) -> None:
    planes = query_plane(settings, "light"), value_plane(settings, "light"), value_hull(settings, None, 0, "light")
    for picture in planes:
        texts = [trace for trace in picture.figures[0]["data"] if "text" in trace and trace["text"][-1]]
        places = [(trace["x"][-1], trace["y"][-1], trace["textposition"]) for trace in texts]
        assert len(places) == len(set(places)), picture.name


def test_measures_that_are_all_0_stand_under_an_axis_of_1() -> None:
    nothing = three_measures(Settings(mask="causal", focus=0), "light")  # the one word seen has a value of 0
    assert not nothing.table["‖weight · value‖"].any()
    assert [figure["layout"]["yaxis"]["range"][1] >= 1 for figure in nothing.figures] == [True] * 3


# Moves


@given(st.sampled_from(ALL), st.sampled_from(ROLES), st.integers(0, 11), numbers, numbers, st.sampled_from(MODES))
def test_a_vector_goes_where_it_is_put(
    settings: Settings, role: str, position: int, x: float, y: float, mode: str
) -> None:
    position %= settings.n_tokens
    before = plane_vectors(settings)[ROLES.index(role)]
    moved = put(settings, role, position, x, y, mode)
    after = plane_vectors(moved)[ROLES.index(role)]
    others = np.arange(settings.n_tokens) != position
    assert_allclose(after[others], before[others])
    assert np.isfinite(after).all()
    assert all(abs(move.x) <= LIMIT and abs(move.y) <= LIMIT for move in moved.moved)
    if mode == "keep length" and before[position].any():
        assert np.linalg.norm(after[position]) == pytest.approx(np.linalg.norm(before[position]))
    if mode == "unit circle" and before[position].any() and (abs(x) > 0.01 or abs(y) > 0.01):
        assert np.linalg.norm(after[position]) == pytest.approx(1, abs=0.0072)
    if mode == "free" and settings.head % 4 == 0 and max(abs(x), abs(y)) <= LIMIT:
        assert_allclose(after[position], [x, y], atol=0.0051)
    home = plane_vectors(settings)[ROLES.index(role)][position]
    if (np.abs(home) <= LIMIT).all():
        assert put(moved, role, position, *home.tolist()) == settings


@pytest.mark.parametrize("settings", ALL)
def test_on_the_unit_circle_lengths_are_1_or_0_and_no_weight_passes_the_ceiling(settings: Settings) -> None:
    circle = on_unit_circle(settings)
    Q, K, _ = plane_vectors(circle)
    for vector in (Q[settings.focus], *K):
        assert np.linalg.norm(vector) == pytest.approx(1, abs=0.0072) or not vector.any()
    ceiling = unit_circle_ceiling(in_sight(settings), gain(settings))
    assert shown_head(circle).weights[settings.focus].max() <= ceiling + 0.005
    again = on_unit_circle(circle)
    for one, other in zip(plane_vectors(circle), plane_vectors(again), strict=True):
        assert_allclose(one, other, atol=1e-9)


def test_not_finite_numbers_move_nothing() -> None:
    for x, y in ((np.nan, 0), (0, np.inf), (-np.inf, np.nan)):
        assert put(Settings(), "query", 5, x, y) == Settings()
    with pytest.raises(ValueError, match="mode is 'loose'"):
        put(Settings(), "query", 5, 1, 1, "loose")


def test_what_the_focus_word_may_see() -> None:
    assert in_sight(Settings()) == 6
    assert in_sight(Settings(mask="causal", focus=0)) == 1
    assert in_sight(Settings(mask="window", window=2)) == 2
    assert in_sight(Settings(mask="padding", padding=11)) == 1
    assert hidden_cue(Settings("keyboard-mouse", mask="padding")) == 4
    assert hidden_cue(Settings("keyboard-mouse", mask="padding", focus=0)) is None
    assert hidden_cue(Settings("own", words="my apple pie", mask="causal")) is None


# Chapters 2 and 9


@pytest.mark.parametrize("settings", ALL)
def test_three_roles_are_the_words_own(settings: Settings) -> None:
    table = three_arrows(settings, "light").table
    assert_allclose(table[["x", "y"]].to_numpy(float), [x[settings.focus] for x in qkv(settings)])


@pytest.mark.parametrize("settings", SAMPLE)
def test_two_outputs_and_their_difference(settings: Settings) -> None:
    other = partner(settings)
    table = two_outputs(settings, other, "light").table
    start, here, there, difference = table[["x", "y"]].to_numpy(float)
    assert_allclose(start, plane_vectors(settings)[2][settings.focus])
    assert_allclose(here, attend(settings).output[settings.focus])
    assert_allclose(there, attend(other).output[other.focus])
    assert_allclose(difference, here - there)


def test_the_same_question_makes_words_listen_to_themselves() -> None:
    same = same_question(Settings())
    W_Q, W_K, _ = matrices(same)
    assert_allclose(W_Q, W_K)
    assert shown_head(same).weights[5].argmax() == 5
