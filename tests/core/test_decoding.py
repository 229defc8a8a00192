import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import KVCache, attention, causal_mask, decode_step, generation_scores
from tests.arrays import normal


@settings(max_examples=40)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(1, 3), min_size=1, max_size=5),
    st.sampled_from([((), ()), ((1,), (1,)), ((4,), (2,)), ((2, 4), (2, 1))]),
)
def test_cached_equals_the_full_pass(
    seed: int, steps: list[int], leads: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    n = sum(steps)
    Q = normal(seed, *leads[0], n, 2)
    K, V = normal(seed + 1, *leads[1], n, 2), normal(seed + 2, *leads[1], n, 3)
    full = attention(Q, K, V, mask=causal_mask(n))
    cache, at = None, 0
    for new in steps:
        words = slice(at, at + new)
        trace, cache = decode_step(Q[..., words, :], K[..., words, :], V[..., words, :], cache)
        at += new
        assert_allclose(trace.output, full.output[..., words, :], rtol=0, atol=1e-12)
        assert_allclose(trace.weights, full.weights[..., words, :at], rtol=0, atol=1e-12)
    assert cache is not None
    assert_array_equal(cache.K, K)
    assert_array_equal(cache.V, V)
    assert cache.dot_products == generation_scores(n) * int(np.prod(leads[0]))


def test_1024_words_one_by_one() -> None:
    x = normal(0, 1024, 1)
    cache = None
    for t in range(1024):
        trace, cache = decode_step(x[t : t + 1], x[t : t + 1], x[t : t + 1], cache)
    assert cache is not None
    assert cache.dot_products == 524_800
    assert_allclose(trace.output[0], attention(x[-1:], x, x).output[0], rtol=0, atol=1e-12)


def test_without_a_cache_every_step_starts_again() -> None:
    x = normal(0, 30, 2)
    counted = 0
    for t in range(1, 31):
        trace, everything = decode_step(x[:t], x[:t], x[:t])
        counted += everything.dot_products
        assert_allclose(trace.output[-1], attention(x[t - 1 : t], x[:t], x[:t]).output[0], rtol=0, atol=1e-12)
    assert counted == generation_scores(30, cached=False)


def test_new_words_stand_at_the_end() -> None:
    cache = KVCache(normal(0, 3, 2), normal(1, 3, 2))
    trace, _ = decode_step(normal(2, 2, 2), normal(3, 2, 2), normal(4, 2, 2), cache)
    assert_array_equal(trace.weights > 0, [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]])


def test_bias_and_scale_are_passed_on() -> None:
    Q, K, V = normal(0, 4, 2), normal(1, 4, 2), normal(2, 4, 2)
    bias = normal(3, 4, 4)
    full = attention(Q, K, V, mask=causal_mask(4), bias=bias, scale=0.25)
    _, cache = decode_step(Q[:3], K[:3], V[:3], bias=bias[:3, :3], scale=0.25)
    trace, _ = decode_step(Q[3:], K[3:], V[3:], cache, bias=bias[3:], scale=0.25)
    assert_allclose(trace.output, full.output[3:], rtol=0, atol=1e-12)


def test_a_step_leaves_its_cache_alone() -> None:
    K = normal(0, 3, 2)
    cache = KVCache(K, K, dot_products=6)
    K[:] = 9
    before = cache.K.copy()
    _, after = decode_step([[1.0, 0.0]], [[1.0, 0.0]], [[1.0, 0.0]], cache)
    assert_array_equal(cache.K, before)
    assert (cache.dot_products, after.dot_products) == (6, 10)
    for x in (cache.K, cache.V, after.K, after.V):
        with pytest.raises(ValueError, match="read-only"):
            x[...] = 0


def test_float32_stays() -> None:
    x = np.ones((1, 2), np.float32)
    trace, cache = decode_step(x, x, x)
    trace, cache = decode_step(x, x, x, cache)
    assert trace.output.dtype == cache.K.dtype == cache.V.dtype == np.float32


def test_what_does_not_fit_is_refused() -> None:
    cache = KVCache(np.ones((3, 2)), np.ones((3, 4)))
    one = np.ones((1, 2))
    with pytest.raises(ValueError, match=r"one query and one key, got Q \(2, 2\) and K \(1, 2\)"):
        decode_step(np.ones((2, 2)), one, one)
    with pytest.raises(
        ValueError, match=r"new keys of shape \(1, 3\) do not fit the remembered ones of shape \(3, 2\)"
    ):
        decode_step(one, np.ones((1, 3)), one, cache)
    with pytest.raises(
        ValueError, match=r"new values of shape \(1, 2\) do not fit the remembered ones of shape \(3, 4\)"
    ):
        decode_step(one, one, one, cache)
    with pytest.raises(ValueError, match=r"new keys of shape \(2, 1, 2\) do not fit"):
        decode_step(np.ones((2, 1, 2)), np.ones((2, 1, 2)), np.ones((2, 1, 4)), cache)
    with pytest.raises(ValueError, match=r"1 keys but 2 values"):
        decode_step(one, one, np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"must share n, got \(3, 2\) and \(2, 2\)"):
        KVCache(np.ones((3, 2)), np.ones((2, 2)))
