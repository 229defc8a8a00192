"""Chapters 2, 3 and 9: what a reader drags and edits, where it counts, and what a browser never should send."""

import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core import SENTENCES
from attention_ui.moves import put
from attention_ui.settings import FIVE, LIMIT, OWN, ROLES, Move, Settings, shown_head
from tests.cases import component, drag, go_to, html, markdown, open_app, pictures, run_program, send, settings_of
from tests.pages.test_pages import healthy

GARBAGE: tuple[Any, ...] = (None, "x", "1", [], {}, True, float("nan"), float("inf"), 1e308, -1e308, 10**400, [[1]])


def arrows(**link: str) -> AppTest:
    """Chapter 3."""
    return go_to(open_app(**link), "arrows")


def badge(app: AppTest) -> str:
    """What the badge under the arrows says."""
    return str(app.button(key="arrows_reset").label)


def tip(app: AppTest, arrow: str, canvas: str = "arrows_ask") -> tuple[float, float]:
    """Where an arrow of a canvas points."""
    (found,) = (each for each in component(app, canvas)["arrows"] if each["id"] == arrow)
    return found["x"], found["y"]


def weights(app: AppTest) -> list[str]:
    """The focus row of the weight grid."""
    grid = pictures(app)[0]
    return [str(cell) for cell in grid["table"]["rows"][settings_of(app).focus][1:]]


# Chapter 3


def test_a_dragged_query_moves_everything_that_follows_from_it() -> None:
    app = arrows()
    before = html(app)
    assert badge(app) == "No arrow moved yet"
    assert weights(app)[4] == "0.77"
    drag(app, "query-5", 0, 2)
    healthy(app)
    expected = shown_head(put(Settings(), "query", 5, 0, 2)).weights[5]
    assert weights(app) == [f"{w:.2f}" for w in expected]
    assert tip(app, "query-5") == (0, 2)
    assert component(app, "arrows_ask")["seq"] == 1
    assert badge(app) == "Changed by you. Put all arrows back"
    assert sum(one != other for one, other in zip(before, html(app), strict=True)) == 3  # ledger, blend, angles
    assert component(app, "arrows_values")["result"]["x"] != pytest.approx(3.32, abs=0.01)
    assert run_program(pictures(app)[0]["program"])[5][1:] == weights(app)


def test_what_is_dragged_stays_on_the_page_until_reset() -> None:
    app = drag(arrows(), "key-0", 3, 1)
    moved = weights(app)
    assert weights_elsewhere(app) == "0.77"  # every other page has the model's own arrows
    go_to(app, "arrows")
    assert (tip(app, "key-0"), weights(app), component(app, "arrows_ask")["seq"]) == ((3, 1), moved, 0)
    app.selectbox(key="sentence").select("apple-pie").run()
    assert (tip(app, "key-0"), badge(app)) == ((0, 0), "No arrow moved yet")  # grandma is another word
    app.selectbox(key="sentence").select("river-bank").run()
    assert tip(app, "key-0") == (3, 1)
    app.button(key="arrows_reset").click().run()
    assert (tip(app, "key-0"), badge(app), weights(app)[4]) == ((0, 0), "No arrow moved yet", "0.77")


def weights_elsewhere(app: AppTest) -> str:
    """River's share on the page of all words."""
    return str(pictures(go_to(app, "home"))[1]["table"]["rows"][5][5])


def test_an_arrow_that_is_put_back_does_not_count_as_moved() -> None:
    for angle in ("1", "6"):  # the 5th head turns by 45 degrees: its tips are no round numbers
        app = arrows(heads="8", head=angle)
        x, y = tip(app, "query-5")
        drag(app, "query-5", 1, 1)
        assert badge(app).startswith("Changed")
        drag(app, "query-5", round(x, 2), round(y, 2), seq=2)
        assert (badge(app), tip(app, "query-5")) == ("No arrow moved yet", (x, y))


def test_values_are_dragged_and_the_keys_can_serve_as_values() -> None:
    app = drag(arrows(), "value-4", 0, 4, "arrows_values")
    assert tip(app, "value-4", "arrows_values") == (0, 4)
    assert component(app, "arrows_values")["result"]["y"] > 3
    hull = component(app, "arrows_values")["hull"]
    assert [0, 4] in hull
    app.toggle(key="arrows_keys_as_values").set_value(True).run()
    healthy(app)
    plane = component(app, "arrows_values")
    assert [(a["x"], a["y"]) for a in plane["arrows"]] == [tip(app, f"key-{j}") for j in range(6)]
    assert {(a["role"], a["movable"]) for a in plane["arrows"]} == {("key", False)}
    assert plane["compass"] == ["", "", ""]
    assert any("hands over its <i>key</i>" in body for body in html(app))


