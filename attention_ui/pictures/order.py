"""The pictures of words in another order: what attention notices, with and without positions."""

from __future__ import annotations

import numpy as np

from attention_core import ALIBI_HEADS, ROPE_ANGLE, SENTENCES, alibi_bias, project, rope
from attention_ui import captions
from attention_ui.escape import labels
from attention_ui.figures import Outline, Series, compare, grid
from attention_ui.order_programs import order_program
from attention_ui.ordering import BITES, KINDS, cue_reading, read_in, realigned
from attention_ui.pictures.dashboard import named_rows
from attention_ui.settings import FIVE, Settings, embedding
from attention_ui.show import Picture

AXES = ("listens", "is heard")
_NAMES = {kind: name for name, kind in KINDS.items()}


def both_orders(kind: str, strength: float, theme: str) -> Picture:
    """Dog bites man and man bites dog: weights and outputs of both."""
    settings, orders = BITES, ((0, 1, 2), (2, 1, 0))
    traces = [read_in(settings, kind, strength, order) for order in orders]
    sentences = [tuple(settings.tokens[place] for place in order) for order in orders]
    figures, alts = [], []
    for trace, words in zip(traces, sentences, strict=True):
        title = " ".join(words)
        lit = [Outline(row=1)]
        weights = trace.heads[0].weights
        figures += [
            grid(weights, words, words, theme=theme, title=title, kind="weights", outlines=lit, axes=AXES, height=250),
            grid(trace.output, words, ("x", "y"), theme=theme, title="becomes", outlines=lit, limit=4, height=250),
        ]
        alts += [
            f"{title}: {captions.listens(words, 1, weights[1])}",
            f"bites becomes {captions.vector(trace.output[1])}",
        ]
    rows = [f"{' '.join(words)}: {word}" for words in sentences for word in words]
    values = np.vstack([np.hstack([trace.heads[0].weights, trace.output]) for trace in traces])
    columns = ("weight on 1st", "weight on 2nd", "weight on 3rd", "becomes x", "becomes y")
    report = f"""
for order in {[list(order) for order in orders]}:
    Q, K, V, bias = positions(X[order])
    scores, logits, weights, output = attend(0)
    for i in range(3): row(" ".join(names[j] for j in order) + ": " + names[order[i]], [*weights[i], *output[i]])"""
    name = "Who bites whom"
    program = order_program(settings, kind, strength, name, report)
    same = bool(np.abs(traces[0].output - traces[1].output[::-1]).max() < captions.TIE)
    caption = f"{alts[1]} in the first and {captions.vector(traces[1].output[1])} in the second"
    caption += ": every word becomes the same in both." if same else "."
    return Picture(
        name,
        figures,
        alts,
        named_rows("word", rows, values, columns),
        program,
        caption,
        ["· V →", "reverse →", "· V →"],
    )


def two_readings(settings: Settings, kind: str, strength: float, order: tuple[int, ...], theme: str) -> Picture:
    """The focus word's attention before and after the words change places, put back to the words."""
    names, i = labels(settings.tokens), settings.focus
    start = tuple(range(len(order)))
    kinds = ("none",) if kind == "none" else ("none", kind)
    figures, alts, columns, values = [], [], [], []
    for each in kinds:
        before, after = (realigned(settings, each, strength, o) for o in (start, order))
        title = "Without positions" if each == "none" else f"With {_NAMES[each]} positions"
        pair = [Series("as written", before), Series("shuffled", after, "query")]
        figures.append(compare(pair, settings.tokens, theme=theme, title=f"{title}: {names[i]} listens to", height=300))
        gap = float(np.abs(after - before).max())
        alts.append(f"{title}, the shuffle moves a weight of {names[i]} by up to {captions.tiny(gap)}")
        columns += [f"{_NAMES[each]}, as written", f"{_NAMES[each]}, shuffled"]
        values += [before, after]
    report = f"""
order = {list(order)}
at = order.index(focus)
table = []
for place in ({"without" if kind == "none" else "without, positions"},):
    Q, K, V, bias = place(X)
    table.append(attend(head_angles[shown])[2][focus])
    Q, K, V, bias = place(X[order])
    back = np.empty(n)
    back[order] = attend(head_angles[shown])[2][at]
    table.append(back)
for j in range(n): row(names[j], [column[j] for column in table])"""
    name = "The same word, other places"
    table = named_rows("word", names, np.column_stack(values), tuple(columns))
    program = order_program(settings, kind, strength, name, report)
    caption = ". ".join(alts) + "."
    return Picture(name, figures, alts, table, program, caption, [""] * (len(figures) - 1))


