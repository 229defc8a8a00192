"""What a printed line says, and what a calculator makes of the line before it."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from attention_core import SENTENCES, PaperRow, attention, causal_mask, paper_row, row_steps


def sat(mask: bool = False, places: int = 2) -> PaperRow:
    given = SENTENCES["cat-sat"].qkv
    assert given is not None
    Q, K, V = given
    trace = attention(Q, K, V, mask=causal_mask(4) if mask else None)
    return paper_row(row_steps(trace, 2), trace.V, sqrt(2), places)


def test_the_worksheet_of_sat() -> None:
    row = sat()
    assert_array_equal(row.scaled, [0, 2.83, 1.41, 0])
    assert_array_equal(row.exps, [1, 16.92, 4.11, 1])
    assert row.total == 23.03
    assert_array_equal(row.weights, [0.04, 0.73, 0.18, 0.04])
    assert_array_equal(row.output, [3.03, 0.40])
    assert row.weights_sum == 0.99
    assert_array_equal(row.output_again, [3.00, 0.40])


def test_the_worksheet_of_sat_with_a_causal_mask() -> None:
    row = sat(mask=True)
    assert_array_equal(row.scaled, [0, 2.83, 1.41, 0])
    assert_array_equal(row.logits, [0, 2.83, 1.41, -np.inf])
    assert_array_equal(row.exps, [1, 16.92, 4.11, 0])
    assert row.total == 22.03
    assert_array_equal(row.weights, [0.05, 0.77, 0.19, 0])


def test_a_calculator_given_two_decimals_gets_another_exponential() -> None:
    row = sat()
    assert (row.exps[1], row.exps_again[1]) == (16.92, 16.95)
    assert row.total_again == row.total  # 1.00 + 16.92 + 4.11 + 1.00


@pytest.mark.parametrize("places", range(2, 7))
def test_more_places_come_closer(places: int) -> None:
    row = sat(places=places)
    assert abs(row.weights_sum - 1) <= 2 * 10.0**-places
    assert_array_equal(row.weights, [float(f"{w:.{places}f}") for w in row.weights])


@given(st.lists(st.floats(-1000, 1000), min_size=6, max_size=6))
def test_any_numbers_print(numbers: list[float]) -> None:
    q, K = np.array(numbers[:2]), np.array(numbers[2:]).reshape(2, 2)
    trace = attention(q[None], K, np.eye(2))
    row = paper_row(row_steps(trace, 0), trace.V, sqrt(2))
    for line in (row.scaled, row.exps, row.weights, row.output, row.exps_again, row.weights_again, row.output_again):
        assert np.isfinite(line).all()
        assert not np.signbit(line[line == 0]).any()
