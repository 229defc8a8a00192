"""Figures as data: what an axis, a colour and a cell say, before any browser draws them."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_ui.escape import short
from attention_ui.figures import PALETTES, Arrow, Outline
from tests.cases import HOSTILE_WORDS, ROOT, SAMPLE, THEMES, arcs, contrast, every_picture, grid, literal, plane

WORDS = HOSTILE_WORDS[:12]
WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(12), 12)
CAUSAL = np.tril(np.ones((3, 3), bool))


def weights_grid(**more: Any) -> go.Figure:
    return grid(WEIGHTS, WORDS, WORDS, theme="light", title="A", kind="weights", axes=("listens", "is heard"), **more)


def text_of(figure: go.Figure) -> list[str]:
    """All the words drawn on a figure beside its axes."""
    drawn = [text for trace in figure.data if trace.type == "scatter" for text in (trace.text or ())]
    return [*drawn, *(annotation.text for annotation in figure.layout.annotations)]


@pytest.mark.parametrize("words", [HOSTILE_WORDS[i : i + 12] for i in range(0, len(HOSTILE_WORDS), 12)])
def test_words_stand_on_whole_numbers_and_are_literal(words: tuple[str, ...]) -> None:
    n = len(words)
    figure = grid(np.eye(n), words, words, theme="light", title="A")
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert list(axis.tickvals) == list(range(n))
        assert [literal(tick) for tick in axis.ticktext] == [short(word) for word in words]
    assert_array_equal(figure.data[0].x, range(n))
    assert_array_equal(figure.data[0].y, range(n))
    hover = [literal(cell) for cell in np.ravel(figure.data[0].hovertext)]
    assert all(word in hover[i * n] for i, word in enumerate(words))  # uncut
    ticks = arcs(words, 0, np.full(n, 1 / n), theme="light").layout.xaxis
    assert list(ticks.tickvals) == list(range(n))
    assert [literal(tick.split("<br>")[0]) for tick in ticks.ticktext] == [short(word) for word in words]


def test_row_0_is_on_top_and_the_axes_say_who_listens() -> None:
    layout = weights_grid().layout
    assert tuple(layout.yaxis.range) == (11.5, -0.5)
    assert tuple(layout.xaxis.range) == (-0.5, 11.5)
    assert (layout.yaxis.title.text, layout.xaxis.title.text) == ("listens", "is heard")


def test_nothing_is_guessed_from_labels() -> None:
    for figure in (weights_grid(), arcs(WORDS, 0, WEIGHTS[0], theme="light"), plane([], theme="light", title="")):
        template = figure.layout.template.layout
        assert template.xaxis.autotypenumbers == template.yaxis.autotypenumbers == "strict"
        assert "#000001" not in str(figure.to_json())  # Streamlit's placeholder colours


@pytest.mark.parametrize("theme", THEMES)
def test_weights_are_one_hue_from_0_to_1_whatever_they_are(theme: str) -> None:
    palette = PALETTES[theme]
    for values in (np.full((2, 2), 0.01), np.eye(2)):
        heat = grid(values, "ab", "ab", theme=theme, title="A", kind="weights").data[0]
        assert (heat.zmin, heat.zmax, heat.colorscale[-1]) == (0, 1, (1, palette.weight))
        assert len(heat.colorscale) == 2


@pytest.mark.parametrize("values", [[[-1.0, 5.0]], [[-7.0, 2.0]], [[0.0, 0.0]], [[-np.inf, 3.0]]])
def test_scores_are_even_about_0(values: list[list[float]]) -> None:
    heat = grid(np.array(values), "a", "bc", theme="light", title="S", kind="scores").data[0]
    assert heat.zmin == -heat.zmax < 0
    assert heat.zmax == max([abs(v) for v in values[0] if np.isfinite(v)]) or values == [[0.0, 0.0]]
    assert [stop for stop, _ in heat.colorscale] == [0, 0.5, 1]
    compared = grid(np.array(values), "a", "bc", theme="light", title="S", kind="scores", limit=9).data[0]
    assert (compared.zmin, compared.zmax) == (-9, 9)


def test_cells_hold_the_numbers_as_the_table_rounds_them() -> None:
    heat = grid(np.array([[0.125, 0.375, 0.7718, -0.001]]), "a", "bcde", theme="light", title="A").data[0]
    assert heat.texttemplate == "%{z:.2f}"
    assert_allclose(heat.z, [[0.12, 0.38, 0.77, 0]], atol=1e-6)  # a browser would make 0.13 of 0.125
    assert heat.z.dtype == np.float32
    wide = grid(np.full((17, 17), 0.125), ["w"] * 17, ["w"] * 17, theme="light", title="A").data[0]
    assert wide.texttemplate is None
    assert wide.z[0, 0] == 0.125


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("kind", "holds"), [("weights", "0"), ("scores", "−∞")])
def test_masked_cells_are_hatched_and_say_what_they_hold(theme: str, kind: str, holds: str) -> None:
    values = np.full((3, 3), 1 / 3) if kind == "weights" else np.where(CAUSAL, 1.0, -np.inf)
    visible = CAUSAL if kind == "weights" else None
    figure = grid(values, "abc", "abc", theme=theme, title="A", kind=kind, visible=visible)
    assert_array_equal(np.isnan(figure.data[0].z), ~CAUSAL)
    hatch = next(trace for trace in figure.data if trace.name == "masked")
    pattern = hatch.fillpattern
    assert (pattern.shape, pattern.fgcolor) == ("/", PALETTES[theme].quiet)
    stripe = mixed([(0, pattern.bgcolor), (1, pattern.fgcolor)], pattern.fgopacity)
    assert contrast(figure.data[-1].textfont.color, stripe) >= 4.5
    assert int(np.isnan(np.asarray(hatch.x, float)).sum()) == 3  # one square each
    assert text_of(figure) == [holds] * 3
    assert "masked" in np.asarray(figure.data[0].hovertext)[0][1]
    assert not grid(np.eye(3), "abc", "abc", theme=theme, title="A", visible=CAUSAL | True).data[1:]


def test_a_row_with_nothing_to_see_says_so() -> None:
    visible = np.array([[True, False], [False, False]])
    for values, kind in ((np.array([[1.0, 0], [0, 0]]), "weights"), (np.array([[1.0, -np.inf], [-np.inf] * 2]), "S")):
        figure = grid(values, "ab", "ab", theme="light", title="A", kind=kind, visible=visible)
        (note,) = figure.layout.annotations
        assert (note.text, note.y) == ("nothing to see", 1)
        assert "nan" not in str(text_of(figure)).lower()


def test_outlines_frame_rows_columns_and_cells() -> None:
    figure = weights_grid(outlines=[Outline(row=2), Outline(column=3, role="key"), Outline(row=0, column=1)])
    boxes = [(s.x0, s.x1, s.y0, s.y1) for s in figure.layout.shapes]
    assert boxes == [(-0.5, 11.5, 1.5, 2.5), (2.5, 3.5, -0.5, 11.5), (0.5, 1.5, -0.5, 0.5)]
    light = PALETTES["light"]
    assert [s.line.color for s in figure.layout.shapes] == [light.query, light.key, light.query]


def test_arcs_are_as_thick_as_weights_and_stop_at_the_mask() -> None:
    seen = np.array([True, True, False])
    figure = arcs(("a", "b", "c"), 1, np.array([0.2, 0.8, 0.0]), seen, theme="dark")
    assert len(figure.data) == 2
    thin, thick = (trace.line.width for trace in figure.data)
    assert thin < thick
    ticks = [literal(tick.replace("<br>", " ")) for tick in figure.layout.xaxis.ticktext]
    assert ticks == ["a 20 %", "b 80 %", "c masked"]


def arrow_traces(*arrows: Arrow, theme: str = "light") -> list[go.Scatter]:
    figure = plane(arrows, theme=theme, title="P")
    return [trace for trace in figure.data if trace.type == "scatter" and (trace.meta or {}).get("part")]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("role", ["query", "key", "value", "output"])
def test_every_role_has_its_colour_and_outputs_are_dashed(theme: str, role: str) -> None:
    (trace,) = arrow_traces(Arrow("a", (1.0, 2.0), role), theme=theme)
    assert trace.meta["part"] == role
    assert trace.line.color == getattr(PALETTES[theme], "query" if role == "output" else role)
    assert trace.line.dash == ("dash" if role == "output" else "solid")
    assert (trace.x[-1], trace.y[-1]) == (1.0, 2.0)


def test_vectors_that_coincide_are_drawn_once_under_all_their_names() -> None:
    same = [Arrow(name, (1.0 + 1e-12 * i, 1.0), "key") for i, name in enumerate("abc")]
    traces = arrow_traces(*same, Arrow("q", (1.0, 1.0), "query"), Arrow("d", (1.0, 0.9), "key"))
    assert [trace.name for trace in traces] == ["a · b · c", "q", "d"]
    hover = literal(traces[0].hovertext)
    assert all(name in hover for name in "abc")


def test_a_zero_vector_is_a_dot_and_names_are_literal() -> None:
    (dot,) = arrow_traces(Arrow("<s>&amp;", (0.0, 0.0), "key"))
    assert "lines" not in dot.mode
    assert "<s>&amp;" in literal(dot.hovertext)
    assert literal(dot.text[-1]) == "<s>&amp;"


def test_labels_keep_off_shafts_and_each_other() -> None:
    zeros = [Arrow(name, (0.0, 0.0), "key") for name in ("she", "sat", "by", "the")]
    keys = [Arrow("river", (2.0, 0.0), "key"), Arrow("bank", (2.0, -2.0), "key")]
    dot = next(t for t in arrow_traces(*zeros, *keys, Arrow("bank asks", (2.0, 2.0), "query")) if "lines" not in t.mode)
    assert literal(dot.text[0]) == "she · sat · +2"
    assert dot.textposition.endswith("left")  # all arrows point to the right
    pair = arrow_traces(Arrow("river", (4.0, 0.0), "value"), Arrow("new bank", (3.32, 0.23), "output"))
    assert len({trace.textposition.split()[0] for trace in pair}) == 2  # one above, one below


def test_tips_too_near_to_tell_apart_share_a_label() -> None:
    values = [
        Arrow(name, tip, "value") for name, tip in (("sat", (1.0, 1.0)), ("river", (4.0, 0.0)), ("bank", (80, 80)))
    ]
    outputs = [Arrow("before", (3.3, 0.2), "output")]
    sat, river, bank, before = arrow_traces(*values, *outputs)
    assert [literal(each.text[-1]) for each in (sat, river, bank, before)] == ["sat · river", "", "bank", "before"]
    assert river.x[-1] == 4  # its arrow is there, and says so when it is pointed at
    assert literal(river.hovertext).startswith("value of river: ")


def test_a_plane_has_equal_axes_with_room_for_every_tip() -> None:
    figure = plane([Arrow("a", (3.0, -4.0), "key")], theme="light", title="P")
    assert figure.layout.yaxis.scaleanchor == "x"
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        low, high = axis.range
        assert low < -3.9 or low < -3 < 3 < high
        assert low <= -4 or high >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_every_colour_is_readable_on_paper_and_on_cards(theme: str) -> None:
    palette = asdict(PALETTES[theme])
    for ground in ("paper", "card"):
        for role in palette.keys() - {"paper", "card", "hairline"}:
            assert contrast(palette[role], palette[ground]) >= 4.5, (theme, role, ground)


def mixed(colorscale: Any, share: float) -> str:
    """The colour that Plotly gives to a cell: straight between the stops."""
    stops = [stop for stop, _ in colorscale]
    channels = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for _, colour in colorscale]
    return "#" + "".join(f"{round(np.interp(share, stops, line)):02X}" for line in np.transpose(channels))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("kind", "values"), [("weights", (0, 1)), ("scores", (-7, 7)), ("scores", (-0.5, 40))])
def test_numbers_in_cells_are_readable_on_every_colour(theme: str, kind: str, values: tuple[float, ...]) -> None:
    heat = grid(np.array([values]), "a", "bc", theme=theme, title="A", kind=kind).data[0]
    inks = heat.meta["inks"]
    for z in np.linspace(heat.zmin, heat.zmax, 1001):
        ink = inks["near"] if inks["low"] <= z <= inks["high"] else inks["far"]
        cell = mixed(heat.colorscale, (z - heat.zmin) / (heat.zmax - heat.zmin))
        assert contrast(ink, cell) >= 4.5, z


def text_colours(part: Any, name: str = "") -> Iterator[str]:
    """The colours of all text in a figure, its template's too."""
    if isinstance(part, str):
        yield from re.findall(r"(?<![-\w])color:(#\w{6})", part)
    elif isinstance(part, dict):
        if name.endswith("font") and isinstance(part.get("color"), str):
            yield part["color"]
        for key, value in part.items():
            yield from text_colours(value, key)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from text_colours(value, name)


