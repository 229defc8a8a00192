"""For teachers: a lesson minute by minute with its links, what people get wrong, and worksheets with their keys."""

from itertools import accumulate

import streamlit as st

from attention_ui import controls, prose
from attention_ui.escape import for_html
from attention_ui.teaching import MISTAKES, PLAN, WORKSHEETS, worksheet

text = prose.read("teaching")
ends = list(accumulate(lesson.minutes for lesson in PLAN))
st.markdown(text.say("plan", minutes=str(ends[-1])))
table = "<table class='al-relatives al-plan'><tbody>{}</tbody></table>"
row = "<tr><th scope='row'>{}</th><td>{} <a href='{}' target='_blank'>{}</a></td></tr>"
times = [f"{end - lesson.minutes}–{end}" for lesson, end in zip(PLAN, ends, strict=True)]
plan = [
    row.format(time, text.parts[f"plan-{lesson.id}"], for_html(lesson.link), prose.read(lesson.slug).title)
    for lesson, time in zip(PLAN, times, strict=True)
]
st.html(table.format("".join(plan)))

st.markdown(text.parts["mistakes"])
mistakes = [
    row.format(number, text.parts[f"wrong-{lesson.id}"], for_html(lesson.link), prose.read(lesson.slug).title)
    for number, lesson in enumerate(MISTAKES, 1)
]
st.html(table.format("".join(mistakes)))

st.markdown(text.parts["sheets"])
with st.container(horizontal=True):
    for sheet in WORKSHEETS:
        page = worksheet(sheet, controls.whole_address(sheet.lesson.link))
        st.download_button(text.parts[f"sheet-{sheet.id}"], page, f"attention-worksheet-{sheet.id}.html", "text/html")
st.markdown(text.parts["own"])
