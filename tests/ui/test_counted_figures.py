"""Compared bars, large maps and histograms as data."""

import numpy as np
import pytest

from attention_ui.escape import short
from attention_ui.figures import PALETTES, Curve, Series
from tests.cases import HOSTILE_WORDS, THEMES, compare, curves, field, grid, literal


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("words", [HOSTILE_WORDS[i : i + 12] for i in range(0, len(HOSTILE_WORDS), 12)])
def test_compared_bars_stand_on_whole_numbers_under_literal_words(theme: str, words: tuple[str, ...]) -> None:
    values = np.linspace(0, 1, len(words))
    series = [Series("as written", values), Series("<s> & co", values[::-1], "query")]
    figure = compare(series, words, theme=theme, title="w")
    assert list(figure.layout.xaxis.tickvals) == list(range(len(words)))
    assert [literal(tick) for tick in figure.layout.xaxis.ticktext] == [short(word) for word in words]
    assert [trace.marker.color for trace in figure.data] == [PALETTES[theme].weight, PALETTES[theme].query]
    assert all(word in literal(hover) for word, hover in zip(words, figure.data[0].hovertext, strict=True))
    assert "<s> & co" in literal(figure.layout.annotations[0].text)
    assert figure.layout.yaxis.range[0] == 0
    assert figure.layout.yaxis.range[1] > 1


def test_few_bars_have_their_numbers_and_many_do_not() -> None:
    few = compare([Series("a", np.array([0.25, -0.001]))], "xy", theme="light", title="w").data[0]
    assert few.text == ("0.25", "0.00")
    many = compare([Series("a", np.ones(12)), Series("b", np.ones(12))], ["w"] * 12, theme="light", title="w").data[0]
    assert many.text is None


def test_a_field_counts_from_0_with_row_0_on_top() -> None:
    figure = field(np.eye(128), theme="light", title="M", axes=("from", "to"), row=127)
    assert tuple(figure.layout.yaxis.range) == (127.5, -0.5)
    assert figure.data[0].z.dtype == np.float32
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-1, 1)
    (box,) = figure.layout.shapes
    assert (box.y0, box.y1) == (126.5, 127.5)
    assert not field(np.eye(4), theme="dark", title="M", axes=("", "")).layout.shapes


def test_a_histogram_stands_on_0_at_both_ends() -> None:
    line = Curve("n", np.arange(4), np.array([1.0, 5, 2]), steps=True)
    trace = curves([line], theme="light", title="n", axes=("x", "y")).data[0]
    assert list(trace.y) == [0, 1, 5, 2, 0]
    assert list(trace.x) == [0, 0, 1, 2, 3]
    assert (trace.line.shape, trace.fill) == ("hv", "tozeroy")


def test_a_mark_and_named_ticks() -> None:
    line = Curve("a", np.arange(3), np.arange(3))
    figure = curves([line], theme="light", title="a", axes=("d", ""), x_ticks=([0, 2], ["2", "<8>"]), mark=2)
    assert [literal(tick) for tick in figure.layout.xaxis.ticktext] == ["2", "<8>"]
    (mark,) = figure.layout.shapes
    assert (mark.x0, mark.x1) == (2, 2)


def test_a_grid_of_given_width_does_not_stretch() -> None:
    assert grid(np.eye(2), "ab", "ab", theme="light", title="A", width=260).layout.meta == {"width": 260, "most": 416}
