"""The pictures of what attention costs: cells, arithmetic, tiles, shared heads, bytes, and measurements."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from attention_core import (
    MODEL_SPECS,
    Measurement,
    OnlineTrace,
    attention_flops,
    grid_crossing,
    kv_cache_bytes,
    layer_flops,
    online_trace,
    score_cells,
)
from attention_ui import captions
from attention_ui.escape import labels
from attention_ui.figures import FORGOTTEN, HELD, TO_COME, Curve, bars, cells, curves, grid, one_tile
from attention_ui.programs import attention_program
from attention_ui.settings import Settings, shown_head, visible
from attention_ui.show import Picture, table_of

DRAWN = 64  # rows of a grid that are drawn
SIZES = tuple(2**power for power in range(2, 18))  # 4 to 131,072 tokens
KINDS = ("every word", "causal", "window")
SHARING = {"multi-head": 8, "grouped-query": 2, "multi-query": 1}  # key/value heads for 8 query heads
GIB = 2**30

_ONLINE = """
b, steps = {block}, {steps}
q, k = Q @ rotation(head_angles[shown]) @ R, K @ R
scale = 1 / np.sqrt(d_k) if scaled else 1
largest, total, summed = np.full(n, -np.inf), np.zeros(n), np.zeros((n, 2))
done, rescale = 0, np.ones(n)
for top in range(0, n, b):
    for left in range(0, n, b):
        rows, columns = slice(top, top + b), slice(left, left + b)
        look = may_look[rows, columns]
        if done == steps or not look.any(): continue     # a tile that is hidden throughout is skipped
        tile = np.where(look, q[rows] @ k[columns].T * scale, -np.inf)
        new = np.maximum(largest[rows], tile.max(axis=1))
        shift = np.where(np.isneginf(new), 0, new)       # a row that has seen nothing yet
        rescale = np.ones(n)
        rescale[rows] = np.exp(largest[rows] - shift)    # exp(old max - new max)
        e = np.exp(tile - shift[:, None])
        total[rows] = total[rows] * rescale[rows] + e.sum(axis=1)
        summed[rows] = summed[rows] * rescale[rows][:, None] + e @ V[columns]
        largest[rows], done = new, done + 1
out = summed / np.where(total == 0, 1, total)[:, None]
for i in range(n): row(names[i], [largest[i], rescale[i], total[i], *out[i]])"""


def grid_cells(n: int, window: int, theme: str) -> Picture:
    """How many cells of the n x n grid are looked at, by every word, causally, and in a sliding window."""
    size = min(n, DRAWN)
    i, j = np.indices((size, size))
    looked_at = (np.full((size, size), True), j <= i, (j <= i) & (i - j < window))
    counts = (score_cells(n), score_cells(n, causal=True), score_cells(n, window=window))
    part = "" if n <= DRAWN else f" (first {DRAWN})"
    figures = [
        cells(look, theme=theme, title=f"{kind}{part}: {count:,}")
        for kind, look, count in zip(KINDS, looked_at, counts, strict=True)
    ]
    alts = [f"{kind}: {count:,} cells for {n:,} words" for kind, count in zip(KINDS, counts, strict=True)]
    mib = [float(count * 4 / 2**20) for count in counts]
    table = table_of({"who looks": list(KINDS), "cells": counts, "MiB as float32": mib}.items())
    program = f"""# Attention Lab: Cells of the grid
import numpy as np

n, w = {n}, {window}
rows = np.arange(1, n + 1)  # how many words a row may look at
sums = [np.full(n, n).sum(), rows.sum(), np.minimum(rows, w).sum()]
for name, cells in zip({list(KINDS)}, sums): print(name, cells, f"{{cells * 4 / 2**20:.2f}}", sep="\\t")
"""
    caption = f"{alts[0]}, {counts[1]:,} causally, {counts[2]:,} in a window of {window}"
    return Picture("Cells of the grid", figures, alts, table, program, caption, ["", ""])


def flops_curves(d_model: int, theme: str) -> Picture:
    """The arithmetic of one layer: the grid's part and the rest, and where they cross."""
    n = np.array(SIZES)
    on_grid = [attention_flops(size, d_model) for size in SIZES]
    rest = [layer_flops(size, d_model) - part for size, part in zip(SIZES, on_grid, strict=True)]
    meet = grid_crossing(d_model)
    figure = curves(
        [
            Curve("the n × n grid", n, np.array(on_grid, float)),
            Curve("everything else", n, np.array(rest, float), "query"),
        ],
        theme=theme,
        title=f"FLOPs of one layer, width {d_model:,}",
        axes=("tokens n", "FLOPs"),
        log_x=True,
        log_y=True,
        mark=meet,
    )
    alt = f"At width {d_model:,} the grid costs as much as the rest of a layer at {meet:,} tokens, 6 times the width"
    table = table_of({"tokens": [str(size) for size in SIZES], "grid": on_grid, "rest": rest}.items())
    program = f"""# Attention Lab: FLOPs of one layer
import numpy as np

d = {d_model}
for n in 2 ** np.arange(2, 18): print(n, 4 * n**2 * d, 24 * n * d**2, sep="\\t")
"""
    return Picture("FLOPs of one layer", [figure], [alt], table, program)


