"""The widgets: the only module that knows their keys, which are also the names in the URL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from attention_core import D_K_CHOICES, FEATURES, HEAD_CHOICES, MAX_TOKENS, W_K, W_Q, W_V, embed, is_known, tokenize
from attention_ui.arrow_canvas import Plane, arrow_canvas
from attention_ui.captions import listed
from attention_ui.choice_table import choice_table
from attention_ui.escape import for_markdown, labels, short
from attention_ui.number_grid import Grid, number_grids
from attention_ui.settings import (
    EXAMPLE_WORDS,
    LIMIT,
    MASKS,
    MODES,
    OWN,
    PADDINGS,
    ROLES,
    SENTENCE_IDS,
    WINDOWS,
    Move,
    Rows,
    Settings,
    matrices,
    on_unit_circle,
    own_focus,
    put,
    qkv,
    same_question,
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
    edited = tuple(sorted(_edited_features().items()))
    settings = Settings(**{**shown, **places, "features": edited})  # type: ignore[arg-type]
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


def moved() -> Settings:
    """Return what the sidebar says with the arrows where the reader left them, for the page of the arrows.

    The unit circle is only a way to look at them: whoever leaves it finds them as long as before.
    """
    settings = _dragged()
    return on_unit_circle(settings) if st.session_state.get("arrows_mode") == "unit circle" else settings


def sheet() -> tuple[Settings, int]:
    """Draw which words are on the sheet, which of them asks, and the decimals; return settings and decimals."""
    settings = current()
    left, middle, right = st.columns(3)
    with left:
        source = st.segmented_control(
            "Words on the sheet",
            ("cat-sat", "sidebar"),
            default="cat-sat",
            required=True,
            key="sheet",
            bind="query-params",
            help="The worksheet's own sentence, or the one that the sidebar has.",
        )
    settings = settings.but(d_k=2, heads=1, head=0, features=settings.features)
    if source == "cat-sat":
        settings = settings.but(sentence="cat-sat")
    names = labels(settings.tokens)
    with middle:
        word = st.selectbox(
            "The word that asks",
            range(len(names)),
            index=settings.focus,
            format_func=lambda i: names[i],
            key=f"sheet_word_{'_'.join(names)}",
            persist_state="session",
        )
    with right:
        places = st.slider("Decimals", 2, 6, 2, key="places", bind="query-params")
    moves = st.session_state.get("sheet_moves", {}).get((settings.sentence, settings.words), ())
    return settings.but(focus=word, moved=moves), places


def vector_grids(settings: Settings) -> None:
    """Draw Q, K and V as fields; what is edited stays on the sheet."""
    names = labels(settings.tokens, 12)
    planes = zip("QKV", ROLES, qkv(settings), strict=True)
    grids = [Grid(role, name, role, names, ("x", "y"), _rows(x)) for name, role, x in planes]
    own = settings.but(moved=())

    def keep(values: dict[str, Rows]) -> None:
        changed = [
            Move(role, position, *row)
            for role, x in zip(ROLES, qkv(own), strict=True)
            for position, row in enumerate(values[role])
            if row != tuple(x[position].tolist())
        ]
        _keep_sheet(own.but(moved=tuple(changed)))

    _grids(grids, "sheet_grids", keep)
    st.button(
        "Changed by you. Put the numbers back" if settings.moved else "The sentence's own numbers",
        key="sheet_reset",
        disabled=not settings.moved,
        on_click=_keep_sheet,
        args=(own,),
    )


def blank(lines: Mapping[str, str], names: Sequence[str]) -> tuple[str, int, float | None]:
    """Draw a choice of one blank of the sheet and a field for it; return line, place and what was typed."""
    left, middle, right = st.columns(3)
    with left:
        line: str = st.selectbox("Line", list(lines), format_func=lambda x: lines[x], key="blank_line")
    places = {"total": ["the total"], "output": ["x", "y"]}.get(line, list(names))
    with middle:
        place = st.selectbox("Place", range(len(places)), format_func=lambda i: places[i], key=f"blank_place_{line}")
    with right:
        typed = st.number_input("Your number", value=None, step=0.01, format="%g", key=f"blank_typed_{line}_{place}")
    return line, place, typed


def several(label: str, options: Mapping[str, str], key: str) -> list[str]:
    """Draw a choice of any number of options, all of them at first."""
    return st.multiselect(
        label, list(options), list(options), format_func=lambda x: options[x], key=key, persist_state="session"
    )


def slider(label: str, low: float, high: float, default: float, key: str, step: float = 1.0) -> float:
    """Draw a slider that belongs to one page and return its value."""
    return st.slider(label, low, high, default, step, key=key, persist_state="session")


def address() -> str:
    """Return the address of the present page with its settings."""
    return f"{st.context.url}?{urlencode(dict(st.query_params))}".removesuffix("?")


def arrow_modes() -> str:
    """Draw what a drag may change, and whether keys serve as values; return the mode."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        mode: str = st.segmented_control(
            "A drag may change",
            MODES,
            default=MODES[0],
            required=True,
            key="arrows_mode",
            persist_state="session",
        )
        st.toggle("Use the keys as values", key="arrows_keys_as_values", persist_state="session")
    return mode


