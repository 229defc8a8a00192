"""Arrows, features, matrices and vectors that a reader changes, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from attention_core import FEATURES, W_K, W_Q, W_V, embed, is_known
from attention_ui.arrow_canvas import Plane, arrow_canvas
from attention_ui.controls.choices import choice, row_choice, switch
from attention_ui.controls.links import keep, note, start, wait
from attention_ui.controls.sidebar import current
from attention_ui.controls.state import as_numbers, as_rows, edited_features, held_rows, last_state, seq_of
from attention_ui.escape import labels
from attention_ui.moves import MODES, moves_of, on_unit_circle, put, snapped
from attention_ui.number_grid import Grid, number_grids
from attention_ui.settings import LIMIT, ROLES, Move, Rows, Settings, matrices, qkv, same_question


def moved() -> Settings:
    """Return what the sidebar says with the arrows where the reader left them, for the page of the arrows.

    The unit circle is only a way to look at them: whoever leaves it finds them as long as before.
    """
    settings = _dragged()
    return on_unit_circle(settings) if st.session_state.get("arrows_mode") == "unit circle" else settings


def arrow_modes() -> str:
    """Draw what a drag may change, and whether keys serve as values; return the mode."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        mode = choice("A drag may change", MODES, "arrows_mode")
        switch("Use the keys as values", False, "arrows_keys_as_values")
    return mode


