"""The app's look beyond Streamlit's theme: its icon and its style sheet, each read once and not on every change."""

import re
from base64 import b64encode
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent


@cache
def icon() -> str:
    """Return the icon as an address that holds it.

    Examples
    --------
    >>> icon()[:26]
    'data:image/svg+xml;base64,'
    """
    return "data:image/svg+xml;base64," + b64encode((_HERE / "icon.svg").read_bytes()).decode("ascii")


@cache
def style() -> str:
    """Return the rules of every page, as CSS without comments and line breaks, which Streamlit would look through."""
    return " ".join(re.sub(r"/\*.*?\*/", "", (_HERE / "look.css").read_text("utf-8"), flags=re.S).split())
