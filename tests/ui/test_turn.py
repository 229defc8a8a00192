"""One visitor's script at a time, and nobody waits for one that has failed."""

from threading import Thread

import pytest
from streamlit.testing.v1 import AppTest

from attention_ui import controls
from attention_ui.turn import TURN
from tests.cases import open_app


def test_a_visitor_waits_for_the_script_of_another() -> None:
    seen: list[AppTest] = []
    visitor = Thread(target=lambda: seen.append(open_app()))
    with TURN:
        visitor.start()
        visitor.join(1)
        assert not seen
    visitor.join(60)
    assert [app.title[0].value for app in seen] == ["The ambiguity problem"]


def test_a_script_that_fails_gives_its_turn_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(page: str) -> None:
        raise ValueError(page)

    monkeypatch.setattr(controls, "present", fail)
    assert open_app().exception
    monkeypatch.undo()
    assert not open_app().exception
