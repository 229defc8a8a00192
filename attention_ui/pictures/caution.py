"""The pictures of what weights are not: other weights with one output, three measures of a word, a huge value."""

from __future__ import annotations

import numpy as np

from attention_core import convex_hull
from attention_ui import captions, cautions
from attention_ui.escape import labels
from attention_ui.figures import Arrow, Figure, Series, bars, compare, plane
from attention_ui.pictures.dashboard import COMPASS, MARK, named_rows
from attention_ui.programs import attention_program
from attention_ui.settings import Settings, plane_vectors, shown_head
from attention_ui.show import Picture, table_of

_OTHER = """
w = weights[focus]
words, lead, percent = {words}, {lead}, {percent}  # who trades; how far to the end where a weight is 0
kept = np.vstack([V[words].T, np.ones(len(words))])  # what must not change: the blend, and the sum
trade = np.linalg.svd(kept)[2][-1]
step = np.zeros(n)
step[words] = trade / trade[words.index(lead)]
sign = 1 if percent > 0 else -1
room = min(w[j] / abs(step[j]) for j in words if sign * step[j] < 0)
other = np.maximum(w + percent / 100 * room * step, 0)
"""

_MEASURES = """
w, v_length, change = weights[focus], np.linalg.norm(V, axis=1), np.zeros(n)
for j in np.flatnonzero(w):
    rest = np.where(np.arange(n) == j, -np.inf, logits[focus])  # as if the word were masked
    e = np.exp(rest - rest.max()) if np.isfinite(rest).any() else np.zeros(n)
    change[j] = np.linalg.norm(head_output[focus] - e / (e.sum() or 1) @ V)
for j in range(n): row(names[j], [w[j], v_length[j], w[j] * v_length[j], change[j]])"""


def same_output_weights(settings: Settings, way: int | None, percent: int, theme: str) -> Picture:
    """The focus word's weights, and others that give the same output."""
    names, own = labels(settings.tokens), shown_head(settings).weights[settings.focus]
    other = own if way is None else cautions.other_weights(settings, way, percent)
    series = [Series("the model's", own)] + ([] if way is None else [Series("others", other, "query")])
    title = f"Weights of {names[settings.focus]}"
    figure = compare(series, settings.tokens, theme=theme, title=title, height=340)
    alt = captions.listens(settings.tokens, settings.focus, own)
    if way is not None:
        j = int(np.abs(other - own).argmax())
        alt += f"; with the other weights {names[j]} goes from {captions.number(own[j])} to {captions.number(other[j])}"
    table = named_rows("word", names, np.stack([own, other], axis=1), ("the model's", "others"))
    report = _other(settings, way, percent) + "for j in range(n): row(names[j], [w[j], other[j]])"
    name = "Two rows of weights"
    return Picture(name, [figure], [alt], table, attention_program(settings, name, report))


def value_hull(settings: Settings, way: int | None, percent: int, theme: str) -> Picture:
    """The values, the polygon they span, and the output inside it, by both rows of weights."""
    _, _, V = plane_vectors(settings)
    trace, names, i = shown_head(settings), labels(settings.tokens), settings.focus
    weights = trace.weights[i] if way is None else cautions.other_weights(settings, way, percent)
    output, again = trace.output[i], weights @ trace.V
    title = "Both outputs, inside the hull of the values"
    figure = _hull(settings, V, [("output", output)], title if way is not None else title[5:].capitalize(), theme)
    alt = f"The output {captions.vector(output)} lies inside the convex hull of the values"
    alt += "" if way is None else f"; with the other weights it is {captions.vector(again)}"
    rows = [*(f"value of {name}" for name in names), "output", "output of the others"]
    table = named_rows("vector", rows, np.vstack([V, output, again]), ("x", "y"))
    report = (
        _other(settings, way, percent)
        + """
for j in range(n): row("value of " + names[j], V[j])
row("output", w @ V)
row("output of the others", other @ V)"""
    )
    name = "The hull of the values"
    return Picture(name, [figure], [alt], table, attention_program(settings, name, report))


