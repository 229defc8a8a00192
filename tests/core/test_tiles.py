import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import (
    SENTENCES,
    attention,
    causal_mask,
    embed,
    online_attention,
    online_trace,
    padding_mask,
    peak_mib,
    project,
    sliding_window_mask,
)
from attention_core.measurement import ONE_THREAD
from tests.arrays import Array, normal

seeds = st.integers(0, 2**32 - 1)
blocks = st.integers(1, 9)


@settings(max_examples=60)
@given(seeds, st.integers(0, 6), st.integers(0, 6), blocks, blocks, st.sampled_from([(), (2,), (2, 3)]), st.data())
def test_tiles_equal_the_whole_grid(
    seed: int, n_q: int, n_k: int, block_q: int, block_k: int, lead: tuple[int, ...], data: st.DataObject
) -> None:
    Q, K, V = normal(seed, *lead, n_q, 3), normal(seed + 1, *lead, n_k, 3), normal(seed + 2, *lead, n_k, 2)
    shape = data.draw(st.sampled_from([(), (n_k,), (n_q, 1), (n_q, n_k), (*lead, n_q, n_k)]))
    mask = None if shape == () else normal(seed + 3, *shape) > data.draw(st.sampled_from([-0.5, 0.5, 9]))
    tiled = online_attention(Q, K, V, mask=mask, block_q=block_q, block_k=block_k)
    full = attention(Q, K, V, mask=mask)
    assert_allclose(tiled, full.output, rtol=0, atol=1e-12)
    assert_array_equal(tiled[~(full.weights.sum(axis=-1) > 0)], 0)


@pytest.mark.parametrize("heads", [(4, 1), (4, 2), (6, 3), (4, 4)])
@pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
def test_fewer_key_heads(heads: tuple[int, int], lead: tuple[int, ...]) -> None:
    Q = normal(0, *lead, heads[0], 5, 2)
    K, V = normal(1, *lead, heads[1], 7, 2), normal(2, *lead, heads[1], 7, 3)
    for mask in (None, causal_mask(5, 7), normal(3, heads[0], 1, 7) > 0):
        tiled = online_attention(Q, K, V, mask=mask, block_q=2, block_k=3)
        assert_allclose(tiled, attention(Q, K, V, mask=mask).output, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("q", "k"), [((3, 2), (6, 4, 2)), ((6, 3, 2), (4, 2)), ((1, 4, 3, 2), (5, 2, 4, 2)), ((5, 4, 3, 2), (2, 4, 2))]
)
def test_leading_axes_broadcast(q: tuple[int, ...], k: tuple[int, ...]) -> None:
    Q, K, V = normal(0, *q), normal(1, *k), normal(2, *k)
    tiled = online_attention(Q, K, V, block_q=2, block_k=3)
    assert_allclose(tiled, attention(Q, K, V).output, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "mask",
    [
        causal_mask(9),
        sliding_window_mask(9, 1),
        sliding_window_mask(9, 3),
        padding_mask([9, 1, 0, 4], 9),
        causal_mask(9) & False,
    ],
)
def test_masks_of_the_pages(mask: Array) -> None:
    Q, K, V = normal(0, 4, 2, 9, 2), normal(1, 4, 2, 9, 2), normal(2, 4, 2, 9, 2)
    for block in (1, 2, 4, 9, 50):
        tiled = online_attention(Q, K, V, mask=mask, block_q=block, block_k=block)
        assert_allclose(tiled, attention(Q, K, V, mask=mask).output, rtol=0, atol=1e-12)


def test_a_max_that_rises_tile_by_tile() -> None:
    K = np.array([[-1000.0], [0.0], [1000.0], [900.0]])
    assert_array_equal(online_attention([[1.0]], K, K, block_k=1), [[1000]])
    K = K[::-1]
    assert_array_equal(online_attention([[1.0]], K, K, block_k=1), [[1000]])


def test_a_row_with_nothing_to_see_is_plainly_zero() -> None:
    mask = [[False, False], [False, True]]
    output = online_attention([[1.0], [1.0]], [[1.0], [2.0]], [[-1.0], [-2.0]], mask=mask)
    assert_array_equal(output, [[0], [-2]])
    assert not np.signbit(output[0]).any()


@pytest.mark.parametrize("id", SENTENCES)
@pytest.mark.parametrize("scale", [None, 1.0])
def test_the_last_steps_are_the_output(id: str, scale: float | None) -> None:
    sentence = SENTENCES[id]
    Q, K, V = sentence.qkv or project(embed(sentence.tokens), d_k=8)
    n = len(Q)
    for mask in (None, causal_mask(n), sliding_window_mask(n, 1)):
        full = attention(Q, K, V, mask=mask, scale=scale)
        for block_q, block_k in ((2, 2), (1, 1), (3, 2), (99, 99)):
            trace = online_trace(Q, K, V, mask=mask, scale=scale, block_q=block_q, block_k=block_k)
            assert_allclose(trace.output, full.output, rtol=0, atol=1e-12)
            for step in {step.rows.start: step for step in trace.steps}.values():  # the last one of its rows
                assert_allclose(step.output, full.output[step.rows], rtol=0, atol=1e-12)
                assert_allclose(step.largest, full.logits[step.rows].max(axis=1), atol=1e-15)
                exps = np.exp(full.logits[step.rows] - step.largest[:, None])
                assert_allclose(step.total, exps.sum(axis=1))


