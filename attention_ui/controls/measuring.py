"""A measurement that a visitor starts, watches and can stop: one size at a time, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from attention_core import Measurement, measure_attention
from attention_ui.show import Picture, show

_KEY = "cost_measuring"


@dataclass(frozen=True)
class _Measuring:
    """How far it is: what is left to do, what was found, and why it ended early."""

    left: tuple[int, ...] = ()
    found: tuple[Measurement, ...] = ()
    failed: str = ""


def measuring_buttons(sizes: Sequence[int]) -> None:
    """Draw the buttons that start and stop; pressed twice, each does what it does once."""
    busy = is_measuring()
    with st.container(horizontal=True):
        st.button("Measure it here", key="cost_start", on_click=_start, args=(tuple(sizes),), disabled=busy)
        st.button("Stop", key="cost_stop", on_click=_stop, disabled=not busy)


def is_measuring() -> bool:
    """Whether something is left to be measured."""
    return bool(_state().left)


def measurement(picture: Callable[..., Picture], n_heads: int) -> None:
    """Show what was found so far, and measure one more size each second until none is left.

    Whoever leaves the page half-way stops it after the present size; it goes on when they come back.

    Parameters
    ----------
    picture : callable
        Makes the picture of a tuple of measurements.
    n_heads : int
        Of the attention that is measured.
    """

    def part() -> None:
        if _state().found:
            show(picture, _state().found)
        _measure_next(n_heads)

    st.fragment(part, run_every=1 if is_measuring() else None)()


def _measure_next(n_heads: int) -> None:
    """Measure the next size, if one is left, with a bar that says how far it is."""
    state = _state()
    if state.failed:
        st.warning(state.failed)
    if not state.left:
        return
    done, n = len(state.found), state.left[0]
    st.progress(done / (done + len(state.left)), text=f"Measuring {n:,} tokens …")
    try:
        (result,) = measure_attention([n], n_heads)
    except RuntimeError as error:
        _keep(_Measuring(found=state.found, failed=f"This machine could not: {error}"))
    else:
        if _state() == state:  # it was neither stopped nor started anew meanwhile
            _keep(replace(state, left=state.left[1:], found=(*state.found, result)))
    if not is_measuring():
        st.rerun()


def _state() -> _Measuring:
    """How far this visitor's measurement is."""
    state = st.session_state.get(_KEY)
    return state if isinstance(state, _Measuring) else _Measuring()


def _keep(state: _Measuring) -> None:
    """Remember it."""
    st.session_state[_KEY] = state


def _start(sizes: tuple[int, ...]) -> None:
    """Start from the first size, unless it runs already."""
    if not is_measuring():
        _keep(_Measuring(left=sizes))


def _stop() -> None:
    """Leave the rest undone and keep what was found."""
    _keep(replace(_state(), left=()))
