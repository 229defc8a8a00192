"""A link is the picture: whatever is set on a page, its link opens the same page again; a bad link says so."""

import random
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import (
    ButtonGroup,
    Multiselect,
    NumberInput,
    Selectbox,
    SelectSlider,
    Slider,
    Toggle,
)

from attention_ui.link import pack, unpack
from attention_ui.settings import Settings
from tests.cases import PAGES, ROOT, component, drag, go_to, link, open_app, received, send, settings_of, texts

FRAME = ROOT / "attention_ui" / "frame.py"
SIDEBAR = {"sentence", "words", "focus", "d_k", "scale", "mask", "window", "padding", "heads", "head"}
BOUND = {"sheet", "sheet_word", "places", "sequence"}  # page controls that Streamlit itself keeps in the URL
ASKED = re.compile("_guess|^(pick|row|own_words)$|^knob_|_pick$")  # own guesses, second handles on other controls


def view(app: AppTest) -> str:
    """What the page's link holds beside the readable parameters."""
    return "".join(app.query_params.get("view", [""]))


def reopened(app: AppTest, page: str | Path) -> AppTest:
    """The page as its link opens it, in a new visit."""
    bound = {key: str(app.session_state[key]) for key in BOUND if key in app.session_state}
    return go_to(open_app(**link(settings_of(app)), **bound, view=view(app)), page)


def shown(app: AppTest) -> list[Any]:
    """All that a page shows, but for the guess."""
    said = [text for text in texts(app) if "Guess first" not in text]
    data = [received(each.proto) for each in app.get("bidi_component")]
    return [[{name: value for name, value in each.items() if name != "seq"} for each in data], said]


def controls_of(app: AppTest) -> list[Any]:
    """The page's own controls, second handles on the sidebar aside."""
    found = [*app.slider, *app.select_slider, *app.selectbox, *app.button_group]
    found += [*app.toggle, *app.number_input, *app.multiselect]
    return [each for each in found if each.key not in SIDEBAR | BOUND and not ASKED.search(each.key)]


def change_all(app: AppTest, chance: random.Random) -> None:
    """Move every control of the page somewhere else; each may change what the others offer."""
    for key in [each.key for each in controls_of(app)]:
        each = next((each for each in controls_of(app) if each.key == key), None)
        if each is None:
            continue  # the last change took it away
        if isinstance(each, Toggle):
            each.set_value(not each.value)
        elif isinstance(each, NumberInput):
            each.set_value(chance.randint(0, 99))
        elif isinstance(each, Slider):
            steps = round((each.max - each.min) / each.step)
            each.set_value(type(each.min)(each.min + each.step * chance.randint(0, steps)))
        elif isinstance(each, Multiselect):
            each.set_value([each.value[0]])
        elif isinstance(each, Selectbox):
            each.select_index(chance.randrange(len(each.options)))
        elif isinstance(each, SelectSlider):
            each.set_value(int(chance.choice(each.options)))
        elif isinstance(each, ButtonGroup):
            each.set_value(chance.choice(each.options))
        app.run()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_whatever_is_set_is_in_the_link(page: Path) -> None:
    chance = random.Random(page.stem)
    sentence = chance.choice(["money-bank", "cat-sat", "apple-pie"])
    app = go_to(open_app(**link(Settings(sentence, heads=2, head=1, mask="causal"))), page)
    change_all(app, chance)
    assert not app.exception
    assert shown(reopened(app, page)) == shown(app)


def test_edited_numbers_and_dragged_arrows_are_in_the_link() -> None:
    app = drag(go_to(open_app(), "arrows"), "query-5", 1.239, -0.004)
    send(app, "arrows_values", move={"seq": 2, "moves": [{"id": "value-1", "x": 999, "y": -1}]})
    again = reopened(app, "arrows")
    assert view(app)
    assert shown(again) == shown(app)
    assert view(again) == view(app)
    assert [(a["x"], a["y"]) for a in component(again, "arrows_ask")["arrows"] if a["id"] == "query-5"] == [(1.24, 0)]

    app = go_to(open_app(), "projections")
    app.button(key="projections_W_same").click().run()
    grid = component(app, "projections_features")["grids"][0]["values"]
    rows = [[0.123456789, *row[1:]] for row in grid]
    send(app, "projections_features", edit={"seq": 1, "values": {"features": rows}})
    assert shown(reopened(app, "projections")) == shown(app)

    app = go_to(open_app(sheet="cat-sat"), "by-hand")
    values = {grid["id"]: grid["values"] for grid in component(app, "sheet_grids")["grids"]}
    values["key"][2] = [1000, -0.5]
    send(app, "sheet_grids", edit={"seq": 1, "values": values})
    assert shown(reopened(app, "by-hand")) == shown(app)


