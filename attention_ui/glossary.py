"""Links the first use of a term on a page to its entry in the glossary, which is read from pages/reference.md."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "pages" / "reference.md"

# An entry is a heading of the sixth level; the line under it may name other forms of the term.
_ENTRY = re.compile(r"^###### (.+)\n(?:\*Also: (.+?)\.\*)?", re.M)
# Where no link belongs: headings, tables, formulas, code, links, tags and names to fill in.
_SPARED = r"^[#|][^\n]*|<(h3|table)\b.*?</\1>|\$\$.*?\$\$|\$[^$\n]*\$|`[^`]*`|\[[^\]]*\]\([^)]*\)|<[^>]*>|\{[^}]*\}"


@lru_cache
def terms() -> dict[str, str]:
    """Return every form of every term in lower case, plurals among them, and the anchor of its entry.

    Examples
    --------
    >>> terms()["queries"], terms()["causal masks"]
    ('query', 'causal-mask')
    """
    found: dict[str, str] = {}
    for name, also in _ENTRY.findall(PAGE.read_text("utf-8")):
        for form in (name, *filter(None, also.split(", "))):
            found |= dict.fromkeys((form.lower(), _plural(form.lower())), anchor(name))
    return {form: found[form] for form in sorted(found, key=len, reverse=True)}


def anchor(term: str) -> str:
    """Return the name that Streamlit gives to the heading of a term.

    Examples
    --------
    >>> anchor("Key/value cache")
    'key-value-cache'
    """
    return re.sub(r"\W+", "-", term.lower()).strip("-")


def link(text: str, done: Collection[str] = ()) -> tuple[str, set[str]]:
    """Link the first use of every term in a text, Markdown or HTML, but for those that are done.

    Parameters
    ----------
    text : str
        HTML if it starts with a tag.
    done : collection of str
        Anchors that need no further link.

    Returns
    -------
    str
        The text with its links.
    set of str
        The anchors of all terms that the text uses.

    Examples
    --------
    >>> link("Two heads, and a head")[0]
    'Two [heads](reference#head), and a head'
    """
    used: set[str] = set()
    is_html = text.startswith("<")

    def linked(found: re.Match[str]) -> str:
        term = found["term"]
        entry = terms()[" ".join(term.lower().split())] if term else ""
        if not term or entry in used or entry in done:
            return found[0]
        used.add(entry)
        address = f"reference#{entry}"
        return f'<a href="{address}" target="_blank">{term}</a>' if is_html else f"[{term}]({address})"

    return _pattern().sub(linked, text), used


@lru_cache
def _pattern() -> re.Pattern[str]:
    """What is spared, or else a term, the longest that fits."""
    forms = "|".join(r"\s+".join(map(re.escape, form.split())) for form in terms())
    return re.compile(rf"{_SPARED}|(?<![\w-])(?P<term>{forms})(?![\w-])", re.I | re.M | re.S)


def _plural(form: str) -> str:
    """The plural of a noun."""
    return f"{form[:-1]}ies" if form.endswith("ry") else f"{form}s"
