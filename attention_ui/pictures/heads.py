"""The pictures of several heads: all their maps at one scale, and how W_O mixes them."""

from __future__ import annotations

import numpy as np

from attention_core import HEAD_ANGLES
from attention_ui import captions
from attention_ui.escape import labels
from attention_ui.figures import Outline, grid
from attention_ui.pictures.dashboard import named_rows
from attention_ui.pictures.masks import tile
from attention_ui.programs import attention_program
from attention_ui.settings import Settings, attend, visible
from attention_ui.show import Picture


def head_maps(settings: Settings, theme: str) -> Picture:
    """The weights of every head, on the same scale from 0 to 1."""
    names, words, i = labels(settings.tokens), settings.tokens, settings.focus
    weights = [head.weights for head in attend(settings).heads]
    figures = [
        grid(
            w,
            words,
            words,
            theme=theme,
            title=f"Head {h}: queries turned by {angle}°",
            kind="weights",
            visible=visible(settings),
            outlines=[Outline(row=i)],
            axes=("listens", "is heard"),
            width=tile(len(words)),
            height=270,
        )
        for h, (w, angle) in enumerate(zip(weights, HEAD_ANGLES, strict=False), 1)
    ]
    alts = [f"Head {h}: {captions.listens(words, i, w[i])}" for h, w in enumerate(weights, 1)]
    rows = [f"head {h}: {name}" for h in range(1, settings.heads + 1) for name in names]
    table = named_rows("head and word that listens", rows, np.vstack(weights), names)
    report = """
for h, head in enumerate(heads, 1):
    for i in range(n): row(f"head {h}: " + names[i], head[2][i])"""
    name = "The heads' maps"
    caption = ". ".join(alts) + "."
    return Picture(
        name, figures, alts, table, attention_program(settings, name, report), caption, [""] * (len(figures) - 1)
    )


def head_mix(settings: Settings, theme: str) -> Picture:
    """The heads' outputs side by side, W_O, and their product."""
    names, words, i = labels(settings.tokens), settings.tokens, settings.focus
    trace, n, h = attend(settings), settings.n_tokens, settings.heads
    pairs, lit = ("x", "y") * h, [Outline(row=i)]
    many = "1 head" if h == 1 else f"{h} heads"
    wide = 430 if h == 8 else None  # so that all three stand in one row of a laptop
    figures = [
        grid(
            trace.concat,
            words,
            pairs,
            theme=theme,
            title=f"concat, {n} × {2 * h}",
            outlines=lit,
            axes=("", many),
            width=wide,
        ),
        grid(trace.W_O, pairs, ("x", "y"), theme=theme, title=f"W_O, {2 * h} × 2", axes=(many, ""), width=150),
        grid(
            trace.output,
            words,
            ("x", "y"),
            theme=theme,
            title=f"output, {n} × 2",
            outlines=lit,
            axes=("becomes", ""),
            width=150,
        ),
    ]
    alts = [
        f"Joined outputs of {names[i]}: {captions.vector(trace.concat[i])}",
        f"W_O takes the mean of {many}: its entries are 0 and {'1' if h == 1 else f'1/{h}'}",
        f"{names[i]} becomes {captions.vector(trace.output[i])}",
    ]
    columns = [f"head {k}: {axis}" for k in range(1, h + 1) for axis in "xy"]
    table = named_rows("word", names, np.hstack([trace.concat, trace.output]), (*columns, "output: x", "output: y"))
    report = """
concat = np.hstack([head[3] for head in heads])
for i in range(n): row(names[i], [*concat[i], *(concat @ W_O)[i]])"""
    name = "Joined and mixed"
    return Picture(
        name, figures, alts, table, attention_program(settings, name, report), f"{alts[1]}. {alts[2]}.", ["·", "="]
    )
