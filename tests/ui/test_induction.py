"""The pictures of chapter 13: what is removed, what cannot be measured, and the recorded run on the wire."""

import base64
import json
from typing import Any

import numpy as np
import pytest

from attention_ui.pictures import induction
from attention_ui.show import payload
from tests.cases import printed_table, run_program

LETTERS = tuple("ABCDEFABCD")


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return payload(induction.induction_run, (0,), "light")


@pytest.mark.parametrize("start_token", [True, False])
@pytest.mark.parametrize("removed", [None, 1, 2])
@pytest.mark.parametrize(
    "tokens", [LETTERS, ("A",), ("A", "B", "A"), tuple("A" * 24), ("<s>", "start", "token", "<s>")]
)
def test_every_way_to_take_it_apart(tokens: tuple[str, ...], removed: int | None, start_token: bool) -> None:
    for make in (induction.first_layer, induction.second_layer):
        for position in {0, len(tokens) - 1}:
            picture = payload(make, (tokens, position, 2.5, start_token, removed), "dark")
            assert run_program(picture["program"]) == printed_table(picture)
            assert len(picture["figures"]) == len(picture["alt"]) == 2
            ticks = picture["figures"][0]["layout"]["yaxis"]["ticktext"]
            assert len(ticks) == len(tokens) + start_token
            assert (ticks[0] == "start token") == start_token


def test_what_cannot_be_measured_is_said_not_drawn() -> None:
    nothing = payload(induction.what_breaks, (("A", "B"), 4.0), "light")
    half = payload(induction.what_breaks, (("A", "B", "A"), 4.0), "light")
    assert (len(nothing["figures"]), len(half["figures"])) == (0, 1)
    assert [row[1] for row in half["table"]["rows"]] == ["none"] * 4
    for picture in (nothing, half):
        assert run_program(picture["program"]) == printed_table(picture)


def test_the_claims_of_the_prose_hold() -> None:
    scores = induction.taken_apart(LETTERS, 4.0)
    assert scores["both layers"].accuracy == 1
    assert scores["no layer 1"].accuracy == scores["no layer 2"].accuracy == 0
    everywhere = induction.on_random_blocks(4.0)
    assert everywhere["both layers"].accuracy == 1
    assert 0.9 < (everywhere["no start"].accuracy or 0) < 0.97
    for seed in (0, 1):
        two, one = induction.learned(seed)
        assert two.elimination < one.accuracy[-1] < two.elimination_within_ten
        assert 80 < induction.first_step(two, 0.5) < induction.first_step(two, 0.95) < 240


def test_the_run_fits_the_wire_and_its_tracks_fit_the_run(run: dict[str, Any]) -> None:
    assert len(json.dumps(run)) < 1_000_000
    play = run["play"]
    records = play["last"] // play["every"] + 1
    assert len(play["captions"]) == records
    two, one = induction.learned(0)
    for track in play["tracks"]:
        assert track["every"] == play["every"]
        assert track["shape"][0] == records
        trace = run["figures"][track["figure"]]["data"][track["trace"]]
        assert trace["type"] == ("heatmap" if track["attribute"] == "z" else "scatter")
        assert not track["prefix"] or trace.get("opacity") == 1
    for track, weights in zip(play["tracks"][-3:], (two.maps[:, 0], two.maps[:, 1], one.maps[:, 0]), strict=True):
        sent = np.frombuffer(base64.b64decode(track["numbers"]), "<f4").reshape(track["shape"])
        assert np.array_equal(np.nan_to_num(sent), weights)
        assert np.isnan(sent[:, 0, 1:]).all()


def test_the_training_program_prints_the_table(run: dict[str, Any]) -> None:
    assert run_program(run["program"]) == printed_table(run)
    other = run_program(run["program"].replace("seed, printed = 0", "seed, printed = 1"))
    assert other != printed_table(run)
    assert other == printed_table(payload(induction.induction_run, (1,), "light"))


def test_the_curves_to_take_home() -> None:
    head, *rows = induction.learned_csv(0).splitlines()
    assert head.startswith("step,loss_two,accuracy_two")
    assert len(rows) == len(induction.learned(0)[0].steps)