def test_nothing_is_written_while_an_arrow_is_held() -> None:
    app = go_to(open_app(), "arrows")
    move = {"moves": [{"id": "query-5", "x": 1, "y": 2}]}
    assert not view(send(app, "arrows_ask", move={"seq": 1, "held": True, **move}))
    text = view(send(app, "arrows_ask", move={"seq": 2, "held": False, **move}))
    assert unpack(text) == {"arrows_moves": [[0, 5, 1.0, 2.0]]}
    app.button(key="arrows_reset").click().run()
    assert not view(app)


def test_a_run_is_in_the_link_with_its_step_and_its_rates() -> None:
    for page, picture in (("learning", "lookup_run"), ("two_heads", "two_heads_run")):
        app = go_to(open_app(), page)
        wishes: list[dict[str, Any]] = [{"more": 300}, {"rate": 0.3, "step": 310}, {"at": 333}]
        for seq, wish in enumerate(wishes):
            send(app, picture, play={"seq": seq, **wish})
        again = reopened(app, page)
        assert component(again, picture)["player"]["at"] == 333
        assert shown(again) == shown(app)
    app = send(go_to(open_app(), "two-layers"), "induction_run", play={"seq": 1, "at": 120})
    assert component(reopened(app, "two-layers"), "induction_run")["player"]["at"] == 120


@pytest.mark.parametrize("text", ["2-AAAA", "<script>alert(1)</script>", "1-" + "A" * 5000, "![x](u)", "1-AAAA"])
def test_a_damaged_link_is_refused_in_one_line(text: str) -> None:
    usual, app = open_app(), open_app(view=text)
    (notice,) = [each.value for each in app.warning]
    assert notice.startswith("This link could not be read: the link's text ")
    assert not re.search(r"script|!\[", notice)
    assert shown(app) == shown(usual)
    assert not view(app)  # and the address shows what the page shows


MISFITS: dict[str, list[dict[str, Any]]] = {
    "positions": [{"positions_T": 5000}, {"positions_kind": "<b>"}, {"positions_strength": "NaN"}, {"positions_p": []}],
    "arrows": [
        *({"arrows_moves": moves} for moves in ("x", [[0, 99, 0, 0]], [[7, 0, 0, 0]], [[0, 0, 1e9, 0]], [[0, 0, 0]])),
        {"arrows_mode": {"a": 1}},
        {"arrows_keys_as_values": "yes"},
    ],
    "projections": [{"projections_W_matrices": [[1]]}, {"features": {"bank": [1, 2]}}, {"features": ["bank"]}],
    "learning": [
        {"learning_run": [10**9, 0, [[0, 0.1]]]},
        {"learning_run": [300, 0, [[5, 0.1]]]},
        {"learning_seed": 1e6},
    ],
    "by_hand": [{"by_hand_blanks": ["none"]}, {"sheet_moves": None}, {"blank_place_scores": 77}],
    "two_layers": [{"two_layers_step": -3}, {"two_layers_place": 100}],
}


@pytest.mark.parametrize(("page", "state"), [(page, state) for page, states in MISFITS.items() for state in states])
def test_what_does_not_fit_a_page_is_refused_in_one_line(page: str, state: dict[str, Any]) -> None:
    usual = go_to(open_app(), page)
    app = AppTest.from_file(str(FRAME), default_timeout=60)
    app.query_params["view"] = pack(state)
    app._page_hash = usual._page_hash
    app.run()
    (notice,) = [each.value for each in app.warning]
    assert notice.startswith("Part of this link is not on offer here")
    assert shown(app) == shown(usual)
