"""The four steps on paper: every line of the arithmetic as HTML, and the worksheet to print."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

import numpy as np

from attention_core import AttentionTrace, Verdict, paper_row, row_steps
from attention_core.worksheet import LINES
from attention_ui import captions
from attention_ui.captions import exact, number
from attention_ui.escape import for_html, for_markdown, labels
from attention_ui.ledger import factor, minus, paragraphs
from attention_ui.moves import put
from attention_ui.settings import Settings, shown_head

LINE_NAMES = {
    "scores": "scores",
    "logits": "scaled scores",
    "exps": "exponentials",
    "total": "total",
    "weights": "weights",
    "output": "output",
}
_UNROUNDED = " <small>(from unrounded values)</small>"


@lru_cache(maxsize=512)
def steps_html(trace: AttentionTrace, tokens: tuple[str, ...], query: int, places: int) -> tuple[str, ...]:
    """Write out the four steps of one row.

    Parameters
    ----------
    trace : AttentionTrace
        With Q (n, 2), K (n, 2) and V (n, 2).
    tokens : tuple of str
        The words, shown literally.
    query : int
        The word that asks.
    places : int
        Decimals.

    Returns
    -------
    tuple of str
        HTML, one piece a step. A line that a calculator would not give from what is printed says so.
    """
    steps = row_steps(trace, query)
    divisor = 1 / trace.scale
    row = paper_row(steps, trace.V, divisor, places)
    names = [for_html(name) for name in labels(tokens, 12)]
    q = trace.Q[query]

    def listing(values: np.ndarray) -> str:
        return "[" + ", ".join(_shown(value, places) for value in values.tolist()) + "]"

    def mark(printed: object, again: object) -> str:
        return "" if np.array_equal(np.asarray(printed), np.asarray(again)) else _UNROUNDED

    dots = []
    for j, name in enumerate(names):
        sum_ = " + ".join(
            f"{factor(a, exact)}·{factor(b, exact)}" for a, b in zip(q.tolist(), trace.K[j].tolist(), strict=True)
        )
        dots.append(f"{names[query]} · {name} = {sum_} = <b>{exact(float(steps.scores[j]))}</b>")
    scores = "[" + ", ".join(exact(score) for score in steps.scores.tolist()) + "]"

    seen = np.isfinite(steps.logits)
    scaled = [f"{scores} ÷ √{trace.Q.shape[-1]} = {listing(row.scaled)}"]
    if trace.scale == 1:
        scaled = [f"not scaled: {scores}"]
    if not seen.all():
        scaled.append(f"masked: {listing(row.logits)}")

    shift = f" {minus(steps.shift, places)}" if steps.shift else ""
    powers = [
        f"e<sup>{_shown(s, places)}{shift}</sup> = {_shown(e, places)}"
        for s, e in zip(row.logits.tolist(), row.exps.tolist(), strict=True)
    ]
    total = " + ".join(_shown(e, places) for e in row.exps.tolist())
    weights = [
        f"{_shown(e, places)} ÷ {_shown(row.total, places)} = <b>{_shown(w, places)}</b> {name}"
        for e, w, name in zip(row.exps.tolist(), row.weights.tolist(), names, strict=True)
    ]
    softmax = [
        ", ".join(powers) + mark(row.exps, row.exps_again),
        f"total = {total} = <b>{_shown(row.total, places)}</b>{mark(row.total, row.total_again)}",
        ", ".join(weights) + mark(row.weights, row.weights_again),
    ]
    terms = " + ".join(
        f"{_shown(w, places)}·({', '.join(map(exact, v))})"
        for w, v in zip(row.weights.tolist(), trace.V.tolist(), strict=True)
    )
    output = [f"{terms} = <b class='al-role-output'>{listing(row.output)}</b>"]
    rounded = f"The rounded weights add up to {_shown(row.weights_sum, places)}"
    if not np.array_equal(row.output, row.output_again):
        output[0] += " <small>(from unrounded weights)</small>"
        output.append(f"<small>{rounded} and would give {listing(row.output_again)}.</small>")
    elif row.weights_sum != 1 and seen.any():
        output.append(f"<small>{rounded}; the unrounded ones to exactly 1.</small>")
    return paragraphs(*dots), paragraphs(*scaled), paragraphs(*softmax), paragraphs(*output)


@lru_cache
def exercises() -> dict[str, str]:
    """Return what the page's exercises on its own sentence come to, by their names in its prose."""
    cat = Settings("cat-sat")
    weights, unscaled = shown_head(cat).weights, shown_head(cat.but(scale=False)).weights
    silent = shown_head(put(cat, "query", cat.focus, 0, 0)).weights
    return {
        "cat": captions.listens(cat.tokens, 1, weights[1]),
        "the": captions.listens(cat.tokens, 0, weights[0]),
        "scaled": captions.percent(weights[cat.focus, 1]),
        "unscaled": captions.percent(unscaled[cat.focus, 1]),
        "nothing": captions.listens(cat.tokens, cat.focus, silent[cat.focus]),
    }


