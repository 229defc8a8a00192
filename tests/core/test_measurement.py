import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_core import (
    Measurement,
    attention,
    full_attention,
    measurable_sizes,
    measure,
    measure_attention,
    peak_mib,
)
from benchmarks.attention import forms
from benchmarks.attention import measure as benchmark


def test_the_forms_compute_the_same() -> None:
    outputs = {name: np.asarray(run()) for name, run in forms(96).items()}
    assert outputs.keys() >= {"naive", "in_place", "online"}
    for output in outputs.values():
        assert_allclose(output, outputs["naive"], rtol=0, atol=1e-6)


def test_the_full_form_is_attention() -> None:
    Q, K, V = np.random.default_rng(0).normal(size=(3, 2, 5, 4))
    assert_allclose(full_attention(Q, K, V), attention(Q, K, V).output, rtol=0, atol=1e-14)


def test_the_benchmark_has_the_keys_it_promises() -> None:
    found = benchmark([32], rounds=1)
    assert list(found) == ["32"]
    names = ("naive", "in_place", "online", "torch")
    assert list(found["32"]) == [f"{name}_{unit}" for unit in ("ms", "mib") for name in names]
    assert all(found["32"][f"{name}_ms"] is not None for name in names[:3])


def test_tiles_hold_less_than_the_grid() -> None:
    found = measure(512, n_heads=1)
    assert 3 <= found.full_mib < 3.3  # three grids of 1 MiB
    assert found.tiled_mib < found.full_mib / 2
    assert 0 < found.difference < 1e-5
    assert found.full_ms > 0
    assert found.tiled_ms > 0


def test_the_largest_n_follows_from_the_budget() -> None:
    assert measurable_sizes(1.125) == (64,)
    assert measurable_sizes(256) == (64, 128, 256, 512, 1024)
    assert measurable_sizes(1e9)[-1] == 4096
    assert measurable_sizes(256, n_heads=1)[-1] == 4096
    needed = 4 * 2 * (3 * 128**2 + 6 * 128 * 16) / 2**20
    assert measurable_sizes(needed, 2, 16)[-1] == 128
    assert measurable_sizes(needed - 1e-6, 2, 16)[-1] == 64


@pytest.mark.parametrize("n", [64, 256])
def test_a_measurement_stays_within_its_budget(n: int) -> None:
    budget = 4 * (3 * n**2 + 6 * n * 64) / 2**20
    assert measurable_sizes(budget, n_heads=1)[-1] == n
    assert peak_mib(lambda: measure(n, n_heads=1)) < budget * 1.1 + 0.1


@pytest.mark.parametrize("budget", [0, 1.12, -5, float("nan")])
def test_a_budget_too_small_for_anything_is_refused(budget: float) -> None:
    with pytest.raises(ValueError, match=r"64 tokens need 1.12 MiB, but the budget is "):
        measurable_sizes(budget)


def test_results_come_one_by_one_and_twice_at_once() -> None:
    first, second = measure_attention([32, 48], n_heads=1, d=4), measure_attention([32], n_heads=1, d=4)
    assert isinstance(first, Iterator)
    assert isinstance(next(first), Measurement)
    assert next(second).n == 32  # the first one, left half-way, is in nobody's way
    assert next(first).n == 48
    with pytest.raises(StopIteration):
        next(first)


def test_a_process_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attention_core.measurement._CHILD", "raise MemoryError('no room')")
    with pytest.raises(RuntimeError, match="measuring 32 tokens failed: MemoryError: no room"):
        next(measure_attention([32]))
    monkeypatch.setattr("attention_core.measurement._CHILD", "import os; os._exit(9)")
    with pytest.raises(RuntimeError, match="measuring 32 tokens failed: exit code 9"):
        next(measure_attention([32]))


def test_sizes_are_whole_numbers() -> None:
    with pytest.raises(ValueError, match="n must be a whole number, 1 or more, got 0"):
        next(measure_attention([0]))
    with pytest.raises(ValueError, match="n_heads must be a whole number, 1 or more, got 0"):
        measure(64, n_heads=0)


def test_peaks_are_found_whether_or_not_somebody_is_tracing() -> None:
    assert 7.9 < peak_mib(lambda: np.ones(2**20)) < 8.5
    assert not tracemalloc.is_tracing()
    tracemalloc.start()
    held = np.ones(2**20)
    np.ones(2**22)  # a peak of somebody else's
    assert 7.9 < peak_mib(lambda: np.ones(2**20)) < 8.5
    assert tracemalloc.is_tracing()
    tracemalloc.stop()
    assert held.size


def test_a_failing_run_ends_the_tracing() -> None:
    with pytest.raises(ZeroDivisionError):
        peak_mib(lambda: 1 / 0)
    assert not tracemalloc.is_tracing()
