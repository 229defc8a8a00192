"""The dashboard's pictures: one word and whom it listens to."""

from __future__ import annotations

import numpy as np
import pandas as pd

from attention_ui import captions
from attention_ui.escape import labels
from attention_ui.figures import Arrow, Outline, arcs, grid, plane
from attention_ui.programs import attention_program
from attention_ui.settings import Settings, attend, plane_vectors, shown_head, visible
from attention_ui.show import Picture, table_of

COMPASS = ("nature →", "↑ made by people", "← food")
MARK = 8  # characters of a word beside its arrow


def focus_arcs(settings: Settings, theme: str) -> Picture:
    """Whom the focus word listens to."""
    trace, names, i = shown_head(settings), labels(settings.tokens), settings.focus
    mask = visible(settings)
    figure = arcs(settings.tokens, i, trace.weights[i], None if mask is None else mask[i], theme=theme)
    alt = captions.listens(settings.tokens, i, trace.weights[i])
    columns = {"score q · k": trace.scores[i], "logit": trace.logits[i], "weight": trace.weights[i]}
    table = table_of({"word": names, **columns}.items())
    report = "for j in range(n): row(names[j], [scores[focus, j], logits[focus, j], weights[focus, j]])"
    program = attention_program(settings, "Whom the focus word listens to", report)
    return Picture(f"Whom {names[i]} listens to", [figure], [alt], table, program)


def partner_arcs(settings: Settings, theme: str) -> Picture:
    """Whom the same word listens to in another sentence."""
    return focus_arcs(settings, theme)


def weight_grid(settings: Settings, theme: str) -> Picture:
    """The weights of all words, the focus row framed."""
    trace, names = shown_head(settings), labels(settings.tokens)
    figure = grid(
        trace.weights,
        settings.tokens,
        settings.tokens,
        theme=theme,
        title="Weights: each row adds up to 1",
        kind="weights",
        visible=visible(settings),
        outlines=[Outline(row=settings.focus)],
        axes=("listens", "is heard"),
        part="softmax",
    )
    alt = f"Framed row: {captions.listens(settings.tokens, settings.focus, trace.weights[settings.focus])}"
    table = named_rows("listens", names, trace.weights, names)
    report = "for i in range(n): row(names[i], weights[i])"
    return Picture("Weights", [figure], [alt], table, attention_program(settings, "Weights", report))


def query_plane(settings: Settings, theme: str) -> Picture:
    """The focus word's query among the keys of all words."""
    Q, K, _ = plane_vectors(settings)
    names, marks, i = labels(settings.tokens), labels(settings.tokens, MARK), settings.focus
    arrows = [Arrow(mark, (k[0], k[1]), "key") for mark, k in zip(marks, K, strict=True)]
    arrows.append(Arrow(f"{marks[i]} asks", (Q[i, 0], Q[i, 1]), "query"))
    figure = plane(arrows, theme=theme, title="One query, every key")
    alt = captions.aligned(names, i, Q[i], K)
    rows = [f"query of {names[i]}", *(f"key of {name}" for name in names)]
    table = named_rows("vector", rows, np.vstack([Q[i], K]), ("x", "y"))
    report = """
turned = Q @ rotation(head_angles[shown])
row("query of " + names[focus], turned[focus])
for j in range(n): row("key of " + names[j], K[j])"""
    name = "Query and keys"
    return Picture(name, [figure], [alt], table, attention_program(settings, name, report))


def value_plane(settings: Settings, theme: str) -> Picture:
    """The values of all words, and the blend that the focus word becomes."""
    _, _, V = plane_vectors(settings)
    names, marks, i = labels(settings.tokens), labels(settings.tokens, MARK), settings.focus
    output = attend(settings).output
    arrows = [Arrow(mark, (v[0], v[1]), "value") for mark, v in zip(marks, V, strict=True)]
    arrows.append(Arrow(f"new {marks[i]}", (output[i, 0], output[i, 1]), "output"))
    compass = COMPASS if settings.has_embedding else ()
    figure = plane(arrows, theme=theme, title="Every value, one blend", compass=compass)
    alt = f"{names[i]} becomes {captions.vector(output[i])}"
    alt += f", the mean of {settings.heads} heads" if settings.heads > 1 else ""
    alt += f": it {captions.meaning(output[i])}" if settings.has_embedding else ""
    rows = [*(f"value of {name}" for name in names), f"new {names[i]}"]
    table = named_rows("vector", rows, np.vstack([V, output[i]]), ("x", "y"))
    report = """
for j in range(n): row("value of " + names[j], V[j])
row("new " + names[focus], output[focus])"""
    name = "Values and blend"
    return Picture(name, [figure], [alt], table, attention_program(settings, name, report))


def named_rows(
    corner: str, rows: list[str] | tuple[str, ...], values: np.ndarray, columns: tuple[str, ...]
) -> pd.DataFrame:
    """Return a table with the rows' names in its first column; columns keep equal names apart by place."""
    return table_of(zip((corner, *columns), (rows, *values.T), strict=True))
