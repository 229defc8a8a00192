"""The pictures of the worksheet: the grid with and without a causal mask, and sharper and sharper scores."""

from __future__ import annotations

import numpy as np

from attention_core import effective_number, entropy, largest_slope, softmax
from attention_ui import captions
from attention_ui.escape import labels
from attention_ui.figures import Outline, bars, grid
from attention_ui.pictures.dashboard import named_rows
from attention_ui.programs import attention_program
from attention_ui.settings import Settings, shown_head, visible
from attention_ui.show import Picture, table_of


def both_grids(settings: Settings, theme: str) -> Picture:
    """All words at once, without a mask and with a causal one."""
    names, i = labels(settings.tokens), settings.focus
    pair = [settings.but(mask=mask) for mask in ("none", "causal")]
    weights = [shown_head(s).weights for s in pair]
    figures = [
        grid(
            shown_head(s).weights,
            s.tokens,
            s.tokens,
            theme=theme,
            title=title,
            kind="weights",
            visible=visible(s),
            outlines=[Outline(row=i)],
            axes=("listens", "is heard"),
            height=320,
        )
        for s, title in zip(pair, ("Everyone sees everyone", "Causal: no later word"), strict=True)
    ]
    alts = [
        f"{start}: {captions.listens(settings.tokens, i, w[i])}"
        for start, w in zip(("Without a mask", "Causal"), weights, strict=True)
    ]
    columns = tuple(f"{kind}: {name}" for kind in ("all", "causal") for name in names)
    table = named_rows("listens", names, np.hstack(weights), columns)
    report = """
everyone = attend(head_angles[shown])[2]
may_look = np.tril(np.ones((n, n), bool))
causal = attend(head_angles[shown])[2]
for i in range(n): row(names[i], [*everyone[i], *causal[i]])"""
    name = "All words at once"
    program = attention_program(pair[0], name, report)
    return Picture(name, figures, alts, table, program, f"{alts[0]}. {alts[1]}.", ["mask →"])


def sharper_bars(settings: Settings, factor: float, theme: str) -> Picture:
    """The softmax of one row of scores, all of them multiplied."""
    names, i = labels(settings.tokens), settings.focus
    trace = shown_head(settings)
    seen = np.isfinite(trace.logits[i])
    weights = softmax(np.where(seen, trace.scores[i] * factor, -np.inf))
    figure = bars(weights, settings.tokens, theme=theme, title=f"softmax of the scores × {captions.plain(factor)}")
    alt = f"At × {captions.plain(factor)}, {captions.listens(settings.tokens, i, weights)}"
    columns = {"score": trace.scores[i], "× factor": trace.scores[i] * factor, "weight": weights}
    report = f"""
factor = {factor!r}
times = np.where(may_look[focus], scores[focus] * factor, -np.inf)
w = np.exp(times - times.max()) / np.exp(times - times.max()).sum()
for j in range(n): row(names[j], [scores[focus, j], scores[focus, j] * factor, w[j]])"""
    name = "Scores, multiplied"
    table = table_of({"word": list(names), **columns}.items())
    caption = (
        f"{alt}. Entropy {captions.number(float(entropy(weights)))} nats: as good as "
        f"{captions.number(float(effective_number(weights)))} words. "
        f"The largest |∂w/∂s| is {captions.tiny(float(largest_slope(weights)))}."
    )
    return Picture(name, [figure], [alt], table, attention_program(settings, name, report), caption)
