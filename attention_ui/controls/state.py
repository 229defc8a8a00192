"""What components reported, and what was edited: read here, by all who draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from attention_ui.settings import (
    Rows,
)


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
    edited: dict[str, tuple[float, ...]] = st.session_state.get("features", {})
    return edited


def as_rows(values: np.ndarray) -> Rows:
    """A matrix as tuples."""
    return tuple(tuple(row) for row in values.tolist())
