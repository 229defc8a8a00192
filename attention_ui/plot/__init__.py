"""The component that draws: Plotly figures kept on the page and updated in place.

`st.plotly_chart` mounts a new chart for every changed figure; this one calls `Plotly.react` on the
chart that is there. The figures' table, CSV and program travel in the same message, so a picture, or
several that stand together, is one element of the page.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from attention_ui.component import component

_mount = component("plot")

Layout = Literal["column", "two", "three"]


@dataclass(frozen=True, eq=False)
class Track:
    """Numbers that move one attribute of one trace.

    Parameters
    ----------
    figure, trace : int
        Which trace of which figure, from 0.
    attribute : str
        What is replaced: ``"x"``, ``"y"`` or ``"z"``.
    values : numpy.ndarray
        One record along the first axis: (records, ...).
    every : int
        Steps from one record to the next.
    prefix : bool
        Whether all records up to the playhead are shown, as of a curve, instead of one.
    """

    figure: int
    trace: int
    attribute: str
    values: np.ndarray
    every: int = 1
    prefix: bool = False


@dataclass(frozen=True, eq=False)
class Recording:
    """A run that the player plays.

    Parameters
    ----------
    id : str
        Runs with the same id are one run, perhaps longer: the playhead stays.
    last : int
        The last step.
    tracks : sequence of Track
        What moves.
    captions : sequence of str
        A sentence for every record.
    every : int
        Steps from one caption to the next.
    """

    id: str
    last: int
    tracks: Sequence[Track]
    captions: Sequence[str]
    every: int


def wire(recording: Recording) -> dict[str, Any]:
    """Return a recording as JSON-ready data, its numbers as base64 of float32.

    Examples
    --------
    >>> wire(Recording("a", 1, [Track(0, 0, "y", np.zeros((2, 1)))], ["", ""], 1))["tracks"][0]["shape"]
    [2, 1]
    """
    tracks = [
        {
            "figure": track.figure,
            "trace": track.trace,
            "attribute": track.attribute,
            "every": track.every,
            "prefix": track.prefix,
            "shape": list(track.values.shape),
            "numbers": base64.b64encode(np.ascontiguousarray(track.values, "<f4").tobytes()).decode("ascii"),
        }
        for track in recording.tracks
    ]
    return {
        "id": recording.id,
        "last": recording.last,
        "every": recording.every,
        "captions": list(recording.captions),
        "tracks": tracks,
    }


def plot(
    pictures: Sequence[bytes],
    key: str,
    layout: Layout = "column",
    *,
    on_play: Callable[[], None] | None = None,
    player: dict[str, Any] | None = None,
) -> None:
    """Put pictures on the page, or update those with this key in place.

    Parameters
    ----------
    pictures : sequence of bytes
        Each as JSON: ``key``, ``figures`` (Plotly figures as JSON-ready dicts), ``joints`` (what stands between
        them), ``name``, ``caption``, ``alt``, ``table`` (``columns`` and ``rows`` of text), ``csv`` and ``program``;
        for a run also ``play``, as `wire` makes it.
    key : str
        Their name on the page; the charts stay the same as long as the key does.
    layout : str
        How they stand, as plot.css says.
    on_play : callable, optional
        Called before the page runs when the player asks for something: the state ``play``.
    player : dict, optional
        For a run, what its player offers, as `attention_ui.show.show` says.
    """
    wishes = {"on_play_change": on_play} if on_play else {}  # Streamlit takes its time for each, used or not
    line = b'{"pictures":[' + b",".join(pictures) + b"]}"
    _mount(data=line, key=key, more={"layout": layout, "player": player or {}}, **wishes)
