"""The widgets: the only module that knows their keys, which are also the names in the URL."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from attention_core import D_K_CHOICES, HEAD_CHOICES, MAX_TOKENS, tokenize
from attention_ui.captions import listed
from attention_ui.escape import for_markdown, labels, short
from attention_ui.settings import (
    EXAMPLE_WORDS,
    MASKS,
    OWN,
    PADDINGS,
    SENTENCE_IDS,
    WINDOWS,
    Settings,
    own_focus,
    tokens_of,
)

_DEFAULT = Settings()


def sidebar(used: Collection[str]) -> Settings:
    """Draw the shared controls and return what they say; those a page does not use wait in a drawer.

    Parameters
    ----------
    used : collection of str
        Among ``sentence``, ``focus``, ``d_k``, ``scale``, ``mask`` and ``heads``.

    Returns
    -------
    Settings
        The same that `current` gives to the page.
    """
    opened = "settings" not in st.session_state  # a link that was just opened, not a click in the app
    asked = {name: ", ".join(st.query_params.get_all(name)) for name in st.query_params} if opened else {}
    with st.sidebar:
        here = st.container(key="controls", gap="small")
        # Drawn all the same: a bound widget that is not drawn would lose its place in the URL.
        drawer = None if set(_CONTROLS) <= set(used) else st.expander("Settings of other pages")
    shown: dict[str, object] = {}
    for name, draw in _CONTROLS.items():
        with here if name in used or drawer is None else drawer:
            draw(shown)
    places = {"focus": int(str(shown["focus"])) - 1, "head": int(str(shown.get("head", 1))) - 1}
    settings = Settings(**{**shown, **places})  # type: ignore[arg-type]
    st.session_state["settings"] = settings
    if opened:
        used_instead = {"head": 1} | shown  # with one head there is no choice of the shown one
        st.session_state["refused"] = [
            f"{name} = {short(asked[name], 24)} (used instead: {_in_url(used_instead[name])})"
            for name in asked
            if name in used_instead and not _equal_in_url(asked[name], _in_url(used_instead[name]))
        ]
    return settings


def current() -> Settings:
    """Return what the sidebar says."""
    settings: Settings = st.session_state["settings"]
    return settings


def notices() -> list[str]:
    """Return what the reader should know about the link or the sentence, as Markdown."""
    said = []
    refused: list[str] = st.session_state.get("refused", [])
    if refused:
        said.append(f"This link asks for what is not on offer: {for_markdown(listed(refused))}.")
    settings = current()
    if settings.sentence == OWN:
        count = len(tokenize(settings.words))
        if count == 0:
            said.append("Your sentence is empty, so an example stands in for it.")
        elif count > MAX_TOKENS:
            said.append(f"Your sentence has {count} words; the first {MAX_TOKENS} are used.")
    return said


def row_choice(label: str) -> None:
    """Draw a second handle on the focus word, on the page itself: rows of a grid are words that listen."""
    settings = current()
    names = labels(settings.tokens)
    st.session_state["row"] = settings.focus
    st.selectbox(label, range(settings.n_tokens), key="row", on_change=_follow_row, format_func=lambda i: names[i])


def column_choice(label: str, key: str, default: int) -> int:
    """Draw a choice of one of the sentence's words and return its position."""
    tokens = current().tokens
    names = labels(tokens)
    return st.selectbox(
        label,
        range(len(names)),
        index=default,
        key=f"{key}_{' '.join(tokens)}",  # another sentence starts at its own default
        format_func=lambda i: names[i],
        persist_state="session",
    )


def choice(label: str, options: Sequence[str], key: str) -> str:
    """Draw a small choice that belongs to one page and return it."""
    picked: str = st.segmented_control(
        label, options, default=options[0], required=True, key=key, persist_state="session"
    )
    return picked