def test_the_modes() -> None:
    app = arrows()
    app.segmented_control(key="arrows_mode").set_value("keep length").run()
    drag(app, "query-5", 0, 50)
    assert tip(app, "query-5") == (0, 2.83)  # √8 at the two decimals that a link has
    drag(app, "key-0", 3, 4, seq=2)
    assert tip(app, "key-0") == (3, 4)  # zero vectors are exempt
    drag(app, "query-5", 0, 0, seq=3)
    assert tip(app, "query-5") == (0, 2.83)  # nowhere to point: it stays
    drag(app, "value-4", 7, 7, "arrows_values")
    assert tip(app, "value-4", "arrows_values") == (7, 7)


@pytest.mark.parametrize("link", [{}, {"sentence": "apple-pie"}, {"heads": "8", "head": "6", "d_k": "16"}])
@pytest.mark.parametrize("scale", ["true", "false"])
def test_on_the_unit_circle_no_weight_passes_the_ceiling(link: dict[str, str], scale: str) -> None:
    app = arrows(**link, scale=scale)
    before = [tip(app, arrow["id"]) for arrow in component(app, "arrows_ask")["arrows"]]
    app.segmented_control(key="arrows_mode").set_value("unit circle").run()
    for change in range(4):
        plane = component(app, "arrows_ask")
        lengths = {round(float(np.hypot(arrow["x"], arrow["y"])), 9) for arrow in plane["arrows"]}
        assert lengths <= {0, 1}
        (line,) = (body for body in html(app) if "no arrangement" in body)
        ceiling = re.search(r"<b>(\d+) %</b>", line)
        assert ceiling is not None
        largest = max(float(cell) for cell in weights(app))
        assert largest <= (int(ceiling[1]) + 1) / 100
        if change == 0:  # another word asks, the arrows are put back, another sentence
            app.segmented_control(key="focus").set_value(2).run()
        if change == 1:
            drag(app, "key-0", 5, 0)
            app.button(key="arrows_reset").click().run()
        if change == 2:
            app.selectbox(key="sentence").select("keyboard-mouse").run()
    healthy(app)
    app.selectbox(key="sentence").select(link.get("sentence", "river-bank")).run()
    app.segmented_control(key="arrows_mode").set_value("free").run()
    assert [tip(app, arrow["id"]) for arrow in component(app, "arrows_ask")["arrows"]] == before


def test_a_hidden_cue_says_why() -> None:
    for sentence, mask, says in (
        ("apple-pie", "causal", "<i>pie</i> comes after <i>apple</i>"),
        ("keyboard-mouse", "padding", "takes <i>keyboard</i> for padding"),
        ("money-bank", "window", "<i>money</i> is not among the last words"),
    ):
        app = arrows(sentence=sentence, mask=mask)
        healthy(app)
        assert any(says in body for body in html(app))
        cue = SENTENCES[sentence].cue
        assert cue is not None
        assert weights(app)[cue] == "0.00"
    assert not any("its weight is exactly 0" in body for body in html(arrows(mask="causal")))


def test_a_query_of_length_zero_listens_to_all_alike() -> None:
    app = drag(arrows(), "query-5", 0, 0)
    healthy(app)
    assert set(weights(app)) == {"0.17"}
    assert sum("none" in body for body in html(app)) == 1  # no angle
    assert "hears" not in component(app, "arrows_ask")["alt"]


def test_a_wide_head_without_scaling_runs_to_one_hot_without_overflow() -> None:
    app = arrows(d_k="64", scale="false")
    healthy(app)
    assert weights(app)[4] == "1.00"
    drag(app, "query-5", 1000, 1000)
    drag(app, "key-4", 1000, 1000, seq=2)
    healthy(app)
    drag(app, "query-5", -1000, -1000, seq=3)
    healthy(app)


@pytest.mark.parametrize("mask", ["none", "causal"])
def test_the_far_corners(mask: str) -> None:
    app = arrows(mask=mask, heads="2", head="2", scale="false", d_k="64")
    for place in range(6):
        drag(app, f"key-{place}", -1e308, 1e308, seq=place)
        drag(app, f"value-{place}", 1e308, 1e308, "arrows_values", seq=place)
    drag(app, "query-5", 1e308, 1e308)
    healthy(app)
    assert tip(app, "key-0") == (-LIMIT, LIMIT)


