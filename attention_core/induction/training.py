"""The induction head learned from scratch, and one layer that tries the same."""

from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from attention_core.attention import BoolArray, FloatArray
from attention_core.induction.sequences import (
    N_WORDS,
    PERIODS,
    IntArray,
    Sequences,
    draw,
    elimination_guessing,
    followers,
    repeated,
)
from attention_core.induction.transformer import Adam, Weights, cross_entropy, first_numbers, forward, gradient, views

MAX_STEPS = 5_000
RECORD_EVERY = 5  # steps between two records
LEARNING_RATE = 5e-3
BATCH = 32

_Record: TypeAlias = tuple[float, float, float, float, FloatArray, IntArray]

_HELD_OUT = 128  # sequences that every record is judged by
_HELD_OUT_SEED = 2**32  # no run has it, so that no run trains on what it is judged by


@dataclass(frozen=True, eq=False)
class InductionRun:
    """A training, record by record; all arrays are read-only. Words are numbers, 0 to 19.

    All measures are taken on the same 128 held-out sequences of 24 words, at their predictable places: from the
    second time round the block on, where the word has stood before.

    Parameters
    ----------
    seed, n_layers : int
        As given.
    steps : ndarray of int, (r,)
        The recorded steps: 0, 5, 10, … and the last one.
    loss : ndarray, (r,)
        Mean cross-entropy of the next word, in nats; log 20 = 3.0 for a model that spreads evenly.
    accuracy : ndarray, (r,)
        Share of places where the word of the largest logit is the next one.
    previous_score : ndarray, (r,)
        Mean weight that layer 1 puts on the previous position, in the rows that an induction head reads: those
        behind an earlier appearance of a predictable word.
    induction_score : ndarray, (r,)
        Mean weight that the last layer puts, at predictable places, on the places behind earlier appearances
        of the same word. With one layer, it is that layer's.
    maps : ndarray of float32, (r, n_layers, 24, 24)
        The weights of each layer on the example.
    predicted : ndarray of int, (r, 24)
        The word of the largest logit after each word of the example.
    example, example_next : ndarray of int, (24,)
        One sequence, the same in all runs, and what comes next after each of its words.
    example_predictable : ndarray of bool, (24,)
        Its predictable places.
    elimination : float
        Accuracy, on the same places, of someone who strikes out the last five words (no block is shorter than
        six) and guesses among the others seen so far.
    elimination_within_ten : float
        The same for someone who knows also that no block is longer than ten, so guesses among the last ten.

    Examples
    --------
    >>> train(steps=12).steps
    array([ 0,  5, 10, 12])
    """

    seed: int
    n_layers: int
    steps: NDArray[np.int_]
    loss: FloatArray
    accuracy: FloatArray
    previous_score: FloatArray
    induction_score: FloatArray
    maps: FloatArray
    predicted: IntArray
    example: IntArray
    example_next: IntArray
    example_predictable: BoolArray
    elimination: float
    elimination_within_ten: float


@dataclass(frozen=True, eq=False)
class _Exam:
    """What a record is judged by: `example` (one sequence), and B `held_out` ones.

    `places` (B, T, T) marks where an induction head looks from predictable places, `read` (B, T) these places.
    """

    example: Sequences
    held_out: Sequences
    places: BoolArray
    read: BoolArray
    elimination: float
    elimination_within_ten: float


