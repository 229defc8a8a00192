"""The pictures of masks: how one is added, what leaks under a wrong one, and what a causal grid trains."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from attention_core import MASKINGS
from attention_ui import captions
from attention_ui.escape import labels
from attention_ui.figures import Outline, Series, compare, grid
from attention_ui.hiding import PRESENT, influences, leak_of, museum_weights
from attention_ui.pictures.dashboard import named_rows
from attention_ui.programs import attention_program
from attention_ui.settings import Settings, shown_head, visible
from attention_ui.show import Picture, table_of

AXES = ("listens", "is heard")

_MUSEUM = """
before = np.tril(np.ones((n, n), bool))
def softmax(s, axis=1):
    top = s.max(axis, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0))
    total = e.sum(axis, keepdims=True)
    return e / np.where(total > 0, total, 1)

maskings = {
    "right": lambda s: softmax(np.where(before, s, -np.inf)),
    "zero before softmax": lambda s: softmax(np.where(before, s, 0)),
    "zero after softmax": lambda s: np.where(before, softmax(s), 0),
    "flipped": lambda s: softmax(np.where(before, -np.inf, s)),
    "transposed": lambda s: softmax(np.where(before.T, s, -np.inf)),
    "softmax over the wrong axis": lambda s: softmax(np.where(before, s, -np.inf), axis=0),
    "no mask": softmax,
    "the sidebar's mask": lambda s: softmax(np.where(present, s, -np.inf)),
}

def outputs(words, masking):
    global Q, K, V
    Q, K, V = {project}
    return maskings[masking](attend(head_angles[shown])[1]) @ V

def influence(masking):  # [i, t]: how far output i moves when word t changes
    moved = np.zeros((n, n))
    for t in range(n):
        changed = words.copy()
        changed[t] += np.exp(np.arange(words.shape[1]) / words.shape[1])
        moved[:, t] = np.abs(outputs(changed, masking) - outputs(words, masking)).max(axis=1)
    return moved

words, present, may_look = {words}, may_look, np.ones((n, n), bool)"""


def mask_steps(settings: Settings, theme: str) -> Picture:
    """Scores, what the mask adds to them, and the weights."""
    free, trace = shown_head(settings.but(mask="none")), shown_head(settings)
    names, words, i = labels(settings.tokens), settings.tokens, settings.focus
    mask = visible(settings)
    added = np.zeros((len(words), len(words))) if mask is None else np.where(mask, 0.0, -np.inf)
    lit = [Outline(row=i)]
    figures = [
        grid(free.logits, words, words, theme=theme, title="Scores", kind="scores", outlines=lit, axes=AXES),
        grid(added, words, words, theme=theme, title=f"Mask: {settings.mask}", kind="scores", outlines=lit, axes=AXES),
        grid(
            trace.weights,
            words,
            words,
            theme=theme,
            title="Weights",
            kind="weights",
            visible=mask,
            outlines=lit,
            axes=AXES,
        ),
    ]
    hidden = [name for name, number in zip(names, added[i], strict=True) if number]
    alts = [
        f"Without a mask, {captions.listens(words, i, free.weights[i])}",
        f"Hidden from {names[i]}: {captions.listed(hidden) if hidden else 'no word'}",
        f"With the mask, {captions.listens(words, i, trace.weights[i])}",
    ]
    columns = tuple(f"{what}: {name}" for what in ("score", "mask", "weight") for name in names)
    table = named_rows("listens", names, np.hstack([free.logits, added, trace.weights]), columns)
    report = """
free = scores / np.sqrt(d_k) if scaled else scores
added = np.where(may_look, 0, -np.inf)
for i in range(n): row(names[i], [*free[i], *added[i], *weights[i]])"""
    name = "Adding the mask"
    program = attention_program(settings, name, report)
    return Picture(name, figures, alts, table, program, ". ".join(alts) + ".", ["+", "softmax, row by row →"])


def leak_meter(settings: Settings, masking: str, word: int, theme: str) -> Picture:
    """How far each output moves when one word changes, under the present mask and under another masking."""
    names = labels(settings.tokens)
    columns = {
        settings.mask: influences(settings, PRESENT)[:, word],
        f"{masking} instead": influences(settings, masking)[:, word],
    }
    series = [
        Series(name, moved, role) for (name, moved), role in zip(columns.items(), ("weight", "query"), strict=True)
    ]
    top = max(1.0, *(float(moved.max()) for moved in columns.values()))
    title = f"How far each output moves when {names[word]} changes"
    figure = compare(series, settings.tokens, theme=theme, title=title, top=top, height=320)
    shade = {"type": "rect", "x0": -0.5, "x1": word - 0.5, "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    figure["layout"]["shapes"] = [{**shade, "line": {"width": 0}, "fillcolor": "rgba(128,128,128,0.14)"}]
    worst = [float(moved[:word].max(initial=0)) for moved in columns.values()]
    alt = f"When {names[word]} changes, outputs before it (shaded) move by up to {captions.tiny(worst[0])} with the "
    alt += f"{settings.mask} mask and by up to {captions.tiny(worst[1])} with {masking}"
    if word == 0:
        alt = f"No word stands before {names[0]}, so nothing can leak from it"
    table = table_of({"output of": list(names), **columns}.items())
    report = f"""
