"""Settings and words that many tests go through, and how to read what a page shows."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from html import unescape
from itertools import cycle, product
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from attention_core import D_K_CHOICES
from attention_ui import cautions, figures
from attention_ui.pictures import caution, cost, dashboard, induction, matrix, projections, transformer
from attention_ui.settings import EXAMPLE_WORDS, MASKS, OWN, SENTENCE_IDS, Settings, order_of, partner
from attention_ui.show import Picture, payload

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "pages").glob("*.py"))
THEMES = ("light", "dark")

# Each is one token to us, and markup, a number, a formula, a command or a code to somebody else.
HOSTILE_WORDS = (
    *[r"1", r"2", r"10", r"2024", r"1e5", r"1e5", r"<s>", r"a<b>c", r"&amp;", r"$5", r"$x$", r"*x*"],
    *[r"a_b", r"__x__", r"`", r"`x`", r"\frac", r"\n", r"[link](u)", r"{x}", r"%{x}", r"{{x}}", r"{0}"],
    *[r":smile:", r":red[x]", r":material/home:", r"->", r"<->", r"--", r">=", r"~~x~~", r"==x==", r"|", r"#", r"1."],
    *[
        r"http://evil.test",
        r"www.evil.test",
        r"a@evil.test",
        r"coding:rot13",
        r"=1+1",
        r"@x",
        r"+1",
        r"-",
        r"a,b",
        r"\"q\"",
        r"'q'",
        r"\"\"\"",
    ],
    *[
        r"<img",
        r"src=x",
        r"onerror=alert(1)>",
        r"<img/src=x/onerror=alert(1)>",
        r"<script>alert(1)</script>",
        r"<br>",
        r"</td>",
        r"nan",
        r"inf",
        r"None",
    ],
    *[r"True", r"masked", r"word", r"listens", r"vector", r"weight", r"-0.00", r"-inf"],
    *["w" * 60, "我爱北京", "جلست", "👨‍👩‍👧‍👦", "e\u0301te\u0301", "\x00x", "\u202eabc", "x\u2060y"],
)
HOSTILE = tuple(" ".join(HOSTILE_WORDS[i : i + 8]) for i in range(0, len(HOSTILE_WORDS), 8))

TYPED = (
    "the cat saw the dog",
    "hello",
    "a b c d e f g h i j k l",
    "the the the",
    "我爱北京",
    "👨‍👩‍👧‍👦 👍🏽 e\u0301te\u0301",
)


def _sample() -> tuple[Settings, ...]:
    """Every sentence under every mask; widths, scales, heads and focus words take turns beside them."""
    texts = [(sentence, "") for sentence in SENTENCE_IDS if sentence != OWN]
    cases: list[tuple[tuple[str, str], dict[str, Any]]]
    cases = [(text, {"mask": mask}) for text, mask in product(texts, MASKS)]
    cases += [
        ((OWN, words), {"mask": mask}) for words, mask in zip((EXAMPLE_WORDS, *TYPED), cycle(MASKS), strict=False)
    ]
    widths: Iterator[int] = cycle(D_K_CHOICES)
    heads, scales = cycle([(1, 0), (4, 2), (2, 1), (8, 7), (4, 3)]), cycle([True, False, False])
    windows, paddings, places = cycle((1, 2, 12)), cycle((0, 1, 11)), cycle((None, 0, 1, 2))
    found = []
    for (sentence, words), mask in cases:
        (count, head), place = next(heads), next(places)
        sizes: dict[str, Any] = {"window": next(windows)} if mask["mask"] == "window" else {}
        sizes |= {"padding": next(paddings)} if mask["mask"] == "padding" else {}
        settings = Settings(
            sentence, words, d_k=next(widths), scale=next(scales), heads=count, head=head, **mask, **sizes
        )
        found.append(settings if place is None else settings.but(focus=min(place, settings.n_tokens - 1)))
    return tuple(found)


SAMPLE = _sample()
HOSTILE_SETTINGS = tuple(
    Settings(OWN, words, mask=mask, heads=heads, head=heads - 1, d_k=d_k, scale=False)
    for words, mask, heads, d_k in zip(HOSTILE, cycle(MASKS), cycle([1, 4]), cycle([2, 64]), strict=False)
)


def link(settings: Settings) -> dict[str, str]:
    """The URL parameters that ask for these settings."""
    asked = {
        "sentence": settings.sentence,
        "words": settings.words,
        "focus": str(settings.focus + 1),
        "d_k": str(settings.d_k),
        "scale": str(settings.scale).lower(),
        "mask": settings.mask,
        "window": str(settings.window),
        "padding": str(settings.padding),
        "heads": str(settings.heads),
        "head": str(settings.head + 1),
    }
    needless = {
        "words": settings.sentence != OWN,
        "window": settings.mask != "window",
        "padding": settings.mask != "padding",
        "head": settings.heads == 1,
    }
    return {name: value for name, value in asked.items() if not needless.get(name)}


def open_app(**parameters: str | list[str]) -> AppTest:
    """The home page, opened by a link."""
    app = AppTest.from_file(str(ROOT / "attention_ui" / "frame.py"), default_timeout=60)
    for name, value in parameters.items():
        app.query_params[name] = value
    return app.run()


def go_to(app: AppTest, page: str | Path) -> AppTest:
    """Another page, by its slug or its file, in the same visit."""
    path = page if isinstance(page, Path) else ROOT / "pages" / f"{page.replace('-', '_')}.py"
    return app.switch_page(str(path)).run()


def component(app: AppTest, key: str) -> dict[str, Any]:
    """What one component of the page was given."""
    (found,) = (each.proto for each in app.get("bidi_component") if each.proto.id.endswith(f"-{key}"))
    return received(found)


def send(app: AppTest, key: str, trigger: bool = False, **state: object) -> AppTest:
    """Let a component report what a browser would, or what it never would, and run the page."""
    (found,) = (each.proto for each in app.get("bidi_component") if each.proto.id.endswith(f"-{key}"))
    states = app._tree.get_widget_states()
    if trigger:
        told = [{"event": name, "value": value} for name, value in state.items()]
        events = f"$$STREAMLIT_INTERNAL_KEY_{found.id}__events"
        states.widgets.append(WidgetState(id=events, json_trigger_value=json.dumps(told)))
    else:
        states.widgets.append(WidgetState(id=found.id, json_value=json.dumps(state)))
    return app._run(states)


def drag(app: AppTest, arrow: str, x: object, y: object, canvas: str = "arrows_ask", seq: object = 1) -> AppTest:
    """Drag one of chapter 3's arrows."""
    return send(app, canvas, move={"seq": seq, "moves": [{"id": arrow, "x": x, "y": y}]})


