"""Time and memory of attention on this machine, with the whole grid and tile by tile."""

import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from threading import Lock

import numpy as np

from attention_core.attention import FloatArray
from attention_core.masks import _whole
from attention_core.tiles import online_attention

LEAST_TOKENS, MOST_TOKENS = 64, 4096  # beyond this, a run takes longer than a reader waits
MIB = 2**20
_GRIDS = 3  # what `full_attention` holds at once: scores, their differences from the max, exponentials
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "MKL", "OMP", "VECLIB_MAXIMUM")}
_ONE_AT_A_TIME = Lock()  # however many ask, one budget is enough
_CHILD = "import sys; from attention_core import measurement; measurement._print(*map(int, sys.argv[1:]))"


@dataclass(frozen=True)
class Measurement:
    """What n tokens cost, with the whole grid and in tiles.

    Parameters
    ----------
    n : int
        Tokens.
    full_ms, tiled_ms : float
        Milliseconds of one processor: the shortest of a few runs.
    full_mib, tiled_mib : float
        Peak memory beyond Q, K and V, in MiB.
    difference : float
        The largest difference between the two outputs: rounding alone.

    Examples
    --------
    >>> measured = measure(256, n_heads=1)
    >>> measured.tiled_mib < measured.full_mib, measured.difference < 1e-5
    (True, True)
    """

    n: int
    full_ms: float
    tiled_ms: float
    full_mib: float
    tiled_mib: float
    difference: float


def full_attention(Q: FloatArray, K: FloatArray, V: FloatArray) -> FloatArray:
    """Compute softmax(Q Kᵀ / √d_k) V as the formula is written, the whole grid at once and nothing checked.

    It is what tiles are measured against; `attention` is the one to use.

    Parameters
    ----------
    Q, K, V : ndarray
        (..., n_q, d_k), (..., n_k, d_k) and (..., n_k, d_v), with the same leading axes.

    Returns
    -------
    ndarray, (..., n_q, d_v)

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, equation 1.

    Examples
    --------
    >>> full_attention(np.array([[2.0]]), np.array([[0.0], [1.0]]), np.array([[0.0], [1.0]])).round(4)
    array([[0.8808]])
    """
    scores = Q @ K.swapaxes(-1, -2) / sqrt(Q.shape[-1])  # (..., n_q, n_k)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return np.asarray(weights @ V)  # (..., n_q, d_v)


def measurable_sizes(budget_mib: float, n_heads: int = 8, d: int = 64) -> tuple[int, ...]:
    """Choose the numbers of tokens that can be measured within a memory budget.

    Parameters
    ----------
    budget_mib : float
        What a measurement may hold, in MiB: three whole grids of float32, inputs and outputs.
    n_heads, d : int
        How many heads, and how wide, as in `measure_attention`.

    Returns
    -------
    tuple of int
        64, 128, 256, … up to the largest power of two that fits, at most `MOST_TOKENS`.

    Raises
    ------
    ValueError
        If not even 64 tokens fit, or a size is too small or not a whole number.

    Examples
    --------
    >>> measurable_sizes(128)
    (64, 128, 256, 512, 1024)
    """
    sizes, n = [], LEAST_TOKENS
    while n <= MOST_TOKENS and _needed_mib(n, n_heads, d) <= budget_mib:
        sizes.append(n)
        n *= 2
    if not sizes:
        least = _needed_mib(LEAST_TOKENS, n_heads, d)
        raise ValueError(f"{LEAST_TOKENS} tokens need {least:.2f} MiB, but the budget is {budget_mib!r} MiB")
    return tuple(sizes)


