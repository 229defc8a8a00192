"""The arithmetic of one row as HTML: a table of every step, one line worked out, the blend term by term."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np

from attention_core import AttentionTrace, RowSteps, alignment, lift_factor, row_steps
from attention_ui.captions import exact, number, plain, vector, winners
from attention_ui.escape import for_html, labels
from attention_ui.settings import Settings, plane_vectors, shown_head

_UNROUNDED = " <small>(from unrounded values)</small>"


def ledger(settings: Settings) -> str:
    """Return the table word · key · q·k · ÷ · exp · weight for the focus word.

    Parameters
    ----------
    settings : Settings
        What the sidebar says.

    Returns
    -------
    str
        HTML; every word in it is escaped.

    Examples
    --------
    >>> "16.92" in ledger(Settings())
    True
    """
    trace = shown_head(settings)
    steps = row_steps(trace, settings.focus)
    _, K, _ = plane_vectors(settings)
    scaled = f"÷ √{settings.d_k}" if settings.scale else "not scaled"
    exp = f"exp(s {minus(steps.shift)})" if steps.shift else "exp"
    heads = ["word", "key", "q · k", scaled, exp, "weight"]
    best = winners(steps.weights)
    rows = [_row(settings.tokens, K[j], steps, j, "al-best" if j in best else "") for j in range(len(K))]
    parts = ["", "key", "scores", "scale", "softmax", "softmax"]
    head = "".join(f'<th scope="col" data-part="{p}">{h}</th>' for h, p in zip(heads, parts, strict=True))
    total = (
        f'<tr><td colspan="4">total</td><td>{big(steps.total)}</td><td>{number(float(steps.weights.sum()))}</td></tr>'
    )
    return (
        f'<div class="al-scroll" tabindex="0" role="region" aria-label="The arithmetic, word by word">'
        f'<table class="al-ledger"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody><tfoot>{total}</tfoot></table></div>"
    )


def lengths_and_angles(settings: Settings) -> str:
    """Return |k|, angle, cosine and |q| |k| cos for every key beside the focus word's query, as HTML.

    Examples
    --------
    >>> "45.0°" in lengths_and_angles(Settings())
    True
    """
    Q, K, _ = plane_vectors(settings)
    aligned = alignment(Q[settings.focus], K)
    q = number(aligned.query_length)
    rows = []
    for j, name in enumerate(labels(settings.tokens, 12)):
        angled = np.isfinite(aligned.degrees[j])
        angle = f"{number(aligned.degrees[j], 1)}°" if angled else "none"
        cosine = number(aligned.cosines[j]) if angled else "–"
        k, dot = number(aligned.key_lengths[j]), number(float(Q[settings.focus] @ K[j]))
        cells = "".join(f"<td>{cell}</td>" for cell in (q, k, angle, cosine, dot))
        rows.append(f'<tr><th scope="row" title="{for_html(settings.tokens[j])}">{for_html(name)}</th>{cells}</tr>')
    head = "".join(f'<th scope="col">{h}</th>' for h in ("word", "|q|", "|k|", "angle", "cos", "|q|·|k|·cos"))
    return (
        '<div class="al-scroll" tabindex="0" role="region" aria-label="Lengths and angles">'
        f'<table class="al-ledger"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def worked_line(settings: Settings, key: int) -> str:
    """Return one word's line written out in full, from the two vectors to its weight, as HTML.

    Examples
    --------
    >>> worked_line(Settings(), 4).startswith("<i>q · k</i><sub>river</sub> = 2·2 + 2·0 = <b>4</b>")
    True
    """
    trace = shown_head(settings)
    steps = row_steps(trace, settings.focus)
    Q, K, _ = plane_vectors(settings)
    name = f"<i>q · k</i><sub>{for_html(labels(settings.tokens, 12)[key])}</sub>"
    dot = dot_product(Q[settings.focus], K[key])
    if steps.weights[key] == 0 and not np.isfinite(steps.logits[key]):
        return f"{name} = {dot}, but the mask sets it to −∞, and exp(−∞) = <b>0</b>."
    score = steps.scores[key]
    lift = lift_factor(settings.d_k)
    parts = [f"{name} = {dot}"]
    if settings.d_k > 2:
        parts.append(f"× √({settings.d_k}/2) = × {number(lift)} = <b>{number(score)}</b>")
    if settings.scale:
        parts.append(f"÷ √{settings.d_k} = ÷ {number(sqrt(settings.d_k), 3)} = <b>{number(steps.logits[key])}</b>")
    exponent = number(steps.logits[key] - steps.shift)
    parts.append(f"e<sup>{exponent}</sup> = {big(steps.exps[key])}")
    parts.append(f"{big(steps.exps[key])} ÷ {big(steps.total)} = <b>{number(steps.weights[key])}</b>")
    return ' <span class="al-then">→</span> '.join(parts) + _UNROUNDED


def blend(trace: AttentionTrace, tokens: Sequence[str], query: int) -> str:
    """Return the output as a sum of weight times value, equal terms gathered, as HTML.

    Examples
    --------
    >>> from attention_core import attention
    >>> blend(attention([[0, 0]], [[0, 0], [0, 0]], [[4, 0], [0, 2]]), ("a", "b"), 0)
    '0.50·(4, 0) + 0.50·(0, 2) = <b class="al-role-output">(2.00, 1.00)</b> <small>(from unrounded values)</small>'
    """
    steps = row_steps(trace, query)
    terms: dict[str, int] = {}
    for weight, value in zip(steps.weights, trace.V, strict=True):
        if weight > 0:
            term = f"{number(weight)}·({', '.join(plain(v) for v in value)})"
            terms[term] = terms.get(term, 0) + 1
    total = " + ".join(term if count == 1 else f"{count}·{term}" for term, count in terms.items()) or "nothing to see"
    return f'{total} = <b class="al-role-output">{vector(steps.output)}</b>{_UNROUNDED}'


def projection(x: np.ndarray, W: np.ndarray) -> str:
    """Return x · W with every sum spelled out, as HTML.

    Examples
    --------
    >>> projection(np.array([1.0, 0.5]), np.array([[2.0], [4.0]]))
    '(1·2 + 0.5·4) = <b>(4)</b>'
    """
    sums = (
        " + ".join(f"{factor(a, exact)}·{factor(w, exact)}" for a, w in zip(x, column, strict=True)) for column in W.T
    )
    return f"({', '.join(sums)}) = <b>({', '.join(exact(v) for v in x @ W)})</b>"


def comparison(
    sentences: tuple[str, str], starts: tuple[np.ndarray, np.ndarray], outputs: tuple[np.ndarray, np.ndarray]
) -> str:
    """Return a table of what one word starts from and becomes in two sentences, as HTML."""
    head = "".join(f'<th scope="col">{for_html(sentence)}</th>' for sentence in sentences)
    x = "".join(f"<td>({', '.join(plain(v) for v in start)})</td>" for start in starts)
    y = "".join(f'<td><b class="al-role-output">{vector(output)}</b></td>' for output in outputs)
    return (
        '<div class="al-scroll"><table class="al-ledger"><thead><tr><th scope="col">the word in</th>'
        f'{head}</tr></thead><tbody><tr><th scope="row">starts as x</th>{x}</tr>'
        f'<tr><th scope="row">becomes</th>{y}</tr></tbody></table></div>'
    )


def plain_table(columns: Sequence[str], rows: Sequence[Sequence[str]], label: str) -> str:
    """Return a table of plain texts as HTML, the first cell of a row being its name.

    Examples
    --------
    >>> "<td>&lt;0</td>" in plain_table(("kind", "a"), [("none", "<0")], "Residuals")
    True
    """
    head = "".join(f'<th scope="col">{for_html(column)}</th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row">{for_html(name)}</th>{"".join(f"<td>{for_html(cell)}</td>" for cell in cells)}</tr>'
        for name, *cells in rows
    )
    return (
        f'<div class="al-scroll" tabindex="0" role="region" aria-label="{for_html(label)}">'
        f'<table class="al-ledger"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def paragraphs(*lines: str) -> str:
    """Return lines of arithmetic as HTML paragraphs.

    Examples
    --------
    >>> paragraphs("1 + 1 = 2")
    '<p class="al-sum">1 + 1 = 2</p>'
    """
    return "".join(f'<p class="al-sum">{line}</p>' for line in lines)


def dot_product(q: np.ndarray, k: np.ndarray) -> str:
    """Return the products and sum of a dot product.

    Examples
    --------
    >>> dot_product(np.array([2.0, 2.0]), np.array([2.0, -2.0]))
    '2·2 + 2·(−2) = <b>0</b>'
    """
    terms = " + ".join(f"{factor(a, plain)}·{factor(b, plain)}" for a, b in zip(q, k, strict=True))
    return f"{terms} = <b>{plain(float(q @ k))}</b>"


def minus(value: float, places: int = 2) -> str:
    """Write that something is taken off, two minus signs as a plus.

    Examples
    --------
    >>> minus(60.0), minus(-60.0)
    ('− 60.00', '+ 60.00')
    """
    return f"{'−' if value >= 0 else '+'} {number(abs(value), places)}"


def big(value: float) -> str:
    """Write an exponential: two decimals, or powers of ten where those would be unreadable.

    Examples
    --------
    >>> big(16.919), big(3.49e19), big(1e-9)
    ('16.92', '3.49·10<sup>19</sup>', '1.00·10<sup>−9</sup>')
    """
    if value == 0 or 0.005 <= value < 1e5:
        return number(value)
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}·10<sup>{str(int(exponent)).replace('-', '−')}</sup>"


def _row(tokens: tuple[str, ...], key: np.ndarray, steps: RowSteps, j: int, css: str) -> str:
    """One word of the ledger."""
    seen = bool(np.isfinite(steps.logits[j]))
    logit = number(steps.logits[j]) if seen else "−∞"
    weight = float(steps.weights[j])
    bar = f'<span class="al-bar" style="width:{60 * weight:.1f}px"></span>'
    cells = [
        ", ".join(plain(v) for v in key),
        number(steps.scores[j]),
        logit,
        big(float(steps.exps[j])),
        f"{bar}{number(weight)}",
    ]
    word = f'<th scope="row" title="{for_html(tokens[j])}">{for_html(labels(tokens, 12)[j])}</th>'
    css = css if seen else "al-masked"
    return f'<tr class="{css}">{word}{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def factor(value: float, write: Callable[[float], str]) -> str:
    """Write a factor, in brackets where a sign would meet the dot.

    Examples
    --------
    >>> factor(2.0, plain), factor(-0.125, exact)
    ('2', '(−0.125)')
    """
    return write(value) if value >= 0 else f"({write(value)})"
