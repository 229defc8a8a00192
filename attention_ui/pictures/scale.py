"""The pictures of what ÷√d is for: one row of random scores, 2,000 of them, and every width."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from attention_ui import captions
from attention_ui.figures import Curve, Series, compare, curves
from attention_ui.show import Picture, table_of
from attention_ui.widths import GRADIENT, JACOBIAN, LARGEST, WIDTHS, mean_of, measured, median_of, random_queries

RAW, SCALED = "raw scores", "÷ √d"
_ROLES = {RAW: "query", SCALED: "weight"}

# One query and its 8 keys span at most 9 dimensions, so no more are drawn, see attention_core/scaling.py.
_DRAW = """
def random_queries(d):
    rng = np.random.default_rng(0)
    # 2,000 queries with 8 keys each, entries N(0, 1), in a basis that begins with the query and then takes up one
    # key after the other: all dot products are spread as those of d entries each.
    size = min(d, 9)
    vectors = np.tril(rng.standard_normal((2000, 9, size)), -1)
    corner = np.arange(size)
    vectors[:, corner, corner] = np.sqrt(rng.chisquare(d - corner, (2000, size)))
    q, K = vectors[:, 0], vectors[:, 1:]
    return (K @ q[:, :, None])[..., 0], K

def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def jacobian(w):  # how every weight answers to every score: diag(w) - w w^T
    return w[..., :, None] * np.eye(8) - w[..., :, None] * w[..., None, :]

def row(name, numbers):
    print(name, *(f"{x:.2f}".replace("-0.00", "0.00") for x in numbers), sep="\\t")
"""


def one_query(d: int, scaled: bool, theme: str) -> Picture:
    """The softmax of the first random query against its 8 keys, as the switch has it and the other way."""
    statistics = random_queries(d)
    both = {RAW: statistics.raw.weights[0], SCALED: statistics.scaled.weights[0]}
    now, other = (SCALED, RAW) if scaled else (RAW, SCALED)
    series = [Series(f"{now} (now)", both[now], _ROLES[now]), Series(other, both[other], "quiet")]
    names = tuple(str(place) for place in range(1, 9))
    figure = compare(series, names, theme=theme, title=f"One query of width {d} against 8 keys", height=300)
    figure["layout"]["xaxis"]["title"] = {"text": "key"}
    alt = f"The largest of the 8 weights is {captions.percent(both[now].max())} with {now}"
    alt += f", {captions.percent(both[other].max())} with {other}"
    table = table_of({"key": list(names), "q · k": statistics.scores[0], RAW: both[RAW], SCALED: both[SCALED]}.items())
    report = """
scores = random_queries(d)[0][0]  # the first query's
raw, scaled = softmax(scores), softmax(scores / np.sqrt(d))
for j in range(8): row(str(j + 1), [scores[j], raw[j], scaled[j]])"""
    name = "Softmax of one random query"
    return Picture(name, [figure], [alt], table, _program(name, d, report))


def histogram(d: int, measure: str, scaled: bool, theme: str) -> Picture:
    """How one number is spread over 2,000 random queries, as the switch has it and the other way."""
    edges, names = _bins(measure)
    counts = {
        which: np.histogram(measured(d, measure, which == SCALED), edges)[0].astype(float) for which in (RAW, SCALED)
    }
    now, other = (SCALED, RAW) if scaled else (RAW, SCALED)
    places = np.arange(len(edges))
    lines = [
        Curve(f"{now} (now)", places, counts[now], _ROLES[now], steps=True),
        Curve(other, places, counts[other], "quiet", width=1.5, steps=True),
    ]
    ticks = list(range(0, len(edges), 4 if measure != GRADIENT else 1))
    figure = curves(
        lines,
        theme=theme,
        title=f"{measure[0].upper()}{measure[1:]}: 2,000 queries of width {d}",
        axes=(measure, "queries"),
        x_ticks=(ticks, [names[tick] for tick in ticks]),
        height=300,
    )
    middle = "mean" if measure == LARGEST else "median"
    found = {
        which: (mean_of if measure == LARGEST else median_of)(d, measure, which == SCALED) for which in (RAW, SCALED)
    }
    alt = f"Width {d}, {middle} {measure}: {_small(found[now])} with {now}, {_small(found[other])} with {other}"
    rows = [f"{low} to {high}" for low, high in pairwise(names)]
    table = table_of({measure: rows, RAW: counts[RAW], SCALED: counts[SCALED]}.items())
    of = {
        LARGEST: "w.max(axis=-1)",
        JACOBIAN: "np.linalg.norm(jacobian(w), axis=(-2, -1))",
        GRADIENT: "np.linalg.norm(scale * (jacobian(w) @ K), axis=(-2, -1))",
    }
    report = f"""