moves = [influence(masking)[:, {word}] for masking in ("the sidebar's mask", {masking!r})]
for i in range(n): row(names[i], [moves[0][i], moves[1][i]])"""
    name = "Leak meter"
    return Picture(name, [figure], [alt], table, _museum_program(settings, name, report))


def museum(settings: Settings, theme: str) -> Picture:
    """The right causal mask and five wrong ones, each with its leak, from scaled scores."""
    names, words = labels(settings.tokens), settings.tokens
    leaks = {masking: leak_of(settings, masking) for masking in MASKINGS}
    weights = {masking: museum_weights(settings, masking) for masking in MASKINGS}
    figures = [
        grid(
            weights[masking],
            words,
            words,
            theme=theme,
            title=f"{masking.capitalize()}: leak {captions.tiny(leaks[masking])}",
            kind="weights",
            axes=AXES,
            width=tile(len(words)),
            height=260,
        )
        for masking in MASKINGS
    ]
    alts = [f"Mask {masking}: leak {captions.tiny(leak)}" for masking, leak in leaks.items()]
    rows = [f"{masking}: {name}" for masking in MASKINGS for name in names]
    values = np.vstack([np.column_stack([w, np.full(len(w), leaks[masking])]) for masking, w in weights.items()])
    table = named_rows("mask and word that listens", rows, values, (*names, "leak of this mask"))
    report = f"""
logits = attend(head_angles[shown])[1]
for masking in {list(MASKINGS)}:
    leak = np.triu(influence(masking), 1).max()
    Q, K, V = start
    for i in range(n): row(masking + ": " + names[i], [*maskings[masking](logits)[i], leak])"""
    name = "Museum of masks"
    least = min((leak for masking, leak in leaks.items() if masking != "right"), default=0.0)
    caption = f"The right mask leaks exactly {captions.tiny(leaks['right'])}; the wrong ones {captions.tiny(least)} "
    caption += f"to {captions.tiny(max(leaks.values()))}."
    program = _museum_program(settings, name, "start = Q, K, V\n" + report.strip())
    return Picture(name, figures, alts, table, program, caption, [""] * (len(figures) - 1))


def predictions(settings: Settings, theme: str) -> Picture:
    """One causal grid and the n - 1 next words that it is asked for at once; the answer of each row is framed."""
    causal = settings.but(mask="causal")
    names, words = labels(settings.tokens), settings.tokens
    weights, mask = shown_head(causal).weights[:-1], visible(causal)
    n = len(words) - 1
    figure = grid(
        weights,
        [f"→ {word}" for word in words[1:]],
        words,
        theme=theme,
        title="One causal grid: each row guesses the framed word",
        kind="weights",
        visible=None if mask is None else mask[:-1],
        outlines=[Outline(row=i, column=i + 1) for i in range(n)],
        axes=("guesses next", "may listen to"),
        height=320,
    )
    many = "1 guess" if n == 1 else f"{n} guesses"
    alt = f"{len(words)} words make {many} at once; the first guesses {names[1]} from {names[0]} alone"
    rows = [f"{name} → {following}" for name, following in pairwise(names)]
    table = named_rows("guess", rows, weights, names)
    report = 'for i in range(n - 1): row(names[i] + " \\u2192 " + names[i + 1], weights[i])'
    name = "Guesses of one grid"
    return Picture(name, [figure], [alt], table, attention_program(causal, name, report))


def tile(n_tokens: int) -> int:
    """Return the pixels that one of many grids takes: three stand in a row on a laptop, two of long sentences."""
    return 260 if n_tokens <= 7 else 380


def _museum_program(settings: Settings, title: str, report: str) -> str:
    """A program with every masking and the influence of each word under it."""
    x = settings.has_embedding
    project = "words @ W_Q, words @ W_K, words @ W_V" if x else "np.split(words, 3, axis=1)"
    words = "X" if x else "np.hstack([Q, K, V])"
    museum_text = _MUSEUM.replace("{project}", project).replace("{words}", words)
    return attention_program(settings, title, museum_text + "\n" + report.strip())