@lru_cache(maxsize=256)
def tiles_of(settings: Settings, block: int) -> OnlineTrace:
    """The shown head's attention, tile by tile."""
    trace = shown_head(settings)
    mask = visible(settings)
    return online_trace(trace.Q, trace.K, trace.V, mask=mask, scale=trace.scale, block_q=block, block_k=block)


def tiles_difference(settings: Settings, block: int) -> float:
    """How far the last step is from the whole grid's output."""
    return float(np.abs(tiles_of(settings, block).output - shown_head(settings).output).max())


def tile_step(settings: Settings, block: int, step: int, theme: str) -> Picture:
    """One tile of the grid, and all that is known of each row once it has been looked at."""
    steps, n, names = tiles_of(settings, block).steps[:step], settings.n_tokens, labels(settings.tokens)
    state = np.full((n, n), TO_COME)
    largest, total, out = np.full(n, -np.inf), np.zeros(n), np.zeros((n, 2))
    for each in steps:
        state[state == HELD] = FORGOTTEN
        state[each.rows, each.columns] = HELD
        largest[each.rows], total[each.rows], out[each.rows] = each.largest, each.total, each.output
    last = steps[-1]
    rescale = np.ones(n)
    rescale[last.rows] = last.rescale
    title = f"Tile {step} of {len(tiles_of(settings, block).steps)}: {captions.counted(last.cells, 'cell')} held now"
    known = ("max", "sum", "output x", "output y")
    values = np.column_stack([largest, total, out])
    figures = [
        one_tile(
            shown_head(settings).logits,
            state,
            settings.tokens,
            (last.rows, last.columns),
            theme=theme,
            title=title,
        ),
        grid(values, settings.tokens, known, theme=theme, title="Known of each row so far", width=300),
    ]
    seen = int((state != TO_COME).sum())
    alts = [
        f"{captions.counted(last.cells, 'cell')} of {n * n} held now, {seen} looked at so far",
        f"{names[last.rows.start]} knows a max of {_known(last.largest[0])} and a sum of "
        f"{captions.number(float(last.total[0]))}; "
        + (
            f"what was summed before was multiplied by {captions.number(float(last.rescale[0]))}"
            if last.rescale[0]
            else "nothing was summed before"
        ),
    ]
    columns = {"running max": largest, "rescaled by": rescale, "running sum": total, "x": out[:, 0], "y": out[:, 1]}
    table = table_of({"word": list(names), **columns}.items())
    name = "Tile by tile"
    program = attention_program(settings, name, _ONLINE.format(block=block, steps=step))
    return Picture(name, figures, alts, table, program, f"{alts[0]}. {alts[1]}.", ["→"])