def by_distance(settings: Settings, theme: str) -> Picture:
    """What RoPE makes of one query and one key at every pair of places, and what ALiBi adds there."""
    names, n = labels(settings.tokens), settings.n_tokens
    Q, K, _ = project(embedding(settings))
    heard = int(read_in(settings, "none", 0.0, tuple(range(n))).heads[0].scores[settings.focus].argmax())
    q, k = Q[settings.focus], K[heard]
    turns = ROPE_ANGLE * np.arange(n)
    scores = rope(np.tile(q, (n, 1)), turns) @ rope(np.tile(k, (n, 1)), turns).T
    bias = alibi_bias(ALIBI_HEADS, n)[0]
    places = [str(place) for place in range(1, n + 1)]
    axes = ("place of the query", "place of the key")
    figures = [
        grid(
            scores, places, places, theme=theme, title="RoPE: q · k, both turned", kind="scores", axes=axes, width=380
        ),
        grid(bias, places, places, theme=theme, title="ALiBi: added to the score", kind="scores", axes=axes, width=380),
    ]
    far = n - 1
    alts = [
        f"The query of {names[settings.focus]} and the key of {names[heard]} score {captions.number(scores[0, 0])} "
        f"at the same place, {captions.number(scores[far, 0])} with the key {far} before, "
        f"{captions.number(scores[0, far])} with it {far} after; every diagonal holds one number",
        "ALiBi takes off half a point a place, before or after: "
        f"{captions.number(bias[0, far])} at a distance of {far}",
    ]
    columns = tuple(f"{what}: {place}" for what in ("RoPE", "ALiBi") for place in places)
    table = named_rows("place of the query", places, np.hstack([scores, bias]), columns)
    report = f"""
q, k = (X @ W_Q)[focus], (X @ W_K)[{heard}]
turns = np.arange(n) / {round(1 / ROPE_ANGLE)}  # radians, by place
def turned(v):
    c, s = np.cos(turns), np.sin(turns)
    return np.stack([v[0] * c - v[1] * s, v[0] * s + v[1] * c], axis=1)

rotary = turned(q) @ turned(k).T
alibi = -np.abs(np.arange(n)[:, None] - np.arange(n)) / 2
for i in range(n): row(str(i + 1), [*rotary[i], *alibi[i]])"""
    name = "Distance alone"
    program = order_program(settings, "none", 0.0, name, report)
    return Picture(name, figures, alts, table, program, ". ".join(alts) + ".", [""])


def five_cues(kind: str, strength: float, features: tuple[tuple[str, tuple[float, ...]], ...], theme: str) -> Picture:
    """The weight on the cue in each of the five sentences, without positions and with them."""
    plain, placed = (
        np.array([cue_reading(name, each, strength, features)[0] for name in FIVE]) for each in ("none", kind)
    )
    shown = _NAMES[kind] if kind in ("none", "rope", "alibi") else f"{_NAMES[kind]} × {captions.plain(strength)}"
    pair = [Series("no positions", plain, "quiet"), Series(f"positions: {shown}", placed)]
    figure = compare(pair, FIVE, theme=theme, title="Weight on the cue", cut=16, height=300)
    held = [name for name in FIVE if cue_reading(name, kind, strength, features)[1] == SENTENCES[name].cue]
    alt = f"With these positions the cue wins in {len(held)} of {len(FIVE)} sentences"
    table = named_rows("sentence", FIVE, np.column_stack([plain, placed]), ("no positions", f"positions: {shown}"))
    given = ",\n".join(
        f"    {name!r}: ({SENTENCES[name].focus}, {SENTENCES[name].cue}, {X.tolist()})"
        for name, X in ((name, embedding(Settings(name, features=features))) for name in FIVE)
    )
    report = f"""
sentences = {{  # focus, cue, features
{given},
}}
for name, (focus, cue, X) in sentences.items():
    X, n = np.array(X), len(X)
    may_look, cells = np.ones((n, n), bool), []
    for place in (without, positions):
        Q, K, V, bias = place(X)
        cells.append(attend(0)[2][focus, cue])
    row(name, cells)"""
    name = "The five cues"
    program = order_program(Settings(features=features), kind, strength, name, report)
    # sentences differ in length, so the table of positions is made anew for each
    program = program.replace("strength * PE", "strength * PE[:n]").replace("sinusoids(n, 4)", "sinusoids(12, 4)")
    program = program.replace("size=(n, 4)", "size=(12, 4)")
    return Picture(name, [figure], [alt], table, program)