def three_measures(settings: Settings, theme: str) -> Picture:
    """Each word's weight, the length of what it adds, and what its absence would change."""
    found, names, words = cautions.measures(settings), labels(settings.tokens), settings.tokens
    named = [
        ("Weight", found.weights, "weight"),
        ("Length of weight · value", found.term_lengths, "length added"),
        ("Change when the word is dropped", found.output_changes, "change when dropped"),
    ]
    top = max(float(found.term_lengths.max()), float(found.output_changes.max())) or 1.0
    figures = [
        bars(values, words, theme=theme, title=title, top=1.0 if title == "Weight" else top, height=250, width=240)
        for title, values, _ in named
    ]
    alts = [f"{title}: {captions.largest(short, names, values)}" for title, values, short in named]
    columns = {
        "weight": found.weights,
        "‖value‖": found.value_lengths,
        "‖weight · value‖": found.term_lengths,
        "change when dropped": found.output_changes,
    }
    table = table_of({"word": list(names), **columns}.items())
    name = "Three measures of a word"
    caption = "; ".join(captions.largest(short, names, values) for _, values, short in named) + "."
    program = attention_program(settings, name, _MEASURES)
    return Picture(name, figures, alts, table, program, caption[0].upper() + caption[1:], ["", ""])


def huge_measures(settings: Settings, theme: str) -> Picture:
    """What each word adds and would change with one value made huge."""
    whole = three_measures(settings, theme)
    caption = whole.caption.split("; ", 1)[1]
    caption = caption[0].upper() + caption[1:]
    return Picture(whole.name, whole.figures[1:], whole.alts[1:], whole.table, whole.program, caption, [""])


def huge_plane(settings: Settings, word: int, factor: int, theme: str) -> Picture:
    """The values with one of them stretched, and the output before and after."""
    huge = cautions.with_huge(settings, word, factor)
    V, names, i = plane_vectors(huge)[2], labels(settings.tokens), settings.focus
    before, after = shown_head(settings).output[i], shown_head(huge).output[i]
    title = f"The value of {names[word]}, {factor} times as long"
    figure = _hull(huge, V, [("before", before), ("after", after)], title, theme)
    alt = f"With the value of {names[word]} {factor} times as long, {names[i]} becomes {captions.vector(after)}"
    alt += f" instead of {captions.vector(before)}, by the same weights"
    rows = [*(f"value of {name}" for name in names), "output before", "output after"]
    table = named_rows("vector", rows, np.vstack([V, before, after]), ("x", "y"))
    report = f"""
row_of, word, factor = weights[focus], {word}, {factor}
before = head_output[focus]
V[word] = np.clip(V[word] * factor, -1000, 1000).round(2)
for j in range(n): row("value of " + names[j], V[j])
row("output before", before)
row("output after", row_of @ V)"""
    name = "One huge value"
    return Picture(name, [figure], [alt], table, attention_program(settings, name, report))


def _other(settings: Settings, way: int | None, percent: int) -> str:
    """The lines of a program that find the other weights."""
    if way is None or percent == 0:
        return "w = other = weights[focus]\n"
    words = np.flatnonzero(cautions.ways(settings).directions[way]).tolist()
    return _OTHER.format(words=words, lead=cautions.lead(settings, way), percent=percent)


def _hull(settings: Settings, V: np.ndarray, outputs: list[tuple[str, np.ndarray]], title: str, theme: str) -> Figure:
    """Values as arrows on the ground of their hull, and outputs."""
    marks = labels(settings.tokens, MARK)
    arrows = [Arrow(mark, (v[0], v[1]), "value") for mark, v in zip(marks, V.tolist(), strict=True)]
    arrows += [Arrow(name, (y[0], y[1]), "output") for name, y in ((name, y.tolist()) for name, y in outputs)]
    heard = shown_head(settings).weights[settings.focus] > 0
    compass = COMPASS if settings.has_embedding else ()
    return plane(arrows, theme=theme, title=title, compass=compass, hull=convex_hull(V[heard]))
