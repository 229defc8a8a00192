"""The picture frame round every page: configuration, navigation, the shared sidebar, heading and way on."""

import streamlit as st

from attention_ui import about, controls, look, navigation, prose
from attention_ui.turn import TURN

st.set_page_config("Attention Lab", page_icon=look.icon(), layout="wide", menu_items={"About": about.menu()})

with TURN:
    chapters = prose.chapters()
    pages = navigation.pages()
    page = st.navigation(list(pages.values()), expanded=True)
    chapter = next(chapter for chapter in chapters if pages[chapter.slug] == page)
    settings = controls.sidebar()
    st.html(f"<style>{look.style()}{controls.hiding(chapter.controls)}</style>")

    st.title(chapter.title, anchor=False)
    sharing = controls.share_button()
    with st.container():  # one element of the page, so that a notice, which comes and goes, moves none of the others
        st.markdown(prose.fill(chapter.question, focus=settings.focus_word))
        for notice in controls.notices():
            st.warning(notice)
    banner = controls.challenge_place(chapter.slug)

    if controls.predicted(chapter.slug):
        page.run()
        controls.judge(banner, chapter.slug)

    following = chapters[chapters.index(chapter) + 1 :]
    if following:
        st.page_link(pages[following[0].slug], label=f"Next: {following[0].title} →")
    controls.present(chapter.slug)

    controls.close_link()
    if sharing:
        controls.share_dialog(chapter.controls)
