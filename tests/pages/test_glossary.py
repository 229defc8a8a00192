"""On every page, as a reader sees it, the first use of each term of the glossary is a link to its entry."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from attention_ui import glossary, prose
from attention_ui.settings import MASKS, OWN, Settings
from tests.cases import go_to, link, open_app

WORDS = re.findall(r"^###### (.+)$", prose.read(prose.REFERENCE).parts["words"], re.M)
CHAPTERS = [chapter for chapter in prose.chapters() if chapter.slug != prose.REFERENCE]
LISTS = ("challenges", "teaching")  # pages of hardly any prose
VISITS = (
    Settings(),
    Settings("apple-pie", mask="causal", heads=4, head=2),
    Settings("cat-sat", mask="window"),
    Settings(OWN, words="hello", mask="padding"),
)
FORMS = "|".join(re.escape(form) for form in sorted(glossary.terms(), key=len, reverse=True))
USE = re.compile(
    r"\[(?P<in_markdown>[^\]]+)\]\(reference#(?P<entry>[\w-]+)\)"
    r'|<a href="reference#(?P<place>[\w-]+)" target="_blank">(?P<in_html>[^<]+)</a>'
    rf"|(?<![\w-])(?P<bare>{FORMS})(?![\w-])",
    re.I,
)
# Headings and tables, lines of arithmetic, the map, formulas, other links, other tags, and a mask's name filled in.
NO_PROSE = re.compile(
    r"^[#|][^\n]*|<(h3|table|style|ol)\b.*?</\1>|<p class=.*?</p>|\$\$.*?\$\$|\[[^\]]*\]\((?!reference#)[^)]*\)"
    rf"|<(?!a|/a)[^>]*>|\((?:{'|'.join(MASKS)})\)",
    re.M | re.S,
)


@pytest.fixture(scope="module", params=VISITS, ids=lambda s: f"{s.sentence}-{s.mask}")
def visit(request: pytest.FixtureRequest) -> AppTest:
    """A visit that a link to some settings has just begun."""
    return open_app(**link(request.param))


def first_uses(text: str) -> dict[str, str]:
    """The first use of each term in a text: the anchor of its entry, and the words of its link, if it has one."""
    found: dict[str, str] = {}
    for use in USE.finditer(" ".join(NO_PROSE.sub(" ", text).split())):
        linked = use["in_markdown"] or use["in_html"]
        entry = use["entry"] or use["place"] or glossary.terms()[use["bare"].lower()]
        found.setdefault(entry, linked or "")
    return found


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.slug)
def test_the_first_use_of_each_term_on_a_page_is_linked(visit: AppTest, chapter: prose.Chapter) -> None:
    go_to(visit, chapter.slug)
    shown = [str(each.proto.body) for each in visit.main if each.type in ("markdown", "html")]
    assert not [text for text in shown if text.startswith("<") and "](" in text]  # Markdown in HTML
    uses = first_uses("\n\n".join(shown))
    assert [entry for entry, linked in uses.items() if not linked] == []
    assert all(glossary.terms()[linked.lower()] == entry for entry, linked in uses.items())
    assert len(uses) >= 5 or chapter.slug in LISTS


def test_every_link_finds_its_entry_and_labels_have_none() -> None:
    entries = {glossary.anchor(word) for word in WORDS}
    texts = [text for chapter in CHAPTERS for text in (chapter.question, *chapter.parts.values())]
    linked = {use["entry"] or use["place"] for text in texts for use in USE.finditer(text)} - {None}
    assert linked <= entries
    assert len(linked) > 40
    assert "reference#" not in prose.read("home").parts["query"]


def test_the_glossary_is_in_order_and_says_each_word_once() -> None:
    assert sorted(WORDS, key=str.casefold) == WORDS
    assert len(set(WORDS)) == len(WORDS) > 50


@pytest.mark.parametrize(
    "spared",
    ["### A head", "| head |", "$head$", "$$\nhead\n$$", "`head`", "[a head](arrows)", "{head}", "<h3>A head</h3>"],
)
def test_what_is_no_prose_has_no_links(spared: str) -> None:
    assert glossary.link(f"Word\n{spared}") == (f"Word\n{spared}", set())
