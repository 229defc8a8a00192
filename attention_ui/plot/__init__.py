"""The component that draws: Plotly figures kept on the page and updated in place.

`st.plotly_chart` mounts a new chart for every changed figure; this one calls `Plotly.react` on the
chart that is there. The figures' table, CSV and program travel in the same message, so a picture is
one element of the page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "attention_lab_plot",
    js=(_HERE / "plot.js").read_text(encoding="utf-8"),
    css=(_HERE / "plot.css").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def plot(data: dict[str, Any], key: str) -> None:
    """Put a picture on the page, or update the one with this key in place.

    Parameters
    ----------
    data : dict
        ``figures`` (Plotly figures as JSON-ready dicts), ``joints`` (what stands between them),
        ``name``, ``caption``, ``alt``, ``table`` (``columns`` and ``rows`` of text), ``csv`` and ``program``.
    key : str
        The picture's name on its page; the chart stays the same as long as the key does.
    """
    _mount(data=data, key=key)
