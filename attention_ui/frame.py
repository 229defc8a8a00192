"""The picture frame round every page: configuration, navigation, the shared sidebar, heading and way on."""

from pathlib import Path

import streamlit as st

from attention_ui import controls, navigation, prose

ICON = Path(__file__).with_name("icon.svg")
LOOK = Path(__file__).with_name("look.css")

st.set_page_config("Attention Lab", page_icon=str(ICON), layout="wide", initial_sidebar_state="auto")

chapters = prose.chapters()
pages = navigation.pages()
page = st.navigation(list(pages.values()), expanded=True)
chapter = next(chapter for chapter in chapters if pages[chapter.slug] == page)
st.html(f"<style>{LOOK.read_text('utf-8')}{controls.hiding(chapter.controls)}</style>")
settings = controls.sidebar()

st.title(chapter.title, anchor=False)
st.markdown(prose.fill(chapter.question, focus=settings.focus_word))
for notice in controls.notices():
    st.warning(notice)

page.run()

following = chapters[chapters.index(chapter) + 1 :]
if following:
    st.page_link(pages[following[0].slug], label=f"Next: {following[0].title} →")
