"""Runs that are trained on the page: their seed, their rates, and what the player asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from attention_ui.controls.state import as_numbers, last_state

MAX_RATE = 10.0  # far beyond what any page offers, where every run diverges at once


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
        start = seed(key)
        variant: str = st.segmented_control(
            "What is trained",
            variants,
            default=variants[0],
            required=True,
            key=f"{key}_variant",
            persist_state="session",
        )
    runs: dict[tuple[int, str], Training] = st.session_state.get(f"{key}_runs", {})
    return runs.get((start, variant), Training(start, variant, burst, ((0, rate),)))


def seed(key: str) -> int:
    """Draw a page's seed and return it."""
    return st.number_input(
        "Seed", 0, 9999, 0, key=f"{key}_seed", persist_state="session", width=140, help="Another start."
    )


def player(run: Training, rates: Sequence[float], limit: int, diverged: bool) -> dict[str, Any]:
    """Return what a run's player offers: whether there is more to come, whether rates changed, and the rate."""
    value = run.schedule[-1][1]
    return {
        "more": not diverged and run.steps < limit,
        "changed": len(run.schedule) > 1,
        "rate": {"label": "learning rate", "values": sorted({*rates, value}), "value": value},
    }


def replay() -> dict[str, Any]:
    """Return what the player of a run of fixed length and rate offers: to play it, no more."""
    return {"more": False, "changed": False}


def follow_player(key: str, picture: str, run: Training, burst: int, limit: int) -> Callable[[], None]:
    """Return what to do when a player asks for more steps, another rate from its step on, or a fresh start."""

    def follow() -> None:
        wish = last_state(picture, "play")
        steps, schedule = run.steps, run.schedule
        step, rate = as_numbers([wish.get("step"), wish.get("rate")]).tolist() if "rate" in wish else (-1, -1)
        if "more" in wish:
            steps = min(limit, steps + burst)
        elif 0 <= step <= steps and 0 < rate <= MAX_RATE:
            schedule = (*((at, r) for at, r in schedule if at < step), (int(step), rate))
        elif wish.get("reset"):
            schedule = schedule[:1]
        runs = {
            **st.session_state.get(f"{key}_runs", {}),
            (run.seed, run.variant): replace(run, steps=steps, schedule=schedule),
        }
        st.session_state[f"{key}_runs"] = runs

    return follow
