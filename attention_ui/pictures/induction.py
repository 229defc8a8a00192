"""Two layers that copy what followed: set by hand, taken apart, and learned beside one layer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from attention_core.induction import InductionRun, InductionTrace, hand_set, train
from attention_ui import captions
from attention_ui.copying import outcome, places, words
from attention_ui.escape import labels
from attention_ui.figures import Curve, Figure, Outline, bars, curves, grid, restyled
from attention_ui.figures.heatmap import MAX_TEXT
from attention_ui.induction_programs import BREAKS, LAYER_1, LAYER_2, by_hand_program, training_program
from attention_ui.pictures.dashboard import named_rows
from attention_ui.plot import Recording, Track
from attention_ui.show import Picture, table_of

LETTERS = tuple("ABCDEFGHIJKLMNOPQRST")  # what the 20 words of the learned model are called
RECORD_EVERY = 5
NARROW, HALF, WHOLE = 280, 380, 940  # pixels: three, two or one figure beside each other
VARIANTS: dict[str, tuple[bool, int | None]] = {
    "both layers": (True, None),
    "no layer 1": (True, 1),
    "no layer 2": (True, 2),
    "no start": (False, None),
}


class Scores(NamedTuple):
    """What is left of the head in one variant; None where there is nothing to measure."""

    accuracy: float | None
    induction_score: float | None


@lru_cache(maxsize=128)
def trace_of(
    tokens: tuple[str, ...], beta: float, start_token: bool = True, removed: int | None = None
) -> InductionTrace:
    """Return both layers, set by hand, on these words; made once for each setting."""
    return hand_set(tokens, beta, start_token=start_token, remove=removed)


def first_layer(
    tokens: tuple[str, ...], position: int, beta: float, start_token: bool, removed: int | None, theme: str
) -> Picture:
    """Layer 1: whom every place listens to, and what it notes."""
    trace = trace_of(tokens, beta, start_token, removed)
    names, row = places(trace), trace.first + position
    weights = trace.maps[0, row]
    heard = captions.winners(weights)
    figures = [
        _map(trace, 0, row, heard, theme),
        _sized(
            grid(
                trace.copied,
                names,
                words(trace),
                theme=theme,
                title="What it notes: one slot a place",
                kind="weights",
                outlines=[Outline(row=row)],
                axes=("place", "noted"),
            ),
            names,
            words(trace),
        ),
    ]
    alts = [f"Layer 1: {captions.listens(names, row, weights)}", _noted(trace, row)]
    columns = (*(f"listens to {name}" for name in names), *(f"notes {word}" for word in words(trace)))
    table = named_rows("place", names, np.hstack([trace.maps[0], trace.copied]), columns)
    title = "Layer 1 and what it notes"
    program = by_hand_program(title, tokens, names, beta, start_token, removed, LAYER_1)
    return Picture(
        title, figures, alts, table, program, f"{alts[0]}. {alts[1]}.", ["writes →" if len(names) < 13 else ""]
    )


def second_layer(
    tokens: tuple[str, ...], position: int, beta: float, start_token: bool, removed: int | None, theme: str
) -> Picture:
    """Layer 2: which note every place finds, and what it predicts."""
    trace = trace_of(tokens, beta, start_token, removed)
    names, row = places(trace), trace.first + position
    weights = trace.maps[1, row]
    vocabulary = words(trace)[:-1]
    figures = [
        _map(trace, 1, row, captions.winners(weights), theme),
        _sized(
            grid(
                trace.logits,
                names[trace.first :],
                vocabulary,
                theme=theme,
                title="Logits: which word comes next",
                kind="weights",
                outlines=[Outline(row=position)],
                axes=("after", "comes"),
            ),
            names[trace.first :],
            vocabulary,
        ),
    ]
    alts = [f"Layer 2: {captions.listens(names, row, weights)}", _foretold(trace, position)]
    logits = trace.residual[2, :, trace.slots.following][:, :-1]  # of all places, the start token's among them
    columns = (*(f"listens to {name}" for name in names), *(f"logit of {word}" for word in vocabulary))
    table = named_rows("place", names, np.hstack([trace.maps[1], logits]), columns)
    foretold = ["nothing" if word is None else str(word) for word in trace.predicted]
    table["predicted"] = ["nothing"] * trace.first + foretold
    title = "Layer 2 and what it predicts"
    program = by_hand_program(title, tokens, names, beta, start_token, removed, LAYER_2)
    return Picture(
        title, figures, alts, table, program, f"{alts[0]}. {alts[1]}.", ["copies →" if len(names) < 13 else ""]
    )


def what_breaks(tokens: tuple[str, ...], beta: float, theme: str) -> Picture:
    """Accuracy and induction score of the whole head, and with one part of it taken away."""
    scores = taken_apart(tokens, beta)
    figures, alts = [], []
    for title, values in (
        ("Accuracy: how often the next word is right", [s.accuracy for s in scores.values()]),
        ("Induction score: weight on the places to copy from", [s.induction_score for s in scores.values()]),
    ):
        if None not in values:
            figures.append(bars(np.array(values, float), tuple(scores), theme=theme, title=title, height=240))
            said = [f"{name} {_or_none(value)}" for name, value in zip(scores, values, strict=True)]
            alts.append(f"{title.split(':')[0]}: {captions.listed(said)}")
    table = table_of(
        {
            "head": list(scores),
            "accuracy": [_or_none(s.accuracy) for s in scores.values()],
            "induction score": [_or_none(s.induction_score) for s in scores.values()],
        }.items()
    )
    title = "What breaks"
    program = by_hand_program(title, tokens, (), beta, True, None, BREAKS)
    return Picture(title, figures, alts, table, program, ". ".join(alts) + ".", [""] * (len(figures) - 1))


def taken_apart(tokens: tuple[str, ...], beta: float) -> dict[str, Scores]:
    """Accuracy and induction score on one sequence, in each variant.

    Examples
    --------
    >>> taken_apart(("A", "B", "A", "B"), 4.0)["no layer 2"]
    Scores(accuracy=0.0, induction_score=0.0)
    >>> taken_apart(("A", "B"), 4.0)["both layers"]
    Scores(accuracy=None, induction_score=None)
    """
    traces = {name: trace_of(tokens, beta, start, removed) for name, (start, removed) in VARIANTS.items()}
    return {name: Scores(trace.accuracy, trace.induction_score) for name, trace in traces.items()}


@lru_cache(maxsize=8)
def on_random_blocks(beta: float, count: int = 200) -> dict[str, Scores]:
    """The same, on average over random sequences: a block of 6 to 10 distinct words, repeated to 24."""
    found: dict[str, list[Scores]] = {name: [] for name in VARIANTS}
    for seed in range(count):
        rng = np.random.default_rng(seed)
        period = int(rng.integers(6, 11))
        tokens = np.resize(rng.permutation(20)[:period], 24)
        for name, scores in taken_apart(tuple(map(str, tokens)), beta).items():
            found[name].append(scores)
    means = {name: np.array(scores, float).mean(axis=0) for name, scores in found.items()}
    return {name: Scores(float(mean[0]), float(mean[1])) for name, mean in means.items()}


def random_means(beta: float) -> dict[str, str]:
    """The same as text: accuracies as ``both_right`` and so on, induction scores as ``both_mass`` and so on."""
    said: dict[str, str] = {}
    for name, scores in zip(("both", "first", "second", "start"), on_random_blocks(beta).values(), strict=True):
        said |= {f"{name}_right": _or_none(scores.accuracy), f"{name}_mass": _or_none(scores.induction_score)}
    return said


@lru_cache(maxsize=64)
def learned(seed: int) -> tuple[InductionRun, InductionRun]:
    """Two layers and one layer, trained alike; a second or so of computing the first time."""
    return train(seed), train(seed, n_layers=1)


def first_step(run: InductionRun, accuracy: float) -> int:
    """The first recorded step at which a run is right more often than that; its last if it never is."""
    above = run.accuracy > accuracy
    return int(run.steps[above.argmax()] if above.any() else run.steps[-1])


@lru_cache(maxsize=8)
def learned_csv(seed: int) -> str:
    """The measures of both runs at every recorded step, as CSV."""
    two, one = learned(seed)
    measures = ("loss", "accuracy", "previous_score", "induction_score")
    columns = {f"{name}_{n}": getattr(run, name) for n, run in (("two", two), ("one", one)) for name in measures}
    return str(pd.DataFrame({"step": two.steps, **columns}).to_csv(index=False))


def induction_run(seed: int, theme: str) -> Picture:
    """Two layers learning to copy, one layer trying the same: measures, and the maps of one example."""
    two, one = learned(seed)
    steps = two.steps.astype(float)
    ends = steps[[0, -1]]
    lines: tuple[tuple[str, list[tuple[str, np.ndarray, str]], list[Curve], str], ...] = (
        (
            "Loss on sequences never trained on",
            [("two layers", two.loss, "weight"), ("one layer", one.loss, "query")],
            [Curve("all 20 words alike", ends, np.full(2, np.log(len(LETTERS))), "key", "dot")],
            "loss in nats",
        ),
        (
            "How often the next word is right",
            [("two layers", two.accuracy, "weight"), ("one layer", one.accuracy, "query")],
            [
                Curve("better guess", ends, np.full(2, two.elimination_within_ten), "value", "dot"),
                Curve("simple guess", ends, np.full(2, two.elimination), "key", "dot"),
            ],
            "accuracy",
        ),
        (
            "What the two layers look at",
            [
                ("layer 1: previous word", two.previous_score, "value"),
                ("layer 2: induction score", two.induction_score, "weight"),
            ],
            [],
            "mean weight",
        ),
    )
    figures, tracks = [], []
    for f, (title, moving, still, unit) in enumerate(lines):
        figure = curves(
            [
                *(Curve(name, steps, y, role, faint=True) for name, y, role in moving),
                *(Curve(name, steps[:1], y[:1], role) for name, y, role in moving),
                *still,
            ],
            theme=theme,
            title=title,
            axes=("step", unit),
            y_range=(0, 3.3) if f == 0 else (0, 1.02),
        )
        figures.append(restyled(figure, height=300, meta={"width": NARROW}))
        for t, (_, y, _) in enumerate(moving, len(moving)):
            tracks += [Track(f, t, "x", steps, RECORD_EVERY, True), Track(f, t, "y", y, RECORD_EVERY, True)]
    letters = tuple(LETTERS[word] for word in two.example.tolist())
    seen = np.tri(len(letters), dtype=bool)
    maps = {
        "Two layers: layer 1": two.maps[:, 0],
        "Two layers: layer 2": two.maps[:, 1],
        "One layer alone": one.maps[:, 0],
    }
    for f, (title, weights) in enumerate(maps.items(), len(lines)):
        figure = grid(
            weights[0],
            letters,
            letters,
            theme=theme,
            title=title,
            kind="weights",
            visible=seen,
            axes=("listens", "is heard"),
        )
        figures.append(restyled(figure, {"tickfont": {"size": 10}, "tickangle": 0}, height=330, meta={"width": NARROW}))
        tracks.append(Track(f, 0, "z", np.where(seen, weights, np.nan), RECORD_EVERY))
    texts = [_record(two, one, record) for record in range(len(two.steps))]
    alts = [
        f"Loss from {two.loss[0]:.2f} to {two.loss[-1]:.3f} with two layers, to {one.loss[-1]:.2f} with one",
        f"Accuracy ends at {two.accuracy[-1]:.3f} with two layers and {one.accuracy[-1]:.3f} with one",
        f"Previous-token score ends at {two.previous_score[-1]:.2f}, induction score at {two.induction_score[-1]:.2f}",
        *(_example(title, weights[-1], letters) for title, weights in maps.items()),
    ]
    table = table_of(
        {
            "step": [str(step) for step in two.steps[_shown(two)].tolist()],
            **{
                name: [f"{value:.3f}" for value in values[_shown(two)].tolist()]
                for name, values in (
                    ("loss, two layers", two.loss),
                    ("loss, one layer", one.loss),
                    ("accuracy, two layers", two.accuracy),
                    ("accuracy, one layer", one.accuracy),
                    ("previous-token score", two.previous_score),
                    ("induction score", two.induction_score),
                )
            },
        }.items()
    )
    return Picture(
        "Two layers learn, and one layer tries",
        figures,
        alts,
        table,
        training_program(seed, two.steps[_shown(two)].tolist()),
        caption=texts[0],
        joints=[""] * (len(figures) - 1),
        recording=Recording(id=str(seed), last=int(steps[-1]), tracks=tracks, captions=texts, every=RECORD_EVERY),
    )


def _map(trace: InductionTrace, layer: int, row: int, heard: list[int], theme: str) -> Figure:
    """One layer's map, the chosen row and whom it hears most framed."""
    names = places(trace)
    removed = " (removed: it looks nowhere)" if trace.remove == layer + 1 else ""
    what = ("the previous place", "where my word was noted")[layer]
    figure = grid(
        trace.maps[layer],
        names,
        names,
        theme=theme,
        title=f"Layer {layer + 1}{removed or ': ' + what}",
        kind="weights",
        visible=np.tri(len(names), dtype=bool),
        outlines=[Outline(row=row), *(Outline(row, column, "key") for column in heard[:1])],
        axes=("listens", "is heard"),
    )
    return _sized(figure, names, names)