def head_maps(theme: str) -> Picture:
    """Which key/value head each of eight query heads uses."""
    n_heads = SHARING["multi-head"]
    groups = {kind: np.arange(n_heads) // (n_heads // kv) for kind, kv in SHARING.items()}
    queries = [f"query {h + 1}" for h in range(n_heads)]
    figures = [
        cells(
            groups[kind][:, None] == np.arange(kv),
            theme=theme,
            title=f"{kind}: {captions.counted(kv, 'K, V head')}",
            names=(queries, [f"K, V {h + 1}" for h in range(kv)]),
            width=160 + 34 * kv,
            height=280,
        )
        for kind, kv in SHARING.items()
    ]
    alts = [
        f"{kind}: {n_heads} query heads use {captions.counted(kv, 'key/value head')}" for kind, kv in SHARING.items()
    ]
    table = table_of({"head": queries, **{kind: group + 1 for kind, group in groups.items()}}.items())
    program = f"""# Attention Lab: Shared keys and values
import numpy as np

shared_by = {n_heads} // np.array({list(SHARING.values())})  # query heads to one key/value head
for h in range({n_heads}): print(f"query {{h + 1}}", *(h // shared_by + 1), sep="\\t")
"""
    return Picture("Shared keys and values", figures, alts, table, program, ". ".join(alts) + ".", ["", ""])


def cache_bars(tokens: int, batch: int, theme: str) -> Picture:
    """Bytes of keys and values that published models keep, at two bytes a number."""
    specs = list(MODEL_SPECS.values())
    full = [kv_cache_bytes(replace(spec, window=None), tokens, batch) for spec in specs]
    kept = [kv_cache_bytes(spec, tokens, batch) for spec in specs]
    each = [kv_cache_bytes(spec, 1) for spec in specs]
    gib = np.array(kept) / GIB
    figure = bars(
        gib,
        [spec.name for spec in specs],
        theme=theme,
        title=f"GiB of cache: {tokens:,} tokens × {captions.counted(batch, 'text')}",
        top=float(gib.max()),
        height=320,
    )
    most, least = int(gib.argmax()), int(gib.argmin())
    alt = " and ".join(f"{specs[i].name} keeps {captions.number(gib[i])} GiB" for i in (most, least))
    table = table_of(
        {
            "model": [spec.name for spec in specs],
            "bytes a token": each,
            "bytes without a window": full,
            "bytes kept": kept,
        }.items()
    )
    sizes = [(s.name, s.layers, s.kv_heads, s.d_head, s.latent, s.window) for s in specs]
    program = f"""# Attention Lab: Bytes of the key/value cache
import numpy as np

tokens, batch = {tokens}, {batch}
models = {sizes}
for name, layers, kv_heads, d_head, latent, window in models:
    each = layers * (latent or 2 * kv_heads * d_head) * np.dtype(np.float16).itemsize  # bytes a token
    print(name, each, each * tokens * batch, each * min(tokens, window or tokens) * batch, sep="\\t")
"""
    return Picture("Bytes of the key/value cache", [figure], [alt], table, program)


def measured_curves(measurements: tuple[Measurement, ...], theme: str) -> Picture:
    """Time and memory of the whole grid and of tiles, as measured on this machine."""
    n = np.array([m.n for m in measurements])
    kinds = ("whole grid", "tiles")
    ms = [np.array([getattr(m, name) for m in measurements]) for name in ("full_ms", "tiled_ms")]
    mib = [np.array([getattr(m, name) for m in measurements]) for name in ("full_mib", "tiled_mib")]
    figures = [
        curves(
            [Curve(kind, n, y, role) for kind, y, role in zip(kinds, values, ("weight", "query"), strict=True)],
            theme=theme,
            title=title,
            axes=("tokens n", unit),
            log_x=True,
            log_y=True,
            markers=True,
        )
        for values, title, unit in ((ms, "Time on one processor", "ms"), (mib, "Peak memory", "MiB"))
    ]
    last = measurements[-1]
    alts = [
        f"{last.n:,} tokens: {last.full_ms:.2f} ms with the whole grid, {last.tiled_ms:.2f} ms in tiles",
        f"{last.n:,} tokens: {last.full_mib:.2f} MiB with the whole grid, {last.tiled_mib:.2f} MiB in tiles",
    ]
    columns = {"ms, whole": ms[0], "ms, tiles": ms[1], "MiB, whole": mib[0], "MiB, tiles": mib[1]}
    table = table_of({"tokens": [str(size) for size in n.tolist()], **columns}.items())
    records = [(m.n, m.full_ms, m.tiled_ms, m.full_mib, m.tiled_mib) for m in measurements]
    program = f"""# Attention Lab: Measured on the server; these are its records, and no computation gives them again
import numpy as np

for n, *numbers in {records}: print(n, *(f"{{x:.2f}}" for x in np.array(numbers)), sep="\\t")
"""
    return Picture("Measured here", figures, alts, table, program, ". ".join(alts) + ".", [""])


def cache_meets(spec: str, billions: float) -> int:
    """Return how many tokens of cache weigh as much as a model's numbers, both at two bytes each."""
    return round(billions * 1e9 * 2 / kv_cache_bytes(MODEL_SPECS[spec], 1))


def _known(value: float) -> str:
    """A running max, which is -inf before anything was seen."""
    return captions.number(float(value)) if np.isfinite(value) else "−∞"
