"""Arrays in, Plotly figures out: no Streamlit, no maths."""

from attention_ui.figures.arcs import arcs
from attention_ui.figures.arrows import Arrow, plane
from attention_ui.figures.bars import Series, bars, compare
from attention_ui.figures.curves import Curve, curves
from attention_ui.figures.field import field
from attention_ui.figures.heatmap import Outline, grid
from attention_ui.figures.template import PALETTES, Figure, Palette, restyled
from attention_ui.figures.tiles import FORGOTTEN, HELD, TO_COME, cells, one_tile

__all__ = [
    "FORGOTTEN",
    "HELD",
    "PALETTES",
    "TO_COME",
    "Arrow",
    "Curve",
    "Figure",
    "Outline",
    "Palette",
    "Series",
    "arcs",
    "bars",
    "cells",
    "compare",
    "curves",
    "field",
    "grid",
    "one_tile",
    "plane",
    "restyled",
]
