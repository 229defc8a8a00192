"""A link as a lesson: controls out of sight or fixed, a question before the page, presenter mode, and the dialog."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

import streamlit as st

from attention_ui.controls.links import LONGEST_TEXT, address, is_on, is_whole, lasting, let_last
from attention_ui.controls.sidebar import CONTROLS
from attention_ui.escape import for_markdown
from attention_ui.presenter import presenter
from attention_ui.share import share

_HERE_ONLY = ("localhost", "127.0.0.1", "::1")


def predicted(page: str) -> bool:
    """Ask a lesson's question, if the link has one, and return whether the page may be seen."""
    question = for_markdown(lasting("ask"))
    if st.session_state.setdefault("asked_on", page) != page:
        let_last("ask", "")  # it was about the page of the link
        return True
    if not question:
        return True
    if "prediction" in st.session_state:
        said = for_markdown(st.session_state["prediction"])
        st.info(f"You were asked: {question}\n\n" + (f"You expected: {said}" if said else "You looked first."))
        return True
    with st.form("lesson_question", border=True):
        st.markdown(f"**Before you look.** {question}")
        st.text_input("What do you expect, and why?", key="prediction_typed", max_chars=LONGEST_TEXT)
        st.form_submit_button("Show me", on_click=_reveal)
    return False


def present(page: str) -> None:
    """Show the page screen by screen, if the link asks for it."""
    if is_on("present"):
        presenter(page, lambda: let_last("present", ""))


def share_button() -> bool:
    """Draw the button that opens the share dialog, and return whether it was just pressed."""
    return st.button("Share", key="share", help="A link to just what you see, with a QR code")


@st.dialog("Share what you see", width="large")
def share_dialog(used: Collection[str]) -> None:
    """Draw the link of the page, its QR code, and what makes a lesson of it.

    Parameters
    ----------
    used : collection of str
        The sidebar's controls that the page uses.
    """
    spot = st.container()
    with st.expander("Make it a lesson link"):
        asked = st.text_input("Ask first: the page shows after an answer", key="share_ask", max_chars=LONGEST_TEXT)
        hidden = st.pills("Hide", [name for name in CONTROLS if name in used], selection_mode="multi", key="share_hide")
        fixed = st.toggle("Nobody can change the sidebar's settings", key="share_fix")
        presents = st.toggle("Presenter mode: large, one picture a screen", key="share_present")
    link = address(
        ask=asked,
        hide=",".join(hidden or ()),
        fix="true" if fixed else "",
        present="true" if presents else "",
    )
    with spot:
        share(link, "share_link")
        if not is_whole():
            st.warning("What you changed here is too much for a link. It opens this page with its settings alone.")
        if urlsplit(link).hostname in _HERE_ONLY:
            st.markdown(
                "This address works on this computer alone. For a room, open the app under this computer's name or "
                "address in your network, and share again."
            )


def _reveal() -> None:
    """The question was answered, perhaps by nothing."""
    st.session_state["prediction"] = st.session_state["prediction_typed"].strip()
