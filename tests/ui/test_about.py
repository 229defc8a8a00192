"""The version in the menu, and what a visitor is told when a page fails."""

import re
from functools import partialmethod

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.testing.v1 import AppTest

from attention_ui import about
from tests.cases import ROOT, go_to, html, open_app, texts

SECRET = "a secret of the house"
SENTENCE = "Something went wrong here; the server's log has the details."


def test_the_menu_tells_the_version_of_pyproject() -> None:
    (version,) = re.findall(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.M)
    assert about.menu().startswith(f"**Attention Lab {version}**\n\n")


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """A visit to the app as app.py serves it, which AppTest does not know."""
    monkeypatch.setattr(ScriptRunner, "__init__", partialmethod(ScriptRunner.__init__, on_script_error=about.apologize))
    return open_app()


def fail(*_: object, **__: object) -> None:
    """Stands in for a picture."""
    raise RuntimeError(SECRET)


@pytest.mark.parametrize("slug", ["matrix", "arrows"])  # the page itself, and a part that reruns on its own
def test_a_failed_page_says_one_sentence_and_a_way_back(
    app: AppTest, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, slug: str
) -> None:
    healthy = html(go_to(app, slug))
    monkeypatch.setattr("attention_ui.show.show", fail)
    go_to(app, slug)
    assert [error.value for error in app.error] == [SENTENCE]
    assert not app.exception
    assert not [text for text in [*texts(app), *html(app)] if SECRET in text or "Traceback" in text]
    (way_back,) = (body for body in html(app) if "target=" in body and body not in healthy)
    assert re.findall(r'href="(.*?)" target="_self"', way_back) == ["?", "./"]
    assert app.title
    assert app.selectbox(key="sentence").options
    assert f"RuntimeError: {SECRET}" in caplog.text


def test_stopping_and_running_again_are_no_failures(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = iter([st.rerun, st.stop])
    monkeypatch.setattr("attention_ui.show.show", lambda *_, **__: next(runs)())
    go_to(app, "matrix")
    assert next(runs, None) is None
    assert not app.error
    assert not app.exception
