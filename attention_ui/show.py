"""Puts a picture on the page: figures, alt text, table, CSV and the numpy program, made once for each setting."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from attention_ui.captions import number
from attention_ui.component import as_line
from attention_ui.figures import Figure
from attention_ui.plot import Layout, Recording, plot, wire

MASKED = "masked"


@dataclass(frozen=True, eq=False)
class Picture:
    """All that a picture says, in every form that it says it.

    Parameters
    ----------
    name : str
        What it is, for its table, its file names and screen readers.
    figures : sequence of Figure
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
    figures: Sequence[Figure]
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
    plot([packed(make, args, _theme())], make.__name__, on_play=on_play, player=player)


def show_all(layout: Layout, *pictures: tuple[Callable[..., Picture], *tuple[Hashable, ...]]) -> None:
    """Put several pictures on the page as one element of it, since Streamlit takes its time for each element.

    Parameters
    ----------
    layout : str
        How they stand where there is room: in a ``"column"``, or ``"two"`` or ``"three"`` in a row.
    *pictures : tuple
        Of each the function and its arguments, as for `show`. The first one's name is the key; the last may come
        and go.
    """
    lines = [packed(make, tuple(args), _theme()) for make, *args in pictures]
    plot(lines, pictures[0][0].__name__, layout)


def table_of(columns: Iterable[tuple[str, Any]]) -> pd.DataFrame:
    """Return a table of named columns; they are told apart by place, so names may be equal.

    Its cells are Python's own values: the search for a type for each column takes pandas longer than all the rest.

    Examples
    --------
    >>> table_of([("word", ["the", "cat"]), ("weight", np.array([0.25, 0.75]))]).values.tolist()
    [['the', 0.25], ['cat', 0.75]]
    """
    names, values = zip(*columns, strict=True)
    cells = np.empty((len(values[0]), len(names)), dtype=object)
    for place, column in enumerate(values):
        cells[:, place] = column
    return pd.DataFrame(cells, columns=pd.Index(names, dtype=object), dtype=object)


def table_text(table: pd.DataFrame) -> dict[str, Any]:
    """Return a table as text, numbers to two decimals.

    Examples
    --------
    >>> table_text(pd.DataFrame({"word": ["a"], "weight": [0.5]}))
    {'columns': ['word', 'weight'], 'rows': [['a', '0.50']]}
    """
    rows = [[_cell(value) for value in row] for row in _rows(table)]
    return {"columns": [str(column) for column in table.columns], "rows": rows}


def csv_text(table: pd.DataFrame) -> str:
    """Return a table as CSV, numbers in full.

    Examples
    --------
    >>> csv_text(pd.DataFrame({"word": ["a,b"], "weight": [-np.inf]}))
    'word,weight\\n"a,b",masked\\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([MASKED if value == -np.inf else value for value in row] for row in _rows(table))
    return text.getvalue()


def _rows(table: pd.DataFrame) -> list[list[object]]:
    """A table's rows as Python's own values; pandas' ways to CSV and to tuples take far longer."""
    rows: list[list[object]] = table.to_numpy(dtype=object).tolist()
    return rows


# Many visitors with settings of their own share it; a picture has about 10 kB.
@lru_cache(maxsize=4096)
def packed(make: Callable[..., Picture], args: tuple[Hashable, ...], theme: str) -> bytes:
    """Return what the plot component draws, `make(*args, theme)`, as the line that travels, kept for equal arguments.

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
    bytes
        Figures, sentences, table, CSV and program by name, as JSON.

    Examples
    --------
    >>> picture = Picture("Sum", [], ["Two"], pd.DataFrame({"x": [2.0]}), "print(2)")
    >>> packed(lambda theme: picture, (), "light")[:17]
    b'{"key":"<lambda>"'
    """
    picture = make(*args, theme)
    data = {
        "key": make.__name__,
        "name": picture.name,
        "file": "attention-lab-" + make.__name__.replace("_", "-"),
        "figures": list(picture.figures),
        "alt": list(picture.alts),
        "caption": picture.caption or picture.alts[0],
        "joints": list(picture.joints),
        "table": table_text(picture.table),
        "csv": csv_text(picture.table),
        "program": picture.program,
        **({"play": wire(picture.recording)} if picture.recording else {}),
    }
    return as_line(data, plain)


def payload(make: Callable[..., Picture], args: tuple[Hashable, ...], theme: str) -> dict[str, Any]:
    """Return what `packed` holds, as a browser reads it.

    Examples
    --------
    >>> picture = Picture("Sum", [], ["Two"], pd.DataFrame({"x": [2.0]}), "print(2)")
    >>> payload(lambda theme: picture, (), "light")["csv"]
    'x\\n2.0\\n'
    """
    data: dict[str, Any] = json.loads(packed(make, args, theme))
    return data


def plain(value: Any) -> Any:
    """Return an array as JSON-ready data, Plotly's typed arrays where there are any.

    Examples
    --------
    >>> plain(np.array([1.0], "f4"))
    {'dtype': 'f4', 'bdata': 'AACAPw=='}
    """
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "iuf" or value.size == 0:
        return value.tolist()
    if value.dtype.kind == "i":
        value = value.astype(np.int32)  # Plotly has no wider whole numbers
    array = {"dtype": value.dtype.str[1:], "bdata": base64.b64encode(value.tobytes()).decode("ascii")}
    return array | ({"shape": ", ".join(map(str, value.shape))} if value.ndim > 1 else {})


def _theme() -> str:
    """The viewer's theme."""
    return "dark" if st.context.theme.type == "dark" else "light"


def _cell(value: object) -> str:
    """A cell of a table as text."""
    if not isinstance(value, float):
        return str(value)
    return number(value) if np.isfinite(value) else MASKED