@pytest.mark.parametrize("theme", THEMES)
def test_all_other_text_is_readable_on_its_ground(theme: str) -> None:
    found: set[str] = set()
    for settings in SAMPLE[::4]:
        for make, args in every_picture(settings):
            for figure in make(*args, theme).figures:
                found |= set(text_colours(figure))
    palette = PALETTES[theme]
    assert palette.ink in found
    grounds = (palette.card, palette.paper)
    assert {colour for colour in found if min(contrast(colour, ground) for ground in grounds) < 4.5} == set()


def test_no_line_or_bar_is_left_to_plotlys_own_colours() -> None:
    bare = set()
    for settings in SAMPLE[::4]:
        for make, args in every_picture(settings):
            traces = [trace for figure in make(*args, "light").figures for trace in figure["data"]]
            for trace in traces:
                part = "marker" if trace["type"] == "bar" else "line" if "lines" in trace.get("mode", "") else ""
                if part and trace[part].get("width") != 0 and "color" not in trace[part]:
                    bare.add((make.__name__, trace.get("name")))
    assert bare == set()


@pytest.mark.parametrize("theme", THEMES)
def test_figures_style_sheet_and_theme_use_the_same_colours(theme: str) -> None:
    palette = {role: colour.upper() for role, colour in asdict(PALETTES[theme]).items()}
    css = (ROOT / "attention_ui" / "look.css").read_text("utf-8")
    pairs = re.findall(r"--al-([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", css)
    sheet = {name: colours[THEMES.index(theme)].upper() for name, *colours in pairs}
    assert {"query", "key", "value", "weight", "card", "quiet", "hairline"} <= sheet.keys()
    assert {name: palette[name] for name in sheet.keys() & palette.keys()} == {
        name: sheet[name] for name in sheet.keys() & palette.keys()
    }
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"][theme]
    named = {"backgroundColor": "paper", "textColor": "ink", "primaryColor": "query", "borderColor": "hairline"}
    assert {config[option].upper() for option in named} == {palette[role] for role in named.values()}
