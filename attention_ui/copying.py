"""The arithmetic of the two layers that copy, for one place, as HTML; and what became of the prediction."""

from __future__ import annotations

from collections.abc import Sequence

from attention_core import RowSteps, row_steps
from attention_core.induction import InductionTrace
from attention_ui.captions import number, plain, winners
from attention_ui.escape import for_html, labels
from attention_ui.ledger import big

START = "start token"  # no word can be called so: words hold no space
_UNROUNDED = " <small>(from unrounded values)</small>"
_MOST_TERMS = 3


def places(trace: InductionTrace) -> tuple[str, ...]:
    """Name every place of a trace, the start token's first where there is one.

    Examples
    --------
    >>> from attention_core.induction import hand_set
    >>> places(hand_set(["A", "B", "A"]))
    ('start token', 'A (1)', 'B', 'A (3)')
    """
    return (START,) * trace.first + labels(tuple(map(str, trace.tokens)), 12)


def words(trace: InductionTrace) -> tuple[str, ...]:
    """Name every column of a slot: each word once, and the start token.

    Examples
    --------
    >>> from attention_core.induction import hand_set
    >>> words(hand_set(["A", "B", "A"]))
    ('A', 'B', 'start token')
    """
    return (*labels(tuple(map(str, trace.vocabulary)), 12), START)


def outcome(trace: InductionTrace, position: int) -> str:
    """Say what became of one prediction.

    Returns
    -------
    str
        ``"nothing"`` (nothing was brought back), ``"new"`` (the word stands there for the first time),
        ``"last"`` (nothing follows to compare with), ``"right"`` or ``"wrong"``.

    Examples
    --------
    >>> from attention_core.induction import hand_set
    >>> [outcome(hand_set(["A", "B", "A", "B"]), i) for i in range(4)]
    ['new', 'new', 'right', 'last']
    """
    if trace.predicted[position] is None:
        return "nothing"
    if not trace.predictable[position]:
        return "new"
    if position == len(trace.tokens) - 1:
        return "last"
    return "right" if trace.predicted[position] == trace.tokens[position + 1] else "wrong"


def layer_1(trace: InductionTrace, position: int) -> str:
    """Write out layer 1 at one place: the query e(i) against the key e(j + 1) of every place, and what is noted.

    Examples
    --------
    >>> from attention_core.induction import hand_set
    >>> "e<sup>4.00</sup> = 54.60" in layer_1(hand_set(["A", "B", "A"]), 2)
    True
    """
    row, steps = _row(trace, 1, position)
    numbers = [j + 1 - trace.first for j in range(row + 1)]  # the start token stands at place 0
    keys = [f"e({place + 1})" for place in numbers]
    best = _best(steps)
    line = _worked(
        f"<i>q · k</i><sub>{for_html(places(trace)[best])}</sub> = e({position + 1})·{keys[best]}", steps, best, trace
    )
    return _table(trace, ("its key", "q · k"), keys, steps, row) + _sum(line) + _sum(_noted(trace, row))


def layer_2(trace: InductionTrace, position: int) -> str:
    """Write out layer 2 at one place: the present word against what every place has noted.

    Examples
    --------
    >>> from attention_core.induction import hand_set
    >>> "A in the slot of B" in layer_2(hand_set(["A", "B", "A"]), 2)
    True
    """
    row, steps = _row(trace, 2, position)
    asked, best = for_html(words(trace)[trace.ids[position]]), _best(steps)
    line = _worked(
        f"<i>q · k</i><sub>{for_html(places(trace)[best])}</sub> = "
        f"{asked} in the slot of {for_html(places(trace)[best])}",
        steps,
        best,
        trace,
    )
    return _table(trace, (f"q · k: {asked} in its slot",), [], steps, row) + _sum(line)


def prediction(trace: InductionTrace, position: int) -> str:
    """Write out the logits at one place: for each word, the weights that layer 2 puts on the places holding it.

    Examples
    --------
    >>> from attention_core.induction import hand_set
    >>> '<tr class="al-best"><th scope="row" title="B">B</th>' in prediction(hand_set(["A", "B", "A"]), 2)
    True
    """
    weights = trace.maps[1, trace.first + position, trace.first :]
    best = winners(trace.logits[position])
    rows = []
    for word, name in enumerate(words(trace)[:-1]):
        terms = [number(w) for w in weights[: position + 1][trace.ids[: position + 1] == word].tolist()]
        shown = " + ".join(terms[:_MOST_TERMS]) or "not seen yet"
        more = f" + {len(terms) - _MOST_TERMS} more" if len(terms) > _MOST_TERMS else ""
        logit = float(trace.logits[position, word])
        bar = f'<span class="al-bar" style="width:{60 * logit:.1f}px"></span>'
        rows.append(
            f'<tr class="{"al-best" if word in best else ""}">{_head(name, str(trace.vocabulary[word]))}'
            f"<td>{shown}{more}</td><td>{bar}{number(logit)}</td></tr>"
        )
    return _scroll("The logits, word by word", ("word", "layer 2's weights on it", "logit"), rows)


