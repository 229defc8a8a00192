"""Choices that a page draws for itself, some of them second handles on the sidebar."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from attention_core import HEAD_CHOICES
from attention_ui.choice_table import choice_table
from attention_ui.controls.links import keep, start, start_number, start_option
from attention_ui.controls.sidebar import current, forget_focus, is_locked
from attention_ui.escape import for_markdown, labels
from attention_ui.settings import EXAMPLE_WORDS, LONGEST_WORDS, MASKS, OWN, SENTENCE_IDS

FARTHEST = 1e9  # of a number that is typed: no right one comes near it


def guess(question: str, options: Sequence[str], right: Collection[int], told: str, key: str) -> None:
    """Ask for a guess and judge it; whoever does not care to guess scrolls on.

    Parameters
    ----------
    question : str
        As Markdown.
    options : sequence of str
        The answers, plain text.
    right : collection of int
        Which of them the computed numbers bear out.
    told : str
        What the numbers say, as Markdown.
    key : str
        The widget's name.
    """
    key += "\n".join(options)  # words hold no line break, so no two lists share a key
    picked = st.session_state.get(key)
    verdict = "Pick one, or scroll on."
    if picked is not None:
        verdict = ("**Yes.** " if picked in right else "**Not quite.** ") + told
    with st.container(border=True):
        st.markdown(f"**Guess first.** {question}\n\n{verdict}")
        st.pills(
            "Your guess",
            range(len(options)),
            format_func=lambda i: for_markdown(options[i]),
            key=key,
            label_visibility="collapsed",
            persist_state="session",
        )


def choice(label: str, options: Sequence[str], key: str, default: str = "") -> str:
    """Draw a small choice that belongs to one page and return it; the first by default, or if one is gone."""
    if st.session_state.get(key) not in options:
        st.session_state.pop(key, None)
    own = default or options[0]
    first = start_option(key, options, own)
    picked: str = st.segmented_control(label, options, default=first, required=True, key=key, persist_state="session")
    return keep(key, picked, own)


def several(label: str, options: Mapping[str, str], key: str) -> list[str]:
    """Draw a choice of any number of options, all of them at first."""
    own = list(options)
    first = start(key, own, lambda said: [own[own.index(each)] for each in said])
    picked = st.multiselect(label, own, first, format_func=lambda x: options[x], key=key, persist_state="session")
    return keep(key, picked, own)


def slider(label: str, low: float, high: float, default: float, key: str, step: float = 1.0) -> float:
    """Draw a slider that belongs to one page and return its value."""
    first = start_number(key, low, high, default)
    return keep(key, st.slider(label, low, high, first, step, key=key, persist_state="session"), default)


def switch(label: str, default: bool, key: str) -> bool:
    """Draw a switch that belongs to one page and return whether it is on."""
    first = start_option(key, (False, True), default)
    return keep(key, st.toggle(label, first, key=key, persist_state="session"), default)


def whole(label: str, low: int, high: int, default: int, key: str, step: int = 1) -> int:
    """Draw a slider of whole numbers that belongs to one page; a kept number that no longer fits is held in."""
    kept = st.session_state.get(key, low)
    if not low <= kept <= high:  # setting it needlessly would be a second default, which Streamlit warns of
        st.session_state[key] = min(max(kept, low), high)
    own = min(default, high)
    first = int(start_number(key, low, high, own))
    return keep(key, st.slider(label, low, high, first, step, key=key, persist_state="session"), own)


def step(label: str, last: int, key: str, default: int = 1) -> int:
    """Draw a slider over the steps of something, from the first on; with one step there is nothing to choose."""
    return whole(label, 1, last, default, f"{key}_{last}") if last > 1 else last


def stops(label: str, options: Sequence[int], default: int, key: str) -> int:
    """Draw a slider over a few numbers that belongs to one page and return the chosen one."""
    first = start_option(key, options, default)
    picked: int = st.select_slider(label, options, first, key=key, persist_state="session")
    return keep(key, picked, default)


def picked(label: str, options: Sequence[str], key: str, default: int = 0) -> str:
    """Draw a list of texts that belongs to one page and return the chosen one."""
    own = options[default]
    first = options.index(start_option(key, options, own))
    chosen: str = st.selectbox(label, options, first, key=key, persist_state="session")
    return keep(key, chosen, own)


def place(label: str, options: Sequence[str], key: str, default: int = 0) -> int:
    """Draw a list of texts that belongs to one page and return the place of the chosen one; new texts start anew."""
    widget = key + "\n".join(options)
    chosen: int = st.selectbox(
        label,
        range(len(options)),
        index=start_option(key, range(len(options)), default, widget),
        format_func=lambda i: options[i],
        key=widget,
        persist_state="session",
    )
    return keep(key, chosen, default)


def knob(name: str) -> None:
    """Draw a second handle on the sidebar's ``scale``, ``mask`` or ``heads``, on the page itself."""
    key, settings = f"knob_{name}", current()
    st.session_state[key] = getattr(settings, name)
    if name == "scale":
        st.toggle("÷ √d", key=key, on_change=_follow_knob, args=(name,), disabled=is_locked(name))
        return
    label, options = {"mask": ("Mask", MASKS), "heads": ("Heads", HEAD_CHOICES)}[name]
    locked = is_locked(name)
    st.segmented_control(label, options, key=key, required=True, on_change=_follow_knob, args=(name,), disabled=locked)