# What a browser never should send


@pytest.mark.parametrize("value", GARBAGE, ids=repr)
def test_hostile_moves_give_no_traceback_and_no_bad_number(value: Any) -> None:
    app = arrows()
    shapes: list[dict[str, Any]] = [
        {"move": value},
        {"move": {"seq": value, "moves": value}},
        {"move": {"seq": 1, "moves": [value, [value], {"id": value}]}},
        {"move": {"seq": 1, "moves": [{"id": "query-5", "x": value, "y": 1}]}},
        {"move": {"seq": 1, "moves": [{"id": "query-5", "x": 1}]}},
        {"move": {"moves": [{"id": value, "x": 1, "y": 1}]}},
        {"other": value},
    ]
    for state in shapes:
        for canvas in ("arrows_ask", "arrows_values"):
            send(app, canvas, **state)
            healthy(app)
            assert isinstance(component(app, canvas)["seq"], int)


@pytest.mark.parametrize(
    "name", ["query-6", "query-99999999999999999999", "query--1", "key-", "-1", "sum-1", "query-٣"]
)
def test_a_move_of_an_arrow_that_is_not_there_moves_nothing(name: str) -> None:
    app = drag(arrows(), name, 1, 1)
    healthy(app)
    assert badge(app) == "No arrow moved yet"


def test_a_flood_of_moves_is_cut_off() -> None:
    app = arrows()
    moves = [{"id": "query-5", "x": n, "y": 1} for n in range(10_000)]
    send(app, "arrows_ask", move={"seq": 1, "moves": moves})
    healthy(app)
    assert tip(app, "query-5")[0] < 100


@pytest.mark.parametrize("value", GARBAGE, ids=repr)
def test_hostile_edits_give_no_traceback_and_change_nothing_bad(value: Any) -> None:
    good = {"W_Q": [[1, 2]] * 4, "W_K": [[1, 2]] * 4, "W_V": [[1, 2]] * 4}
    app = go_to(open_app(), "projections")
    for values in (
        value,
        {},
        {"W_Q": value},
        {**good, "W_Q": value},
        {**good, "W_Q": [[value, 1]] * 4},
        {**good, "W_K": [[1, 2]] * 3},
        {**good, "W_V": [[1], [2, 3]]},
    ):
        send(app, "projections_W", edit={"seq": value, "values": values})
        healthy(app)
        send(app, "projections_features", edit={"seq": 1, "values": {"features": values}})
        healthy(app)
    send(app, "projections_W", edit=value)
    healthy(app)


@pytest.mark.parametrize("row", [*GARBAGE, -1, 5, 99, 1.5])
def test_a_choice_of_no_row_chooses_nothing(row: Any) -> None:
    app = go_to(open_app(), "sentences")
    send(app, "sentences_table", trigger=True, row=row)
    healthy(app)
    assert settings_of(app).sentence in ("river-bank", "money-bank" if row is True else "")


# Chapter 2


def test_features_edited_on_one_page_hold_on_every_page() -> None:
    app = go_to(open_app(), "projections")
    features = component(app, "projections_features")["grids"][0]
    assert features["rows"] == ["she", "sat", "by", "the", "river", "bank"]
    edited = [[1, 0, 0, 0], *features["values"][1:]]
    send(app, "projections_features", edit={"seq": 1, "values": {"features": edited}})
    healthy(app)
    twins = Settings(features=(("she", (1, 0, 0, 0)),))
    assert settings_of(app) == twins
    expected = [f"{w:.2f}" for w in shown_head(twins).weights[5]]
    assert expected[0] == expected[4] == "0.45"
    for page, grid in (("home", 1), ("arrows", 0)):
        rows = pictures(go_to(app, page))[grid]["table"]["rows"]
        assert rows[5][1:] == expected
    assert tip(app, "key-0") == (2, 0)
    rows = pictures(go_to(app, "matrix"))[0]["table"]["rows"]
    assert expected[0] in {cell for row in rows for cell in row}
    go_to(app, "projections")
    assert component(app, "projections_features")["grids"][0]["values"][0] == [1, 0, 0, 0]
    app.button(key="projections_features_reset").click().run()
    assert settings_of(app) == Settings()


