import base64
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from attention_ui.figures import PALETTES
from attention_ui.settings import Settings
from attention_ui.show import Picture, packed, payload, plain, table_text
from tests.cases import HOSTILE_SETTINGS, SAMPLE, every_picture, pictures, received

cases = st.sampled_from([*SAMPLE, *HOSTILE_SETTINGS])
COLOUR = re.compile(r"#[0-9A-Fa-f]{6}\b|rgba?\([^)]*\)")
INKS = re.compile(r'"inks": \{[^}]*\}')  # black and white, and where in the colours the one gives way to the other
made: list[tuple[Any, ...]] = []


def counted(settings: Settings, theme: str) -> Picture:
    """A picture that notes when it is made."""
    made.append((settings, theme))
    return Picture("Counted", [], ["One sentence"], pd.DataFrame({"x": [1.0]}), "print(1)")


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    made.clear()
    yield
    made.clear()


def test_a_picture_is_made_once_for_equal_arguments_and_again_for_others() -> None:
    one, same, other = Settings(), Settings("river-bank", focus=5), Settings(focus=4)
    first = packed(counted, (one,), "light")
    assert packed(counted, (same,), "light") is first
    assert made == [(one, "light")]
    packed(counted, (other,), "light")
    packed(counted, (one,), "dark")
    assert packed(counted, (one,), "light") is first
    assert made == [(one, "light"), (other, "light"), (one, "dark")]


def script() -> None:
    from attention_ui.settings import Settings
    from attention_ui.show import show
    from tests.ui.test_show import counted

    show(counted, Settings(d_k=4))


def test_show_makes_a_picture_once_for_all_visitors() -> None:
    packed.cache_clear()
    for _ in range(3):
        app = AppTest.from_function(script).run().run()
        assert not app.exception
        (data,) = pictures(app)
        assert (data["name"], data["file"]) == ("Counted", "attention-lab-counted")
    import tests.ui.test_show as same

    assert same.made == [(Settings(d_k=4), "light")]
    same.made.clear()


def row() -> None:
    from attention_ui.settings import Settings
    from attention_ui.show import show_all
    from tests.ui.test_show import another, counted

    show_all("two", (counted, Settings(d_k=4)), (another, Settings(d_k=8)))


def another(settings: Settings, theme: str) -> Picture:
    """A picture of another name."""
    return replace(counted(settings, theme), name="Another")


def test_pictures_that_stand_together_are_one_element_and_keep_what_is_theirs() -> None:
    app = AppTest.from_function(row).run()
    (element,) = app.get("bidi_component")
    assert element.proto.id.endswith("-counted")
    assert received(element.proto)["layout"] == "two"
    assert [(each["key"], each["name"]) for each in pictures(app)] == [("counted", "Counted"), ("another", "Another")]


@given(cases, st.integers(0, 7), st.sampled_from(["light", "dark"]))
@hypothesis_settings(max_examples=30)
def test_what_is_kept_is_what_would_be_made(settings: Settings, which: int, theme: str) -> None:
    make, args = every_picture(settings)[which]
    kept = packed(make, args, theme)
    assert packed.__wrapped__(make, args, theme) == kept
    assert packed(make, args, theme) is kept


@pytest.mark.parametrize("settings", [*SAMPLE[::5], *HOSTILE_SETTINGS[::4]])
def test_light_and_dark_differ_in_colour_and_nothing_else(settings: Settings) -> None:
    for make, args in every_picture(settings):
        light, dark = (INKS.sub("", json.dumps(payload(make, args, theme))) for theme in ("light", "dark"))
        assert light != dark
        assert COLOUR.sub("#", light) == COLOUR.sub("#", dark)
        assert not {colour.upper() for colour in COLOUR.findall(dark)} & {PALETTES["light"].ink, PALETTES["light"].card}


@pytest.mark.parametrize("settings", [*SAMPLE[::3], *HOSTILE_SETTINGS])
def test_the_message_is_plain_json_with_everything_in_it(settings: Settings) -> None:
    for make, args in every_picture(settings):
        data = payload(make, args, "light")
        text = json.dumps(data, allow_nan=False)
        assert len(text) < 200_000
        assert len(data["alt"]) == len(data["figures"]) == len(data["joints"]) + 1
        assert data["caption"]
        width = len(data["table"]["columns"])
        assert all(len(row) == width for row in data["table"]["rows"])
        assert all(isinstance(cell, str) for row in data["table"]["rows"] for cell in row)


def numbers(data: object) -> object:
    """A figure with its typed arrays as numbers, of whatever width, and without what is empty: Plotly leaves it out."""
    if isinstance(data, list):
        return [numbers(each) for each in data]
    if not isinstance(data, dict):
        return data
    if "bdata" in data:
        values = np.frombuffer(base64.b64decode(data["bdata"]), data["dtype"])
        return (data["dtype"][0], data.get("shape"), [repr(value) for value in values.tolist()])
    return {name: numbers(each) for name, each in data.items() if each not in ([], None)}


@pytest.mark.parametrize("settings", [*SAMPLE[::6], *HOSTILE_SETTINGS[:1]])
def test_a_figure_travels_as_plotly_would_write_it(settings: Settings) -> None:
    for make, args in every_picture(settings):
        for figure in make(*args, "light").figures:
            text = json.dumps(figure, default=plain)
            assert numbers(json.loads(text)) == numbers(json.loads(go.Figure(figure).to_json()))


def test_a_table_as_text() -> None:
    table = pd.DataFrame({"word": ["-0.00", "nan"], "weight": [-0.001, -np.inf], "count": [1.0, 2.345]})
    assert table_text(table) == {
        "columns": ["word", "weight", "count"],
        "rows": [["-0.00", "0.00", "1.00"], ["nan", "masked", "2.35"]],
    }


def test_masked_cells_are_called_so_in_the_csv() -> None:
    make, args = every_picture(Settings(mask="causal"))[5]
    csv = payload(make, args, "light")["csv"]
    assert csv.count("masked") == 15
    assert "inf" not in csv