def arrow_reset() -> None:
    """Draw the badge that says whether arrows were moved, which is also the way back."""
    settings = _dragged()
    st.button(
        "Changed by you. Put all arrows back" if settings.moved else "No arrow moved yet",
        key="arrows_reset",
        disabled=not settings.moved,
        on_click=_keep_moves,
        args=(settings.but(moved=()), "arrows_moves"),
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
    arrow_canvas(plane, seq=seq_of(key, "move"), key=key, on_move=lambda: _follow_move(key))


def feature_grid(words: Sequence[str], key: str) -> None:
    """Draw the features of some words as fields; what is edited holds on every page."""
    unique = list(dict.fromkeys(word.casefold() for word in words))
    names = [f"{word} (unknown)" if not is_known(word) else word for word in unique]
    rows = as_rows(embed(unique, edited_features()))
    grid = Grid("features", "features, x", "", names, list(FEATURES), rows)
    _grids([grid], key, lambda values: _keep_features(unique, values["features"]))
    st.button(
        "Back to the lexicon's features" if edited_features() else "Features as in the lexicon",
        key=f"{key}_reset",
        disabled=not edited_features(),
        on_click=_forget_features,
    )


def matrix_grids(settings: Settings, key: str) -> Settings:
    """Draw W_Q, W_K and W_V as fields and return the settings with what they say, for this page alone."""
    if f"{key}_matrices" not in st.session_state:
        st.session_state[f"{key}_matrices"] = start(f"{key}_matrices", (), _as_matrices)
    edited: tuple[Rows, ...] = st.session_state[f"{key}_matrices"]
    keep(f"{key}_matrices", edited, ())
    settings = settings.but(matrices=edited)
    planes = zip(("W_Q", "W_K", "W_V"), ROLES, matrices(settings), strict=True)
    grids = [Grid(name, name, role, list(FEATURES), ("x", "y"), as_rows(W)) for name, role, W in planes]
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


def sheet() -> tuple[Settings, int]:
    """Draw which words are on the sheet, which of them asks, and the decimals; return settings and decimals."""
    settings = current()
    row = st.container(horizontal=True, gap="medium")
    with row:
        source = st.segmented_control(
            "Words on the sheet",
            ("cat-sat", "sidebar"),
            default="cat-sat",
            required=True,
            key="sheet",
            bind="query-params",
            help="The worksheet's own sentence, or the one that the sidebar has.",
        )
    note("sheet", source)
    settings = settings.but(d_k=2, heads=1, head=0, features=settings.features)
    if source == "cat-sat":
        settings = settings.but(sentence="cat-sat")
    names = labels(settings.tokens)
    with row:
        if source == "cat-sat":  # its words differ, so they can stand in the URL themselves
            own = names[settings.focus]
            asks = st.segmented_control(
                "The word that asks", names, default=own, required=True, key="sheet_word", bind="query-params"
            )
            settings = settings.but(focus=names.index(asks or own))  # a link such as ?sheet_word= chooses none
        else:
            row_choice("The word that asks")
        places = st.slider("Decimals", 2, 6, 2, key="places", bind="query-params")
    return _moved(settings, "sheet_moves"), places


def vector_grids(settings: Settings) -> None:
    """Draw Q, K and V as fields; what is edited stays on the sheet."""
    names = labels(settings.tokens, 12)
    planes = zip("QKV", ROLES, qkv(settings), strict=True)
    grids = [Grid(role, name, role, names, ("x", "y"), as_rows(x)) for name, role, x in planes]
    own = settings.but(moved=())

    def keep(values: dict[str, Rows]) -> None:
        changed = [
            Move(role, position, *row)
            for role, x in zip(ROLES, qkv(own), strict=True)
            for position, row in enumerate(values[role])
            if row != tuple(x[position].tolist())
        ]
        _keep_moves(own.but(moved=tuple(changed)), "sheet_moves")

    _grids(grids, "sheet_grids", keep)
    st.button(
        "Changed by you. Put the numbers back" if settings.moved else "The sentence's own numbers",
        key="sheet_reset",
        disabled=not settings.moved,
        on_click=_keep_moves,
        args=(own, "sheet_moves"),
    )


def _dragged() -> Settings:
    """What the sidebar says with the arrows where they were dragged."""
    settings = _moved(current(), "arrows_moves")
    return settings.but(keys_as_values=bool(st.session_state.get("arrows_keys_as_values", False)))


def _moved(settings: Settings, key: str) -> Settings:
    """These settings with the vectors of their sentence where they were put on the page that keeps them under `key`."""
    sentence = (settings.sentence, settings.words)
    moves: dict[tuple[str, str], tuple[Move, ...]] = st.session_state.setdefault(key, {})
    if sentence not in moves:
        moves[sentence] = start(key, (), lambda said: moves_of(said, settings.n_tokens), "\n".join(sentence))
    keep(key, [[ROLES.index(move.role), move.position, move.x, move.y] for move in moves[sentence]], [])
    return settings.but(moved=moves[sentence])


def _keep_moves(settings: Settings, key: str) -> None:
    """Remember where the vectors of this sentence are."""
    sentence = (settings.sentence, settings.words)
    st.session_state[key] = {**st.session_state.get(key, {}), sentence: settings.moved}
    wait(False)


def _follow_move(key: str) -> None:
    """Arrows were dragged: put their vectors there."""
    settings = _dragged()
    spots = {f"{role}-{place}": (role, place) for role in ROLES for place in range(settings.n_tokens)}
    state = last_state(key, "move")
    moves = state.get("moves")
    for move in moves[: len(spots)] if isinstance(moves, list) else ():
        tip = as_numbers([move.get("x"), move.get("y")] if isinstance(move, Mapping) else None)
        if tip.shape == (2,) and str(move.get("id")) in spots:
            role, place = spots[str(move.get("id"))]
            mode = MODES[0] if role == "value" else st.session_state.get("arrows_mode", MODES[0])
            settings = put(settings, role, place, float(tip[0]), float(tip[1]), mode)
    held = bool(state.get("held"))
    _keep_moves(settings if held else snapped(settings), "arrows_moves")
    wait(held)


def _grids(grids: Sequence[Grid], key: str, keep: Callable[[dict[str, Rows]], None]) -> None:
    """Draw grids of fields; keep what is edited, held to the limit and checked like any input."""

    def follow() -> None:
        sent = last_state(key, "edit").get("values")
        values = {grid.id: as_numbers(sent.get(grid.id) if isinstance(sent, Mapping) else None) for grid in grids}
        if all(
            np.isfinite(x).all() and x.shape == np.shape(grid.values)
            for grid, x in zip(grids, values.values(), strict=True)
        ):
            keep({name: as_rows(np.clip(x, -LIMIT, LIMIT) + 0.0) for name, x in values.items()})

    number_grids(grids, limit=LIMIT, seq=seq_of(key, "edit"), key=key, on_edit=follow)


def _keep_features(words: Sequence[str], rows: Rows) -> None:
    """Remember the words whose features differ from the lexicon's."""
    own = as_rows(embed(words))
    changed = {word: row for word, row, old in zip(words, rows, own, strict=True) if row != old}
    others = {word: row for word, row in edited_features().items() if word not in words}
    st.session_state["features"] = {**others, **changed}


def _forget_features() -> None:
    """All words as in the lexicon."""
    st.session_state["features"] = {}


def _keep_matrices(key: str, edited: tuple[Rows, ...]) -> None:
    """Remember a page's matrices; none for the model's own."""
    own = tuple(as_rows(W) for W in (W_Q, W_K, W_V))
    st.session_state[f"{key}_matrices"] = () if edited == own else edited


def _as_matrices(said: Any) -> tuple[Rows, ...]:
    """The three matrices of a link."""
    edited = [held_rows(rows, W.shape) for rows, W in zip(said, (W_Q, W_K, W_V), strict=True)]
    return tuple(edited)
