"""What a page's link says of it: read once when the link is opened, written whenever a change has ended.

Every control of a page asks `start` for what it starts with and tells `keep` what it shows. What differs from the
page's own default goes into the URL parameter `VIEW`, beside the readable ones that Streamlit keeps. What makes a
lesson of a link holds on every page and stands in readable parameters too: `LASTING`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode, urljoin

import streamlit as st

from attention_ui.link import LONGEST, VIEW, pack, unpack

T = TypeVar("T")
U = TypeVar("U")

LASTING = ("present", "hide", "fix", "ask", "challenge", "solved")
LONGEST_TEXT = 300  # characters of a lasting parameter that are read


@dataclass
class _Link:
    """What is known of a visitor's link; one entry of the session, because Streamlit takes its time for each."""

    lasting: dict[str, str]
    opened: dict[str, Any] = field(default_factory=dict)  # what it says
    owners: dict[str, str] = field(default_factory=dict)  # which widget each of it is about
    shown: dict[str, Any] = field(default_factory=dict)  # what the page shows that is not its default
    noted: dict[str, Any] = field(default_factory=dict)  # what every control shows, defaults too
    is_fresh: bool = True  # the page that it opens is not drawn yet
    is_drawn: bool = False  # all of the page is drawn
    is_held: bool = False  # something is being dragged
    refused: str = ""  # what is wrong with it


def open_link() -> None:
    """Begin a run: read the link if it was just opened, and forget what the last page showed."""
    if "link" in st.session_state:
        link = _link()
        link.shown, link.noted, link.is_drawn = {}, {}, False
        return
    asked = {name: st.query_params.get(name, "")[:LONGEST_TEXT] for name in LASTING}
    link = st.session_state["link"] = _Link({name: text for name, text in asked.items() if text})
    try:
        link.opened = unpack(st.query_params.get(VIEW, ""))
    except ValueError as error:
        link.refused = f"This link could not be read: {error}. The page starts as it usually does."


def start(name: str, default: T, read: Callable[[Any], U], widget: str = "") -> T | U:
    """Return what the opened link says of a control, or its default.

    Parameters
    ----------
    name : str
        What the control is called in the link.
    default : object
        What the page starts with by itself.
    read : callable
        Makes a value of what the link says, which may be anything; raises what Python raises if it is none.
    widget : str, optional
        The present widget of a control that has another one for other words: the link is about the first of them.
    """
    link = _link()
    if name not in link.opened or link.owners.setdefault(name, widget) != widget:
        return default
    try:
        return read(link.opened[name])
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError):
        if link.is_fresh and not link.refused:
            link.refused = "Part of this link is not on offer here, so the page shows its own choice instead."
        return default


def start_option(name: str, options: Sequence[T], default: T, widget: str = "") -> T:
    """Return the option that the link names, or the default."""
    offered = list(options)
    return start(name, default, lambda said: offered[offered.index(said)], widget)


def start_number(name: str, low: float, high: float, default: T) -> T | float:
    """Return the number that the link names, if it lies in the range, or the default."""

    def read(said: Any) -> float:
        if not low <= float(said) <= high:
            raise ValueError
        return float(said)

    return start(name, default, read)


def keep(name: str, value: T, default: object) -> T:
    """Remember for the link what a control shows, if it is not the page's default; return it.

    Parameters
    ----------
    name : str
        What the control is called in the link.
    value, default : object
        What it shows, and what it shows on a page without a link; of numbers, texts, lists and mappings.
    """
    link = _link()
    link.shown.pop(name, None)
    if value != default:
        link.shown[name] = value
    link.noted[name] = value
    return value


def note(name: str, value: T) -> T:
    """Remember what a control shows for who judges the page, not for the link; return it."""
    _link().noted[name] = value
    return value


def noted() -> Mapping[str, Any]:
    """Return what every control of the page shows, by its name in the link."""
    return _link().noted


def wait(held: bool) -> None:
    """While something is dragged the link waits."""
    _link().is_held = held


def write_link() -> None:
    """Put what is shown into the URL, at the end of a part that runs alone; not while something is dragged."""
    link = _link()
    if link.is_drawn and not link.is_held:
        _write(link)
        if lasting("challenge"):
            st.rerun()  # its verdict stands outside the part


def close_link() -> None:
    """End a run: put what is shown into the URL, and draw the page again if the link that opened it must be refused."""
    link = _link()
    link.is_drawn = True
    if not link.is_held:
        _write(link)
    was_fresh, link.is_fresh = link.is_fresh, False
    if was_fresh and link.refused:
        st.rerun()  # what is wrong with it was found while the page was drawn; the notice stands above the page


def refused_link() -> str:
    """Return what was wrong with the link, as one sentence; empty if nothing was."""
    return _link().refused


def lasting(name: str) -> str:
    """Return what one of `LASTING` says, as the text in the URL; empty if it says nothing."""
    return _link().lasting.get(name, "")


def is_on(name: str) -> bool:
    """Return whether one of `LASTING` says true."""
    return lasting(name).casefold() == "true"


def let_last(name: str, text: str) -> None:
    """Let one of `LASTING` say something else from now on, or nothing."""
    link = _link()
    kept = {**link.lasting, name: text}
    link.lasting = {name: kept[name] for name in LASTING if kept.get(name)}


def address(**lasting: str) -> str:
    """Return the address of the present page with all that it shows so far, and other `LASTING` parameters if given."""
    own = {name: st.query_params[name] for name in st.query_params if name not in (VIEW, *LASTING)}
    asked = {name: text for name, text in {**own, **_parameters(_link()), **lasting}.items() if text}
    return f"{st.context.url}?{urlencode(asked)}".removesuffix("?")


def is_whole() -> bool:
    """Return whether the address holds all that the page shows."""
    return len(pack(_link().shown)) <= LONGEST


def whole_address(link: str) -> str:
    """Return the address of a page that a link names as seen from here."""
    return urljoin(st.context.url or "", link)


def _link() -> _Link:
    """What is known of this visitor's link."""
    link: _Link = st.session_state["link"]
    return link


def _write(link: _Link) -> None:
    """Put what is shown into the URL."""
    wanted, said = _parameters(link), st.query_params.to_dict()
    if changed := {name: text for name, text in wanted.items() if text != said.get(name)}:
        st.query_params.update(changed)
    for name in {VIEW, *LASTING} - wanted.keys():
        if name in said:
            del st.query_params[name]


def _parameters(link: _Link) -> dict[str, str]:
    """What of the URL is written here: what the page shows as one text, unless too long to be read, and what lasts."""
    text = pack(link.shown)
    return ({VIEW: text} if 0 < len(text) <= LONGEST else {}) | link.lasting
