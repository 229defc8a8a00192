"""Runs that are trained on the page: their seed, their rates, and what the player asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from attention_ui.controls.choices import choice
from attention_ui.controls.links import keep, start, start_number, start_option
from attention_ui.controls.state import as_numbers, last_state

MAX_RATE = 10.0  # far beyond what any page offers, where every run diverges at once


@dataclass(frozen=True)
class Training:
    """How far a page's run was taken: its seed, its variant, the steps asked for and the rates used on the way.

    `rate` is the one that it starts with when nothing was changed, `shown` the step at which the player stands.
    """

    seed: int
    variant: str
    steps: int
    schedule: tuple[tuple[int, float], ...]
    rate: float
    shown: int = 0


def training(key: str, variants: Sequence[str], burst: int, rate: float, limit: int) -> Training:
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
    limit : int
        The most steps.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        start_seed = seed(key)
        variant = choice("What is trained", variants, f"{key}_variant")
    name, fresh = f"{key}_run", Training(start_seed, variant, burst, ((0, rate),), rate)
    runs: dict[tuple[int, str], Training] = st.session_state.setdefault(f"{key}_runs", {})
    if (start_seed, variant) not in runs:
        widget = f"{start_seed} {variant}"
        runs[start_seed, variant] = start(name, fresh, lambda said: _as_run(said, fresh, limit), widget)
    run = runs[start_seed, variant]
    keep(name, [run.steps, run.shown, run.schedule], [burst, 0, fresh.schedule])
    return run


def seed(key: str) -> int:
    """Draw a page's seed and return it."""
    key, last = f"{key}_seed", 9999
    first = int(start_number(key, 0, last, 0))
    value = st.number_input("Seed", 0, last, first, key=key, persist_state="session", width=140, help="Another start.")
    return keep(key, value, 0)


def player(run: Training, rates: Sequence[float], limit: int, diverged: bool) -> dict[str, Any]:
    """Return what a run's player offers: whether there is more to come, whether rates changed, and the rate."""
    value = run.schedule[-1][1]
    return {
        "at": run.shown,
        "more": not diverged and run.steps < limit,
        "changed": run.schedule != ((0, run.rate),),
        "rate": {"label": "learning rate", "values": sorted({*rates, value}), "value": value},
    }


def replay(key: str, last: int) -> dict[str, Any]:
    """Return what the player of a run of fixed length and rate offers: to play it, no more."""
    name = f"{key}_step"
    if name not in st.session_state:
        st.session_state[name] = start_option(name, range(last + 1), 0)
    return {"at": keep(name, st.session_state[name], 0), "more": False, "changed": False}


def follow_replay(key: str, picture: str, last: int) -> Callable[[], None]:
    """Return what to do when such a player comes to rest at a step."""

    def follow() -> None:
        at = last_state(picture, "play").get("at")
        if isinstance(at, int) and 0 <= at <= last:
            st.session_state[f"{key}_step"] = at

    return follow


def follow_player(key: str, picture: str, run: Training, burst: int, limit: int) -> Callable[[], None]:
    """Return what to do when a player asks for more steps, another rate from its step on, or a fresh start."""

    def follow() -> None:
        wish = last_state(picture, "play")
        steps, schedule, at = run.steps, run.schedule, wish.get("at")
        step, rate = as_numbers([wish.get("step"), wish.get("rate")]).tolist() if "rate" in wish else (-1, -1)
        if wish.get("more") == steps:  # asked again because an answer was late, it is granted once
            steps = min(limit, steps + burst)
        elif 0 <= step <= steps and 0 < rate <= MAX_RATE:
            schedule = (*((at, r) for at, r in schedule if at < step), (int(step), rate))
        elif wish.get("reset"):
            schedule = ((0, run.rate),)
        shown = at if isinstance(at, int) and 0 <= at <= steps else run.shown
        runs = {
            **st.session_state.get(f"{key}_runs", {}),
            (run.seed, run.variant): replace(run, steps=steps, schedule=schedule, shown=shown),
        }
        st.session_state[f"{key}_runs"] = runs

    return follow


def _as_run(said: Any, fresh: Training, limit: int) -> Training:
    """The run of a link: steps, the step shown, and its rates, each from a step on."""
    steps, shown, schedule = said
    rates = tuple((range(steps + 1)[at], float(rate)) for at, rate in schedule)
    ordered = [at for at, _ in rates] == sorted({at for at, _ in rates})
    if steps not in range(fresh.steps, limit + 1) or shown not in range(steps + 1) or not rates or rates[0][0] != 0:
        raise ValueError("no run of this page")
    if not ordered or not all(0 < rate <= MAX_RATE for _, rate in rates):
        raise ValueError("no rates of a run")
    return replace(fresh, steps=steps, shown=shown, schedule=rates)
