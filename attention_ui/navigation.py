"""The chapters as pages of the app."""

from __future__ import annotations

from copy import copy
from functools import lru_cache

import streamlit as st
from streamlit.navigation.page import Page

from attention_ui import prose


def pages() -> dict[str, Page]:
    """Return every chapter's page by its slug, for one run: st.navigation marks the one that it returns."""
    return {slug: copy(page) for slug, page in _pages().items()}


@lru_cache
def _pages() -> dict[str, Page]:
    """They are made once, within a run: each looks its file up, a tenth of the CPU of a change."""
    return {
        chapter.slug: st.Page(
            chapter.script,
            title=chapter.title,
            url_path=None if chapter.slug == prose.HOME else chapter.slug,
            default=chapter.slug == prose.HOME,
        )
        for chapter in prose.chapters()
    }
