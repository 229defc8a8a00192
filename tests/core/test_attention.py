from dataclasses import FrozenInstanceError
from math import e, exp, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import SENTENCES, AttentionTrace, attention, causal_mask, permutation_residual, softmax
from tests.arrays import Array, normal

numbers = st.floats(-1e4, 1e4)
seeds = st.integers(0, 2**32 - 1)


# softmax


def test_softmax_worked_values() -> None:
    assert_allclose(softmax([0, 4, 2, 0]), [0.02, 0.85, 0.12, 0.02], atol=5e-3)
    assert_allclose(softmax([0, 4, 2, 0])[1], 0.853, atol=5e-4)
    assert_allclose(softmax([0, 40, 20, 0]), [0, 1, 0, 0], atol=1e-8)  # and ten times as large


@given(arrays(np.float64, array_shapes(max_dims=3, max_side=5), elements=numbers), st.data())
def test_softmax_sums_to_one_along_its_axis_and_ignores_a_shift(x: Array, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    weights = softmax(x, axis)
    assert weights.shape == x.shape
    assert (weights >= 0).all()
    assert_allclose(weights.sum(axis), 1, rtol=1e-12)
    assert_allclose(softmax(x + 123.25, axis), weights, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("large", [1e4, 3e38])
def test_softmax_of_large_numbers_stays_finite(dtype: type[np.floating[Any]], large: float) -> None:
    assert_array_equal(softmax(np.array([large, -large, large], dtype)), [0.5, 0, 0.5])
    assert_array_equal(softmax(np.array([-large, -large], dtype)), [0.5, 0.5])


def test_softmax_gives_nothing_to_what_is_hidden() -> None:
    weights = softmax([[0, -np.inf, 0], [-np.inf] * 3])
    assert_array_equal(weights, [[0.5, 0, 0.5], [0, 0, 0]])
    assert softmax(np.zeros((2, 0))).shape == (2, 0)


def test_softmax_underflows_to_zero_past_745() -> None:
    assert softmax([0, -744])[1] > 0
    assert softmax([0, -746])[1] == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_softmax_refuses_nan_and_plus_infinity(bad: float) -> None:
    with pytest.raises(ValueError, match="NaN or \\+inf"):
        softmax([0, bad])


@pytest.mark.parametrize("bad", [["a"], [1j], [True], [None]])
def test_softmax_refuses_what_is_no_number(bad: Any) -> None:
    with pytest.raises(ValueError, match="real numbers, got dtype"):
        softmax(bad)


# the worked values of the two source documents


def test_worksheet() -> None:
    qkv = SENTENCES["cat-sat"].qkv
    assert qkv is not None
    trace = attention(*qkv)
    assert trace.scale == 1 / sqrt(2)
    assert_array_equal(trace.scores[2], [0, 4, 2, 0])
    assert_allclose(trace.logits[2], [0, 2.8284, 1.4142, 0], atol=5e-5)
    assert_allclose(trace.weights[2], [0.0434, 0.7346, 0.1786, 0.0434], atol=5e-5)
    assert_allclose(trace.output[2], [3.0251, 0.4006], atol=5e-5)
    assert_allclose(trace.weights[1, 1:], trace.weights[1, 1])  # cat: evenly over cat, sat, down
    assert trace.weights[0].argmax() == 3  # the looks most at down
    assert_allclose(attention(*qkv, scale=1).weights[2, 1], 0.853, atol=5e-4)

    masked = attention(*qkv, mask=causal_mask(4))
    assert_array_equal(masked.logits[2, 3], -np.inf)
    assert_allclose(masked.weights[2], [0.0454, 0.7679, 0.1867, 0], atol=5e-5)
    assert_array_equal(masked.weights[0], [1, 0, 0, 0])
    assert_array_equal(masked.weights[3], trace.weights[3])


@pytest.mark.parametrize(("n", "unscaled", "scaled"), [(3, 0.787, 0.673), (4, 0.711, 0.578), (6, 0.596, 0.451)])
def test_ceiling_on_the_unit_circle(n: int, unscaled: float, scaled: float) -> None:
    Q, K = np.array([[1, 0]]), np.array([[1, 0]] + [[-1, 0]] * (n - 1))
    assert_allclose(attention(Q, K, K, scale=1).weights.max(), unscaled, atol=5e-4)
    assert_allclose(attention(Q, K, K, scale=1).weights.max(), e**2 / (e**2 + n - 1))
    assert_allclose(attention(Q, K, K).weights.max(), scaled, atol=5e-4)


# what it computes


def test_bias_is_added_after_the_scale_and_before_the_softmax() -> None:
    trace = attention([[2]], [[1], [2]], [[1], [0]], scale=0.5, bias=[3, -np.inf])
    assert_array_equal(trace.scores, [[2, 4]])
    assert_array_equal(trace.logits, [[4, -np.inf]])
    assert_array_equal(trace.output, [[1]])
    finite = attention([[2]], [[1], [2]], [[1], [0]], scale=0.5, bias=[[3, 0]])
    assert_allclose(finite.output, [[exp(4) / (exp(4) + exp(2))]])


def test_default_scale_is_one_over_root_d_k() -> None:
    trace = attention(normal(0, 3, 16), normal(1, 5, 16), normal(2, 5, 4))
    assert trace.scale == 0.25
    assert_array_equal(trace.logits, trace.scores * 0.25)


@given(seeds, st.integers(1, 5), st.integers(0, 5), st.integers(1, 4), st.integers(1, 4), st.data())
def test_rows_sum_to_one_or_to_nothing(seed: int, n_q: int, n_k: int, d_k: int, d_v: int, data: st.DataObject) -> None:
    mask = data.draw(arrays(np.bool_, (n_q, n_k)))
    trace = attention(normal(seed, n_q, d_k), normal(seed + 1, n_k, d_k), normal(seed + 2, n_k, d_v), mask=mask)
    alive = mask.any(axis=-1)
    assert_allclose(trace.weights.sum(axis=-1), alive, rtol=1e-12)
    assert_array_equal(trace.weights[~mask], 0)
    assert_array_equal(trace.output[~alive], 0)
    assert trace.output.shape == (n_q, d_v)
    assert_array_equal(trace.scores, normal(seed, n_q, d_k) @ normal(seed + 1, n_k, d_k).T)


@given(seeds, st.integers(1, 6))
def test_what_the_causal_mask_hides_leaks_nothing(seed: int, n: int) -> None:
    Q, K, V = normal(seed, n, 3), normal(seed + 1, n, 3), normal(seed + 2, n, 2)
    before = attention(Q, K, V, mask=causal_mask(n))
    for seen in range(1, n):
        K[seen:], V[seen:] = 1e6, -1e6
        after = attention(Q, K, V, mask=causal_mask(n))
        assert_array_equal(after.output[:seen], before.output[:seen])
        K, V = normal(seed + 1, n, 3), normal(seed + 2, n, 2)


def test_a_row_with_nothing_to_see_is_plainly_zero() -> None:
    trace = attention([[1.0], [1.0]], [[1.0], [2.0]], [[-1.0], [-2.0]], mask=[[False, False], [True, True]])
    for x in (trace.weights[0], trace.output[0]):
        assert_array_equal(x, 0)
        assert not np.signbit(x).any()  # -0.0 would be printed as -0.00


def test_a_huge_hidden_value_does_not_poison_the_output() -> None:
    trace = attention([[1.0]], [[1.0], [1.0]], [[2.0], [1.7e308]], mask=[True, False])
    assert_array_equal(trace.output, [[2]])


def projected(X: Array, seed: int, mask: Array | None = None) -> Array:
    W_Q, W_K, W_V = normal(seed, 3, X.shape[-1], 2)
    return attention(X @ W_Q, X @ W_K, X @ W_V, mask=mask).output


@given(seeds, st.permutations(range(5)))
def test_permuting_the_words_permutes_the_output(seed: int, order: list[int]) -> None:
    assert permutation_residual(lambda X: projected(X, seed + 1), normal(seed, 5, 4), order) < 1e-12


def test_a_causal_mask_tells_orders_apart() -> None:
    residual = permutation_residual(lambda X: projected(X, 1, causal_mask(5)), normal(0, 5, 4), [4, 3, 2, 1, 0])
    assert residual > 0.1


@given(seeds, st.sampled_from([(4, 1), (4, 2), (4, 4), (6, 2), (6, 3)]), st.integers(0, 2))
def test_fewer_key_heads_equal_repeated_heads(seed: int, heads: tuple[int, int], batch_axes: int) -> None:
    n_heads, n_kv = heads
    lead = (2,) * batch_axes
    Q = normal(seed, *lead, n_heads, 3, 2)
    K, V = normal(seed + 1, *lead, n_kv, 5, 2), normal(seed + 2, *lead, n_kv, 5, 3)
    grouped = attention(Q, K, V)
    assert grouped.K.shape == K.shape  # the trace keeps what was given
    assert grouped.output.shape == (*lead, n_heads, 3, 3)
    for head in range(n_heads):
        shared = head // (n_heads // n_kv)
        alone = attention(Q[..., head, :, :], K[..., shared, :, :], V[..., shared, :, :])
        assert_allclose(grouped.output[..., head, :, :], alone.output, rtol=0, atol=1e-14)


@given(seeds, array_shapes(min_dims=1, max_dims=3, max_side=3))
def test_leading_axes_equal_a_loop(seed: int, lead: tuple[int, ...]) -> None:
    Q, K, V = normal(seed, *lead, 3, 2), normal(seed + 1, *lead, 4, 2), normal(seed + 2, *lead, 4, 5)
    mask, bias = normal(seed + 3, *lead, 3, 4) > 0, normal(seed + 4, *lead, 3, 4)
    trace = attention(Q, K, V, mask=mask, bias=bias)
    for at in np.ndindex(*lead):
        alone = attention(Q[at], K[at], V[at], mask=mask[at], bias=bias[at])
        for name in ("scores", "logits", "weights", "output"):
            assert_allclose(getattr(trace, name)[at], getattr(alone, name), rtol=0, atol=1e-13)


@pytest.mark.parametrize("shape", [(), (1,), (4,), (3, 1), (2, 1, 1, 4), (1, 5, 3, 4), (2, 5, 3, 4)])
def test_masks_and_biases_broadcast(shape: tuple[int, ...]) -> None:
    Q, K, V = normal(0, 2, 5, 3, 2), normal(1, 2, 5, 4, 2), normal(2, 2, 5, 4, 2)
    mask = normal(3, *shape) > 0
    expected = attention(Q, K, V, mask=np.broadcast_to(mask, (2, 5, 3, 4))).output
    assert_array_equal(attention(Q, K, V, mask=mask).output, expected)
    assert_array_equal(attention(Q, K, V, bias=np.where(mask, 0, -np.inf)).output, expected)


def test_one_query_set_can_be_shared_by_a_batch() -> None:
    Q, K, V = normal(0, 3, 2), normal(1, 6, 4, 2), normal(2, 6, 4, 2)
    assert_allclose(attention(Q, K, V).output[5], attention(Q, K[5], V[5]).output, rtol=0, atol=1e-14)


# numbers: precision, size, what a trace guarantees


def test_float32_stays_and_everything_else_becomes_float64() -> None:
    small = normal(0, 3, 2).astype(np.float32)
    trace = attention(small, small, small, mask=causal_mask(3), bias=np.zeros(3, np.float32), scale=0.5)
    for x in (trace.Q, trace.bias, trace.scores, trace.logits, trace.weights, trace.output):
        assert x is not None
        assert x.dtype == np.float32
    for other in (np.float16, np.float64, np.longdouble, np.int8, np.uint64):
        assert attention(small, small.astype(other), small).output.dtype == np.float64
    assert softmax(small).dtype == np.float32
    assert softmax([1, 2]).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_of_ten_thousand_stay_finite(dtype: type[np.floating[Any]]) -> None:
    Q, K = np.array([[100.0], [-100.0]], dtype), np.array([[100.0], [-100.0], [0.0]], dtype)
    trace = attention(Q, K, K)
    assert_array_equal(trace.scores, [[1e4, -1e4, 0], [-1e4, 1e4, 0]])
    assert_array_equal(trace.weights, [[1, 0, 0], [0, 1, 0]])


def test_a_trace_cannot_be_changed_and_its_input_stays_free() -> None:
    Q = normal(0, 3, 2)
    mask, bias = causal_mask(3), np.zeros((3, 3))
    trace = attention(Q, Q, Q, mask=mask, bias=bias)
    for name in ("Q", "K", "V", "mask", "bias", "scores", "logits", "weights", "output"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(trace, name)[...] = 0
    with pytest.raises(FrozenInstanceError):
        trace.scale = 1.0  # type: ignore[misc]
    Q[:], mask[:], bias[:] = 7, True, 7  # nor does the trace hold on to what its caller may change
    assert trace.Q.max() < 7
    assert_array_equal(trace.mask, causal_mask(3))
    assert_array_equal(trace.bias, np.zeros((3, 3)))


def test_traces_can_be_hashed_and_are_equal_only_to_themselves() -> None:
    a, b = (attention([[1.0]], [[1.0]], [[1.0]]) for _ in range(2))
    assert isinstance(a, AttentionTrace)
    assert len({a, b}) == 2


# what is refused


@pytest.mark.parametrize(
    ("Q", "K", "V", "says"),
    [
        ((3, 2), (4, 5), (4, 2), r"2 wide but keys are 5 wide.*\(3, 2\).*\(4, 5\)"),
        ((3, 2), (4, 2), (6, 2), r"4 keys but 6 values.*\(4, 2\).*\(6, 2\)"),
        ((4, 3, 2), (3, 5, 2), (3, 5, 2), r"4 query heads cannot share 3 key/value heads"),
        ((2, 3, 2), (4, 5, 2), (4, 5, 2), r"2 query heads cannot share 4 key/value heads"),
        ((4, 3, 2), (0, 5, 2), (0, 5, 2), r"4 query heads cannot share 0 key/value heads"),
        ((4, 3, 2), (4, 5, 2), (2, 5, 2), r"leading axes, \(4,\) and \(2,\)"),
        ((3, 4, 3, 2), (2, 4, 5, 2), (2, 4, 5, 2), r"leading axes \(3, 4\) and \(2, 4\) do not fit"),
        ((2,), (4, 2), (4, 2), r"Q must be \(..., n, d\).*\(2,\)"),
        ((3, 0), (4, 0), (4, 2), r"Q must be .* d >= 1, got shape \(3, 0\)"),
        ((3, 2), (4, 2), (), r"V must be .* got shape \(\)"),
    ],
)
def test_sizes_that_do_not_fit_are_both_named(
    Q: tuple[int, ...], K: tuple[int, ...], V: tuple[int, ...], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        attention(np.ones(Q), np.ones(K), np.ones(V))


@pytest.mark.parametrize("shape", [(4, 3), (3, 5), (2, 3, 4), (1, 3, 4)])
def test_masks_and_biases_that_do_not_fit_are_refused(shape: tuple[int, ...]) -> None:
    Q, K = np.ones((3, 2)), np.ones((4, 2))
    says = rf"of shape \({shape[0]}, .*does not broadcast to the scores' shape \(3, 4\)"
    with pytest.raises(ValueError, match="mask " + says):
        attention(Q, K, K, mask=np.ones(shape, bool))
    with pytest.raises(ValueError, match="bias " + says):
        attention(Q, K, K, bias=np.ones(shape))


@pytest.mark.parametrize("mask", [[1, 0], [0.0, -np.inf], ["a", "b"], [None, None], []])
def test_masks_are_boolean(mask: Any) -> None:
    with pytest.raises(ValueError, match="mask must be boolean"):
        attention(np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 2)), mask=mask)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["Q", "K", "V"])
def test_what_is_not_finite_is_refused_even_where_hidden(name: str, bad: float) -> None:
    given: dict[str, Any] = {x: np.ones((2, 2)) for x in "QKV"}
    given[name][1, 1] = bad
    with pytest.raises(ValueError, match=f"{name} holds NaN or an infinity"):
        attention(**given, mask=[True, False])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bias_refuses_nan_and_plus_infinity(bad: float) -> None:
    with pytest.raises(ValueError, match="bias holds NaN or \\+inf"):
        attention([[1.0]], [[1.0]], [[1.0]], bias=bad)


@pytest.mark.parametrize("scale", [np.nan, np.inf, True, "1", 1j, np.ones(2)])
def test_scale_is_one_finite_number(scale: Any) -> None:
    with pytest.raises(ValueError, match="scale must be one finite number"):
        attention([[1.0]], [[1.0]], [[1.0]], scale=scale)


def test_any_finite_scale_is_taken() -> None:
    scales: list[Any] = [0, -1, np.float32(0.5), np.int64(2)]
    for scale in scales:
        assert attention([[2.0]], [[3.0]], [[1.0]], scale=scale).logits == 6 * float(scale)


@pytest.mark.parametrize(
    ("says", "given"),
    [
        ("scores Q Kᵀ overflow", {"Q": [[1e200]], "K": [[1e200]]}),
        ("scores Q Kᵀ overflow", {"Q": [[1e200, 1e200]], "K": [[1e200, -1e200]]}),  # inf - inf
        ("scaled scores overflow", {"scale": 1e308, "Q": [[10.0]]}),
        ("scores with their bias overflow", {"Q": [[1.7e308]], "bias": 1.7e308}),
    ],
)
def test_overflow_is_an_error_in_words(says: str, given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=says):
        attention(**{"Q": [[1.0]], "K": [[1.0]], "V": [[1.0]], **given})


def test_an_average_of_the_largest_values_is_finite_or_refused() -> None:
    refused = 0
    for n in range(1, 60):
        try:
            output = attention([[1.0]], np.zeros((n, 1)), np.full((n, 1), np.finfo(float).max)).output
        except ValueError:  # these weights sum to 1 + 2e-16
            refused += 1
        else:
            assert np.isfinite(output).all()
    assert 0 < refused < 59


def test_overflow_is_an_error_even_where_hidden() -> None:
    with pytest.raises(ValueError, match="overflow"):
        attention([[1e200]], [[1e200], [1.0]], [[1.0], [1.0]], mask=[False, True])


def test_nothing_warns_however_strict_numpy_is() -> None:
    with np.errstate(all="raise"):
        trace = attention([[1e-200], [-40.0]], [[1e-200], [40.0]], [[1e-200], [1.0]], bias=[[0, -np.inf]])
        assert_array_equal(trace.weights, [[1, 0], [1, 0]])
        attention([[40.0]], [[-40.0], [40.0]], [[1e-300], [1.0]])