def arrow_reset() -> None:
    """Draw the badge that says whether arrows were moved, which is also the way back."""
    settings = _dragged()
    st.button(
        "Changed by you. Put all arrows back" if settings.moved else "No arrow moved yet",
        key="arrows_reset",
        disabled=not settings.moved,
        on_click=_keep_moves,
        args=(settings.but(moved=()),),
    )


def canvas(plane: Plane, key: str) -> None:
    """Draw a plane whose arrows can be dragged; a move changes what `moved` returns.

    Parameters
    ----------
    plane : Plane
        Its arrows' ids are ``role-position``.
    key : str
        The canvas's name.
    """
    arrow_canvas(plane, seq=_seq(key, "move"), key=key, on_move=lambda: _follow_move(key))


def feature_grid(words: Sequence[str], key: str) -> None:
    """Draw the features of some words as fields; what is edited holds on every page."""
    unique = list(dict.fromkeys(word.casefold() for word in words))
    names = [f"{word} (unknown)" if not is_known(word) else word for word in unique]
    rows = _rows(embed(unique, _edited_features()))
    grid = Grid("features", "features, x", "", names, list(FEATURES), rows)
    _grids([grid], key, lambda values: _keep_features(unique, values["features"]))
    st.button(
        "Back to the lexicon's features" if _edited_features() else "Features as in the lexicon",
        key=f"{key}_reset",
        disabled=not _edited_features(),
        on_click=_forget_features,
    )


def matrix_grids(settings: Settings, key: str) -> Settings:
    """Draw W_Q, W_K and W_V as fields and return the settings with what they say, for this page alone."""
    edited: tuple[Rows, ...] = st.session_state.get(f"{key}_matrices", ())
    settings = settings.but(matrices=edited)
    planes = zip(("W_Q", "W_K", "W_V"), ROLES, matrices(settings), strict=True)
    grids = [Grid(name, name, role, list(FEATURES), ("x", "y"), _rows(W)) for name, role, W in planes]
    _grids(grids, key, lambda values: _keep_matrices(key, tuple(values[grid.id] for grid in grids)))
    with st.container(horizontal=True):
        same = same_question(settings).matrices
        st.button("Set W_K := W_Q", key=f"{key}_same", on_click=_keep_matrices, args=(key, same))
        st.button(
            "Changed by you. Put the matrices back" if edited else "The model's own matrices",
            key=f"{key}_reset",
            disabled=not edited,
            on_click=_keep_matrices,
            args=(key, ()),
        )
    return settings


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
        "Your sentence", key="own_words", on_change=_follow_own_words, placeholder=f"for example: {EXAMPLE_WORDS}"
    )


@dataclass(frozen=True)
class Training:
    """How far a page's run was taken: its seed, its variant, the steps asked for and the rates used on the way."""

    seed: int
    variant: str
    steps: int
    schedule: tuple[tuple[int, float], ...]


