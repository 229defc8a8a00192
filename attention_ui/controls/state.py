"""What components reported, and what was edited: read here, by all who draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from attention_core import FEATURES
from attention_ui.controls.links import start
from attention_ui.settings import LIMIT, Rows


def last_state(key: str, name: str) -> Mapping[str, Any]:
    """What a component reported last; what a browser sends is checked like any input."""
    state = st.session_state.get(key)
    said = state.get(name) if isinstance(state, Mapping) else None
    return said if isinstance(said, Mapping) else {}


def seq_of(key: str, name: str) -> int:
    """The sequence number of what a component reported last."""
    seq = last_state(key, name).get("seq")
    return seq if isinstance(seq, int) and 0 <= seq < 2**53 else 0


def as_numbers(sent: object) -> np.ndarray:
    """What a browser sent as an array, or one of no shape that any caller waits for."""
    try:
        return np.array(sent, float)
    except (TypeError, ValueError, OverflowError):
        return np.array(np.nan)


def edited_features() -> dict[str, tuple[float, ...]]:
    """The words whose features were edited."""
    if "features" not in st.session_state:
        st.session_state["features"] = start("features", {}, _as_features)
    edited: dict[str, tuple[float, ...]] = st.session_state["features"]
    return edited


def held_rows(said: Any, shape: tuple[int, int]) -> Rows:
    """A matrix of a link as tuples, or a ValueError if it is none of this shape within the limit."""
    values = as_numbers(said)
    if values.shape != shape or not (np.abs(values) <= LIMIT).all():
        raise ValueError(f"no {shape[0]} x {shape[1]} numbers")
    return as_rows(values)


def as_rows(values: np.ndarray) -> Rows:
    """A matrix as tuples."""
    return tuple(tuple(row) for row in values.tolist())


def _as_features(said: Any) -> dict[str, tuple[float, ...]]:
    """The features of a link: words, each with its row."""
    words = [word.casefold() for word in said]
    return dict(zip(words, held_rows(list(said.values()), (len(words), len(FEATURES))), strict=True))
