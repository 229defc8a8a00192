"""What attention costs: the n x n grid, where it crosses the rest, tiles, shared heads, the cache, a measurement."""

import streamlit as st

from attention_core import attention_flops, grid_crossing, layer_flops, measurable_sizes, score_cells
from attention_ui import captions, controls, prose
from attention_ui.pictures import cost
from attention_ui.settings import Settings
from attention_ui.show import show

WIDTHS = (768, 4096, 12288)
BUDGET_MIB, HEADS = 128, 2
BLOCKS = ("1 × 1", "2 × 2", "3 × 3", "whole grid")
TEXTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)

text = prose.read("cost")
settings = controls.current()
growth = layer_flops(2000, WIDTHS[0]) / layer_flops(1000, WIDTHS[0])
options = ("about 2 times", "about 4 times", "about 8 times")
right_one = [captions.nearest(growth, (2, 4, 8))]
told = text.say(
    "told",
    growth=captions.number(growth),
    grid=captions.plain(attention_flops(2000, WIDTHS[0]) / attention_flops(1000, WIDTHS[0])),
    crossing=f"{grid_crossing(WIDTHS[0]):,}",
)
controls.guess(text.say("guess", width=str(WIDTHS[0])), options, right_one, told, "cost_guess")

with st.container(key="row-2-cost-1"):
    n = controls.stops("Tokens n", cost.SIZES, 64, "cost_n")
    window = controls.whole("Words in the window", 1, 64, 8, "cost_window")
show(cost.grid_cells, n, window)

st.markdown(text.say("flops", n=f"{n:,}", cells=f"{score_cells(n):,}"))
width = int(controls.choice("Width of the model", [str(width) for width in WIDTHS], "cost_width"))
show(cost.flops_curves, width)

st.markdown(text.parts["tiles"])
row = st.container(key="row-2-tiles")
with row:
    block_name = controls.choice("Tile", BLOCKS, "cost_block", BLOCKS[1])
block = min(BLOCKS.index(block_name) + 1, settings.n_tokens) if block_name != BLOCKS[-1] else settings.n_tokens
steps = len(cost.tiles_of(settings, block).steps)
with row:
    step = controls.step("Tiles looked at", steps, f"cost_step_{block}", 2)
show(cost.tile_step, settings, block, step)
read = text.say(
    "tiles-read",
    steps=captions.counted(steps, "tile"),
    difference=captions.tiny(cost.tiles_difference(settings, block)),
    held=str(block * block),
    all=str(settings.n_tokens**2),
)
st.markdown(read + "\n\n" + text.parts["sharing"])
show(cost.head_maps)
st.markdown(text.parts["cache"])
with st.container(key="row-2-cost-2"):
    tokens = controls.stops("Tokens of each text", cost.SIZES[4:], 4096, "cost_tokens")
    batch = controls.stops("Texts at once", TEXTS, 1, "cost_batch")
show(cost.cache_bars, tokens, batch)
sizes = measurable_sizes(BUDGET_MIB, HEADS)
st.markdown(
    text.say("cache-read", meet=f"{cost.cache_meets('llama-2-7b', 7):,}")
    + "\n\n"
    + text.say("measure", most=f"{sizes[-1]:,}", budget=str(BUDGET_MIB), heads=str(HEADS))
)
controls.measuring_buttons(sizes)
controls.measurement(cost.measured_curves, HEADS)

cat = Settings("cat-sat")
st.html(text.html("relatives"))
st.markdown(
    text.say(
        "try",
        all=f"{score_cells(131072):,}",
        few=f"{score_cells(131072, window=8):,}",
        steps=captions.counted(len(cost.tiles_of(cat, 2).steps), "tile"),
        difference=captions.tiny(cost.tiles_difference(cat, 2)),
        one=captions.counted(len(cost.tiles_of(cat, 1).steps), "tile"),
        skipped=captions.counted(len(cost.tiles_of(cat.but(mask="causal"), 1).steps), "tile"),
    )
)