def blank(lines: Mapping[str, str], names: Sequence[str]) -> tuple[str, int, float | None]:
    """Draw a choice of one blank of the sheet and a field for it; return line, place and what was typed."""
    own = next(iter(lines))
    with st.container(horizontal=True):
        first = start_option("blank_line", list(lines), own)
        line: str = st.segmented_control(
            "Line", list(lines), default=first, required=True, format_func=lambda x: lines[x], key="blank_line"
        )
        places = {"total": ["the total"], "output": ["x", "y"]}.get(line, list(names))
        key, each = f"blank_place_{line}", range(len(places))
        place: int = st.segmented_control(
            "Place", each, default=start_option(key, each, 0), required=True, format_func=lambda i: places[i], key=key
        )
        typed_key = f"blank_typed_{line}_{place}"
        number = start_number(typed_key, -FARTHEST, FARTHEST, None)
        typed = st.number_input("Your number", value=number, step=0.01, format="%g", key=typed_key)
    keep("blank_line", line, own)
    keep(key, place, 0)
    keep(typed_key, typed, None)
    return line, place, typed


def row_choice(label: str) -> None:
    """Draw a second handle on the focus word, on the page itself: rows of a grid are words that listen."""
    settings = current()
    names = labels(settings.tokens)
    st.session_state["row"] = settings.focus
    st.selectbox(
        label,
        range(settings.n_tokens),
        key="row",
        on_change=_follow_row,
        format_func=lambda i: names[i],
        disabled=is_locked("focus"),
    )


def sentence_choice() -> None:
    """Draw the sentences as buttons on the page: on a phone the sidebar is out of sight."""
    st.session_state["pick"] = current().sentence
    st.segmented_control(
        "Sentence",
        SENTENCE_IDS,
        key="pick",
        on_change=_follow_pick,
        required=True,
        label_visibility="collapsed",
        disabled=is_locked("sentence"),
    )


def sentence_table(columns: Sequence[str], rows: Sequence[Sequence[str]], sentences: Sequence[str], key: str) -> None:
    """Draw a table of sentences; choosing a row goes to that sentence."""
    present = current().sentence
    chosen = sentences.index(present) if present in sentences else None
    choice_table(
        columns, rows, chosen=chosen, label="Sentences", key=key, on_choice=lambda: _follow_row_of(key, sentences)
    )


def own_words() -> None:
    """Draw a second handle on one's own sentence, on the page itself."""
    settings = current()
    st.session_state["own_words"] = settings.words if settings.sentence == OWN else ""
    st.text_input(
        "Your sentence",
        key="own_words",
        on_change=_follow_own_words,
        placeholder=f"for example: {EXAMPLE_WORDS}",
        disabled=is_locked("sentence"),
        max_chars=LONGEST_WORDS,
    )


def _follow_row() -> None:
    """The page's row moves the sidebar's focus."""
    st.session_state["focus"] = st.session_state["row"] + 1


def _follow_knob(name: str) -> None:
    """The page's knob turns the sidebar's."""
    st.session_state[name] = st.session_state[f"knob_{name}"]


def _follow_pick() -> None:
    """The page's sentence moves the sidebar's."""
    st.session_state["sentence"] = st.session_state["pick"]
    forget_focus()


def _follow_row_of(key: str, sentences: Sequence[str]) -> None:
    """A row of the table of sentences was chosen."""
    row = _row_of(key, len(sentences))
    if row is not None and not is_locked("sentence"):
        st.session_state["sentence"] = sentences[row]
        forget_focus()


def _row_of(key: str, n_rows: int) -> int | None:
    """The row of a table that was just chosen."""
    state = st.session_state.get(key)
    row = state.get("row") if isinstance(state, Mapping) else None
    return row if isinstance(row, int) and 0 <= row < n_rows else None


def _follow_own_words() -> None:
    """The page's own sentence is the sidebar's."""
    st.session_state["sentence"] = OWN
    st.session_state["words"] = st.session_state["own_words"]
    forget_focus()