def test_every_step_knows_what_it_has_seen() -> None:
    Q, K, V = normal(0, 5, 2), normal(1, 7, 2), normal(2, 7, 3)
    mask = causal_mask(5, 7)
    full = attention(Q, K, V, mask=mask)
    trace = online_trace(Q, K, V, mask=mask, block_q=2, block_k=3)
    before: dict[int, Array] = {}
    for step in trace.steps:
        seen = attention(
            Q[step.rows], K[: step.columns.stop], V[: step.columns.stop], mask=mask[step.rows, : step.columns.stop]
        )
        assert_allclose(step.output, seen.output, rtol=0, atol=1e-12)
        assert_allclose(step.logits, full.logits[step.rows, step.columns])
        assert_allclose(step.exps, np.exp(step.logits - step.largest[:, None]))
        old = before.get(step.rows.start, np.full(len(step.largest), -np.inf))
        assert_allclose(step.rescale, np.exp(old - step.largest))
        assert step.cells == step.logits.size <= 6
        before[step.rows.start] = step.largest
    corners = [(step.rows.start, step.columns.start) for step in trace.steps]
    assert corners == [(0, 0), (0, 3), (2, 0), (2, 3), (4, 0), (4, 3), (4, 6)]  # those above the diagonal are skipped


def test_steps_of_rows_that_see_nothing() -> None:
    mask = np.array([[False, False, True], [False, False, False]])
    trace = online_trace([[1.0], [2.0]], np.ones((3, 1)), np.ones((3, 1)), mask=mask)
    assert len(trace.steps) == 1
    assert_array_equal(trace.steps[0].largest, [1, -np.inf])
    assert_array_equal(trace.steps[0].rescale, [0, 0])
    assert_array_equal(trace.steps[0].total, [1, 0])
    assert_array_equal(trace.output, [[1], [0]])
    assert online_trace([[1.0]], [[1.0]], [[1.0]], mask=[False]).steps == ()


def test_a_trace_cannot_be_changed() -> None:
    trace = online_trace(np.eye(3), np.eye(3), np.eye(3))
    step = trace.steps[0]
    for x in (trace.output, step.logits, step.largest, step.rescale, step.exps, step.total, step.output):
        with pytest.raises(ValueError, match="read-only"):
            x[...] = 0


def test_dtypes_are_those_of_attention() -> None:
    small = normal(0, 70, 4).astype(np.float32)
    tiled = online_attention(small, small, small, block_q=32, block_k=16)
    assert tiled.dtype == np.float32
    assert_allclose(tiled, attention(small, small, small).output, rtol=0, atol=1e-6)
    assert online_attention(small, small.astype(np.float64), small).dtype == np.float64
    assert online_attention([[1]], [[1]], [[1]]).dtype == np.float64


def test_inputs_stay_as_they_are() -> None:
    Q = normal(0, 4, 2)
    Q.setflags(write=False)
    online_attention(Q, Q, Q, mask=causal_mask(4), block_q=2, block_k=2)


def test_memory_at_4096_tokens() -> None:
    run = """
import numpy as np
from attention_core import online_attention, peak_mib
Q, K, V = np.random.default_rng(0).standard_normal((3, 8, 4096, 64), dtype=np.float32)
print(peak_mib(lambda: online_attention(Q, K, V)))
"""
    # A process of its own, for threads that compete with other programs can make it many times as slow.
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", run], env=environment, capture_output=True, text=True, check=True)
    assert 8 < float(done.stdout) <= 40  # 8 MiB are the output


def test_memory_grows_with_n_alone() -> None:
    def peak(n: int) -> float:
        x = np.zeros((n, 4))
        return peak_mib(lambda: online_attention(x, x, x, block_q=32, block_k=32))

    assert peak(2048) < 2.2 * peak(1024) < 1  # the whole grid has 32 MiB


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"K": [[1.0, 2.0]]}, "queries are 1 wide but keys are 2 wide"),
        ({"V": [[1.0], [2.0]]}, "there are 1 keys but 2 values"),
        ({"Q": [[np.nan]]}, "Q holds NaN or an infinity"),
        ({"K": [[np.inf]]}, "K holds NaN or an infinity"),
        ({"V": [[-np.inf]]}, "V holds NaN or an infinity"),
        ({"V": [["a"]]}, "V must hold real numbers"),
        ({"mask": [1]}, "mask must be boolean"),
        ({"mask": [[True, False]]}, r"mask of shape \(1, 2\) does not broadcast to the scores' shape \(1, 1\)"),
        ({"scale": np.inf}, "scale must be one finite number"),
        ({"block_q": 0}, "block_q must be a whole number, 1 or more, got 0"),
        ({"block_k": 2.0}, "block_k must be a whole number, 1 or more, got 2.0"),
        ({"Q": [[1e200]], "K": [[1e200]]}, "the scores may overflow float64"),
        ({"Q": [[1e30]], "scale": 1e300}, "the scores may overflow float64"),
        ({"K": [[1.0], [1.0]], "V": [[1.7e308], [1.7e308]]}, "the output overflow float64"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], says: str) -> None:
    for function in (online_attention, online_trace):
        with pytest.raises(ValueError, match=says):
            function(**{"Q": [[1.0]], "K": [[1.0]], "V": [[1.0]], **given})


def test_steps_are_those_of_one_head() -> None:
    x = np.ones((2, 3, 2))
    with pytest.raises(ValueError, match=r"one head, \(n_q, n_k\), got scores of shape \(2, 3, 3\)"):
        online_trace(x, x, x)


def test_nothing_warns_however_strict_numpy_is() -> None:
    with np.errstate(all="raise"):
        output = online_attention([[1e-200], [-40.0]], [[1e-200], [40.0]], [[1e-300], [1.0]], block_k=1)
    assert_allclose(output, attention([[1e-200], [-40.0]], [[1e-200], [40.0]], [[1e-300], [1.0]]).output)
