"""Presenter mode: one picture a screen, turned by keyboard, clicker or touch."""

from __future__ import annotations

from collections.abc import Callable

from attention_ui.component import component

_mount = component("presenter")


def presenter(page: str, on_leave: Callable[[], None]) -> None:
    """Show the page screen by screen; past its last screen the next page follows.

    Parameters
    ----------
    page : str
        The page's name: another one starts at its first screen.
    on_leave : callable
        Called before the page runs when the mode is left.
    """
    _mount(data={"page": page}, key="presenter", on_leave_change=on_leave)
