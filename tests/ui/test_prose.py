import re
from string import Formatter

import pytest

from attention_ui import prose
from tests.cases import HOSTILE_WORDS, PAGES

SLUGS = [path.stem.replace("_", "-") for path in PAGES]


def test_chapters_come_in_reading_order_home_first_reference_last() -> None:
    chapters = prose.chapters()
    assert [chapter.order for chapter in chapters] == sorted({chapter.order for chapter in chapters})
    assert (chapters[0].slug, chapters[-1].slug) == ("home", "reference")
    assert sorted(chapter.slug for chapter in chapters) == sorted(SLUGS)
    assert all(chapter.script in PAGES for chapter in chapters)


@pytest.mark.parametrize("slug", SLUGS)
def test_a_chapter_says_what_it_is(slug: str) -> None:
    chapter = prose.read(slug)
    assert chapter.title
    assert chapter.question.endswith("?")
    assert chapter.teaser.endswith(".")
    assert set(chapter.controls) <= {"sentence", "focus", "d_k", "scale", "mask", "heads"}
    assert all(chapter.parts.values())


@pytest.mark.parametrize("slug", SLUGS)
def test_a_part_with_names_to_fill_in_can_be_filled(slug: str) -> None:
    """A brace that is LaTeX's would make `say` fail, and a name nobody fills in would be shown in braces."""
    chapter = prose.read(slug)
    for part, text in chapter.parts.items():
        if "$" in text:
            continue  # formulas are shown as they are
        names = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
        filled = chapter.say(part, **dict.fromkeys(names, "x"))
        assert "{" not in filled


@pytest.mark.parametrize("word", HOSTILE_WORDS)
def test_a_value_is_literal_and_is_not_filled_in_again(word: str) -> None:
    filled = prose.fill("**{word}**", word=word).removeprefix("**").removesuffix("**")
    assert re.sub(r"\\(.)", r"\1", filled.replace("\u2060", ""), flags=re.S) == word.replace("\u2060", "")


def test_what_is_missing_is_named() -> None:
    with pytest.raises(KeyError, match="nope"):
        prose.read("home").say("nope")
    with pytest.raises(KeyError, match="word"):
        prose.fill("{word}")
    with pytest.raises(FileNotFoundError):
        prose.read("nope")
