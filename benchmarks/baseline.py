"""The home page's pictures drawn with st.plotly_chart: what `benchmarks.pages` compares the app with."""

from functools import lru_cache

import plotly.graph_objects as go
import streamlit as st

from attention_ui import controls
from attention_ui.pictures import dashboard
from attention_ui.settings import Settings, partner

MAKERS = {
    make.__name__: make
    for make in (
        dashboard.focus_arcs,
        dashboard.weight_grid,
        dashboard.query_plane,
        dashboard.value_plane,
        dashboard.partner_arcs,
    )
}


@lru_cache(maxsize=1024)
def figure(name: str, settings: Settings) -> go.Figure:
    """A picture's figure, made once for each setting, as the app makes it."""
    (drawn,) = MAKERS[name](settings, "light").figures
    return go.Figure(drawn)


def draw(name: str, settings: Settings) -> None:
    """Put a picture on the page the usual way."""
    st.plotly_chart(figure(name, settings), theme=None, key=name)


st.set_page_config("Baseline", layout="wide")
settings = controls.sidebar()
st.title("Baseline", anchor=False)
draw("focus_arcs", settings)
for column, name in zip(st.columns(3), ("weight_grid", "query_plane", "value_plane"), strict=True):
    with column:
        draw(name, settings)
draw("partner_arcs", partner(settings))
