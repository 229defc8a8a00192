import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attention_core import tokenize
from attention_ui.escape import for_html, for_markdown, for_plotly, labels, short
from tests.cases import HOSTILE, HOSTILE_WORDS, literal

JOINER = "\u2060"
# What Streamlit 1.67 and its Markdown plugins replace in plain text once backslashes are gone.
LATE = [
    re.compile(r":\+1:|:-1:|:[\w-]+:"),
    re.compile(r":material/\w+:|:streamlit:"),
    re.compile(r"(^|\s)(<->|->|<-|--|>=|<=|~=)(\s|$)"),
    re.compile(r"(https?://|www(?=\.))([-.\w]+)", re.IGNORECASE),
    re.compile(r"([-.\w+]+)@([-\w]+(?:\.[-\w]+)+)"),
]
PUNCTUATION = r"!\"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"
words = st.text(st.characters(exclude_categories=["Z", "Cc", "Cs"]), min_size=1, max_size=20)


def markdown_reads(text: str) -> str:
    """Text as a Markdown reader sees it if every punctuation character is escaped."""
    return re.sub(rf"\\([{re.escape(PUNCTUATION)}])", r"\1", text)


class Reader(HTMLParser):
    """Gathers the text of HTML, and complains about any tag."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        raise AssertionError(f"a tag {tag}")


@pytest.mark.parametrize("word", HOSTILE_WORDS)
def test_markdown_is_read_as_the_word(word: str) -> None:
    escaped = for_markdown(word)
    assert not set(PUNCTUATION) & set(re.sub(r"\\.", "", escaped))
    read = markdown_reads(escaped)
    assert not [pattern.pattern for pattern in LATE if pattern.search(read)]
    assert read.replace(JOINER, "") == word.replace(JOINER, "")


@given(words)
@example("<->")
@example("WWW.a.b")
@example("::a::")
@example("http:http://a")
def test_markdown_of_any_word(word: str) -> None:
    read = markdown_reads(for_markdown(word))
    assert not [pattern.pattern for pattern in LATE if pattern.search(read)]
    assert read.replace(JOINER, "") == word.replace(JOINER, "")


def test_numbers_are_written_without_anything_invisible() -> None:
    for text in ("0.77", "−3.15", "(3.32, 0.23)", "77 %", "2e−16", "bank listens most to river, 77 %"):
        assert JOINER not in for_markdown(text)


@given(words)
@example('"><img src=x onerror=alert(1)>')
@example("&lt;")
def test_html_and_plotly_are_read_as_the_word(word: str) -> None:
    reader = Reader()
    reader.feed(f"{for_html(word)} ")
    reader.close()
    assert reader.text == f"{word} "
    assert literal(for_plotly(word)) == word
    assert not set("\"'<>") & set(for_html(word))  # safe inside an attribute too


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("w" * 12, "w" * 12),
        ("w" * 60, "w" * 11 + "…"),
        ("e\u0301" * 12, "e\u0301" * 12),
        ("e\u0301" * 13, "e\u0301" * 11 + "…"),
        ("👨‍👩‍👧‍👦" * 13, "👨‍👩‍👧‍👦" * 11 + "…"),
        ("👍🏽" * 13, "👍🏽" * 11 + "…"),
        ("", ""),
    ],
)
def test_a_long_word_is_cut_between_characters_that_a_reader_sees(text: str, cut: str) -> None:
    assert short(text) == cut


def test_words_that_occur_twice_are_told_apart_by_place() -> None:
    assert labels(("the", "cat", "saw", "the", "dog")) == ("the (1)", "cat", "saw", "the (4)", "dog")
    assert labels(("The", "the")) == ("The", "the")


@given(st.text(max_size=60), st.none() | st.integers(2, 12))
@example("a (1) a (1)", None)
def test_no_two_names_are_the_same(text: str, length: int | None) -> None:
    names = labels(tokenize(text), length)
    assert len(set(names)) == len(names)
    assert all(names)


def test_each_hostile_word_stays_one_token() -> None:
    for sentence in HOSTILE:
        assert [token for token in tokenize(sentence) if token.isascii()] == [
            word for word in sentence.split() if word.isascii()
        ]
