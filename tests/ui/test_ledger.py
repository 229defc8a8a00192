import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_ui.captions import winners
from attention_ui.ledger import big, blend, comparison, dot_product, ledger, projection, worked_line
from attention_ui.moves import put
from attention_ui.settings import Settings, partner, shown_head
from tests.cases import HOSTILE_SETTINGS, SAMPLE

TAGS = {"div", "p", "h3", "table", "thead", "tbody", "tfoot", "tr", "th", "td", "span", "b", "i", "sub", "sup", "small"}
TAGS |= {"ol", "li"}  # the home page's map
ATTRIBUTES = {"start", "class", "tabindex", "role", "aria-label", "scope", "data-part", "colspan", "style", "title"}


class Reader(HTMLParser):
    """Reads HTML into rows of cells, and knows every tag and attribute that the ledger may use."""

    def __init__(self, body: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.titles: list[str] = []
        self.text = ""
        self.feed(body)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS, tag
        assert {name for name, _ in attrs} <= ATTRIBUTES, attrs
        self.titles += [value or "" for name, value in attrs if name == "title"]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def as_number(cell: str) -> float:
    return float(cell.replace("−", "-"))


@pytest.mark.parametrize("settings", [*SAMPLE, *HOSTILE_SETTINGS])
def test_the_table_holds_the_trace(settings: Settings) -> None:
    trace, i = shown_head(settings), settings.focus
    body = ledger(settings)
    read = Reader(body)
    assert tuple(read.titles) == settings.tokens
    words = read.rows[1:-1]
    assert len(words) == settings.n_tokens
    for j, (_, _, score, logit, _, weight) in enumerate(words):
        assert as_number(score) == pytest.approx(trace.scores[i, j], abs=0.00501)
        assert as_number(weight) == pytest.approx(trace.weights[i, j], abs=0.00501)
        if np.isfinite(trace.logits[i, j]):
            assert as_number(logit) == pytest.approx(trace.logits[i, j], abs=0.00501)
        else:
            assert (logit, weight) == ("−∞", "0.00")
    assert body.count('class="al-best"') == len(winners(trace.weights[i]))
    assert as_number(read.rows[-1][-1]) == pytest.approx(1)


@pytest.mark.parametrize("settings", [*SAMPLE, *HOSTILE_SETTINGS])
def test_a_line_in_full_ends_with_the_weight(settings: Settings) -> None:
    trace, i = shown_head(settings), settings.focus
    for key in range(settings.n_tokens):
        read = Reader(worked_line(settings, key)).text
        if np.isfinite(trace.logits[i, key]):
            last = re.findall(r"= (\S+) \(from unrounded values\)$", read)
            assert as_number(last[0]) == pytest.approx(trace.weights[i, key], abs=0.00501)
        else:
            assert read.endswith("but the mask sets it to −∞, and exp(−∞) = 0.")
        assert "nan" not in read.replace(settings.tokens[key], "")


def test_the_worksheets_line() -> None:
    read = Reader(worked_line(Settings("cat-sat"), 1)).text
    assert read == (
        "q · kcat = 2·2 + 0·0 = 4 → ÷ √2 = ÷ 1.414 = 2.83 → e2.83 = 16.92 → 16.92 ÷ 23.03 = 0.73 "
        "(from unrounded values)"
    )


def test_the_lift_and_the_switched_off_scale_are_in_the_line() -> None:
    wide = Reader(worked_line(Settings(d_k=64, scale=False), 4)).text
    assert "× √(64/2) = × 5.66 = 22.63" in wide
    assert "÷ √64" not in wide
    assert "÷ √64 = ÷ 8.000 = 2.83" in Reader(worked_line(Settings(d_k=64), 4)).text


@pytest.mark.parametrize("settings", [*SAMPLE, *HOSTILE_SETTINGS])
def test_the_blend_ends_with_the_output(settings: Settings) -> None:
    trace, i = shown_head(settings), settings.focus
    read = Reader(blend(trace, settings.tokens, i)).text
    total = re.findall(r" = \((\S+), (\S+)\) \(from unrounded values\)$", read)
    assert [as_number(x) for x in total[0]] == pytest.approx(trace.output[i], abs=0.00501)
    counts = [int(n or 1) for n in re.findall(r"(?:^|\+ )(?:(\d+)·)?\d\.\d\d·\(", read)]
    assert sum(counts) == int((trace.weights[i] > 0).sum())


@pytest.mark.parametrize("settings", [*SAMPLE[:6], *HOSTILE_SETTINGS])
def test_two_sentences_compared(settings: Settings) -> None:
    other = partner(settings)
    sentences = (" ".join(settings.tokens), " ".join(other.tokens))
    read = Reader(comparison(sentences, (np.ones(4), np.zeros(4)), (np.array([1.5, -2]), np.zeros(2))))
    assert read.rows[0][1:] == list(sentences)
    assert read.rows[1][1:] == ["(1, 1, 1, 1)", "(0, 0, 0, 0)"]
    assert read.rows[2][1:] == ["(1.50, −2.00)", "(0.00, 0.00)"]


def test_products_are_spelled_out() -> None:
    read = Reader(dot_product(np.array([-0.5, 2]), np.array([2, -3]))).text
    assert read == "(−0.5)·2 + 2·(−3) = −7"
    read = Reader(projection(np.array([1.0, 0.0]), np.array([[2.0, 3.0], [4.0, -5.0]]))).text
    assert read == "(1·2 + 0·4, 1·3 + 0·(−5)) = (2, 3)"


@given(st.floats(0, 1e300))
def test_a_big_number_reads_back(value: float) -> None:
    read = re.sub(r"·10<sup>(−?\d+)</sup>", r"e\1", big(value)).replace("−", "-")
    assert float(read) == pytest.approx(value, rel=5.1e-3, abs=0 if value < 0.005 else 5.1e-3)


def test_logits_far_below_0_are_shifted_too() -> None:
    away = put(Settings(mask="causal"), "key", 0, -500, -500)
    first = put(away, "query", 0, 500, 500).but(focus=0)
    assert "exp(s + 353553.39)" in ledger(first)
    assert Reader(ledger(first)).rows[-1][1:] == ["1.00", "1.00"]
    assert "1.00 ÷ 1.00 = 1.00" in Reader(worked_line(first, 0)).text