def _row(trace: InductionTrace, layer: int, position: int) -> tuple[int, RowSteps]:
    """Where a word stands among all places, and its row of a layer."""
    row = trace.first + position
    return row, row_steps(trace.layers[layer - 1], row)


def _best(steps: RowSteps) -> int:
    """The place that is heard most, the first of those that tie."""
    return (winners(steps.weights) or [0])[0]


def _table(trace: InductionTrace, what: tuple[str, ...], keys: Sequence[str], steps: RowSteps, row: int) -> str:
    """The places up to one, and the steps from score to weight."""
    names, best = places(trace), winners(steps.weights)
    full = (START,) * trace.first + tuple(map(str, trace.tokens))
    exp = f"exp(s − {number(steps.shift)})" if steps.shift else "exp"
    rows = []
    for j in range(row + 1):
        weight = float(steps.weights[j])
        bar = f'<span class="al-bar" style="width:{60 * weight:.1f}px"></span>'
        cells = (*keys[j : j + 1], number(steps.scores[j]), number(steps.logits[j]), big(float(steps.exps[j])))
        body = "".join(f"<td>{cell}</td>" for cell in cells)
        css = "al-best" if j in best else ""
        rows.append(f'<tr class="{css}">{_head(names[j], full[j])}{body}<td>{bar}{number(weight)}</td></tr>')
    later, wide = len(names) - row - 1, f'<td colspan="{len(what) + 2}">'
    if later:
        rows.append(f'<tr class="al-masked"><th scope="row">{later} later</th>{wide}hidden</td><td>0</td></tr>')
    sums = (big(steps.total), number(float(steps.weights.sum())))
    foot = f"<tr>{wide}total</td>{''.join(f'<td>{cell}</td>' for cell in sums)}</tr>"
    head = ("heard", *what, f"× {plain(trace.beta)}", exp, "weight")
    return _scroll("The arithmetic, place by place", head, rows, foot)


def _worked(start: str, steps: RowSteps, j: int, trace: InductionTrace) -> str:
    """One place's line in full."""
    exponent = number(steps.logits[j] - steps.shift)
    parts = [
        f"{start} = <b>{number(steps.scores[j])}</b>",
        f"× {plain(trace.beta)} = {number(steps.logits[j])}",
        f"e<sup>{exponent}</sup> = {big(float(steps.exps[j]))}",
        f"{big(float(steps.exps[j]))} ÷ {big(steps.total)} = <b>{number(float(steps.weights[j]))}</b>",
    ]
    return ' <span class="al-then">→</span> '.join(parts) + _UNROUNDED


def _noted(trace: InductionTrace, row: int) -> str:
    """What layer 1 writes into one slot, shares that are equal gathered."""
    groups: dict[float, list[str]] = {}
    for share, word in zip(trace.copied[row].round(9).tolist(), words(trace), strict=True):
        if share:
            groups.setdefault(share, []).append(for_html(word))
    terms = [
        f"{number(share)}·{names[0] if len(names) == 1 else '(' + ' + '.join(names) + ')'}"
        for share, names in sorted(groups.items(), reverse=True)
    ]
    return f"slot of {for_html(places(trace)[row])} = <b class='al-role-value'>{' + '.join(terms)}</b>{_UNROUNDED}"


def _head(name: str, full: str) -> str:
    """The first cell of a row, the whole word in its title."""
    return f'<th scope="row" title="{for_html(full)}">{for_html(name)}</th>'


def _sum(line: str) -> str:
    """A line of arithmetic."""
    return f'<p class="al-sum">{line}</p>'


def _scroll(label: str, head: Sequence[str], rows: Sequence[str], foot: str = "") -> str:
    """A table that scrolls sideways if it must."""
    heads = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    return (
        f'<div class="al-scroll" tabindex="0" role="region" aria-label="{label}"><table class="al-ledger">'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody>"
        f"{f'<tfoot>{foot}</tfoot>' if foot else ''}</table></div>"
    )
