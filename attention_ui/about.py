"""What the app says of itself: its version in the menu, and what it says when a page fails."""

from functools import cache
from pathlib import Path
from tomllib import loads

import streamlit as st

# "?" is the present page with its defaults, "./" the first page, under whatever path the app is served.
# As HTML, because Streamlit's Markdown opens every link in a new tab.
_WAY_BACK = (
    '<p><a href="?" target="_self">Open this page afresh</a> or '
    '<a href="./" target="_self">go to the first page</a>.</p>'
)


@cache
def menu() -> str:
    """Return what the menu says, as Markdown; the app runs from a checkout, so its version is the one in there."""
    project = loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    return f"**Attention Lab {project['version']}**\n\n{project['description']}"


def apologize(_error: Exception) -> bool:
    """Tell a visitor that a page, or a part of it, has failed; Streamlit has written the error to its log.

    Returns
    -------
    bool
        True: nothing else of the error is to be shown.
    """
    st.error("Something went wrong here; the server's log has the details.")
    st.html(_WAY_BACK)
    return True