def measure_attention(sizes: Sequence[int], n_heads: int = 8, d: int = 64, seed: int = 0) -> Iterator[Measurement]:
    """Measure both forms for one number of tokens after the other, each in a process of its own.

    There, NumPy computes in one thread, nothing else is counted, and all memory is given back. Nothing runs before
    the next result is asked for: whoever stops asking has cancelled. Two that measure at once take turns.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of tokens, as from `measurable_sizes`.
    n_heads, d, seed : int
        As in `measure`.

    Returns
    -------
    iterator of Measurement
        One for each size, in order.

    Raises
    ------
    ValueError
        If a size is too small or not a whole number.
    RuntimeError
        If a process fails, for instance because the machine is out of memory; the message says which n and why.

    References
    ----------
    Dao et al. 2022, FlashAttention, figure 3 (the same comparison, on a GPU).

    Examples
    --------
    >>> [result.n for result in measure_attention([64])]
    [64]
    """
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": str(Path(__file__).parents[1])}
    for size in sizes:
        numbers = [_whole("n", size, 1), _whole("n_heads", n_heads, 1), _whole("d", d, 1), _whole("seed", seed)]
        command = [sys.executable, "-c", _CHILD, *map(str, numbers)]
        with _ONE_AT_A_TIME:
            child = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if child.returncode:
            why = child.stderr.strip().splitlines()[-1:] or [f"exit code {child.returncode}"]
            raise RuntimeError(f"measuring {size} tokens failed: {why[0]}")
        yield Measurement(**json.loads(child.stdout))  # outside the lock: nobody knows when the next is asked for


def measure(n: int, n_heads: int = 8, d: int = 64, seed: int = 0) -> Measurement:
    """Measure both forms here and now, on random float32 queries, keys and values.

    Parameters
    ----------
    n : int
        Tokens, 1 or more.
    n_heads, d : int
        How many heads, and how wide; 1 or more.
    seed : int
        Of the random numbers, 0 or more.

    Returns
    -------
    Measurement
        Time and memory are those of the whole process, its other threads among them.

    Raises
    ------
    ValueError
        If a size is too small or not a whole number.

    Examples
    --------
    >>> measure(256, n_heads=1).full_mib > 0.75  # three grids of 256 · 256 · 4 bytes
    True
    """
    shape = (3, _whole("n_heads", n_heads, 1), _whole("n", n, 1), _whole("d", d, 1))
    Q, K, V = np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
    difference = float(np.abs(full_attention(Q, K, V) - online_attention(Q, K, V)).max())
    return Measurement(
        n=shape[2],
        full_ms=_shortest_ms(lambda: full_attention(Q, K, V)),
        tiled_ms=_shortest_ms(lambda: online_attention(Q, K, V)),
        full_mib=peak_mib(lambda: full_attention(Q, K, V)),
        tiled_mib=peak_mib(lambda: online_attention(Q, K, V)),
        difference=difference,
    )


def peak_mib(run: Callable[[], object]) -> float:
    """Return by how much memory grows at most while `run` runs, in MiB.

    Parameters
    ----------
    run : callable
        What to measure. Memory of Python and NumPy is counted, in all threads.

    Returns
    -------
    float

    Examples
    --------
    >>> round(peak_mib(lambda: np.ones(2**20)))
    8
    """
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        run()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        if not tracing:
            tracemalloc.stop()
    return (peak - before) / MIB


def _print(n: int, n_heads: int, d: int, seed: int) -> None:
    """What the process of one measurement does."""
    print(json.dumps(asdict(measure(n, n_heads, d, seed))))


def _shortest_ms(run: Callable[[], object], enough_ms: float = 100, most: int = 5) -> float:
    """The shortest time of a few runs, fewer if they are long."""
    times: list[float] = []
    while len(times) < most and sum(times) < enough_ms:
        start = time.process_time()
        run()
        times.append(1000 * (time.process_time() - start))
    return min(times)


def _needed_mib(n: int, n_heads: int, d: int) -> float:
    """What measuring n tokens holds at most: the grids, and Q, K, V, outputs and their difference."""
    n, n_heads, d = _whole("n", n, 1), _whole("n_heads", n_heads, 1), _whole("d", d, 1)
    return 4 * n_heads * (_GRIDS * n**2 + 6 * n * d) / MIB
