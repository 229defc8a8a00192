"""Arrays in, Plotly figures out: no Streamlit, no maths."""

from attention_ui.figures.arcs import arcs
from attention_ui.figures.arrows import Arrow, plane
from attention_ui.figures.bars import bars
from attention_ui.figures.heatmap import Outline, grid
from attention_ui.figures.template import PALETTES, Palette

__all__ = ["PALETTES", "Arrow", "Outline", "Palette", "arcs", "bars", "grid", "plane"]
