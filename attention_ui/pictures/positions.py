"""The pictures of position vectors: the sinusoids, what their dot products say, and the matrix that moves them on."""

from __future__ import annotations

import numpy as np

from attention_core import offset_matrix, sinusoidal_positions, wavelengths
from attention_ui import captions
from attention_ui.figures import Curve, curves, field
from attention_ui.show import Picture, table_of

_SINUSOIDS = """
w = 10000.0 ** (-np.arange(0, d, 2) / d)  # radians a position, one for each pair of dimensions
def sinusoids(n):
    angles = np.arange(n)[:, None] * w
    PE = np.empty((n, d))
    PE[:, 0::2], PE[:, 1::2] = np.sin(angles), np.cos(angles)
    return PE

def row(name, numbers):
    print(name, *(f"{x:.2f}".replace("-0.00", "0.00") for x in numbers), sep="\\t")
"""


def sinusoids(T: int, d: int, p: int, theme: str) -> Picture:
    """The paper's position vectors, one a row, position p framed; its numbers are the table."""
    P = sinusoidal_positions(T, d)
    title = f"PE, {T} positions × {d} dimensions"
    figure = field(P, theme=theme, title=title, axes=("position", "dimension"), row=p, height=420)
    waves = wavelengths(d)
    alt = (
        f"Waves of {captions.number(waves[0])} positions on the left to {captions.number(waves[-1], 0)} on the right; "
    )
    alt += f"position {p} is the framed row"
    table = table_of({"dimension": [str(i) for i in range(d)], "wavelength": waves, f"PE of {p}": P[p]}.items())
    name = "Sinusoidal positions"
    report = f"""
PE = sinusoids({T})  # the whole picture
for i in range(d): row(str(i), [2 * np.pi / w[i // 2], PE[{p}, i]])"""
    return Picture(name, [figure], [alt], table, _program(name, d, report))


def dot_products(T: int, d: int, p: int, theme: str) -> Picture:
    """PE_p · PE_(p + k) against k, for the first, a middle and the last p: one curve."""
    P = sinusoidal_positions(T, d)
    offsets = np.arange(1 - T, T)
    marks = (("weight", "solid", 6.0), ("query", "dash", 3.0), ("key", "dot", 2.0))
    lines, columns = [], []
    for start, (role, dash, width) in zip((0, p, T - 1), marks, strict=True):
        ends = start + offsets
        inside = (ends >= 0) & (ends < T)
        dots = P[ends[inside]] @ P[start]
        lines.append(Curve(f"p = {start}", offsets[inside], dots, role, dash, width=width))
        columns.append([captions.number(x) if ok else "" for x, ok in _spread(dots, inside)])
    figure = curves(lines, theme=theme, title="PE of p · PE of p + k", axes=("offset k", ""), height=340)
    near = float(P[0] @ P[1])
    alt = f"Three starts, one curve: {captions.number(d / 2)} at k = 0, {captions.number(near)} at k = 1, whatever p is"
    starts = [f"p = {start}" for start in (0, p, T - 1)]
    table = table_of(zip(("k", *starts), ([str(k) for k in offsets], *columns), strict=True))
    name = "Dot products of positions"
    report = f"""
T, starts = {T}, {[0, p, T - 1]}
PE = sinusoids(T)
for k in range(1 - T, T):
    cells = [f"{{PE[p] @ PE[p + k]:.2f}}".replace("-0.00", "0.00") if 0 <= p + k < T else "" for p in starts]
    print(k, *cells, sep="\\t")"""
    return Picture(name, [figure], [alt], table, _program(name, d, report))


def offset(d: int, k: int, theme: str) -> Picture:
    """M_k, which moves every position vector k places on: small turns down the diagonal."""
    M = offset_matrix(k, d)
    figure = field(M, theme=theme, title=f"M for k = {k}: PE of p · M = PE of p + {k}", axes=("from", "to"), height=340)
    waves = wavelengths(d)[::2]
    alt = f"{d // 2} turns on the diagonal, the first with cos {captions.number(M[0, 0])} and sin "
    alt += f"{captions.number(M[1, 0])}; zeros elsewhere, and no p in it"
    pairs = [f"{i} and {i + 1}" for i in range(0, d, 2)]
    diagonal = np.arange(0, d, 2)
    cosines, sines = M[diagonal, diagonal], M[diagonal + 1, diagonal]
    table = table_of({"dimensions": pairs, "wavelength": waves, "cos": cosines, "sin": sines}.items())
    name = "One matrix moves them all"
    report = f"""
k = {k}
for i, c, s in zip(range(0, d, 2), np.cos(k * w), np.sin(k * w)):
    M = np.array([[c, -s], [s, c]])  # this pair's block: (sin, cos) @ M turns it on by k places
    row(f"{{i}} and {{i + 1}}", [2 * np.pi / w[i // 2], M[0, 0], M[1, 0]])"""
    return Picture(name, [figure], [alt], table, _program(name, d, report))


def _spread(values: np.ndarray, inside: np.ndarray) -> list[tuple[float, bool]]:
    """The values at the places that have one."""
    found = iter(values.tolist())
    return [(next(found), True) if ok else (0.0, False) for ok in inside.tolist()]


def _program(title: str, d: int, report: str) -> str:
    """A program that makes the sinusoids and reports on them."""
    return f"# Attention Lab: {title}\nimport numpy as np\n\nd = {d}\n{_SINUSOIDS}{report}\n"
