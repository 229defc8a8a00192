"""The pictures of all words at once: scores, weights and outputs as grids, where a cell comes from, a shuffle."""

from __future__ import annotations

import numpy as np

from attention_ui import captions
from attention_ui.escape import labels
from attention_ui.figures import Outline, grid
from attention_ui.pictures.dashboard import named_rows
from attention_ui.programs import attention_program
from attention_ui.settings import Settings, attend, embedding, plane_vectors, shown_head, shuffled, visible
from attention_ui.show import Picture

AXES = ("listens", "is heard")


def three_grids(settings: Settings, column: int, theme: str) -> Picture:
    """S, A and Y side by side, one row and one column lit; with several heads, what W_O makes of them too."""
    trace, names, i = shown_head(settings), labels(settings.tokens), settings.focus
    lit = [Outline(row=i), Outline(column=column, role="key")]
    mask, words = visible(settings), settings.tokens
    scaled = "S = QKᵀ / √d_k" if settings.scale else "S = QKᵀ"
    figures = [
        grid(trace.logits, words, words, theme=theme, title=scaled, kind="scores", outlines=lit, axes=AXES),
        grid(
            trace.weights,
            words,
            words,
            theme=theme,
            title="A = softmax(S)",
            kind="weights",
            visible=mask,
            outlines=lit,
            axes=AXES,
        ),
        grid(trace.output, words, ("x", "y"), theme=theme, title="Y = AV", outlines=lit[:1], axes=("becomes", "")),
    ]
    scores = "Scaled scores" if settings.scale else "Scores"
    alts = [
        f"{scores} of {names[i]}: {captions.largest('score', names, trace.logits[i])}",
        f"Weights: {captions.listens(settings.tokens, i, trace.weights[i])}",
        f"Outputs: {names[i]} becomes {captions.vector(trace.output[i])}",
    ]
    columns = [f"S: {n}" for n in names] + [f"A: {n}" for n in names] + ["Y: x", "Y: y"]
    values = [trace.logits, trace.weights, trace.output]
    report = "for i in range(n): row(names[i], [*logits[i], *weights[i], *head_output[i]])"
    joints = ["softmax, row by row →", "· V →"]
    if settings.heads > 1:
        mixed = attend(settings).output
        title = f"all {settings.heads} heads, mixed"
        figures.append(grid(mixed, words, ("x", "y"), theme=theme, title=title, outlines=lit[:1], axes=("becomes", "")))
        alts.append(f"All heads mixed by W_O: {names[i]} becomes {captions.vector(mixed[i])}")
        columns, values = [*columns, "mixed: x", "mixed: y"], [*values, mixed]
        report = report.replace("*head_output[i]", "*head_output[i], *output[i]")
        joints.append("all heads · W_O →")
    return Picture(
        "Scores, weights, outputs",
        figures,
        alts,
        named_rows("listens", names, np.hstack(values), tuple(columns)),
        attention_program(settings, "Scores, weights, outputs", report),
        caption=f"{alts[1]}. {alts[-1]}.",
        joints=joints,
    )


def cell_sources(settings: Settings, column: int, theme: str) -> Picture:
    """Where one cell comes from: its query's row, its key's row and the features of both words."""
    Q, K, _ = plane_vectors(settings)
    names, i, words = labels(settings.tokens), settings.focus, settings.tokens
    asks, offers = Outline(row=i), Outline(row=column, role="key")
    plane = ("x", "y")
    figures = [
        grid(Q, words, plane, theme=theme, title="Q", outlines=[asks], height=300),
        grid(K, words, plane, theme=theme, title="K", outlines=[offers], height=300),
    ]
    alts = [f"Query of {names[i]}: {captions.vector(Q[i])}", f"Key of {names[column]}: {captions.vector(K[column])}"]
    values, columns, joints = [Q, K], ["Q: x", "Q: y", "K: x", "K: y"], ["·"]
    report = "turned = Q @ rotation(head_angles[shown])\nfor i in range(n): row(names[i], [*turned[i], *K[i]])"
    if settings.has_embedding:
        X = embedding(settings)
        features = ("nature", "made", "ambiguous", "action")
        figures.insert(0, grid(X, words, features, theme=theme, title="X", outlines=[asks, offers], height=300))
        alts.insert(0, f"{names[i]} is {captions.vector(X[i])} and {names[column]} is {captions.vector(X[column])}")
        values, columns, joints = [X, *values], [*(f"X: {f}" for f in features), *columns], ["W_Q, W_K →", *joints]
        report = report.replace("[*turned", "[*X[i], *turned")
    table = named_rows("word", names, np.hstack(values), tuple(columns))
    name = "Where the cell comes from"
    caption = ". ".join(alts[-2:]) + "."
    return Picture(name, figures, alts, table, attention_program(settings, name, report), caption, joints)


def shuffle_grids(settings: Settings, order: tuple[int, ...], theme: str) -> Picture:
    """The weights before and after the words change places."""
    names, after = labels(settings.tokens), shuffled(settings, order)
    moved = tuple(names[i] for i in order)  # names, so that a word that occurs twice is still told apart
    here, there = settings.focus, order.index(settings.focus)
    figures = [
        grid(
            weights,
            words,
            words,
            theme=theme,
            title=title,
            kind="weights",
            visible=visible(settings),
            outlines=[Outline(row=row)],
            axes=AXES,
        )
        for weights, words, title, row in (
            (shown_head(settings).weights, settings.tokens, "A, words in order", here),
            (after.weights, moved, "A, words shuffled", there),
        )
    ]
    alts = [
        f"In order: {captions.listens(settings.tokens, here, shown_head(settings).weights[here])}",
        f"Shuffled: {captions.listens(moved, there, after.weights[there])}",
    ]
    table = named_rows("listens", moved, after.weights, moved)
    report = f"""
order = {list(order)}
names, Q, K, V = [names[i] for i in order], Q[order], K[order], V[order]
weights = attend(head_angles[shown])[2]
for i in range(n): row(names[i], weights[i])"""
    name = "The shuffled sentence"
    return Picture(
        name,
        figures,
        alts,
        table,
        attention_program(settings, name, report),
        caption=f"{alts[0]}. {alts[1]}.",
        joints=["shuffle →"],
    )
