"""A sequence of words to be continued, and a place in it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from attention_core import tokenize
from attention_ui.controls.links import note
from attention_ui.escape import for_markdown


def sequence(examples: Mapping[str, str], most: int) -> tuple[tuple[str, ...], str]:
    """Draw a choice of sequences and a field to type one; return its words and a notice, empty if all is well.

    The text is part of the link.

    Parameters
    ----------
    examples : mapping of str to str
        Name and text of what can be picked; the first stands in for an empty text.
    most : int
        How many words are used.
    """
    default = next(iter(examples.values()))
    typed = str(st.session_state.get("sequence", st.query_params.get("sequence", default)))
    st.session_state["sequence_pick"] = next((name for name, text in examples.items() if text == typed), None)
    st.pills(
        "Pick a sequence",
        list(examples),
        key="sequence_pick",
        format_func=for_markdown,
        on_change=_follow_pick,
        args=(dict(examples),),
    )
    text = st.text_input("or type one, words with spaces between them", default, key="sequence", bind="query-params")
    words = tokenize(note("sequence", text))
    if not words:
        return tokenize(default), "Your sequence is empty, so an example stands in for it."
    if len(words) > most:
        return words[:most], f"Your sequence has {len(words)} words; the first {most} are used."
    return words, ""


def _follow_pick(examples: Mapping[str, str]) -> None:
    """A sequence was picked: it is the text."""
    picked = st.session_state["sequence_pick"]
    if picked is not None:
        st.session_state["sequence"] = examples[picked]