def settings_of(app: AppTest) -> Settings:
    """What the sidebar says."""
    settings = app.session_state["settings"]
    assert isinstance(settings, Settings)
    return settings


def received(proto: Any) -> dict[str, Any]:
    """A component's data as its browser joins it."""
    joined: dict[str, Any] = {}
    for line in proto.bytes.split(b"\n"):
        joined |= json.loads(line)
    return joined


def pictures(app: AppTest) -> list[dict[str, Any]]:
    """The data of every picture on the page, in order, each with what its player offers."""
    data = [received(component.proto) for component in app.get("bidi_component")]
    return [picture | {"player": each["player"]} for each in data for picture in each.get("pictures", ())]


def html(app: AppTest) -> list[str]:
    """What the page writes with st.html, its style sheet aside."""
    bodies = [str(element.proto.body) for element in app.get("html")]
    return [unlinked(body) for body in bodies if "<style>" not in body]


def markdown(app: AppTest) -> list[str]:
    """What the page writes as Markdown, labels that are read as Markdown among it, but for notices."""
    said = [unlinked(element.value) for element in (*app.markdown, *app.caption)]
    return [*said, *(group.label for group in app.button_group)]


def unlinked(text: str) -> str:
    """A text without its links to the glossary."""
    text = re.sub(r"\[([^\]]+)\]\(reference#[\w-]+\)", r"\1", text)
    return re.sub(r'<a href="reference#[\w-]+" target="_blank">([^<]+)</a>', r"\1", text)


def words_of(picture: dict[str, Any]) -> list[str]:
    """All of a picture that is text, its figures aside."""
    table = [*picture["table"]["columns"], *(cell for row in picture["table"]["rows"] for cell in row)]
    return [picture["name"], *picture["alt"], picture["caption"], *picture["joints"], *table, picture["csv"]]


def texts(app: AppTest) -> list[str]:
    """Everything a reader can read on the page, but for figures and notices."""
    shown = [text for picture in pictures(app) for text in words_of(picture)]
    return [*shown, *html(app), *markdown(app), *(element.value for element in app.title)]


