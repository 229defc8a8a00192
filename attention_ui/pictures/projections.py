"""The pictures of where q, k and v come from, and of one word in two sentences."""

from __future__ import annotations

import numpy as np

from attention_ui import captions
from attention_ui.escape import labels
from attention_ui.figures import PALETTES, Arrow, plane
from attention_ui.pictures.dashboard import COMPASS, MARK, named_rows
from attention_ui.programs import attention_program
from attention_ui.settings import ROLES, Settings, attend, plane_vectors, qkv
from attention_ui.show import Picture


def three_arrows(settings: Settings, theme: str) -> Picture:
    """One word's query, key and value in one plane."""
    vectors, names, i = qkv(settings), labels(settings.tokens), settings.focus
    q, k, v = (x[i] for x in vectors)
    arrows = [Arrow(name, (x[0], x[1]), role) for name, x, role in zip("qkv", (q, k, v), ROLES, strict=True)]
    figure = plane(arrows, theme=theme, title=f"One word, three roles: {names[i]}", height=380)
    alt = ", ".join(f"{name} = {captions.vector(x)}" for name, x in zip("qkv", (q, k, v), strict=True))
    table = named_rows("vector", ("q", "k", "v"), np.vstack([q, k, v]), ("x", "y"))
    report = 'for name, x in zip("qkv", (Q, K, V)): row(name, x[focus])'
    name = "Query, key and value"
    return Picture(name, [figure], [f"{names[i]}: {alt}"], table, attention_program(settings, name, report))


def two_outputs(here: Settings, there: Settings, theme: str) -> Picture:
    """One word's output in two sentences, and the difference between them."""
    outputs = [attend(settings).output[settings.focus] for settings in (here, there)]
    marks = [f"{labels(s.tokens, MARK)[s.focus]} in {s.sentence}" for s in (here, there)]
    start = plane_vectors(here)[2][here.focus]
    arrows = [Arrow("its own value", (start[0], start[1]), "value")]
    places = [f"in {settings.sentence}" for settings in (here, there)]
    arrows += [Arrow(place, (y[0], y[1]), "output") for place, y in zip(places, outputs, strict=True)]
    figure = plane(arrows, theme=theme, title="One x, two outputs", compass=COMPASS, height=380)
    a, b = outputs
    ends = {"x": [a[0], b[0]], "y": [a[1], b[1]]}
    look = {"mode": "lines", "line": {"color": PALETTES[theme].quiet, "dash": "dot", "width": 2}, "hoverinfo": "skip"}
    figure["data"].append({"type": "scatter", "name": "difference", **ends, **look})
    alt = f"{here.focus_word} becomes {captions.vector(a)} here and {captions.vector(b)} there"
    table = named_rows("vector", ("its own value", *marks, "difference"), np.vstack([start, a, b, a - b]), ("x", "y"))
    name = "One word in two sentences"
    first = attention_program(here, name, "own, here = V[focus], output[focus]")
    report = f"""
there = output[focus]
for name, x in zip({list(table["vector"])!a}, (own, here, there, here - there)): row(name, x)"""
    return Picture(name, [figure], [alt], table, first + "\n" + attention_program(there, "there", report))
