"""Lesson links: controls out of sight or fixed, a question first, presenter mode, and the dialog that makes them."""

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attention_ui.escape import for_markdown
from attention_ui.share import modules
from tests.cases import component, go_to, markdown, open_app, pictures, send, settings_of
from tests.pages.test_links import view


def rules(app: AppTest) -> str:
    """The page's style sheet."""
    (style,) = [str(each.proto.body) for each in app.get("html") if "<style>" in str(each.proto.body)]
    return style


def presents(app: AppTest) -> bool:
    """Whether the page shows screen by screen."""
    return any(each.proto.id.endswith("-presenter") for each in app.get("bidi_component"))


def shared(app: AppTest) -> dict[str, Any]:
    """What the share dialog shows, opened anew: AppTest reruns the whole script, so the dialog would close."""
    app.button(key="share").click().run()
    return component(app, "share_link")


def test_a_lesson_hides_controls_that_the_page_uses() -> None:
    usual, app = rules(open_app()), rules(open_app(hide="mask,heads", mask="causal"))
    hidden = re.compile(r"\.st-key-(\w+)[^{}]*\{ display: none; \}")
    assert not hidden.search(usual)
    assert ".st-key-mask, .st-key-window, .st-key-padding, .st-key-heads, .st-key-head { display: none; }" in app


def test_what_is_fixed_or_hidden_cannot_be_changed() -> None:
    app = go_to(open_app(fix="true", sentence="apple-pie", mask="causal", heads="2"), "knobs")
    assert settings_of(app).mask == "causal"
    inside = {each.key for each in (*app.selectbox, *app.toggle, *app.button_group) if each.disabled}
    sidebar = {"sentence", "focus", "d_k", "scale", "mask", "heads", "head"}
    assert inside == sidebar | {"knob_scale", "knob_mask", "knob_heads"}
    assert app.selectbox(key="knobs_mistake").disabled is False  # the page's own controls are there to be tried

    app = go_to(open_app(hide="sentence"), "sentences")
    send(app, "sentences_table", trigger=True, row=3)
    assert settings_of(app).sentence == "river-bank"


def test_a_question_comes_first_and_what_was_said_stays_beside_the_page() -> None:
    app = open_app(ask="Who does *bank* <b>hear</b>?")
    assert not pictures(app)
    (question,) = [text for text in markdown(app) if "Before you look" in text]
    assert question.endswith(for_markdown("Who does *bank* <b>hear</b>?"))
    app.text_input(key="prediction_typed").set_value("$5 *river*")
    next(button for button in app.button if button.label == "Show me").click().run()
    assert pictures(app)
    (said,) = [each.value for each in app.info]
    assert "*bank*" not in said.replace("\\*", "")
    assert "river" in said
    app = go_to(app, "matrix")  # it was about the page of the link
    assert not app.info
    assert "ask" not in app.query_params


def test_presenter_mode_stays_from_page_to_page_until_it_is_left() -> None:
    app = open_app(present="true")
    assert presents(app)
    assert presents(go_to(app, "matrix"))
    assert app.query_params["present"] == "true"
    send(app, "presenter", trigger=True, leave=True)
    assert not presents(app)
    assert "present" not in app.query_params


def test_a_lesson_of_unknown_words_is_refused_in_one_line() -> None:
    app = open_app(hide="mask,<b>x</b>", present="yes", fix="1", ask="x" * 5000)
    (notice,) = [each.value for each in app.warning]
    assert "what is not on offer" in notice
    assert "<b>" not in notice
    assert r"present \= yes" in notice
    assert not presents(app)
    assert all(len(text) < 500 for text in markdown(app))


def test_the_dialog_shares_the_page_and_makes_a_lesson_of_it() -> None:
    app = go_to(open_app(), "positions")
    app.slider(key="positions_T").set_value(64).run()
    link = shared(app)
    assert f"view={view(app)}" in link["address"]
    assert link["modules"] == modules(link["address"])
    app.session_state["share_present"] = True
    app.session_state["share_fix"] = True
    app.session_state["share_hide"] = ["mask"]
    app.session_state["share_ask"] = "Where is it?"
    address = shared(app)["address"]
    assert address.endswith("&ask=Where+is+it%3F&hide=mask&fix=true&present=true")


@pytest.mark.parametrize("length", [3000, 5000])
def test_an_address_that_no_code_holds_has_none(length: int) -> None:
    assert modules("a" * length) == []