@lru_cache(maxsize=512)
def run_program(program: str) -> list[list[str]]:
    """Run a picture's program here and return the table that it prints; a training is run once."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "program", "exec"), {"__name__": "__main__"})
    return table_of(printed.getvalue())


def table_of(printed: str) -> list[list[str]]:
    """What a program printed, as rows of cells."""
    return [line.split("\t") for line in printed.removesuffix("\n").split("\n")]


def printed_table(picture: dict[str, Any]) -> list[list[str]]:
    """A picture's table as its program prints it, with Python's own minus sign."""
    return [[name, *(cell.replace("−", "-") for cell in cells)] for name, *cells in picture["table"]["rows"]]


def literal(label: str) -> str:
    """What a reader sees of a Plotly label: tags are formatting, then entities are characters."""
    return unescape(re.sub(r"<[^<>]*>", "", label))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours (WCAG 2)."""

    def luminance(colour: str) -> float:
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def as_object(make: Callable[..., figures.Figure]) -> Callable[..., go.Figure]:
    """A function whose figures are Plotly's own objects, which refuse what Plotly does not know."""
    return lambda *args, **kwargs: go.Figure(make(*args, **kwargs))


arcs, compare, curves = as_object(figures.arcs), as_object(figures.compare), as_object(figures.curves)
field, grid, plane = as_object(figures.field), as_object(figures.grid), as_object(figures.plane)


def every_picture(settings: Settings) -> list[tuple[Callable[..., Picture], tuple[Any, ...]]]:
    """Each picture of these settings that the pages can show, as the function that makes it and its arguments."""
    column = settings.n_tokens - 1
    order = order_of("first word last", settings.n_tokens)
    twice = settings.tokens * 2  # every word comes back
    by_hand = (twice, settings.n_tokens + settings.focus, 4.0)
    return [
        (dashboard.focus_arcs, (settings,)),
        (dashboard.partner_arcs, (partner(settings),)),
        (dashboard.weight_grid, (settings,)),
        (dashboard.query_plane, (settings,)),
        (dashboard.value_plane, (settings,)),
        (matrix.three_grids, (settings, column)),
        (matrix.cell_sources, (settings, column)),
        (matrix.shuffle_grids, (settings, order)),
        *caution_pictures(settings),
        *((cost.tile_step, (settings, block, step)) for block, step in tile_steps(settings)),
        *transformer_pictures(settings),
        (induction.first_layer, (*by_hand, True, None)),
        (induction.first_layer, (*by_hand, False, None)),
        (induction.second_layer, (*by_hand, True, None)),
        (induction.second_layer, (*by_hand, False, None)),
        (induction.what_breaks, (twice, 4.0)),
        (projections.three_arrows, (settings,)),
        (projections.two_outputs, (settings, partner(settings))),
    ]


def transformer_pictures(settings: Settings) -> list[tuple[Callable[..., Picture], tuple[Any, ...]]]:
    """Those of chapter 12."""
    blocks = [(2, 0, "pre"), (8, 3, "post")] if settings.has_embedding else []
    return [
        *((transformer.residual_stream, (settings, *stack)) for stack in blocks),
        (transformer.cross_grid, (settings, settings.but(sentence="cat-sat"))),
        (transformer.cross_grid, (settings, settings.but(sentence="apple-pie"))),
        (transformer.one_more_word, (settings, 0)),
        (transformer.one_more_word, (settings, settings.n_tokens - 1)),
        (transformer.circuits, (settings,)),
    ]


def tile_steps(settings: Settings) -> list[tuple[int, int]]:
    """A few tiles of chapter 11: the first and the last, small and larger than the grid."""
    return [(1, 2 - (settings.n_tokens == 1)), (2, len(cost.tiles_of(settings, 2).steps)), (settings.n_tokens, 1)]


def caution_pictures(settings: Settings) -> list[tuple[Callable[..., Picture], tuple[Any, ...]]]:
    """Those of chapter 10."""
    ways = len(cautions.way_names(settings))
    trades = [(way, percent) for way, percent in ((0, 100), (ways - 1, -37)) if ways]
    huge = [(caution.huge_plane, (settings, word, 20)) for word in cautions.can_be_huge(settings)[:1]]
    return [
        *((make, (settings, *trade)) for make in (caution.same_output_weights, caution.value_hull) for trade in trades),
        (caution.same_output_weights, (settings, None, 0)),
        (caution.value_hull, (settings, None, 0)),
        (caution.three_measures, (settings,)),
        *huge,
    ]


def verdict(app: AppTest) -> str:
    """What the page says of the guess that was made: "Yes", "Not quite" or "" before there is one."""
    (guess,) = [text for text in markdown(app) if text.startswith("**Guess first.**")]
    found = re.search(r"\n\n\*\*(Yes|Not quite)\.\*\*", guess)
    return found[1] if found else ""


def picture(app: AppTest, name: str) -> dict[str, Any]:
    """The page's picture of that name."""
    return next(each for each in pictures(app) if each["name"] == name)


def checked(make: Callable[..., Picture], *args: Any) -> dict[str, Any]:
    """A picture whose program prints its table."""
    data = payload(make, args, "light")
    assert run_program(data["program"]) == printed_table(data)
    return data