def train(seed: int = 0, *, n_layers: int = 2, steps: int = 400) -> InductionRun:
    """Train an attention-only transformer, one head a layer, to continue sequences that repeat.

    A sequence of 24 words, out of 20: 0 to 8 that come once, then a block of 6 to 10 others, over and over. The
    length of the block varies, or one layer could copy from a fixed distance. d = 32, d_k = 16; positions are
    learned, and added to the inputs of queries and keys alone. Adam at 0.005 on a fresh batch of 32 a step; the
    loss counts predictable places only. A run depends on its arguments alone; float32.

    Parameters
    ----------
    seed : int, 0 to 2³² − 1
        Of the first matrices and of the batches.
    n_layers : int, 1 or 2
        With 1, the control: one layer alone finds no induction head in a run of this length.
    steps : int, 0 to 5,000

    Returns
    -------
    InductionRun

    Raises
    ------
    ValueError
        If an argument is outside its bounds.

    References
    ----------
    Elhage et al. 2021, A Mathematical Framework for Transformer Circuits; Olsson et al. 2022, In-context Learning
    and Induction Heads; Kingma and Ba 2015, Adam.

    Examples
    --------
    >>> run = train(steps=240)
    >>> bool(run.accuracy[0] < 0.1), bool(run.accuracy[-1] > 0.95)
    (True, True)
    """
    seed = _whole("seed", seed, 0, 2**32 - 1)
    n_layers, steps = _whole("n_layers", n_layers, 1, 2), _whole("steps", steps, 0, MAX_STEPS)
    rng = np.random.default_rng(seed)
    numbers = first_numbers(rng, n_layers, np.float32)
    d_numbers = np.empty_like(numbers)
    W, dW = views(numbers, n_layers), views(d_numbers, n_layers)
    adam = Adam(numbers, LEARNING_RATE)

    exam = _exam()
    recorded = [*range(0, steps, RECORD_EVERY), steps]
    records: list[_Record] = []
    for step in range(steps + 1):
        if step == recorded[len(records)]:
            records.append(_judge(W, exam))
        if step < steps:
            gradient(W, draw(rng, BATCH), dW)
            adam.update(d_numbers)

    loss, accuracy, previous_score, induction_score, maps, predicted = map(np.array, zip(*records, strict=True))
    run = InductionRun(
        seed=seed,
        n_layers=n_layers,
        steps=np.array(recorded),
        loss=loss,
        accuracy=accuracy,
        previous_score=previous_score,
        induction_score=induction_score,
        maps=maps,
        predicted=predicted,
        example=exam.example.tokens[0],
        example_next=exam.example.next[0],
        example_predictable=exam.example.predictable[0],
        elimination=exam.elimination,
        elimination_within_ten=exam.elimination_within_ten,
    )
    for array in vars(run).values():
        if isinstance(array, np.ndarray):
            array.setflags(write=False)
    return run


@lru_cache(maxsize=1)
def _exam() -> _Exam:
    """The sequences that all records are judged by; made once."""
    example = repeated(np.arange(N_WORDS)[None], np.array([[3]]), np.array([[7]]))  # 0 1 2, then 3 … 9 thrice
    held_out = draw(np.random.default_rng(_HELD_OUT_SEED), _HELD_OUT)
    for x in example:
        x.setflags(write=False)
    places = followers(held_out.tokens) & held_out.predictable[..., None]
    return _Exam(
        example=example,
        held_out=held_out,
        places=places,
        read=np.logical_or.reduce(places, axis=1),
        elimination=elimination_guessing(held_out),
        elimination_within_ten=elimination_guessing(held_out, within=PERIODS[1]),
    )


def _judge(W: Weights, exam: _Exam) -> _Record:
    """One record: loss, accuracy, previous and induction score, the example's maps and its predictions."""
    x, layers = forward(W, exam.held_out.tokens)
    loss, probabilities, rows = cross_entropy(W, x, exam.held_out)
    right = probabilities.argmax(axis=1) == exam.held_out.next.ravel()[rows]
    previous = np.diagonal(layers[0].weights, -1, 1, 2)  # (B, T - 1): row j + 1 looking at j
    mass = (layers[-1].weights * exam.places).sum(axis=2)  # (B, T)

    x, of_example = forward(W, exam.example.tokens)
    return (
        loss,
        float(right.mean()),
        float(previous[exam.read[:, 1:]].mean(dtype=np.float64)),
        float(mass[exam.held_out.predictable].mean(dtype=np.float64)),
        np.stack([layer.weights[0] for layer in of_example]),
        (x @ W.W_U).argmax(axis=1),
    )


def _whole(name: str, value: int, least: int, most: int) -> int:
    """`value` as an int within these bounds; True is not a number here."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number, {least} to {most}, got {value!r}")
    return int(value)
