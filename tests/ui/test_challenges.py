"""Each challenge can be solved, is judged by the present numbers, and is not fooled."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import score_cells
from attention_ui import prose
from attention_ui.challenges import CHALLENGES, banner, following, named, solved_ids, solved_text
from attention_ui.moves import put
from attention_ui.pictures import learning
from attention_ui.settings import OWN, Settings, shown_head
from tests.ui.test_ledger import Reader

RIVER, CAT = Settings("river-bank"), Settings("cat-sat")
FOOD = ((-4.0, 0.0), (0.0, 4.0), (0.0, 0.0), (1.0, 1.0))  # W_V with nature turned into food
W_Q = ((2.0, 0.0), (0.0, 2.0), (0.0, 0.0), (1.0, 0.0))
W_K = ((2.0, 0.0), (0.0, 2.0), (0.0, -4.0), (0.0, 0.0))
W_V = ((4.0, 0.0), (0.0, 4.0), (0.0, 0.0), (1.0, 1.0))
ASKS, KEY = 0, 1
RANG = Settings("apple-phone", focus=3)
LATE = {"learning_run": (300, 0, ((0, 0.1), (60, 1.5))), "learning_seed": 0, "learning_variant": learning.VIEWS[0]}

# Challenge, what the sidebar says, what the page's own controls show.
State = tuple[str, Settings, dict[str, Any]]
SOLVED: list[State] = [
    ("even", CAT, {"sheet": "cat-sat", "sheet_moves": [[KEY, 1, 0, 1], [KEY, 2, 0, 1]]}),
    ("food", RIVER, {"projections_W_matrices": (W_Q, W_K, FOOD)}),
    ("river", RIVER, {"arrows_moves": [[ASKS, 5, 6, 6]]}),
    ("river", RIVER.but(focus=0), {"arrows_moves": [[KEY, j, -3, -3] for j in (0, 1, 2, 3, 5)]}),
    ("width", RIVER.but(d_k=8, scale=False), {}),
    ("width", RIVER.but(d_k=64, scale=False), {}),
    ("cue", RIVER, {"positions_kind": "sinusoidal", "positions_strength": 0.5}),
    ("cue", CAT.but(sentence="money-bank"), {"positions_kind": "learned", "positions_strength": 1.0}),
    ("rate", RIVER, LATE),
    ("pie", Settings("apple-pie"), {}),
    ("pie", Settings("apple-pie", mask="padding", padding=0), {}),
    ("trade", RANG, {"caution_way": 0, "caution_percent": -100}),
    ("trade", RANG, {"caution_way": 1, "caution_percent": -30}),
    ("window", RIVER, {"cost_n": 4096, "cost_window": 41}),
    ("wrong", RIVER, {"sequence": "A B A C A D", "two_layers_beta": 4.0}),
]
NOT_SOLVED: list[State] = [
    # Its query was touched; the mask hides two words; other words are on the sheet; nearly alike.
    ("even", CAT, {"sheet": "cat-sat", "sheet_moves": [[ASKS, 2, 0, 0]]}),
    ("even", CAT.but(mask="causal"), {"sheet": "cat-sat", "sheet_moves": [[KEY, 1, 0, 1], [KEY, 2, 0, 1]]}),
    ("even", RIVER, {"sheet": "sidebar", "sheet_moves": [[KEY, 1, 0, 1], [KEY, 2, 0, 1]]}),
    ("even", CAT, {"sheet": "cat-sat", "sheet_moves": [[KEY, 1, 0, 1], [KEY, 2, 0.01, 1]]}),
    # Nothing changed; two matrices; the weights moved along; features did it; another sentence.
    ("food", RIVER, {"projections_W_matrices": ()}),
    ("food", RIVER, {"projections_W_matrices": (W_Q, ((2.0, 1.0), *W_K[1:]), FOOD)}),
    ("food", RIVER, {"projections_W_matrices": (((-2.0, 0.0), *W_Q[1:]), W_K, W_V)}),
    ("food", RIVER.but(features=(("river", (-1.0, 0.0, 0.0, 0.0)),)), {"projections_W_matrices": (W_Q, W_K, FOOD)}),
    ("food", Settings("apple-pie"), {"projections_W_matrices": (W_Q, W_K, FOOD)}),
    # Too little; river's key was dragged, by hand or by the unit circle; the sidebar did it.
    ("river", RIVER, {"arrows_moves": [[ASKS, 5, 3, 0]]}),
    ("river", RIVER, {"arrows_moves": [[KEY, 4, 6, 0]]}),
    ("river", RIVER, {"arrows_moves": [[ASKS, 5, 6, 6], [KEY, 4, 2, 0.01]]}),
    ("river", RIVER, {"arrows_moves": [[ASKS, 5, 6, 6]], "arrows_mode": "unit circle"}),
    ("river", RIVER.but(scale=False), {"arrows_moves": []}),
    ("river", RIVER.but(mask="window", window=2), {"arrows_moves": []}),
    ("river", RIVER.but(features=(("river", (9.0, 0.0, 0.0, 0.0)),)), {"arrows_moves": []}),
    # Too narrow; scaled; the mask or the features did it.
    ("width", RIVER.but(d_k=2, scale=False), {}),
    ("width", RIVER.but(d_k=4, scale=False), {}),
    ("width", RIVER.but(d_k=64), {}),
    ("width", RIVER.but(d_k=2, scale=False, mask="window", window=1), {}),
    ("width", RIVER.but(scale=False, features=(("river", (9.0, 0.0, 0.0, 0.0)),)), {}),
    # Too weak; a kind that has no strength; nothing to see; the features did it.
    ("cue", RIVER, {"positions_kind": "sinusoidal", "positions_strength": 0.1}),
    ("cue", RIVER, {"positions_kind": "none", "positions_strength": 1.0}),
    ("cue", RIVER, {"positions_kind": "RoPE", "positions_strength": 1.0}),
    ("cue", CAT, {}),
    (
        "cue",
        RIVER.but(features=(("river", (0.0, 0.0, 0.0, 0.0)),)),
        {"positions_kind": "sinusoidal", "positions_strength": 0.5},
    ),
    # It holds; it breaks at once.
    ("rate", RIVER, {**LATE, "learning_run": (300, 0, ((0, 0.1),))}),
    ("rate", RIVER, {**LATE, "learning_run": (300, 0, ((0, 1.5),))}),
    # Every mask that hides what comes later; another sentence.
    ("pie", Settings("apple-pie", mask="causal"), {}),
    ("pie", Settings("apple-pie", mask="window", window=12), {}),
    ("pie", Settings("apple-pie", mask="padding", padding=1), {}),
    ("pie", Settings(OWN, words="apple pie"), {}),
    # Too little, on either side; a word that hears all alike; no trade at all.
    ("trade", RANG, {"caution_way": 0, "caution_percent": 100}),
    ("trade", RANG, {"caution_way": 0, "caution_percent": -10}),
    ("trade", RANG.but(focus=0), {"caution_way": 0, "caution_percent": -100}),
    ("trade", RANG, {"caution_way": 7, "caution_percent": -100}),
    ("trade", CAT, {}),
    # A smaller one would do; too much; another n.
    ("window", RIVER, {"cost_n": 4096, "cost_window": 8}),
    ("window", RIVER, {"cost_n": 4096, "cost_window": 42}),
    ("window", RIVER, {"cost_n": 8192, "cost_window": 41}),
    # Right now and then; no word comes back; only once; blurred; nothing.
    ("wrong", RIVER, {"sequence": "A B A B A C", "two_layers_beta": 4.0}),
    ("wrong", RIVER, {"sequence": "A B C D", "two_layers_beta": 4.0}),
    ("wrong", RIVER, {"sequence": "A B A C", "two_layers_beta": 4.0}),
    ("wrong", RIVER, {"sequence": "A B A C A D", "two_layers_beta": 0.5}),
    ("wrong", RIVER, {"sequence": "", "two_layers_beta": 4.0}),
]


def judged(state: State) -> bool:
    name, settings, shown = state
    challenge = named(name)
    assert challenge is not None
    verdict = challenge.judge(settings, shown)
    Reader(verdict.said)
    assert verdict.said.endswith(".") or verdict.said.endswith(":")
    return verdict.solved


@pytest.mark.parametrize("state", SOLVED, ids=lambda state: state[0])
def test_each_can_be_solved(state: State) -> None:
    assert judged(state)


@pytest.mark.parametrize("state", NOT_SOLVED, ids=lambda state: state[0])
def test_none_is_fooled(state: State) -> None:
    assert not judged(state)


def test_the_numbers_in_a_verdict_are_the_present_ones() -> None:
    river, window = named("river"), named("window")
    assert river is not None
    assert window is not None
    for x, y in ((3.0, 0.0), (6.0, 6.0), (0.0, 2.0)):
        share = shown_head(put(RIVER, "query", 5, x, y)).weights[5, 4]
        said = river.judge(RIVER, {"arrows_moves": [[ASKS, 5, x, y]]}).said
        assert re.findall(r"[\d.]+ %", said) == [f"{100 * share:.{int(share > 0.99)}f} %"]
    said = window.judge(RIVER, {"cost_n": 4096, "cost_window": 41}).said
    assert f"{100 * score_cells(4096, window=41) / 4096**2:.2f} %" in said


def test_ten_of_them_across_the_chapters() -> None:
    assert len(CHALLENGES) == len({challenge.id for challenge in CHALLENGES}) == 10
    assert {name for name, *_ in SOLVED} == {name for name, *_ in NOT_SOLVED} == {each.id for each in CHALLENGES}
    chapters = [prose.read(challenge.slug) for challenge in CHALLENGES]
    assert len({chapter.slug for chapter in chapters}) >= 7
    assert [chapter.order for chapter in chapters] == sorted(chapter.order for chapter in chapters)
    assert all(re.fullmatch("[a-z]{1,8}", challenge.id) for challenge in CHALLENGES)


@given(st.lists(st.sampled_from([challenge.id for challenge in CHALLENGES])))
def test_what_is_solved_survives_its_text(solved: list[str]) -> None:
    text = solved_text(solved_ids(solved_text(solved)))
    assert set(solved_ids(text)) == set(solved)
    assert re.fullmatch("[a-z-]{0,100}", text)


@given(st.text() | st.text("-<riverpie>").map("river-{}".format))
def test_garbage_among_the_solved_is_ignored(text: str) -> None:
    assert set(solved_ids(text)) == {challenge.id for challenge in CHALLENGES} & set(text.split("-"))


def test_the_next_one_is_one_that_is_not_solved() -> None:
    first, *_, last = CHALLENGES
    assert following(first, [first.id]) == CHALLENGES[1]
    assert following(last, [last.id]) == first
    others = [challenge.id for challenge in CHALLENGES if challenge != last]
    assert following(first, others) == last
    assert following(last, [*others, last.id]) is None
    assert "Next challenge" not in banner(last, None, [*others, last.id])