def test_edited_matrices_stay_on_their_page() -> None:
    app = go_to(open_app(), "projections")
    own = {grid["id"]: grid["values"] for grid in component(app, "projections_W")["grids"]}
    send(app, "projections_W", edit={"seq": 1, "values": {**own, "W_V": [[5, 0]] * 4}})
    healthy(app)
    assert any("= <b>(15, 0)</b>" in body for body in html(app))  # bank's features add up to 3
    assert app.button(key="projections_W_reset").label.startswith("Changed by you")
    assert weights_elsewhere(app) == "0.77"
    assert tip(go_to(app, "arrows"), "value-5", "arrows_values") == (4, 4)
    go_to(app, "projections")
    assert component(app, "projections_W")["grids"][2]["values"] == [[5, 0]] * 4
    app.button(key="projections_W_reset").click().run()
    assert {grid["id"]: grid["values"] for grid in component(app, "projections_W")["grids"]} == own


def test_with_w_q_for_w_k_a_word_listens_to_itself() -> None:
    app = go_to(open_app(), "projections")
    app.button(key="projections_W_same").click().run()
    healthy(app)
    grids = component(app, "projections_W")["grids"]
    assert grids[1]["values"] == grids[0]["values"]
    assert "bank listens most to itself" in pictures(app)[1]["alt"][0]


def test_numbers_are_held_to_the_limit() -> None:
    app = go_to(open_app(), "projections")
    own = {grid["id"]: grid["values"] for grid in component(app, "projections_W")["grids"]}
    send(app, "projections_W", edit={"seq": 1, "values": {**own, "W_Q": [[1e308, -1e308]] * 4}})
    healthy(app)
    assert component(app, "projections_W")["grids"][0]["values"] == [[LIMIT, -LIMIT]] * 4
    grid = component(app, "projections_features")["grids"][0]
    send(
        app, "projections_features", edit={"seq": 1, "values": {"features": [[1e308, -0.0, 0, 0]] * len(grid["rows"])}}
    )
    for page in ("projections", "home", "arrows", "matrix", "sentences"):
        healthy(go_to(app, page))


def test_the_worksheets_sentence_has_nothing_to_project() -> None:
    app = go_to(open_app(sentence="cat-sat"), "projections")
    healthy(app)
    assert any("no row of numbers x" in text for text in markdown(app))
    app.segmented_control(key="pick").set_value("apple-pie").run()
    assert any("x · W_Q" in body for body in html(app))


# Chapter 9


def test_the_table_goes_to_a_sentence() -> None:
    app = go_to(open_app(focus="1"), "sentences")
    for row, sentence in enumerate(FIVE):
        send(app, "sentences_table", trigger=True, row=row)
        healthy(app)
        assert settings_of(app) == Settings(sentence)
        assert component(app, "sentences_table")["chosen"] == row
        cells = component(app, "sentences_table")["rows"][row]
        best = int(shown_head(Settings(sentence)).weights[Settings(sentence).focus].argmax())
        assert cells[:3] == [
            " ".join(SENTENCES[sentence].tokens),
            Settings(sentence).focus_word,
            SENTENCES[sentence].tokens[best],
        ]


def test_ones_own_sentence_with_an_unknown_word_taught() -> None:
    app = go_to(open_app(), "sentences")
    app.text_input(key="own_words").set_value("he put the zebra in the bank").run()
    healthy(app)
    assert settings_of(app).sentence == OWN
    grid = component(app, "sentences_features")["grids"][0]
    assert grid["rows"] == ["he", "put (unknown)", "the", "zebra (unknown)", "in", "bank"]
    values = [
        [1, 0, 0, 0] if name.startswith("zebra") else row
        for name, row in zip(grid["rows"], grid["values"], strict=True)
    ]
    send(app, "sentences_features", edit={"seq": 1, "values": {"features": values}})
    healthy(app)
    assert dict(settings_of(app).features) == {"zebra": (1, 0, 0, 0)}
    assert "bank listens most to zebra" in pictures(go_to(app, "home"))[0]["alt"][0]


def test_moves_refuse_what_is_out_of_range() -> None:
    for role in ROLES:
        with pytest.raises(ValueError, match="numbers go from"):
            Move(role, 0, 1e4, 0)
    with pytest.raises(ValueError, match="moved position is 6"):
        Settings(moved=(Move("key", 6, 0, 0),))
