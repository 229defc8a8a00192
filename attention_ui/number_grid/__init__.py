"""Matrices that a person edits cell by cell; one element of the page, however many cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attention_ui.component import component
from attention_ui.settings import Rows

_mount = component("number_grid")


@dataclass(frozen=True)
class Grid:
    """A matrix: its id, its label and role (a colour), the names of its rows and columns, and its numbers."""

    id: str
    label: str
    role: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Rows


def number_grids(grids: Sequence[Grid], *, limit: float, seq: int, key: str, on_edit: Callable[[], None]) -> None:
    """Draw matrices of number fields, or update the ones with this key in place.

    Parameters
    ----------
    grids : sequence of Grid
        Side by side.
    limit : float
        As far from 0 as a number may be.
    seq : int
        The number of the last edit that is part of them.
    key : str
        The element's name; its last edit is the state ``edit`` with ``seq`` and ``values`` by grid id.
    on_edit : callable
        Called when the state has changed, before the page runs.
    """
    data = {"grids": [vars(grid) for grid in grids], "limit": limit, "seq": seq}
    _mount(data=data, key=key, on_edit_change=on_edit)
