"""Puts a picture on the page: figures, alt text, table, CSV and the numpy program, made once for each setting."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from attention_ui.captions import number
from attention_ui.component import as_text
from attention_ui.plot import Recording, plot, wire

MASKED = "masked"


@dataclass(frozen=True, eq=False)
class Picture:
    """All that a picture says, in every form that it says it.

    Parameters
    ----------
    name : str
        What it is, for its table, its file names and screen readers.
    figures : sequence of plotly.graph_objects.Figure
        Drawn side by side.
    alts : sequence of str
        One sentence a figure, made from its numbers.
    table : pandas.DataFrame
        The numbers, names in the first column; -inf stands for a masked cell.
    program : str
        A stand-alone numpy program that prints the table to two decimals.
    caption : str
        The sentence under it; the first alt text if empty.
    joints : sequence of str
        What stands between one figure and the next.
    recording : Recording, optional
        What moves the figures.
    """

    name: str
    figures: Sequence[go.Figure]
    alts: Sequence[str]
    table: pd.DataFrame
    program: str
    caption: str = ""
    joints: Sequence[str] = ()
    recording: Recording | None = None


def show(
    make: Callable[..., Picture],
    *args: Hashable,
    player: dict[str, Any] | None = None,
    on_play: Callable[[], None] | None = None,
) -> None:
    """Put the picture `make(*args, theme)` on the page; it is made again only for new arguments.

    Parameters
    ----------
    make : callable
        A function of a module, pure in its arguments, that returns a `Picture`. Its name is the picture's key.
    *args : hashable
        All that the picture depends on, but for the theme, which is the viewer's.
    player : dict, optional
        For a recorded run: whether there is ``more`` to come, whether it was ``changed``, and its ``rate``.
    on_play : callable, optional
        Called when the player asks for something.
    """
    theme = "dark" if st.context.theme.type == "dark" else "light"
    plot(as_sent(make, args, theme), make.__name__, on_play, player)


def table_text(table: pd.DataFrame) -> dict[str, Any]:
    """Return a table as text, numbers to two decimals.

    Examples
    --------
    >>> table_text(pd.DataFrame({"word": ["a"], "weight": [0.5]}))
    {'columns': ['word', 'weight'], 'rows': [['a', '0.50']]}
    """
    rows = [[_cell(value) for value in row] for row in table.itertuples(index=False, name=None)]
    return {"columns": [str(column) for column in table.columns], "rows": rows}


def payload(make: Callable[..., Picture], args: tuple[Hashable, ...], theme: str) -> dict[str, Any]:
    """Return what the plot component draws: `make(*args, theme)` as JSON-ready data.

    Parameters
    ----------
    make : callable
        A function that returns a `Picture`.
    args : tuple of hashable
        Its arguments, but for the theme.
    theme : str
        ``"light"`` or ``"dark"``.

    Returns
    -------
    dict
        Figures, sentences, table, CSV and program by name.

    Examples
    --------
    >>> picture = Picture("Sum", [], ["Two"], pd.DataFrame({"x": [2.0]}), "print(2)")
    >>> payload(lambda theme: picture, (), "light")["csv"]
    'x\\n2.0\\n'
    """
    picture = make(*args, theme)
    return {
        "name": picture.name,
        "file": "attention-lab-" + make.__name__.replace("_", "-"),
        "figures": [json.loads(str(figure.to_json())) for figure in picture.figures],
        "alt": list(picture.alts),
        "caption": picture.caption or picture.alts[0],
        "joints": list(picture.joints),
        "table": table_text(picture.table),
        "csv": picture.table.replace(-np.inf, MASKED).to_csv(index=False),
        "program": picture.program,
        **({"play": wire(picture.recording)} if picture.recording else {}),
    }


@lru_cache(maxsize=1024)
def as_sent(make: Callable[..., Picture], args: tuple[Hashable, ...], theme: str) -> str:
    """Return a picture's data as the text that travels, kept for equal arguments."""
    return as_text(payload(make, args, theme))


def _cell(value: object) -> str:
    """A cell of a table as text."""
    if not isinstance(value, float):
        return str(value)
    return number(value) if np.isfinite(value) else MASKED
