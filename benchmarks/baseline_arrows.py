"""Chapter 3's linked pictures drawn with st.plotly_chart: what `benchmarks.drag` compares the chapter with."""

from pathlib import Path

import streamlit as st

from attention_ui import captions, controls, ledger
from attention_ui.pictures import canvases, dashboard
from attention_ui.settings import shown_head


@st.fragment
def lab() -> None:
    """All that moves with a dragged arrow."""
    settings = controls.moved()
    trace, i = shown_head(settings), settings.focus
    left, right = st.columns([5, 6])
    with left:
        controls.canvas(canvases.query_canvas(settings, "free", ""), "arrows_ask")
        (values,) = dashboard.value_plane(settings, "light").figures
        st.plotly_chart(values, theme=None, key="values")
    with right:
        best = (captions.winners(trace.weights[i]) or [i])[0]
        st.html(ledger.ledger(settings) + ledger.paragraphs(ledger.worked_line(settings, best)))
        st.html(ledger.paragraphs(ledger.blend(trace, settings.tokens, i)))
        (weights,) = dashboard.weight_grid(settings, "light").figures
        st.plotly_chart(weights, theme=None, key="weights")
    st.html(ledger.lengths_and_angles(settings))


st.set_page_config("Baseline", layout="wide")
st.html(Path(captions.__file__).with_name("look.css"))
controls.sidebar()
st.title("Baseline", anchor=False)
lab()