def verdict(found: Verdict, names: Sequence[str], places: int) -> str:
    """Say in a sentence what a typed number looks like, as Markdown.

    Examples
    --------
    >>> verdict(Verdict(right=True, rounding=False, mistakes=()), ["a"], 2)
    '**Right.**'
    """
    if found.kind == "right":
        return "**Right.**"
    if found.kind == "other":
        return "**Not yet.** No usual slip leads to this number: go through the steps once more."
    if found.kind == "rounding":
        return f"**Close.** That is a rounding difference: carry more than {places} decimals until the end."
    rows = captions.listed([f"*{for_markdown(names[row])}*" for row in found.rows])
    slips = [_SLIPS[mistake].format(rows=rows) for mistake in found.mistakes]
    also = " (Or rounding on the way.)" if found.rounding else ""
    return f"**Not quite.** It looks as if {' or '.join(slips)}.{also}"


def worksheet_html(
    trace: AttentionTrace,
    tokens: tuple[str, ...],
    queries: Sequence[int],
    blanks: Collection[str],
    places: int,
    link: str,
) -> str:
    """Write a worksheet to print, with its answer key on pages of its own, as one self-contained HTML file.

    Parameters
    ----------
    trace : AttentionTrace
        With Q (n, 2), K (n, 2) and V (n, 2).
    tokens : tuple of str
        The words, shown literally.
    queries : sequence of int
        The words whose row is to be worked out.
    blanks : collection of str
        Which of `attention_core.worksheet.LINES` are left blank.
    places : int
        Decimals.
    link : str
        The address of the page, printed as text.

    Returns
    -------
    str
        HTML without scripts or anything from elsewhere; it prints on A4 and Letter.
    """
    names = labels(tokens, 12)
    sheets = [_sheet(trace, names, query, tuple(blanks), places) for query in queries]
    keys = [_sheet(trace, names, query, (), places) for query in queries]
    title = for_html(" ".join(tokens))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Attention by hand: {title}</title>