def sentence_choice() -> None:
    """Draw the sentences as buttons on the page: on a phone the sidebar is out of sight."""
    st.session_state["pick"] = current().sentence
    st.segmented_control(
        "Sentence", SENTENCE_IDS, key="pick", on_change=_follow_pick, required=True, label_visibility="collapsed"
    )


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
    with st.container(border=True, key=f"{key}_box"):
        st.markdown(f"**Guess first.** {question}")
        picked = st.pills(
            "Your guess",
            range(len(options)),
            format_func=lambda i: for_markdown(options[i]),
            key=key + "\n".join(options),  # words hold no line break, so no two lists share a key
            label_visibility="collapsed",
            persist_state="session",
        )
        verdict = (
            "Pick one, or scroll on." if picked is None else ("Yes. " if picked in right else "Not quite. ") + told
        )
        st.markdown(verdict)


def _sentence(shown: dict[str, object]) -> None:
    """The sentence, and one's own words."""
    shown["sentence"] = st.selectbox(
        "Sentence", SENTENCE_IDS, key="sentence", bind="query-params", on_change=_forget_focus
    )
    if shown["sentence"] == OWN:
        shown["words"] = st.text_input(
            "Your sentence", EXAMPLE_WORDS, key="words", bind="query-params", on_change=_forget_focus
        )


def _focus(shown: dict[str, object]) -> None:
    """The word that asks, by its position: words may occur twice."""
    sentence, words = str(shown["sentence"]), str(shown.get("words", ""))
    tokens = tokens_of(sentence, words)
    own = own_focus(sentence, words) + 1
    place = int(st.session_state.get("focus") or own)
    line = " ".join(
        f"**{for_markdown(short(token))}**" if at == place else for_markdown(short(token))
        for at, token in enumerate(tokens, 1)
    )
    shown["focus"] = st.segmented_control(
        f"Word that asks: {line}",
        list(range(1, len(tokens) + 1)),
        default=own,
        required=True,
        key="focus",
        bind="query-params",
    )


def _d_k(shown: dict[str, object]) -> None:
    """The width of queries and keys."""
    shown["d_k"] = st.segmented_control(
        "d_k, width of queries and keys",
        list(D_K_CHOICES),
        default=_DEFAULT.d_k,
        required=True,
        key="d_k",
        bind="query-params",
    )


def _scale(shown: dict[str, object]) -> None:
    """Whether scores are scaled."""
    shown["scale"] = st.toggle("÷ √d_k", _DEFAULT.scale, key="scale", bind="query-params")


def _mask(shown: dict[str, object]) -> None:
    """Which words may be seen."""
    shown["mask"] = st.segmented_control(
        "Mask", list(MASKS), default=_DEFAULT.mask, required=True, key="mask", bind="query-params"
    )
    if shown["mask"] == "window":
        shown["window"] = st.slider(
            "Words in the window", WINDOWS[0], WINDOWS[-1], _DEFAULT.window, key="window", bind="query-params"
        )
    if shown["mask"] == "padding":
        shown["padding"] = st.slider(
            "Words that are padding", PADDINGS[0], PADDINGS[-1], _DEFAULT.padding, key="padding", bind="query-params"
        )


def _heads(shown: dict[str, object]) -> None:
    """How many heads, and which one is shown."""
    shown["heads"] = st.segmented_control(
        "Heads", list(HEAD_CHOICES), default=_DEFAULT.heads, required=True, key="heads", bind="query-params"
    )
    count = int(str(shown["heads"]))
    if count > 1:
        shown["head"] = st.segmented_control(
            "Head shown", list(range(1, count + 1)), default=1, required=True, key="head", bind="query-params"
        )


_CONTROLS = {
    "sentence": _sentence,
    "focus": _focus,
    "d_k": _d_k,
    "scale": _scale,
    "mask": _mask,
    "heads": _heads,
}


def _in_url(value: object) -> str:
    """A value as Streamlit writes it into the URL."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _equal_in_url(asked: str, shown: str) -> bool:
    """Whether a link got what it asked for; Streamlit reads True and False in any case."""
    return asked == shown or (shown in ("true", "false") and asked.casefold() == shown)


def _forget_focus() -> None:
    """A new sentence moves the focus to its own focus word, the widget's default."""
    st.session_state.pop("focus", None)


def _follow_row() -> None:
    """The page's row moves the sidebar's focus."""
    st.session_state["focus"] = st.session_state["row"] + 1


def _follow_pick() -> None:
    """The page's sentence moves the sidebar's."""
    st.session_state["sentence"] = st.session_state["pick"]
    _forget_focus()
