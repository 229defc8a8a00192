"""The arithmetic of the two layers that copy: every number is the trace's, every word is shown literally."""

import numpy as np
import pytest

from attention_core.induction import InductionTrace, hand_set
from attention_ui import copying
from tests.cases import HOSTILE
from tests.ui.test_ledger import Reader, as_number

SEQUENCES = (
    *(np.resize(list("ABCDEFGHIJK")[:period], 24).tolist() for period in range(1, 12)),
    ["A"],
    list("ABCDEF"),
    *(2 * hostile.split() for hostile in HOSTILE),
)


def traces() -> list[InductionTrace]:
    kinds = ((4.0, True), (0.0, True), (10.0, False), (4.0, False))
    return [hand_set(tokens, beta, start_token=start) for tokens in SEQUENCES for beta, start in kinds]


@pytest.mark.parametrize("trace", traces(), ids=lambda t: ascii(f"{t.tokens[0]}-{len(t.tokens)}-{t.beta}-{t.first}"))
def test_the_tables_hold_the_trace(trace: InductionTrace) -> None:
    for position in {0, len(trace.tokens) // 2, len(trace.tokens) - 1}:
        row = trace.first + position
        for layer, body in enumerate((copying.layer_1(trace, position), copying.layer_2(trace, position))):
            read = Reader(body.partition("</div>")[0])
            shown = read.rows[1 : row + 2]
            assert [as_number(cells[-1]) for cells in shown] == pytest.approx(
                trace.maps[layer, row, : row + 1], abs=0.00501
            )
            scores = [as_number(cells[-4]) for cells in shown]
            assert scores == pytest.approx(trace.layers[layer].scores[row, : row + 1], abs=0.00501)
            assert tuple(read.titles) == ("start token",) * trace.first + tuple(map(str, trace.tokens[: position + 1]))
            assert as_number(read.rows[-1][-1]) == pytest.approx(1)
            later = len(trace.tokens) - position - 1
            assert (f"{later} later" in read.text) == (later > 0)
        read = Reader(copying.prediction(trace, position))
        assert [as_number(cells[-1]) for cells in read.rows[1:]] == pytest.approx(trace.logits[position], abs=0.00501)


def test_one_place_in_full() -> None:
    trace = hand_set(list("ABCDAB"))
    assert (
        "q · kD = e(5)·e(5) = 1.00 → × 4 = 4.00 → e4.00 = 54.60 → 54.60 ÷ 59.60 = 0.92"
        in Reader(copying.layer_1(trace, 4)).text
    )
    assert "q · kB (2) = A in the slot of B (2) = 0.96 → × 4 = 3.86" in Reader(copying.layer_2(trace, 4)).text
    assert copying.outcome(trace, 4) == "right"
    assert copying.outcome(hand_set(list("ABCDAB"), start_token=False), 4) == "wrong"
    assert copying.outcome(hand_set(list("ABCDAB"), remove=2), 4) == "nothing"
