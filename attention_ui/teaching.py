"""What a teacher takes along: a lesson as links that open the pages just so, and worksheets with their keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from attention_core.worksheet import LINES
from attention_ui.challenges import LIST
from attention_ui.link import address
from attention_ui.settings import Settings, shown_head
from attention_ui.sheet import worksheet_html


@dataclass(frozen=True)
class Lesson:
    """A page as it is to be opened.

    Parameters
    ----------
    id : str
        What its text on the teacher's page is called.
    slug : str
        The page.
    minutes : int
        How long it takes in the plan.
    readable : mapping of str to str
        The readable parameters of its link.
    shown : mapping of str to values
        What the page's own controls show where that is not the default, by their names in the link.
    """

    id: str
    slug: str
    minutes: int = 0
    readable: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, Any] = field(default_factory=dict)

    @property
    def link(self) -> str:
        """Its address, seen from any page."""
        return address(self.slug, self.readable, self.shown)


@dataclass(frozen=True)
class Worksheet:
    """A worksheet that needs no page to be made.

    Parameters
    ----------
    id : str
        What it is called in its file's name and on the teacher's page.
    settings : Settings
        Where its numbers come from: as on the page of chapter 1, two wide, one head.
    queries : tuple of int
        The words that ask.
    blanks : tuple of str
        Which lines are to be worked out.
    """

    id: str
    settings: Settings
    queries: tuple[int, ...]
    blanks: tuple[str, ...] = LINES

    @property
    def lesson(self) -> Lesson:
        """The page of chapter 1 with the same numbers."""
        readable = {"mask": self.settings.mask} if self.settings.mask != "none" else {}
        if self.settings.has_embedding:
            readable |= {"sentence": self.settings.sentence, "sheet": "sidebar"}
        return Lesson(self.id, "by-hand", readable=readable)


PLAN = (
    Lesson(
        "problem",
        "home",
        5,
        {"sentence": "money-bank", "ask": "Which word tells you what bank means here?", "present": "true"},
    ),
    Lesson("paper", "by-hand", 10, {"hide": "mask"}),
    Lesson("drag", "arrows", 10, {"hide": "d_k,scale,mask,heads", "challenge": "river"}),
    Lesson(
        "mask",
        "sentences",
        5,
        {"sentence": "apple-pie", "mask": "causal", "ask": "Why can apple not see pie?"},
    ),
    Lesson(
        "order",
        "positions",
        5,
        {"ask": "Dog bites man, man bites dog: for which of the words does anything change?", "present": "true"},
        {"positions_kind": "none"},
    ),
    Lesson(
        "caution", "caution", 5, {"sentence": "apple-phone", "focus": "4", "fix": "true"}, {"caution_percent": -100}
    ),
    Lesson("close", LIST, 5),
)
MISTAKES = (
    Lesson("itself", "by-hand", readable={"sheet_word": "cat"}),
    Lesson("inputs", "projections"),
    Lesson("detail", "by-hand", readable={"scale": "false"}),
    Lesson("zeroed", "knobs", readable={"mask": "causal"}),
    Lesson("writes", "transformer"),
    Lesson("invariant", "matrix", readable={"mask": "causal"}),
    Lesson("needed", "two-heads"),
    Lesson("average", "caution"),
    Lesson("cares", "caution", readable={"sentence": "cat-sat"}),
    Lesson("fourfold", "cost"),
    Lesson("approximate", "cost", readable={"sentence": "cat-sat"}, shown={"cost_block": "1 × 1"}),
    Lesson("map", "two-layers"),
)
WORKSHEETS = (
    Worksheet("one-word", Settings("cat-sat"), (2,)),
    Worksheet("causal", Settings("cat-sat", mask="causal"), (0, 1, 2, 3)),
    Worksheet("bank", Settings("river-bank"), (5, 4), ("exps", "total", "weights", "output")),
)


@lru_cache(maxsize=32)
def worksheet(sheet: Worksheet, link: str, places: int = 2) -> str:
    """Return a worksheet with its answer key as one HTML file; `link` is the whole address of its page."""
    settings = sheet.settings
    return worksheet_html(shown_head(settings), settings.tokens, sheet.queries, sheet.blanks, places, link)
