"""Reads the prose of a chapter: pages/<slug>.md, a head of `key: value` lines and parts that start with `## id`.

The parts stand in the order in which the page shows them, and the first use of a term links to the glossary. A part
that is not always there, `## id (sometimes)`, has its own first links; a widget's text, `## id (label)`, has none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from attention_ui import glossary
from attention_ui.escape import for_html, for_markdown

PAGES = Path(__file__).resolve().parent.parent / "pages"
HOME = "home"
REFERENCE = "reference"
_PART = re.compile(r"^## (\S+)(?: \((sometimes|label)\))?\n(.*?)(?=^## |\Z)", re.M | re.S)


@dataclass(frozen=True)
class Chapter:
    """A chapter's name, place and text.

    Parameters
    ----------
    slug : str
        Its address; home has none on screen.
    title, question : str
        Its heading and the one-sentence question under it.
    order : int
        Its place in the navigation.
    controls : tuple of str
        The sidebar controls that its pictures follow.
    parts : dict of str to str
        Markdown or HTML by id, with {names} to fill in.
    """

    slug: str
    title: str
    question: str
    teaser: str
    order: int
    controls: tuple[str, ...]
    parts: dict[str, str]

    @property
    def script(self) -> Path:
        """The page's file."""
        return PAGES / f"{self.slug.replace('-', '_')}.py"

    def html(self, part: str, **values: str) -> str:
        """Return one part that is written in HTML, its {names} filled in literally.

        Raises
        ------
        KeyError
            As `say`.
        """
        return self.parts[part].format(**{name: for_html(value) for name, value in values.items()})

    def say(self, part: str, **values: str) -> str:
        """Return one part with its {names} filled in; every value is shown literally.

        Raises
        ------
        KeyError
            If there is no such part, or a name in it is not given.
        """
        return fill(self.parts[part], **values)


def fill(text: str, **values: str) -> str:
    """Fill {names} in Markdown with literal text.

    Examples
    --------
    >>> fill("**{word}** wins", word="*x*")
    '**\\\\*x\\\\*** wins'
    """
    return text.format(**{name: for_markdown(value) for name, value in values.items()})


@lru_cache
def read(slug: str) -> Chapter:
    """Read a chapter's text; its file is read once a server.

    Raises
    ------
    FileNotFoundError
        If there is no such chapter.
    """
    text = (PAGES / f"{slug.replace('-', '_')}.md").read_text("utf-8")
    title, *lines = text.partition("\n## ")[0].strip().splitlines()
    fields = dict(line.split(": ", 1) for line in lines if ": " in line)
    question, done = glossary.link(fields["question"])
    parts = {}
    for name, mark, body in _PART.findall(text):
        parts[name] = body.strip()
        if slug != REFERENCE and mark != "label":
            parts[name], used = glossary.link(parts[name], done)
            done |= used if not mark else set()
    return Chapter(
        slug=slug,
        title=title.removeprefix("# "),
        question=question,
        teaser=fields["teaser"],
        order=int(fields["order"]),
        controls=tuple(fields.get("controls", "").split()),
        parts=parts,
    )


@lru_cache
def chapters() -> tuple[Chapter, ...]:
    """Return every chapter that has a page, in reading order."""
    found = (read(path.stem.replace("_", "-")) for path in PAGES.glob("*.md"))
    return tuple(sorted(found, key=lambda chapter: chapter.order))
