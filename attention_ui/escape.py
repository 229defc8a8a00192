"""Show any token literally: one function for each kind of surface it is written on."""

from __future__ import annotations

import html as _html
import re
import unicodedata

_MARKDOWN = re.compile(r"([!-/:-@\[-`{-~])")  # every ASCII punctuation character
# After Markdown is parsed, Streamlit still turns emoji codes, arrows and addresses in plain text into something else.
_LATE = re.compile(r"[:@](?=\S)|[-<>~](?=[-=>])|www(?=\.)", re.IGNORECASE)
_WORD_JOINER = "\u2060"  # invisible; keeps such a code from being one
_JOINERS = {"\u200d", "\ufe0e", "\ufe0f"}


def for_html(text: str) -> str:
    """Escape for HTML text and attribute values.

    Examples
    --------
    >>> for_html('<s> & "x"')
    '&lt;s&gt; &amp; &quot;x&quot;'
    """
    return _html.escape(text)


def for_plotly(text: str) -> str:
    """Escape for Plotly's labels, which are pseudo-HTML.

    Examples
    --------
    >>> for_plotly("<s> &amp;")
    '&lt;s&gt; &amp;amp;'
    """
    return _html.escape(text, quote=False)


def for_markdown(text: str) -> str:
    r"""Escape for Markdown with its HTML, LaTeX, links, emoji codes and typographic arrows.

    Examples
    --------
    >>> print(for_markdown("*x* $5"))
    \*x\* \$5
    """
    return _MARKDOWN.sub(r"\\\1", _LATE.sub(rf"\g<0>{_WORD_JOINER}", text))


def short(text: str, length: int = 12) -> str:
    """Cut a label to `length` characters as a reader counts them, with an ellipsis.

    Examples
    --------
    >>> short("a" * 60)
    'aaaaaaaaaaa…'
    """
    if len(text) <= length:
        return text
    clusters = _clusters(text)
    return text if len(clusters) <= length else "".join(clusters[: length - 1]) + "…"


def labels(tokens: tuple[str, ...], length: int | None = None) -> tuple[str, ...]:
    """Name each position, cut to `length`; names that would be the same get their place.

    Examples
    --------
    >>> labels(("the", "cat", "saw", "the", "dog"))
    ('the (1)', 'cat', 'saw', 'the (4)', 'dog')
    >>> labels(("abcdefgh", "abcdefgi"), 6)
    ('abcde… (1)', 'abcde… (2)')
    """
    cut = [short(token, length) if length else token for token in tokens]
    return tuple(f"{token} ({place})" if cut.count(token) > 1 else token for place, token in enumerate(cut, 1))


def _clusters(text: str) -> list[str]:
    """Split into characters as a reader sees them: accents, joined emoji and skin tones stay together."""
    clusters: list[str] = []
    for char in text:
        joins = unicodedata.combining(char) or char in _JOINERS or "\U0001f3fb" <= char <= "\U0001f3ff"
        if clusters and (joins or clusters[-1].endswith("\u200d")):
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters
