from dataclasses import FrozenInstanceError
from math import exp, inf, nan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import (
    LINES,
    MISTAKES,
    SENTENCES,
    Answers,
    Verdict,
    Worksheet,
    attention,
    causal_mask,
    judge,
    worksheet,
)

QKV = SENTENCES["cat-sat"].qkv
assert QKV is not None
Q, K, V = QKV
SAT = worksheet(Q, K, V, query=2)
MASKED_SAT = worksheet(Q, K, V, query=2, mask=causal_mask(4))

cells = st.integers(-3, 3).map(float) | st.floats(-1000, 1000) | st.sampled_from([-0.0, 1000.0, -1000.0])


def wrong(sheet: Worksheet, mistake: str, row: int | None = None) -> Answers:
    """The one answer with this mistake (and row)."""
    (found,) = (x for x in sheet.wrong if x.mistake == mistake and (row is None or x.row == row))
    return found


def blanks(sheet: Worksheet) -> list[tuple[str, int]]:
    sizes = {line: len(getattr(sheet.right, line)) for line in LINES} | {"total": 1}
    return [(line, i) for line in LINES for i in range(sizes[line])]


# the right answers


def test_sat_by_hand() -> None:
    right = SAT.right
    assert_array_equal(right.scores, [0, 4, 2, 0])
    assert_allclose(right.logits, [0, 2.83, 1.41, 0], atol=5e-3)
    assert_allclose(right.exps, [1, 16.92, 4.11, 1], atol=5e-3)
    assert_allclose(right.total, [23.03] * 4, atol=5e-3)
    assert_allclose(right.weights, [0.04, 0.73, 0.18, 0.04], atol=5e-3)
    assert_allclose(right.output, [3.03, 0.40], atol=5e-3)
    assert (right.mistake, right.row, right.shift) == (None, 2, 0)
    assert SAT.divisor == sqrt(2)


def test_masked_sat_by_hand() -> None:
    right = MASKED_SAT.right
    assert_array_equal(right.scores, [0, 4, 2, 0])
    assert_allclose(right.logits, [0, 2.83, 1.41, -inf], atol=5e-3)
    assert_allclose(right.exps, [1, 16.92, 4.11, 0], atol=5e-3)
    assert_allclose(right.total, [22.03] * 4, atol=5e-3)
    assert_allclose(right.weights, [0.05, 0.77, 0.19, 0], atol=5e-3)
    assert_array_equal(worksheet(Q, K, V, 0, mask=causal_mask(4)).right.weights, [1, 0, 0, 0])
    assert_array_equal(worksheet(Q, K, V, 3, mask=causal_mask(4)).right.weights, worksheet(Q, K, V, 3).right.weights)


# the mistakes


def test_scale_forgotten() -> None:
    answers = wrong(SAT, "scale forgotten")
    assert_array_equal(answers.scores, [0, 4, 2, 0])
    assert_array_equal(answers.logits, [0, 4, 2, 0])
    assert_allclose(answers.exps, [1, exp(4), exp(2), 1])
    assert_allclose(answers.total, 2 + exp(4) + exp(2))
    assert_allclose(answers.weights, [0.02, 0.85, 0.12, 0.02], atol=5e-3)
    assert_allclose(answers.output, answers.weights @ V)


def test_divided_after_exp() -> None:
    answers = wrong(SAT, "divided after exp")
    assert_array_equal(answers.logits, [0, 4, 2, 0])
    assert_allclose(answers.exps, np.array([1, exp(4), exp(2), 1]) / sqrt(2))
    assert_allclose(answers.total, (2 + exp(4) + exp(2)) / sqrt(2))
    # dividing every exp by the same number changes no weight: this is as if the scale had been forgotten
    assert_array_equal(answers.weights, wrong(SAT, "scale forgotten").weights)
    assert_array_equal(answers.output, wrong(SAT, "scale forgotten").output)


def test_softmax_over_the_column() -> None:
    for sheet, mask in ((SAT, np.ones((4, 4), dtype=bool)), (MASKED_SAT, causal_mask(4))):
        answers = wrong(sheet, "softmax over the column")
        exps = np.exp(Q @ K.T / sqrt(2)) * mask
        assert_array_equal(answers.exps, sheet.right.exps)
        assert_allclose(answers.total, exps.sum(axis=0))
        assert_allclose(answers.weights, exps[2] / exps.sum(axis=0))
        assert_allclose(answers.output, exps[2] / exps.sum(axis=0) @ V)


def test_mask_forgotten() -> None:
    assert "mask forgotten" not in {answers.mistake for answers in SAT.wrong}
    answers = wrong(MASKED_SAT, "mask forgotten")
    for line in LINES:
        assert_array_equal(getattr(answers, line), getattr(SAT.right, line))


def test_wrong_row() -> None:
    for i in (0, 1, 3):
        answers, right = wrong(MASKED_SAT, "wrong row", i), worksheet(Q, K, V, i, mask=causal_mask(4)).right
        for line in LINES:
            assert_array_equal(getattr(answers, line), getattr(right, line))


def test_wrong_total() -> None:
    for i in (0, 1, 3):
        answers, total = wrong(SAT, "wrong total", i), worksheet(Q, K, V, i).right.total
        assert_array_equal(answers.exps, SAT.right.exps)
        assert_allclose(answers.total, total)
        assert_allclose(answers.weights, SAT.right.exps / total)
        assert_allclose(answers.output, SAT.right.exps / total @ V)


def test_mistakes_come_in_their_order() -> None:
    names = [answers.mistake for answers in MASKED_SAT.wrong]
    assert names == sorted(names, key=lambda name: MISTAKES.index(str(name)))
    assert set(names) == set(MISTAKES)
    assert [answers.row for answers in MASKED_SAT.wrong] == [2, 2, 2, 2, 0, 1, 3, 0, 1, 3]
    unscaled = worksheet(Q, K, V, 2, scaled=False)
    assert {answers.mistake for answers in unscaled.wrong}.isdisjoint(MISTAKES[:2])
    assert unscaled.divisor == 1
    assert_allclose(unscaled.right.weights, [0.02, 0.85, 0.12, 0.02], atol=5e-3)


# the judge


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("query", range(4))
@pytest.mark.parametrize("precision", [2, 4, 6])
def test_every_answer_is_recognised(masked: bool, query: int, precision: int) -> None:
    sheet = worksheet(Q, K, V, query, mask=causal_mask(4) if masked else None)
    for line, i in blanks(sheet):
        value = float(getattr(sheet.right, line)[i])
        for typed in (value, round(value, precision)):
            assert judge(sheet, line, i, typed, precision) == Verdict(True, False, ())
        for answers in sheet.wrong:
            typed = round(float(getattr(answers, line)[i]), precision)
            verdict = judge(sheet, line, i, typed, precision)
            if abs(typed - value) > 0.6 * 10**-precision:
                assert verdict.kind == "mistake"
                assert answers.mistake in verdict.mistakes
                assert answers.mistake not in ("wrong row", "wrong total") or answers.row in verdict.rows
            elif typed != value:
                assert verdict.kind == "right" or abs(typed - value) > 0.49 * 10**-precision


@pytest.mark.parametrize(
    ("line", "index", "typed", "kind", "mistakes"),
    [
        ("weights", 1, 0.73, "right", ()),
        ("weights", 1, 0.7346, "right", ()),
        ("weights", 1, 0.85, "mistake", ("scale forgotten", "divided after exp")),
        ("logits", 1, 4, "mistake", ("scale forgotten", "divided after exp")),
        ("exps", 1, 54.60, "mistake", ("scale forgotten",)),
        ("exps", 1, 38.61, "mistake", ("divided after exp",)),
        ("scores", 1, 4, "right", ()),
        ("scores", 0, 1, "mistake", ("wrong row",)),
        ("scores", 0, 7, "other", ()),
        ("total", 0, 23.03, "right", ()),
        ("exps", 1, 16.95, "rounding", ()),  # exp(2.83)
        ("logits", 1, 2.84, "rounding", ()),  # 4 / 1.41
        ("weights", 1, 0.74, "rounding", ()),  # 16.95 / 23.03 and the like
        ("weights", 2, 0.17, "rounding", ()),  # 0.1786 cut off
        ("output", 0, 3.00, "rounding", ()),  # from the rounded weights
        ("output", 1, 0.40, "right", ()),
        ("output", 0, 2.90, "other", ()),
        ("output", 0, -3.03, "other", ()),
    ],
)
def test_what_people_type_for_sat(line: str, index: int, typed: float, kind: str, mistakes: tuple[str, ...]) -> None:
    verdict = judge(SAT, line, index, typed, 2)
    assert (verdict.kind, verdict.mistakes) == (kind, mistakes)


def test_what_people_type_for_masked_sat() -> None:
    assert judge(MASKED_SAT, "total", 0, 22.03, 2).kind == "right"
    assert judge(MASKED_SAT, "total", 0, 23.03, 2).mistakes == ("mask forgotten",)
    assert judge(MASKED_SAT, "weights", 1, 0.73, 2).mistakes == ("mask forgotten",)
    assert judge(MASKED_SAT, "weights", 3, -0.0, 2).kind == "right"
    assert judge(MASKED_SAT, "logits", 3, -inf, 2).kind == "right"
    either = Verdict(False, False, ("mask forgotten", "wrong row"), (3,))
    assert judge(MASKED_SAT, "logits", 3, 0, 2) == either
    assert judge(MASKED_SAT, "logits", 2, -inf, 2).mistakes == ("wrong row",)
    # 0.0454 cut off, or the 0.0434 without the mask: it could be either
    assert judge(MASKED_SAT, "weights", 0, 0.04, 2) == Verdict(False, True, ("mask forgotten",))


def test_each_columns_total_counts_as_the_columns() -> None:
    for total in np.exp(Q @ K.T / sqrt(2)).sum(axis=0):
        assert "softmax over the column" in judge(SAT, "total", 0, round(float(total), 2), 2).mistakes


@pytest.mark.parametrize("precision", [2, 3, 4, 5, 6])
def test_calculating_with_what_is_printed_is_rounding(precision: int) -> None:
    def printed(x: Any) -> Any:
        return np.round(x, precision)

    logits = printed(SAT.right.scores / printed(sqrt(2)))
    exps = printed(np.exp(logits))
    total = printed(exps.sum())
    weights = printed(exps / total)
    typed = {"logits": logits, "exps": exps, "total": [total], "weights": weights, "output": weights @ V}
    for line, numbers in typed.items():
        for i, number in enumerate(numbers):
            assert judge(SAT, line, i, number, precision).kind in ("right", "rounding"), (line, i)
    assert judge(SAT, "output", 0, float(printed(SAT.right.weights) @ V[:, 0]), precision).kind != "other"


def test_rounding_spans_hold_for_large_logits_and_never_pass_one() -> None:
    large = worksheet([[60.0, 0]], [[2.0, 0], [1.9, 0]], [[1.0], [0.0]], 0)  # logits of 84.85 and 80.61
    assert large.right.shift > 50
    assert judge(large, "exps", 1, 0.01437, 4).kind == "right"
    assert judge(large, "exps", 1, 0.0146, 2).kind == "right"
    assert judge(large, "exps", 1, 0.0150, 4).kind == "other"
    assert judge(large, "exps", 1, 0.01445, 4).kind == "rounding"
    assert judge(large, "exps", 0, 1.1, 2).kind == "other"  # the largest is 1 however it was rounded
    assert judge(large, "weights", 0, 0.9, 2).kind == "other"
    assert judge(large, "exps", 1, 0.0142, 3).kind == "right"
    assert judge(large, "logits", 0, 85.11, 2).kind == "rounding"  # 120 / 1.41
    alone = worksheet([[-1.83]], [[1.0]], [[1.0]], 0, scaled=False)  # exp 0.16 or 0.2
    assert judge(alone, "weights", 0, 1.2, 1).kind == "other"


def test_half_a_unit_is_still_right_either_way() -> None:
    sheet = worksheet([[0.5]], [[0.25]], [[1.0]], 0, scaled=False)  # a score of 0.125
    assert [judge(sheet, "scores", 0, x, 2).kind for x in (0.12, 0.13, 0.11, 0.14)] == [
        "right",
        "right",
        "other",
        "other",
    ]


@pytest.mark.parametrize("typed", [nan, inf, -inf, 1e308, -1e308])
def test_what_is_no_answer_is_other(typed: float) -> None:
    for line, i in blanks(SAT):
        assert judge(SAT, line, i, typed, 2) == Verdict(False, False, ())


def test_all_equal_scores_make_column_and_row_agree() -> None:
    sheet = worksheet(np.zeros((3, 2)), K[:3], V[:3], 1)
    assert_array_equal(sheet.right.weights, [1 / 3] * 3)
    for answers in sheet.wrong:
        assert_allclose(answers.weights, 1 / 3)
    assert judge(sheet, "weights", 0, 0.33, 2).kind == "right"


def test_a_word_with_nothing_to_see() -> None:
    sheet = worksheet(Q, K, V, 0, mask=np.zeros((4, 4), dtype=bool))
    assert_array_equal(sheet.right.total, 0)
    for line in ("weights", "output", "exps", "total"):
        assert judge(sheet, line, 0, 0, 2).kind == "right"
        assert judge(sheet, line, 0, 0.5, 2).kind in ("mistake", "other")
    unmasked = float(worksheet(Q, K, V, 0).right.weights[3])
    assert judge(sheet, "weights", 3, unmasked, 2).mistakes == ("mask forgotten",)


@settings(max_examples=30)
@given(
    arrays(np.float64, (3, 2), elements=cells),
    arrays(np.float64, (3, 2), elements=cells),
    arrays(np.float64, (3, 2), elements=cells),
    st.integers(0, 2),
    st.sampled_from([None, causal_mask(3)]),
    st.booleans(),
    st.integers(0, 6),
)
def test_any_cells_give_a_sheet_and_a_verdict(
    Q: Any, K: Any, V: Any, query: int, mask: Any, scaled: bool, precision: int
) -> None:
    sheet = worksheet(Q, K, V, query, mask=mask, scaled=scaled)
    trace = attention(Q, K, V, mask=mask, scale=None if scaled else 1)
    assert_array_equal(sheet.right.weights, trace.weights[query])
    for line, i in blanks(sheet):
        value = float(getattr(sheet.right, line)[i])
        assert np.isfinite(value) or line == "logits"
        assert judge(sheet, line, i, value, precision) == Verdict(True, False, ())
        assert judge(sheet, line, i, round(value, precision) if abs(value) < inf else value, precision).right
        for typed in (0.0, -7.125, nan, 1e300):
            verdict = judge(sheet, line, i, typed, precision)
            assert verdict == judge(sheet, line, i, typed, precision)
            assert list(verdict.mistakes) == [name for name in MISTAKES if name in verdict.mistakes]


def test_a_total_as_small_as_floats_go_says_nothing_and_does_not_fail() -> None:
    sheet = worksheet([[49.9], [-745.0]], [[1.0], [1.0]], [[1000.0], [-1000.0]], 0, scaled=False)
    assert judge(sheet, "weights", 0, 0.5, 2).kind == "right"
    assert judge(sheet, "weights", 0, inf, 2).kind == "other"
    assert judge(sheet, "output", 0, 1000, 2).kind == "other"


def test_sheets_and_verdicts_stay_as_they_are() -> None:
    for answers in (MASKED_SAT.right, *MASKED_SAT.wrong):
        for line in LINES:
            with pytest.raises(ValueError, match="read-only"):
                getattr(answers, line)[0] = 1
    with pytest.raises(FrozenInstanceError):
        judge(SAT, "scores", 0, 0, 2).right = False  # type: ignore[misc]


@pytest.mark.parametrize(
    ("line", "index", "precision", "said"),
    [
        ("scaled", 0, 2, "line must be one of scores, logits, exps, total, weights, output, got 'scaled'"),
        ("scores", 4, 2, "index must be 0 to 3 in the line 'scores', got 4"),
        ("total", 1, 2, "index must be 0 to 0 in the line 'total', got 1"),
        ("output", 2, 2, "index must be 0 to 1"),
        ("scores", -1, 2, "index must be a whole number, 0 or more, got -1"),
        ("scores", 0, 13, "precision must be 0 to 12 decimals, got 13"),
        ("scores", 0, 2.5, "precision must be a whole number"),
    ],
)
def test_a_blank_that_does_not_exist(line: str, index: int, precision: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        judge(SAT, line, index, 0, precision)


def test_a_row_that_does_not_exist() -> None:
    for query in (-1, 4):
        with pytest.raises(ValueError, match=f"query must be 0 to 3, got {query}"):
            worksheet(Q, K, V, query)
    with pytest.raises(ValueError, match=r"trace of shape \(n_q, n_k\), got \(1, 4, 4\)"):
        worksheet(Q[None], K[None], V[None], 0)
    with pytest.raises(ValueError, match="queries are 2 wide but keys are 1 wide"):
        worksheet(Q, K[:, :1], V, 0)
