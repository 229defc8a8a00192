"""The challenge that a link sets, judged on what its page shows, and those that were solved, kept in the link."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_ui import challenges
from attention_ui.controls.links import lasting, let_last, noted
from attention_ui.controls.sidebar import current


def challenge_place(slug: str) -> DeltaGenerator | None:
    """Make room above a page for the challenge that is on; none if there is none, or the page lists them all."""
    return st.container(key="challenge") if lasting("challenge") and slug != challenges.LIST else None


def judge(place: DeltaGenerator | None, slug: str) -> None:
    """Say in its place how the challenge stands, once the page has drawn all that it shows.

    Parameters
    ----------
    place : DeltaGenerator or None
        As `challenge_place` made it.
    slug : str
        The present page.
    """
    if place is None:
        return
    challenge = challenges.named(lasting("challenge"))
    if challenge is None:
        place.warning("This link asks for a challenge that is not on offer.")
        return
    verdict = challenge.judge(current(), noted()) if slug == challenge.slug else None
    if verdict is not None and verdict.solved:
        let_last("solved", challenges.solved_text(challenges.solved_ids(f"{lasting('solved')}-{challenge.id}")))
    place.html(challenges.banner(challenge, verdict, solved()))


def solved() -> tuple[str, ...]:
    """Return the challenges that the link says are solved."""
    return challenges.solved_ids(lasting("solved"))
