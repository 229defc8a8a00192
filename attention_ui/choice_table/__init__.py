"""A table whose rows can be chosen by mouse, touch and keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attention_ui.component import component

_mount = component("choice_table")


def choice_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    chosen: int | None,
    label: str,
    key: str,
    on_choice: Callable[[], None],
) -> None:
    """Draw a table of plain text; choosing a row sets the trigger ``row`` to its number.

    Parameters
    ----------
    columns, rows : sequences of str
        The head and the cells; the first cell of a row is its button.
    chosen : int or None
        The row that is marked.
    label : str
        What the table is, for screen readers.
    key : str
        The element's name.
    on_choice : callable
        Called when a row was chosen, before the page runs.
    """
    data = {"columns": list(columns), "rows": [list(row) for row in rows], "chosen": chosen, "label": label}
    _mount(data=data, key=key, on_row_change=on_choice)