scores, K = random_queries(d)
def count(scale):
    w = softmax(scores * scale)
    return np.histogram({of[measure]}, edges)[0]
edges = {_edges_text(measure)}
names = {names!a}
raw, scaled = count(1), count(1 / np.sqrt(d))
for i in range(len(raw)): row(names[i] + " to " + names[i + 1], [raw[i], scaled[i]])"""
    name = "Many random queries"
    return Picture(name, [figure], [alt], table, _program(name, d, report))


def every_width(d: int, theme: str) -> Picture:
    """Score variance, largest weight and Jacobian at every width, with and without ÷√d."""
    places, names = np.arange(len(WIDTHS)), [str(width) for width in WIDTHS]
    variance = np.array([random_queries(width).variance for width in WIDTHS])
    columns = {
        "variance, raw": variance,
        "variance, ÷ √d": variance / np.array(WIDTHS),
        "mean largest weight, raw": np.array([mean_of(width, LARGEST, False) for width in WIDTHS]),
        "mean largest weight, ÷ √d": np.array([mean_of(width, LARGEST, True) for width in WIDTHS]),
        "median ‖∂w/∂s‖, raw": np.array([median_of(width, JACOBIAN, False) for width in WIDTHS]),
        "median ‖∂w/∂s‖, ÷ √d": np.array([median_of(width, JACOBIAN, True) for width in WIDTHS]),
    }
    values = list(columns.values())
    titles = ("Variance of the scores", "Mean largest weight", "Median ‖∂w/∂s‖")
    figures = [
        curves(
            [Curve(RAW, places, values[2 * i], "query"), Curve(SCALED, places, values[2 * i + 1], "weight")],
            theme=theme,
            title=title,
            axes=("width d", ""),
            x_ticks=(list(places), names),
            x_range=(-0.4, len(names) - 0.6),
            y_range=(0.5, 1000) if i == 0 else (0, 1.05) if i == 1 else (0, 0.45),
            log_y=i == 0,
            mark=WIDTHS.index(d),
            width=250,
            height=300,
        )
        for i, title in enumerate(titles)
    ]
    at = WIDTHS.index(d)
    alts = [
        f"{title} at width {d}: {_small(values[2 * i][at])} raw, {_small(values[2 * i + 1][at])} ÷ √d"
        for i, title in enumerate(titles)
    ]
    report = """
for d in 2 ** np.arange(1, 10):
    scores, _ = random_queries(d)
    both = [softmax(scores), softmax(scores / np.sqrt(d))]
    largest = [w.max(axis=-1).mean() for w in both]
    norms = [np.median(np.linalg.norm(jacobian(w), axis=(-2, -1))) for w in both]
    row(str(d), [scores.var(), scores.var() / d, *largest, *norms])"""
    name = "Every width"
    table = table_of({"d": names, **columns}.items())
    return Picture(name, figures, alts, table, _program(name, d, report), ". ".join(alts) + ".", ["", ""])


def _small(value: float) -> str:
    """A number with as many places as it needs to be seen."""
    return captions.number(value) if value >= 0.01 or value == 0 else captions.number(value, 4)


def _bins(measure: str) -> tuple[np.ndarray, list[str]]:
    """Edges of the histogram's bins, and their names."""
    if measure == GRADIENT:
        return np.append(0, 10.0 ** np.arange(-6, 3)), [
            "0",
            *(f"1e{power}" for power in range(-6, 0)),
            "1",
            "10",
            "100",
        ]
    edges = np.arange(21) / 20 if measure == LARGEST else np.arange(22) / 40
    return edges, [f"{edge:.3f}".rstrip("0").rstrip(".") for edge in edges.tolist()]


def _edges_text(measure: str) -> str:
    """The same edges in Python."""
    if measure == GRADIENT:
        return "np.append(0, 10.0 ** np.arange(-6, 3))"
    return "np.arange(21) / 20" if measure == LARGEST else "np.arange(22) / 40"


def _program(title: str, d: int, report: str) -> str:
    """A program that draws the random queries and reports on them."""
    return f"# Attention Lab: {title}\nimport numpy as np\n\nd = {d}\n{_DRAW}{report}\n"
