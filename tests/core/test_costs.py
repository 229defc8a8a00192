from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    MODEL_SPECS,
    ModelSpec,
    attention_flops,
    causal_mask,
    generation_scores,
    grid_crossing,
    kv_cache_bytes,
    layer_flops,
    score_cells,
    sliding_window_mask,
)


@pytest.mark.parametrize(
    ("id", "per_token"),
    [
        ("gpt2-small", 36_864),
        ("llama-2-7b", 524_288),
        ("llama-2-70b", 327_680),
        ("llama-3-70b", 327_680),
        ("mistral-7b", 131_072),
        ("llama-3-8b", 131_072),
        ("gemma-2b", 18_432),
        ("deepseek-v3", 70_272),
    ],
)
def test_bytes_per_token(id: str, per_token: int) -> None:
    assert kv_cache_bytes(MODEL_SPECS[id], 1) == per_token
    assert kv_cache_bytes(MODEL_SPECS[id], 100, batch=3) == 300 * per_token
    assert kv_cache_bytes(MODEL_SPECS[id], 1, bytes_per_value=1) * 2 == per_token


def test_every_spec_has_its_bytes_tested_and_a_source() -> None:
    assert len(MODEL_SPECS) == 8
    for id, spec in MODEL_SPECS.items():
        assert spec.id == id
        assert spec.source


def test_mistral_at_32k_tokens_with_and_without_its_window() -> None:
    mistral = MODEL_SPECS["mistral-7b"]
    assert kv_cache_bytes(mistral, 32_768) == 512 * 2**20
    assert kv_cache_bytes(replace(mistral, window=None), 32_768) == 4 * 2**30
    assert kv_cache_bytes(mistral, 4096) == kv_cache_bytes(mistral, 4097) > kv_cache_bytes(mistral, 4095)


def test_a_window_of_one_keeps_one_token() -> None:
    spec = replace(MODEL_SPECS["gpt2-small"], window=1)
    assert [kv_cache_bytes(spec, tokens) for tokens in (0, 1, 1000)] == [0, 36_864, 36_864]


def test_batches_and_tokens_past_int32_do_not_wrap() -> None:
    spec = MODEL_SPECS["llama-2-7b"]
    expected = 524_288 * 131_072 * 65_536
    assert expected > 2**31
    many: Any = np.int32(131_072)
    assert kv_cache_bytes(spec, many, np.int32(65_536)) == expected  # type: ignore[arg-type]
    assert score_cells(many) == 131_072**2
    assert score_cells(many, causal=True) == 131_072 * 131_073 // 2
    assert layer_flops(many, many) == 28 * 131_072**3
    assert attention_flops(many, np.int32(65_536)) == 4 * 131_072**2 * 65_536  # type: ignore[arg-type]
    assert generation_scores(many, cached=False) == 131_072 * 131_073 * 131_074 // 6


@given(st.integers(1, 10_000), st.integers(1, 500))
def test_the_grid_costs_most_beyond_six_times_the_width(n: int, d_model: int) -> None:
    assert layer_flops(n, d_model) == 24 * n * d_model**2 + 4 * n**2 * d_model
    assert grid_crossing(d_model) == 6 * d_model
    rest = layer_flops(n, d_model) - attention_flops(n, d_model)
    assert (attention_flops(n, d_model) > rest) == (n > grid_crossing(d_model))


def test_flops_are_those_of_the_products() -> None:
    n, d, d_ff = 5, 8, 20

    def product(a: int, b: int, c: int) -> int:
        return 2 * a * b * c  # (a, b) times (b, c)

    grid = product(n, d, n) + product(n, n, d)
    assert attention_flops(n, d) == grid
    assert layer_flops(n, d, d_ff) == 4 * product(n, d, d) + product(n, d, d_ff) + product(n, d_ff, d) + grid
    crossing = grid_crossing(d, d_ff)
    assert crossing == 2 * d + d_ff
    assert 2 * attention_flops(crossing, d) == layer_flops(crossing, d, d_ff)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_cells_are_those_of_the_masks(n: int) -> None:
    assert score_cells(n) == n * n
    assert score_cells(n, causal=True) == causal_mask(n).sum()
    for window in (1, 2, 7, 99):
        cells = sliding_window_mask(n, window).sum()
        assert score_cells(n, window=window) == score_cells(n, causal=True, window=window) == cells
    assert score_cells(n, window=1) == n


def test_generating() -> None:
    assert generation_scores(1024) == 524_800
    assert generation_scores(1024, cached=False) == 179_481_600
    for n in range(6):
        assert generation_scores(n) == score_cells(n, causal=True)
        assert generation_scores(n, cached=False) == sum(score_cells(t, causal=True) for t in range(n + 1))


def or_half(bad: Any) -> Any:
    return 0.5 if bad is None else bad  # None is a value where a size is optional


@pytest.mark.parametrize("bad", [-1, 1.0, 2.5, True, "3", None, np.float64(2)])
@pytest.mark.parametrize(
    "call",
    [
        lambda bad: attention_flops(bad, 1),
        lambda bad: attention_flops(1, bad),
        lambda bad: layer_flops(bad, 1),
        lambda bad: layer_flops(1, bad),
        lambda bad: layer_flops(1, 1, or_half(bad)),
        lambda bad: grid_crossing(bad),
        lambda bad: score_cells(bad),
        lambda bad: score_cells(3, window=or_half(bad)),
        lambda bad: generation_scores(bad),
        lambda bad: kv_cache_bytes(MODEL_SPECS["gpt2-small"], bad),
        lambda bad: kv_cache_bytes(MODEL_SPECS["gpt2-small"], 1, bad),
        lambda bad: kv_cache_bytes(MODEL_SPECS["gpt2-small"], 1, 1, bad),
        lambda bad: ModelSpec("x", "X", bad, 4, 2, 8, "here"),
    ],
)
def test_sizes_are_whole_numbers(call: Callable[[Any], Any], bad: Any) -> None:
    with pytest.raises(ValueError, match=r"must be a whole number, [01] or more, got "):
        call(bad)


def test_a_window_holds_at_least_one_token() -> None:
    with pytest.raises(ValueError, match="window must be a whole number, 1 or more, got 0"):
        score_cells(3, window=0)
    with pytest.raises(ValueError, match="window must be a whole number, 1 or more, got 0"):
        replace(MODEL_SPECS["mistral-7b"], window=0)


def test_heads_share_evenly() -> None:
    with pytest.raises(ValueError, match="8 query heads cannot share 3 key/value heads evenly"):
        ModelSpec("x", "X", 1, 8, 3, 8, "here")
