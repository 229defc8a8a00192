"""The four steps as HTML, the verdicts, and the worksheet to print."""

import re
from html.parser import HTMLParser

import pytest

from attention_core import judge, worksheet
from attention_core.worksheet import LINES, MISTAKES
from attention_ui import sheet
from attention_ui.moves import put
from attention_ui.settings import Settings, shown_head, visible

CAT = Settings("cat-sat")
HOSTILE = Settings("own", words="<s> $5 *x*")


class Text(HTMLParser):
    """The words of a page, and its tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words))


def steps(settings: Settings, places: int = 2) -> str:
    return Text("".join(sheet.steps_html(shown_head(settings), settings.tokens, settings.focus, places))).text


def test_every_line_of_sat_is_written_out() -> None:
    text = steps(CAT)
    for line in (
        "sat · cat = 2·2 + 0·0 = 4",
        "[0, 4, 2, 0] ÷ √2 = [0.00, 2.83, 1.41, 0.00]",
        "e2.83 = 16.92",
        "total = 1.00 + 16.92 + 4.11 + 1.00 = 23.03",
        "16.92 ÷ 23.03 = 0.73 cat",
        "0.04·(1, 0) + 0.73·(4, 0) + 0.18·(0, 2) + 0.04·(1, 1) = [3.03, 0.40]",
        "add up to 0.99 and would give [3.00, 0.40]",
    ):
        assert line in text
    assert text.count("from unrounded") == 2  # the exponentials and the blend; nothing else needs it


def test_the_mask_has_a_line_of_its_own() -> None:
    text = steps(CAT.but(mask="causal"))
    assert "masked: [0.00, 2.83, 1.41, −∞]" in text
    assert "= 22.03" in text
    assert "nan" not in text.lower()


@pytest.mark.parametrize("value", [0.0, -1000.0, 1000.0, 0.1 + 0.2])
def test_extreme_numbers_stay_readable(value: float) -> None:
    text = steps(put(CAT, "query", 2, value, -value), places=6)
    assert not re.search(r"nan|inf|-0\.0", text)


def test_all_equal_scores_share_evenly() -> None:
    assert "1.00 ÷ 4.00 = 0.25 the" in steps(put(CAT, "query", 2, 0, 0))


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_told_in_a_sentence(mistake: str) -> None:
    settings = CAT.but(mask="causal")
    trace = shown_head(settings)
    made = worksheet(trace.Q, trace.K, trace.V, 2, mask=visible(settings))
    (wrong, *_) = [answers for answers in made.wrong if answers.mistake == mistake]
    said = []
    for line in LINES:
        numbers = getattr(wrong, line)
        for place in range(1 if line == "total" else len(numbers)):
            found = judge(made, line, place, round(float(numbers[place]), 2), 2)
            if mistake in found.mistakes:
                said.append(sheet.verdict(found, settings.tokens, 2))
    assert said
    assert all(text.startswith("**Not quite.**") for text in said)


def test_verdicts() -> None:
    trace = shown_head(CAT)
    made = worksheet(trace.Q, trace.K, trace.V, 2)
    assert sheet.verdict(judge(made, "weights", 1, 0.73, 2), CAT.tokens, 2) == "**Right.**"
    assert "not divided by √d_k" in sheet.verdict(judge(made, "weights", 1, 0.85, 2), CAT.tokens, 2)
    assert "rounding" in sheet.verdict(judge(made, "output", 0, 3.00, 2), CAT.tokens, 2)
    assert "Not yet" in sheet.verdict(judge(made, "output", 0, 77.0, 2), CAT.tokens, 2)


def paper(settings: Settings, blanks: tuple[str, ...] = LINES, count: int = 1) -> str:
    queries = [(settings.focus + step) % settings.n_tokens for step in range(count)]
    return sheet.worksheet_html(
        shown_head(settings), settings.tokens, queries, blanks, 2, "http://example.org/?a=1&b=<2>"
    )


def test_the_worksheet_has_blanks_and_a_key() -> None:
    front, key = paper(CAT).split("Answer key")
    assert "23.03" not in front
    assert "23.03" in key
    assert "[3.03, 0.40]" in key
    assert "23.03" in paper(CAT, blanks=("weights",)).split("Answer key")[0]


def test_the_worksheet_stands_alone_and_escapes_words() -> None:
    html = paper(HOSTILE, count=3)
    found = Text(html)
    assert not found.tags & {"script", "link", "img", "iframe", "s"}
    assert found.text.count("<s>") >= 3
    assert "$5" in found.text
    assert "*x*" in found.text
    assert "http://example.org/?a=1&b=<2>" in found.text
    assert not re.search(r"(?:src|href)=", html)
