"""Attention on paper: every line of the arithmetic, from numbers that can be changed, and a worksheet."""

import streamlit as st

from attention_core import judge, worksheet
from attention_ui import captions, controls, prose, sheet
from attention_ui.escape import labels
from attention_ui.pictures import dashboard, paper
from attention_ui.settings import shown_head, visible
from attention_ui.show import show, show_all

text = prose.read("by-hand")
settings, places = controls.sheet()
trace, names, i = shown_head(settings), labels(settings.tokens), settings.focus

best = captions.winners(trace.weights[i])
told = prose.fill("{said}.", said=captions.listens(settings.tokens, i, trace.weights[i]))
controls.guess(text.say("guess", word=names[i]), names, best, told, "by_hand_guess")

steps = [
    text.parts[f"step{number}"] + step
    for number, step in enumerate(sheet.steps_html(trace, settings.tokens, i, places), 1)
]
with st.container(key="row-beside-steps"):
    st.html(text.html("start", word=names[i]) + "".join(steps))
    show_all("column", (dashboard.query_plane, settings), (dashboard.value_plane, settings))

st.markdown(text.parts["edit"])
controls.vector_grids(settings)
st.markdown(text.parts["grids"])
show(paper.both_grids, settings)

st.markdown(text.say("sharper", word=names[i]))
factor = controls.slider("Multiply the scores by", 1.0, 10.0, 1.0, "by_hand_factor", 0.5)
show(paper.sharper_bars, settings, factor)
st.markdown(text.parts["sharper-note"] + "\n\n" + text.parts["fill"])

line, place, typed = controls.blank(sheet.LINE_NAMES, names)
if typed is not None:
    blanks = worksheet(trace.Q, trace.K, trace.V, i, mask=visible(settings), scaled=settings.scale)
    st.markdown(sheet.verdict(judge(blanks, line, place, typed, places), names, places))

st.markdown(text.parts["worksheet"])
with st.container(key="row-2-worksheet"):
    empty = controls.several("Leave blank", sheet.LINE_NAMES, "by_hand_blanks")
    count = controls.whole("How many words ask", 1, max(2, len(names)), 1, "by_hand_count")
queries = [(i + step) % len(names) for step in range(min(count, len(names)))]
page = sheet.worksheet_html(trace, settings.tokens, queries, empty, places, controls.address())
st.download_button("Download the worksheet with its answer key", page, "attention-worksheet.html", "text/html")

st.markdown(text.say("try", **sheet.exercises()))
