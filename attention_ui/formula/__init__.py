"""The formula whose symbols light up the part of the pictures that they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attention_ui.component import component

_mount = component("formula")


@dataclass(frozen=True)
class Symbol:
    """A piece of the formula: what it looks like, the part it names (if any) and what it says of itself."""

    text: str
    part: str = ""
    says: str = ""


def formula(symbols: Sequence[Symbol], hint: str, key: str) -> None:
    """Draw a formula; hovering, tapping or tabbing to a symbol lights up its part of every picture.

    Parameters
    ----------
    symbols : sequence of Symbol
        In reading order, plain signs among them.
    hint : str
        Shown while no symbol is chosen.
    key : str
        The component's name on its page.
    """
    _mount(data={"symbols": [vars(symbol) for symbol in symbols], "hint": hint}, key=key)
