import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_ui.captions import (
    aligned,
    largest,
    listed,
    listens,
    meaning,
    number,
    percent,
    plain,
    tiny,
    vector,
    winners,
)
from attention_ui.settings import Settings, shown_head
from tests.cases import HOSTILE_SETTINGS, SAMPLE

finite = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.5, "50 %"),
        (0.7718, "77 %"),
        (0.9949, "99.5 %"),
        (0.99901, "> 99.9 %"),
        (0.999, "99.9 %"),
        (0.001, "0.1 %"),
        (0.0009, "< 0.1 %"),
        (1e-300, "< 0.1 %"),
        (0.0044, "0.4 %"),
    ],
)
def test_percent(share: float, written: str) -> None:
    assert percent(share) == written


@given(st.floats(0, 1))
def test_only_nothing_is_nothing_and_only_all_is_all(share: float) -> None:
    assert (percent(share) == "0 %") == (share == 0)
    assert (percent(share) == "100 %") == (share == 1)


@given(finite, st.integers(0, 6))
def test_a_number_reads_back_and_has_no_minus_zero(value: float, places: int) -> None:
    text = number(value, places)
    read = float(text.replace("−", "-"))
    assert abs(read - value) <= 0.5 * 10**-places * (1 + 1e-9) + 1e-9
    assert "-" not in text
    assert not (read == 0 and text.startswith("−"))


@given(finite)
def test_a_plain_number_is_the_same_number(value: float) -> None:
    assert float(plain(value).replace("−", "-")) == float(number(value).replace("−", "-"))
    assert plain(value)[-1].isdigit()


def test_numbers_as_they_are_printed() -> None:
    assert [number(x) for x in (-0.0, -0.004, -0.005001, 4, 1e6)] == ["0.00", "0.00", "−0.01", "4.00", "1000000.00"]
    assert [plain(x) for x in (100.0, 10, 0.5, -2, 0.001)] == ["100", "10", "0.5", "−2", "0"]
    assert vector(np.array([-0.0, -3.149])) == "(0.00, −3.15)"
    assert [tiny(x) for x in (0.0, 2.2e-16, 0.004, 0.006, 12.3)] == ["0", "2e−16", "4e−03", "0.01", "12.30"]


def test_lists() -> None:
    assert [listed(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_winners_are_the_largest_within_1e_9(weights: list[float]) -> None:
    top = max(weights)
    assert winners(np.array(weights)) == ([i for i, w in enumerate(weights) if w >= top - 1e-9] if any(weights) else [])


def test_ties_within_rounding_are_ties() -> None:
    assert winners(np.array([0.5, 0.5 - 1e-12])) == [0, 1]
    assert winners(np.array([0.5, 0.5 - 1e-8])) == [0]


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ([0.1, 0.7, 0.2], "a listens most to b, 70 %"),
        ([0.7, 0.1, 0.2], "a listens most to itself, 70 %"),
        ([0.4, 0.4, 0.2], "a listens most to a and b, a tie at 40 % each"),
        ([1 / 3, 1 / 3, 1 / 3], "a listens equally to a, b and c, 33 % each"),
        ([0, 0, 0], "a has nothing to see: every weight is 0"),
    ],
)
def test_listens(weights: list[float], says: str) -> None:
    assert listens(("a", "b", "c"), 0, np.array(weights)) == says


def test_words_that_occur_twice_are_named_by_place() -> None:
    tokens = ("the", "cat", "saw", "the", "dog")
    assert listens(tokens, 0, np.array([0.1, 0.1, 0.1, 0.6, 0.1])) == "the (1) listens most to the (4), 60 %"


@pytest.mark.parametrize("settings", [*SAMPLE, *HOSTILE_SETTINGS])
def test_listens_names_the_winner_of_the_numbers(settings: Settings) -> None:
    weights = shown_head(settings).weights[settings.focus]
    says = listens(settings.tokens, settings.focus, weights)
    best = [i for i, weight in enumerate(weights) if weight > weights.max() - 1e-9]
    tie = "a tie" in says or "equally" in says
    assert tie == (len(best) > 1)
    for i in best:
        assert settings.tokens[i] in says or "itself" in says


def test_largest() -> None:
    names = ("a", "b", "c")
    assert largest("score", names, np.array([2.8284, 1, -np.inf])) == "the largest score, 2.83, is with a"
    assert largest("score", names, np.array([2, 2 - 1e-12, 0])) == "the largest score, 2, is shared by a and b"
    assert largest("score", names, np.zeros(3)) == "every score is 0"
    assert largest("score", names, np.full(3, -np.inf)) == "nothing to see"
    assert largest("score", ("a",), np.array([4.0])) == "the largest score, 4, is with a"


def test_aligned() -> None:
    keys = np.array([[2, 0], [2, 0], [0, 2]])
    names = ("a", "b", "c")
    assert aligned(names, 0, np.array([1, 0]), keys).endswith("the largest dot product, 2, is shared by a and b")
    assert aligned(names, 0, np.array([0, 1]), keys) == "a asks (0, 1); the largest dot product, 2, is with c"
    assert aligned(names, 0, np.zeros(2), keys).endswith("asks for nothing, so every dot product is 0")
    assert aligned(names[:1], 0, np.array([1, 0]), keys[:1]).endswith("the largest dot product, 2, is with a")


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ((3.3, 0.2), "points at nature"),
        ((-3.3, 0.2), "points at food"),
        ((0.2, 3.3), "points at made by people"),
        ((0.2, -3.3), "points away from made by people"),
        ((2.0, 2.0), "points halfway between two senses"),
        ((0.001, -0.001), "points nowhere yet"),
    ],
)
def test_meaning(output: tuple[float, float], says: str) -> None:
    assert meaning(np.array(output)) == says