def training(key: str, variants: Sequence[str], burst: int, rate: float) -> Training:
    """Draw a seed and a choice of variants, and return how far that run was taken.

    Parameters
    ----------
    key : str
        The page.
    variants : sequence of str
        What is trained; the first is the default.
    burst : int
        Steps computed at first, and again each time the player reaches the end.
    rate : float
        The learning rate of a fresh run.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        seed = st.number_input(
            "Seed", 0, 9999, 0, key=f"{key}_seed", persist_state="session", width=140, help="Another start."
        )
        variant: str = st.segmented_control(
            "What is trained",
            variants,
            default=variants[0],
            required=True,
            key=f"{key}_variant",
            persist_state="session",
        )
    runs: dict[tuple[int, str], Training] = st.session_state.get(f"{key}_runs", {})
    return runs.get((seed, variant), Training(seed, variant, burst, ((0, rate),)))


def player(run: Training, rates: Sequence[float], limit: int, diverged: bool) -> dict[str, Any]:
    """Return what a run's player offers: whether there is more to come, whether rates changed, and the rate."""
    value = run.schedule[-1][1]
    return {
        "more": not diverged and run.steps < limit,
        "changed": len(run.schedule) > 1,
        "rate": {"label": "learning rate", "values": sorted({*rates, value}), "value": value},
    }


def follow_player(key: str, picture: str, run: Training, burst: int, limit: int) -> Callable[[], None]:
    """Return what to do when a player asks for more steps, another rate from its step on, or a fresh start."""

    def follow() -> None:
        wish = _last(picture, "play")
        steps, schedule = run.steps, run.schedule
        if "more" in wish:
            steps = min(limit, int(wish["more"]) + burst)
        elif "rate" in wish:
            step, rate = int(wish["step"]), float(wish["rate"])
            schedule = (*((at, r) for at, r in schedule if at < step), (step, rate))
        elif wish.get("reset"):
            schedule = schedule[:1]
        runs = {
            **st.session_state.get(f"{key}_runs", {}),
            (run.seed, run.variant): replace(run, steps=steps, schedule=schedule),
        }
        st.session_state[f"{key}_runs"] = runs

    return follow


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
    shown["focus"] = _one_of(f"Word that asks: {line}", range(1, len(tokens) + 1), own, "focus")


def _d_k(shown: dict[str, object]) -> None:
    """The width of queries and keys."""
    shown["d_k"] = _one_of("d_k, width of queries and keys", D_K_CHOICES, _DEFAULT.d_k, "d_k")


def _scale(shown: dict[str, object]) -> None:
    """Whether scores are scaled."""
    shown["scale"] = st.toggle("÷ √d_k", _DEFAULT.scale, key="scale", bind="query-params")


def _mask(shown: dict[str, object]) -> None:
    """Which words may be seen."""
    shown["mask"] = _one_of("Mask", MASKS, _DEFAULT.mask, "mask")
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
    shown["heads"] = _one_of("Heads", HEAD_CHOICES, _DEFAULT.heads, "heads")
    count = int(str(shown["heads"]))
    if count > 1:
        shown["head"] = _one_of("Head shown", range(1, count + 1), 1, "head")


def _one_of(label: str, options: Sequence[object], default: object, key: str) -> object:
    """Draw a row of choices that the URL keeps and return the chosen one."""
    picked = st.segmented_control(label, list(options), default=default, required=True, key=key, bind="query-params")
    return default if picked is None else picked  # a link such as ?focus= chooses none in spite of `required`


def _dragged() -> Settings:
    """What the sidebar says with the arrows where they were dragged."""
    settings = current()
    moves: tuple[Move, ...] = st.session_state.get("moved", {}).get((settings.sentence, settings.words), ())
    return settings.but(moved=moves, keys_as_values=bool(st.session_state.get("arrows_keys_as_values", False)))


def _keep_moves(settings: Settings) -> None:
    """Remember where the arrows of this sentence are."""
    moves = {**st.session_state.get("moved", {}), (settings.sentence, settings.words): settings.moved}
    st.session_state["moved"] = moves


def _last(key: str, name: str) -> Mapping[str, Any]:
    """What a component reported last; what a browser sends is checked like any input."""
    state = st.session_state.get(key)
    said = state.get(name) if isinstance(state, Mapping) else None
    return said if isinstance(said, Mapping) else {}


def _seq(key: str, name: str) -> int:
    """The sequence number of what a component reported last."""
    seq = _last(key, name).get("seq")
    return seq if isinstance(seq, int) and 0 <= seq < 2**53 else 0


