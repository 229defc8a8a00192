"""The shared controls in the sidebar, and what a link or a sentence makes of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from attention_core import D_K_CHOICES, HEAD_CHOICES, MAX_TOKENS, tokenize
from attention_ui.captions import listed
from attention_ui.controls.links import is_on, keep, lasting, open_link, refused_link
from attention_ui.controls.state import edited_features
from attention_ui.escape import for_html, for_markdown, short
from attention_ui.settings import (
    EXAMPLE_WORDS,
    LONGEST_WORDS,
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


def sidebar() -> Settings:
    """Draw the shared controls and return what they say; `hiding` keeps those out of sight that a page does not use.

    Returns
    -------
    Settings
        The same that `current` gives to the page.
    """
    open_link()
    opened = "settings" not in st.session_state  # a link that was just opened, not a click in the app
    asked = {name: ", ".join(st.query_params.get_all(name)) for name in st.query_params} if opened else {}
    with st.sidebar:
        here = st.container(key="controls", gap="small")
    shown: dict[str, object] = {}
    # All of them on every page, in one place: a bound widget that is left out, or moves, loses its place in the URL.
    with here:
        held = locked()
        for draw in CONTROLS.values():
            draw(shown, held)
    places = {"focus": int(str(shown["focus"])) - 1, "head": int(str(shown.get("head", 1))) - 1}
    edited = tuple(sorted(edited_features().items()))
    settings = Settings(**{**shown, **places, "features": edited})  # type: ignore[arg-type]
    keep("features", dict(edited), {})
    st.session_state["settings"] = settings
    if opened:
        # With one head there is no choice of the shown one.
        used_instead = {"head": 1, "hide": ",".join(hidden()), "fix": is_on("fix"), "present": is_on("present")} | shown
        st.session_state["refused"] = [
            f"{name} = {short(asked[name], 24)} (used instead: {short(_in_url(used_instead[name]), 24)})"
            for name in asked
            if name in used_instead and not _equal_in_url(asked[name], _in_url(used_instead[name]))
        ]
    return settings


def hiding(used: Collection[str]) -> str:
    """Return the CSS rule that hides the controls which a page does not use, or a lesson does not show."""
    out = {*_PARTS} - {*used} | {*hidden()}
    parts = [part for name, all_parts in _PARTS.items() if name in out for part in all_parts]
    return f"{', '.join(parts)} {{ display: none; }}" if parts else ""


def hidden() -> list[str]:
    """Return the controls that a lesson does not show."""
    return [name for name in lasting("hide").split(",") if name in CONTROLS]


def locked() -> Collection[str]:
    """Return the controls that a lesson keeps as they are."""
    return CONTROLS if is_on("fix") else hidden()


def is_locked(name: str) -> bool:
    """Return whether a lesson keeps a control as it is."""
    return name in locked()


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
    if refused_link():
        said.append(refused_link())
    settings = current()
    if settings.sentence == OWN:
        count = len(tokenize(settings.words))
        if count == 0:
            said.append("Your sentence is empty, so an example stands in for it.")
        elif count > MAX_TOKENS:
            said.append(f"Your sentence has {count} words; the first {MAX_TOKENS} are used.")
    if settings.mask == "padding" and settings.padding >= settings.n_tokens:
        said.append("One word always stays: padding cannot be the whole sentence.")
    return said


def _sentence(shown: dict[str, object], held: Collection[str]) -> None:
    """The sentence, and one's own words."""
    shown["sentence"] = st.selectbox(
        "Sentence",
        SENTENCE_IDS,
        key="sentence",
        bind="query-params",
        on_change=forget_focus,
        disabled="sentence" in held,
    )
    if shown["sentence"] == OWN:
        shown["words"] = st.text_input(
            "Your sentence",
            EXAMPLE_WORDS,
            key="words",
            bind="query-params",
            on_change=forget_focus,
            disabled="sentence" in held,
            max_chars=LONGEST_WORDS,
        )


def _focus(shown: dict[str, object], held: Collection[str]) -> None:
    """The word that asks, by its position: words may occur twice."""
    sentence, words = str(shown["sentence"]), str(shown.get("words", ""))
    tokens = tokens_of(sentence, words)
    own = own_focus(sentence, words) + 1
    place = int(st.session_state.get("focus") or own)
    line = " ".join(
        f"<b>{for_html(short(token))}</b>" if at == place else for_html(short(token))
        for at, token in enumerate(tokens, 1)
    )
    st.html(f'<p class="al-sentence">{line}</p>')
    shown["focus"] = _one_of("Word that asks", range(1, len(tokens) + 1), own, "focus", held)


def _d_k(shown: dict[str, object], held: Collection[str]) -> None:
    """The width of queries and keys."""
    shown["d_k"] = _one_of("d_k, width of queries and keys", D_K_CHOICES, _DEFAULT.d_k, "d_k", held)


def _scale(shown: dict[str, object], held: Collection[str]) -> None:
    """Whether scores are scaled."""
    shown["scale"] = st.toggle("÷ √d_k", _DEFAULT.scale, key="scale", bind="query-params", disabled="scale" in held)


def _mask(shown: dict[str, object], held: Collection[str]) -> None:
    """Which words may be seen."""
    shown["mask"] = _one_of("Mask", MASKS, _DEFAULT.mask, "mask", held)
    if shown["mask"] == "window":
        shown["window"] = st.slider(
            "Words in the window",
            WINDOWS[0],
            WINDOWS[-1],
            _DEFAULT.window,
            key="window",
            bind="query-params",
            disabled="mask" in held,
        )
    if shown["mask"] == "padding":
        shown["padding"] = st.slider(
            "Words that are padding",
            PADDINGS[0],
            PADDINGS[-1],
            _DEFAULT.padding,
            key="padding",
            bind="query-params",
            disabled="mask" in held,
        )


def _heads(shown: dict[str, object], held: Collection[str]) -> None:
    """How many heads, and which one is shown."""
    shown["heads"] = _one_of("Heads", HEAD_CHOICES, _DEFAULT.heads, "heads", held)
    count = int(str(shown["heads"]))
    if count > 1:
        shown["head"] = _one_of("Head shown", range(1, count + 1), 1, "head", held)


def _one_of(label: str, options: Sequence[object], default: object, key: str, held: Collection[str]) -> object:
    """Draw a row of choices that the URL keeps and return the chosen one."""
    disabled = ("heads" if key == "head" else key) in held
    picked = st.segmented_control(
        label, list(options), default=default, required=True, key=key, bind="query-params", disabled=disabled
    )
    return default if picked is None else picked  # a link such as ?focus= chooses none in spite of `required`


_PARTS = {
    "sentence": (".st-key-sentence", ".st-key-words"),
    "focus": (".st-key-focus", ".stElementContainer:has(.al-sentence)"),
    "d_k": (".st-key-d_k",),
    "scale": (".st-key-scale",),
    "mask": (".st-key-mask", ".st-key-window", ".st-key-padding"),
    "heads": (".st-key-heads", ".st-key-head"),
}
CONTROLS = {
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


def forget_focus() -> None:
    """A new sentence moves the focus to its own focus word; a key that is merely gone would take the URL's again."""
    words = str(st.session_state.get("words", st.query_params.get("words", EXAMPLE_WORDS)))
    st.session_state["focus"] = own_focus(str(st.session_state["sentence"]), words) + 1
