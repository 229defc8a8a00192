"""The widgets: the only package that knows their keys, which are also the names in the URL."""

from attention_ui.controls.choices import (
    address,
    blank,
    choice,
    column_choice,
    guess,
    own_words,
    row_choice,
    sentence_choice,
    sentence_table,
    several,
    slider,
    switch,
)
from attention_ui.controls.edits import (
    arrow_modes,
    arrow_reset,
    canvas,
    feature_grid,
    matrix_grids,
    moved,
    sheet,
    vector_grids,
)
from attention_ui.controls.runs import Training, follow_player, player, replay, seed, training
from attention_ui.controls.sequences import place_choice, sequence
from attention_ui.controls.sidebar import current, notices, sidebar

__all__ = [
    "Training",
    "address",
    "arrow_modes",
    "arrow_reset",
    "blank",
    "canvas",
    "choice",
    "column_choice",
    "current",
    "feature_grid",
    "follow_player",
    "guess",
    "matrix_grids",
    "moved",
    "notices",
    "own_words",
    "place_choice",
    "player",
    "replay",
    "row_choice",
    "seed",
    "sentence_choice",
    "sentence_table",
    "sequence",
    "several",
    "sheet",
    "sidebar",
    "slider",
    "switch",
    "training",
    "vector_grids",
]