def _numbers(sent: object) -> np.ndarray:
    """What a browser sent as an array, or one of no shape that any caller waits for."""
    try:
        return np.array(sent, float)
    except (TypeError, ValueError, OverflowError):
        return np.array(np.nan)


def _follow_move(key: str) -> None:
    """Arrows were dragged: put their vectors there."""
    settings = _dragged()
    spots = {f"{role}-{place}": (role, place) for role in ROLES for place in range(settings.n_tokens)}
    moves = _last(key, "move").get("moves")
    for move in moves[: len(spots)] if isinstance(moves, list) else ():
        tip = _numbers([move.get("x"), move.get("y")] if isinstance(move, Mapping) else None)
        if tip.shape == (2,) and str(move.get("id")) in spots:
            role, place = spots[str(move.get("id"))]
            mode = MODES[0] if role == "value" else st.session_state.get("arrows_mode", MODES[0])
            settings = put(settings, role, place, float(tip[0]), float(tip[1]), mode)
    _keep_moves(settings)


def _grids(grids: Sequence[Grid], key: str, keep: Callable[[dict[str, Rows]], None]) -> None:
    """Draw grids of fields; keep what is edited, held to the limit and checked like any input."""

    def follow() -> None:
        sent = _last(key, "edit").get("values")
        values = {grid.id: _numbers(sent.get(grid.id) if isinstance(sent, Mapping) else None) for grid in grids}
        if all(
            np.isfinite(x).all() and x.shape == np.shape(grid.values)
            for grid, x in zip(grids, values.values(), strict=True)
        ):
            keep({name: _rows(np.clip(x, -LIMIT, LIMIT) + 0.0) for name, x in values.items()})

    number_grids(grids, limit=LIMIT, seq=_seq(key, "edit"), key=key, on_edit=follow)


def _rows(values: np.ndarray) -> Rows:
    """A matrix as tuples."""
    return tuple(tuple(row) for row in values.tolist())


def _edited_features() -> dict[str, tuple[float, ...]]:
    """The words whose features were edited."""
    edited: dict[str, tuple[float, ...]] = st.session_state.get("features", {})
    return edited


def _keep_features(words: Sequence[str], rows: Rows) -> None:
    """Remember the words whose features differ from the lexicon's."""
    own = _rows(embed(words))
    changed = {word: row for word, row, old in zip(words, rows, own, strict=True) if row != old}
    others = {word: row for word, row in _edited_features().items() if word not in words}
    st.session_state["features"] = {**others, **changed}


def _forget_features() -> None:
    """All words as in the lexicon."""
    st.session_state["features"] = {}


def _keep_sheet(settings: Settings) -> None:
    """Remember the numbers of this sentence's sheet."""
    moves = {**st.session_state.get("sheet_moves", {}), (settings.sentence, settings.words): settings.moved}
    st.session_state["sheet_moves"] = moves


def _keep_matrices(key: str, edited: tuple[Rows, ...]) -> None:
    """Remember a page's matrices; none for the model's own."""
    own = tuple(_rows(W) for W in (W_Q, W_K, W_V))
    st.session_state[f"{key}_matrices"] = () if edited == own else edited


def _follow_row_of(key: str, sentences: Sequence[str]) -> None:
    """A row of the table of sentences was chosen."""
    state = st.session_state.get(key)
    row = state.get("row") if isinstance(state, Mapping) else None
    if isinstance(row, int) and 0 <= row < len(sentences):
        st.session_state["sentence"] = sentences[row]
        _forget_focus()


def _follow_own_words() -> None:
    """The page's own sentence is the sidebar's."""
    st.session_state["sentence"] = OWN
    st.session_state["words"] = st.session_state["own_words"]
    _forget_focus()


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
    """A new sentence moves the focus to its own focus word; a key that is merely gone would take the URL's again."""
    words = str(st.session_state.get("words", st.query_params.get("words", EXAMPLE_WORDS)))
    st.session_state["focus"] = own_focus(str(st.session_state["sentence"]), words) + 1


def _follow_row() -> None:
    """The page's row moves the sidebar's focus."""
    st.session_state["focus"] = st.session_state["row"] + 1


def _follow_pick() -> None:
    """The page's sentence moves the sidebar's."""
    st.session_state["sentence"] = st.session_state["pick"]
    _forget_focus()
