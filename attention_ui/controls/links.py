"""What a page's link says of it: read once when the link is opened, written whenever a change has ended.

Every control of a page asks `start` for what it starts with and tells `keep` what it shows. What differs from the
page's own default goes into the URL parameter `VIEW`, beside the readable ones that Streamlit keeps. What makes a
lesson of a link holds on every page and stands in readable parameters too: `LASTING`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode, urljoin

import streamlit as st

from attention_ui.link import LONGEST, VIEW, pack, unpack

T = TypeVar("T")
U = TypeVar("U")

LASTING = ("present", "hide", "fix", "ask", "challenge", "solved")
LONGEST_TEXT = 300  # characters of a lasting parameter that are read
_OPENED, _OWNERS = "link_opened", "link_owners"  # what the link says; which widget each of it is about
_SHOWN, _DRAWN, _HELD = "link_shown", "link_drawn", "link_held"  # what the page shows; if all of it; if it is dragged
_LASTING, _NOTED = "link_lasting", "link_noted"  # what lasts; what every control shows, defaults too
_FRESH, _REFUSED = "link_fresh", "link_refused"  # whether the page was not yet drawn; what is wrong with the link


def open_link() -> None:
    """Begin a run: read the link if it was just opened, and forget what the last page showed."""
    st.session_state[_SHOWN], st.session_state[_NOTED], st.session_state[_DRAWN] = {}, {}, False
    if _OPENED in st.session_state:
        return
    st.session_state[_OPENED], st.session_state[_OWNERS] = {}, {}
    asked = {name: st.query_params.get(name, "")[:LONGEST_TEXT] for name in LASTING}
    st.session_state[_LASTING] = {name: text for name, text in asked.items() if text}
    st.session_state[_FRESH], st.session_state[_REFUSED] = True, ""
    try:
        st.session_state[_OPENED] = unpack(st.query_params.get(VIEW, ""))
    except ValueError as error:
        _refuse(f"This link could not be read: {error}. The page starts as it usually does.")


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
    opened: dict[str, Any] = st.session_state[_OPENED]
    if name not in opened or st.session_state[_OWNERS].setdefault(name, widget) != widget:
        return default
    try:
        return read(opened[name])
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError):
        if st.session_state.get(_FRESH):
            _refuse("Part of this link is not on offer here, so the page shows its own choice instead.")
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
    shown: dict[str, Any] = st.session_state[_SHOWN]
    shown.pop(name, None)
    if value != default:
        shown[name] = value
    return note(name, value)


def note(name: str, value: T) -> T:
    """Remember what a control shows for who judges the page, not for the link; return it."""
    st.session_state[_NOTED][name] = value
    return value


def noted() -> Mapping[str, Any]:
    """Return what every control of the page shows, by its name in the link."""
    said: dict[str, Any] = st.session_state[_NOTED]
    return said


def wait(held: bool) -> None:
    """While something is dragged the link waits."""
    st.session_state[_HELD] = held


def write_link() -> None:
    """Put what is shown into the URL, at the end of a part that runs alone; not while something is dragged."""
    if st.session_state[_DRAWN] and not st.session_state.get(_HELD):
        _write()
        if lasting("challenge"):
            st.rerun()  # its verdict stands outside the part


def _write() -> None:
    """Put what is shown into the URL."""
    wanted = _parameters()
    if changed := {name: text for name, text in wanted.items() if text != st.query_params.get(name)}:
        st.query_params.update(changed)
    for name in {VIEW, *LASTING} - wanted.keys():
        if name in st.query_params:
            del st.query_params[name]


def close_link() -> None:
    """End a run: put what is shown into the URL, and draw the page again if the link that opened it must be refused."""
    st.session_state[_DRAWN] = True
    if not st.session_state.get(_HELD):
        _write()
    if st.session_state.pop(_FRESH, False) and st.session_state[_REFUSED]:
        st.rerun()  # what is wrong with it was found while the page was drawn; the notice stands above the page


def refused_link() -> str:
    """Return what was wrong with the link, as one sentence; empty if nothing was."""
    said: str = st.session_state.get(_REFUSED, "")
    return said


def lasting(name: str) -> str:
    """Return what one of `LASTING` says, as the text in the URL; empty if it says nothing."""
    kept: dict[str, str] = st.session_state[_LASTING]
    return kept.get(name, "")


def is_on(name: str) -> bool:
    """Return whether one of `LASTING` says true."""
    return lasting(name).casefold() == "true"


def let_last(name: str, text: str) -> None:
    """Let one of `LASTING` say something else from now on, or nothing."""
    kept = {**st.session_state[_LASTING], name: text}
    st.session_state[_LASTING] = {name: kept[name] for name in LASTING if kept.get(name)}


def address(**lasting: str) -> str:
    """Return the address of the present page with all that it shows so far, and other `LASTING` parameters if given."""
    own = {name: st.query_params[name] for name in st.query_params if name not in (VIEW, *LASTING)}
    asked = {name: text for name, text in {**own, **_parameters(), **lasting}.items() if text}
    return f"{st.context.url}?{urlencode(asked)}".removesuffix("?")


def is_whole() -> bool:
    """Return whether the address holds all that the page shows."""
    return len(pack(st.session_state[_SHOWN])) <= LONGEST


def whole_address(link: str) -> str:
    """Return the address of a page that a link names as seen from here."""
    return urljoin(st.context.url or "", link)


def _parameters() -> dict[str, str]:
    """What of the URL is written here: what the page shows as one text, unless too long to be read, and what lasts."""
    text, kept = pack(st.session_state[_SHOWN]), dict(st.session_state[_LASTING])
    return ({VIEW: text} if 0 < len(text) <= LONGEST else {}) | kept


def _refuse(why: str) -> None:
    """Remember what is wrong with the link."""
    st.session_state[_REFUSED] = st.session_state.get(_REFUSED) or why