def _sized(figure: Figure, rows: Sequence[str], columns: Sequence[str]) -> Figure:
    """Half a page wide, all labels readable; a whole one where cells hold numbers that need it."""
    small = max(len(rows), len(columns)) > MAX_TEXT  # without numbers, cells may be small
    wide = not small and len(columns) > 12
    sized = restyled(
        figure,
        {"tickfont": {"size": 10}} if small else {},
        height=130 + (15 if small else 24) * len(rows),
        meta={"width": WHOLE if wide else HALF},
    )
    if max(map(len, columns)) > 36 / len(columns):
        sized["layout"]["xaxis"]["tickangle"] = 90
    return sized


def _noted(trace: InductionTrace, row: int) -> str:
    """What stands in one slot."""
    names, slot = places(trace), trace.copied[row]
    best = captions.winners(slot)
    if not best:
        return f"The slot of {names[row]} stays empty"
    share = captions.percent(float(slot[best[0]]))
    return f"The slot of {names[row]} then says {captions.listed([words(trace)[b] for b in best])}, {share}"


def _foretold(trace: InductionTrace, position: int) -> str:
    """What is predicted after one word, and what to make of it."""
    name, predicted = places(trace)[trace.first + position], trace.predicted[position]
    kind = outcome(trace, position)
    if kind == "nothing":
        return f"After {name} it predicts nothing, for nothing was brought back"
    logit = captions.number(float(trace.logits[position].max()))
    said = f"After {name} it predicts {predicted}, logit {logit}"
    if kind == "new":
        return f"{said}; but this word stands there for the first time, so there was nothing to copy"
    return said


def _or_none(value: float | None) -> str:
    """A score as text."""
    return "none" if value is None else captions.number(value)


def _shown(run: InductionRun) -> list[int]:
    """The records that the table shows."""
    last = len(run.steps) - 1
    return sorted({*range(0, last, 8), last})


def _record(two: InductionRun, one: InductionRun, record: int) -> str:
    """What one record says."""
    accuracy, alone, back, copies = (
        captions.percent(float(x[record]))
        for x in (two.accuracy, one.accuracy, two.previous_score, two.induction_score)
    )
    return (
        f"Step {two.steps[record]}: two layers are right {accuracy} of the time, one layer {alone}. Layer 1 gives the "
        f"previous word {back} of its attention, layer 2 gives the places to copy from {copies}"
    )


def _example(title: str, weights: np.ndarray, letters: tuple[str, ...]) -> str:
    """What the last word of the example looks at, in the end."""
    names, last = labels(letters), len(letters) - 1
    return f"{title}, at the end of the run: {captions.listens(names, last, weights[last])}"