<style>{_PRINT}</style></head><body>
<h1>Attention by hand: <i>{title}</i></h1>
<p>Name: <span class="line"></span> Date: <span class="line"></span></p>
{_given(trace, names)}
<p>For each word: score = q · k, scaled = score {_division(trace)}, exponential = e to the power of the scaled score,
weight = exponential ÷ total, output = the sum of weight × value. Round to {places} decimals, but go on with what your
calculator holds.{_MASK_RULE if trace.mask is not None else ""}</p>
{"".join(sheets)}
<p class="link">Made with {for_html(link)}</p>
<section class="key"><h1>Answer key</h1>{"".join(keys)}</section>
</body></html>"""


def _given(trace: AttentionTrace, names: Sequence[str]) -> str:
    """Q, K and V."""
    rows = [
        f"<tr><th>{for_html(name)}</th>" + "".join(f"<td>[{', '.join(map(exact, x))}]</td>" for x in vectors) + "</tr>"
        for name, *vectors in zip(names, trace.Q.tolist(), trace.K.tolist(), trace.V.tolist(), strict=True)
    ]
    return (
        "<table><thead><tr><th>word</th><th>query</th><th>key</th><th>value</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


@lru_cache(maxsize=256)  # most changes leave the file as it is
def _sheet(trace: AttentionTrace, names: tuple[str, ...], query: int, blanks: tuple[str, ...], places: int) -> str:
    """One word's table of four steps, with blanks."""
    steps = row_steps(trace, query)
    row = paper_row(steps, trace.V, 1 / trace.scale, places)
    cells = {
        "scores": [exact(x) for x in steps.scores.tolist()],
        "logits": [_shown(x, places) for x in row.logits.tolist()],
        "exps": [_shown(x, places) for x in row.exps.tolist()],
        "weights": [_shown(x, places) for x in row.weights.tolist()],
    }
    lines = [line for line in LINES if line in cells]
    body = "".join(
        f"<tr><th>{for_html(name)}</th>"
        + "".join(f"<td>{'' if line in blanks else cells[line][j]}</td>" for line in lines)
        + "</tr>"
        for j, name in enumerate(names)
    )
    total = "" if "total" in blanks else _shown(row.total, places)
    output = "" if "output" in blanks else "[" + ", ".join(_shown(x, places) for x in row.output.tolist()) + "]"
    head = "".join(f"<th>{LINE_NAMES[line]}</th>" for line in lines)
    return (
        f"<section class='sheet'><h2>{for_html(names[query])} asks, q = [{', '.join(map(exact, trace.Q[query]))}]</h2>"
        f"<table class='work'><thead><tr><th>word</th>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<p>total of the exponentials: <span class='box'>{total}</span> "
        f"output: <span class='box wide'>{output}</span></p></section>"
    )


def _division(trace: AttentionTrace) -> str:
    """How a score is scaled."""
    return "as it is" if trace.scale == 1 else f"÷ √{trace.Q.shape[-1]}"


def _shown(value: float, places: int) -> str:
    """A printed number; −∞ for a hidden one."""
    return number(value, places) if np.isfinite(value) else "−∞"


_SLIPS = {
    "scale forgotten": "the scores were not divided by √d_k",
    "divided after exp": "the exponentials were divided by √d_k instead of the scores",
    "softmax over the column": "the numbers were divided by a column's total instead of the row's",
    "mask forgotten": "the mask was forgotten",
    "wrong row": "it was worked out for {rows} instead",
    "wrong total": "it was divided by the total of {rows}",
}
_MASK_RULE = " A score that the mask hides counts as −∞, and its exponential is 0."
_PRINT = """
@page { margin: 16mm; }
body { max-width: 178mm; margin: 0 auto; color: #1f2328; font: 11pt/1.45 system-ui, sans-serif; }
h1 { font: 600 17pt Georgia, serif; overflow-wrap: anywhere; }
h2 { margin: 0 0 2mm; font: 600 12pt Georgia, serif; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; font-variant-numeric: tabular-nums; }
th, td { padding: 1.2mm 2mm; border: 0.3mm solid #8a8f96; text-align: right; overflow-wrap: anywhere; }
th:first-child { text-align: left; }
.work td, .work th { height: 4.5mm; padding-block: 0.6mm; }
.sheet { margin: 6mm 0; break-inside: avoid; }
.line { display: inline-block; width: 50mm; border-bottom: 0.3mm solid; }
.box { display: inline-block; min-width: 26mm; min-height: 6mm; padding: 0 2mm; border: 0.3mm solid #8a8f96; }
.wide { min-width: 50mm; }
.link { color: #5a6068; font-size: 9pt; overflow-wrap: anywhere; }
.key { break-before: page; }
@media screen { body { padding: 8mm; } }
"""
