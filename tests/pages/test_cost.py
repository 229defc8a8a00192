"""Chapter 11: tiles of any size, bytes that overflow 32 bits, and a measurement that is pressed twice or left."""

import subprocess
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core import MODEL_SPECS, Measurement, kv_cache_bytes, score_cells
from attention_ui.controls import measuring
from attention_ui.pictures import cost
from attention_ui.settings import Settings, shown_head
from attention_ui.show import payload
from tests.cases import SAMPLE, go_to, open_app, pictures, printed_table, run_program
from tests.pages.test_pages import healthy

FOUND = tuple(Measurement(n, n / 100, n / 200, n / 50, 1.0, 1e-7) for n in (64, 128))


def visit() -> AppTest:
    app = go_to(open_app(), "cost")
    healthy(app)
    return app


@pytest.mark.parametrize("settings", SAMPLE[::2])
@pytest.mark.parametrize("block", [1, 2, 3, 99])
def test_the_last_tile_knows_what_the_whole_grid_gives(settings: Settings, block: int) -> None:
    assert cost.tiles_difference(settings, block) <= 1e-12
    last = len(cost.tiles_of(settings, block).steps)
    rows = payload(cost.tile_step, (settings, block, last), "light")["table"]["rows"]
    known = np.array([[float(cell.replace("−", "-")) for cell in row[-2:]] for row in rows])
    assert np.abs(known - shown_head(settings).output).max() <= 0.00501


def test_cells_held_are_those_of_a_tile_alone() -> None:
    picture = payload(cost.tile_step, (Settings("cat-sat"), 3, 2), "light")
    assert picture["figures"][0]["layout"]["title"]["text"] == "Tile 2 of 4: 3 cells held now"
    assert len(picture["figures"][0]["data"][1]["text"]) == 3


@pytest.mark.parametrize("n", [4, 64, 128, 131072])
def test_cells_are_counted_by_the_program_too(n: int) -> None:
    picture = payload(cost.grid_cells, (n, 1), "light")
    assert run_program(picture["program"]) == printed_table(picture)
    assert [row[1] for row in picture["table"]["rows"]] == [str(n * n), str(score_cells(n, causal=True)), str(n)]
    assert all(len(figure["data"][0]["x"]) <= 64 for figure in picture["figures"] if isinstance(figure, dict))


@pytest.mark.parametrize("width", [768, 4096, 12288])
def test_the_curves_cross_at_six_times_the_width(width: int) -> None:
    picture = payload(cost.flops_curves, (width,), "light")
    assert run_program(picture["program"]) == printed_table(picture)
    assert picture["figures"][0]["layout"]["shapes"][0]["x0"] == 6 * width
    sides = [int(grid) > int(rest) for _, grid, rest in picture["table"]["rows"]]
    assert sides == [n > 6 * width for n in cost.SIZES]


@pytest.mark.parametrize(("tokens", "batch"), [(64, 1), (131072, 256)])
def test_bytes_of_many_long_texts_do_not_overflow(tokens: int, batch: int) -> None:
    picture = payload(cost.cache_bars, (tokens, batch), "light")
    assert run_program(picture["program"]) == printed_table(picture)
    kept = {row[0]: int(row[-1]) for row in picture["table"]["rows"]}
    for spec in MODEL_SPECS.values():
        assert kept[spec.name] == kv_cache_bytes(spec, tokens, batch) > 0


def test_every_query_head_uses_one_key_head() -> None:
    picture = payload(cost.head_maps, (), "light")
    assert run_program(picture["program"]) == printed_table(picture)
    assert picture["table"]["rows"][7] == ["query 8", "8", "2", "1"]


# The measurement


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What was measured; nothing really is."""
    asked: list[int] = []

    def fake(sizes: list[int], n_heads: int) -> Any:
        asked.extend(sizes)
        return iter([Measurement(n, n / 100, n / 200, n / 50, 1.0, 1e-7) for n in sizes])

    monkeypatch.setattr(measuring, "measure_attention", fake)
    return asked


def press(app: AppTest, label: str) -> AppTest:
    button = next(button for button in app.button if button.label == label)
    button.proto.disabled = False  # a second press may be on its way before the first has greyed the button
    button.click().run()
    healthy(app)
    return app


def test_nothing_is_measured_unasked(measured: list[int]) -> None:
    visit().run()
    assert measured == []


def test_pressed_twice_it_measures_each_size_once(measured: list[int]) -> None:
    app = press(press(visit(), "Measure it here"), "Measure it here")
    for _ in range(8):
        healthy(app.run())
    assert measured == [64, 128, 256, 512, 1024, 2048]
    picture = pictures(app)[-1]
    assert [row[0] for row in picture["table"]["rows"]] == ["64", "128", "256", "512", "1024", "2048"]
    assert run_program(picture["program"]) == printed_table(picture)


def test_stopped_it_keeps_what_was_found(measured: list[int]) -> None:
    app = press(press(visit(), "Measure it here"), "Stop")
    for _ in range(3):
        healthy(app.run())
    assert measured == [64]
    assert [row[0] for row in pictures(app)[-1]["table"]["rows"]] == ["64"]


def test_left_half_way_it_rests_and_goes_on_later(measured: list[int]) -> None:
    app = press(visit(), "Measure it here")
    healthy(go_to(app, "home"))
    assert measured == [64]
    healthy(go_to(app, "cost"))
    assert measured == [64, 128]


def test_a_machine_that_cannot_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        return subprocess.CompletedProcess([], 1, "", "MemoryError")

    monkeypatch.setattr(subprocess, "run", fail)
    app = press(visit(), "Measure it here")
    assert "MemoryError" in app.warning[0].value
    assert not app.button[0].disabled


def test_curves_of_measurements() -> None:
    picture = payload(cost.measured_curves, (FOUND,), "dark")
    assert run_program(picture["program"]) == printed_table(picture)
