"""A head that learns, and two heads side by side: recorded runs that the player plays."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from attention_core.learning import LookupRun, TwoLookupsRun, match_heads, remove_head, train_lookup, train_two_lookups
from attention_core.learning.descent import Schedule
from attention_ui import captions
from attention_ui.figures import Curve, Figure, Outline, bars, curves, grid
from attention_ui.learning_programs import lookup_program, two_lookups_program
from attention_ui.plot import Recording, Track
from attention_ui.show import Picture, table_of

RECORD_EVERY = 5
VIEWS = ("the query looks at the others", "the query may look at itself")

# A page asks for the same runs at every change elsewhere on it.
lookup = lru_cache(maxsize=32)(train_lookup)
two_lookups = lru_cache(maxsize=32)(train_two_lookups)


def lookup_run(seed: int, steps: int, schedule: Schedule, attend_self: bool, theme: str) -> Picture:
    """One head learning to look something up: its loss, its attention on one example and its matrices."""
    run = lookup(seed, steps=steps, lr=schedule, attend_self=attend_self)
    example, query = run.example, len(run.example.tokens) - 1
    product = run.W_Q @ run.W_K.mT  # (r, 6, 6)
    shown = np.ones((1, query + 1), bool)
    shown[0, query] = attend_self
    limit = float(max(np.abs(W).max() for W in (run.W_Q, run.W_K, run.W_V, product)))
    rows, widths = example.features, tuple(str(i + 1) for i in range(run.W_Q.shape[-1]))
    matrices = (
        ("W_Q", run.W_Q, rows, widths),
        ("W_K", run.W_K, rows, widths),
        ("W_V", run.W_V, rows, ("o1", "o2", "o3")),
        ("W_Q W_Kᵀ", product, rows, rows),
    )
    figures = [
        loss_figure(run, theme),
        grid(
            run.attention[0, query:],
            (example.tokens[query],),
            example.tokens,
            theme=theme,
            title="Attention on one example",
            kind="weights",
            visible=shown,
            outlines=[Outline(column=example.match[0], role="key")],
            axes=("asks", "is heard"),
            height=300,
            width=330,
        ),
        *(
            grid(W[0], names, columns, theme=theme, title=title, limit=limit, height=270)
            for title, W, names, columns in matrices
        ),
    ]
    texts = [record_text(run, r) for r in range(len(run.recorded))]
    alts = [
        f"Held-out loss from {run.loss[0]:.2f} to {run.loss[-1]:.4f} over {run.steps[-1]} steps",
        texts[-1],
        *(f"{title} along the run" for title, *_ in matrices),
    ]
    return Picture(
        "A head learns",
        figures,
        alts,
        loss_table(run.loss, run.match),
        lookup_program(seed, int(run.steps[-1]), schedule, attend_self, printed(run.loss)),
        caption=texts[0],
        joints=[""] * (len(figures) - 1),
        recording=Recording(
            id=f"{seed} {attend_self}",
            last=int(run.steps[-1]),
            tracks=[
                Track(0, 1, "x", run.steps.astype(float), prefix=True),
                Track(0, 1, "y", run.loss, prefix=True),
                Track(
                    1, 0, "z", run.attention[:, query:] if attend_self else masked(run.attention, query), RECORD_EVERY
                ),
                *(Track(i, 0, "z", W, RECORD_EVERY) for i, (_, W, *_) in enumerate(matrices, 2)),
            ],
            captions=texts,
            every=RECORD_EVERY,
        ),
    )


def loss_figure(run: LookupRun, theme: str) -> Figure:
    """The whole loss curve, faint, the part up to the playhead, and the loss of looking everywhere alike."""
    steps = run.steps.astype(float)
    return curves(
        [
            Curve("the whole run", steps, run.loss, faint=True),
            Curve("held-out loss", steps[:1], run.loss[:1]),
            Curve("looking everywhere alike", steps[[0, -1]], np.full(2, run.uniform_loss), "key", "dot"),
        ],
        theme=theme,
        title="Loss on 256 examples never trained on",
        axes=("step", "loss"),
        log_y=True,
        height=300,
    )


def masked(attention: np.ndarray, query: int) -> np.ndarray:
    """The query's row of every record, its own place hidden."""
    rows = attention[:, query:].copy()
    rows[..., query] = np.nan
    return rows


def record_text(run: LookupRun, record: int) -> str:
    """What one record says."""
    step, query = int(run.recorded[record]), len(run.example.tokens) - 1
    listens = captions.listens(run.example.tokens, query, run.attention[record, query])
    return f"Step {step}: {listens}; on all held-out examples the match gets {captions.percent(run.match[step])}"


def printed(loss: np.ndarray) -> list[int]:
    """The steps of a run that its table shows: about a dozen, the first and the last among them."""
    return sorted({*range(0, len(loss), max(1, (len(loss) - 1) // 12)), len(loss) - 1})


def loss_table(loss: np.ndarray, match: np.ndarray) -> pd.DataFrame:
    """Loss and match at some steps of a run, as text with the digits that the program prints."""
    steps = printed(loss)
    return table_of(
        {
            "step": [str(step) for step in steps],
            "loss": [f"{loss[step]:.4f}" for step in steps],
            "weight on the match": [f"{match[step]:.4f}" for step in steps],
        }.items()
    )


def two_heads_run(seed: int, steps: int, schedule: Schedule, target: str, collide: bool, theme: str) -> Picture:
    """Two heads learning two lookups, with one head on the same task beside them."""
    two, one = (two_lookups(seed, n_heads=n, steps=steps, lr=schedule, target=target, collide=collide) for n in (2, 1))
    example, query = two.example, len(two.example.tokens) - 1
    head_A, head_B = match_heads(two)
    last = min(int(two.steps[-1]), int(one.steps[-1]))
    ticks = two.steps[: last + 1].astype(float)
    losses = [run.loss[: last + 1] for run in (two, one)]
    maps = [masked(two.attention[:, head], query) for head in (head_A, head_B)]
    maps.append(masked(one.attention[:, 0], query))
    names = ("The head that finds A", "The head that finds B", "One head alone")
    rows = [
        grid(
            maps[m][0],
            (example.tokens[query],),
            example.tokens,
            theme=theme,
            title=name,
            kind="weights",
            visible=np.arange(query + 1)[None] < query,
            outlines=[Outline(column=place, role="key") for place in matches],
            axes=("asks", ""),
            height=180,
            width=270,
        )
        for m, (name, matches) in enumerate(
            zip(names, (example.match[:1], example.match[1:], example.match), strict=True)
        )
    ]
    assert two.specialisation is not None
    split = two.specialisation[: last + 1]
    figures = [
        curves(
            [
                Curve("two heads, all of it", ticks, losses[0], faint=True),
                Curve("one head, all of it", ticks, losses[1], "query", faint=True),
                Curve("two heads", ticks[:1], losses[0][:1]),
                Curve("one head", ticks[:1], losses[1][:1], "query"),
                Curve("always saying 0", ticks[[0, -1]], np.full(2, two.no_skill_loss), "key", "dot"),
            ],
            theme=theme,
            title="Loss on 256 examples never trained on",
            axes=("step", "loss"),
            log_y=True,
            height=300,
        ),
        curves(
            [Curve("all of it", ticks, split, faint=True), Curve("specialisation", ticks[:1], split[:1])],
            theme=theme,
            title="How far the heads share out the work",
            axes=("step", "0 = alike, 1 = one type each"),
            y_range=(0, 1.02),
            height=300,
        ),
        *rows,
    ]
    texts = [two_heads_text(two, one, r, (head_A, head_B)) for r in range(last // RECORD_EVERY + 1)]
    alts = [
        f"Loss over {last} steps: two heads end at {losses[0][-1]:.4f}, one head at {losses[1][-1]:.4f}",
        f"Specialisation ends at {split[-1]:.2f}",
        *(
            f"{name}: {captions.listens(example.tokens, query, np.nan_to_num(m[last // RECORD_EVERY, 0]))}"
            for name, m in zip(names, maps, strict=True)
        ),
    ]
    shown = printed(losses[0])
    table = table_of(
        {
            "step": [str(step) for step in shown],
            "two heads": [f"{losses[0][step]:.4f}" for step in shown],
            "one head": [f"{losses[1][step]:.4f}" for step in shown],
            "specialisation": [f"{split[step]:.4f}" for step in shown],
        }.items()
    )
    prefix = [(0, 2, losses[0]), (0, 3, losses[1]), (1, 1, split)]
    return Picture(
        "Two heads learn",
        figures,
        alts,
        table,
        two_lookups_program(seed, schedule, target, collide, shown),
        caption=texts[0],
        joints=[""] * (len(figures) - 1),
        recording=Recording(
            id=f"{seed} {target} {collide}",
            last=last,
            tracks=[
                *(Track(f, t, "x", ticks, prefix=True) for f, t, _ in prefix),
                *(Track(f, t, "y", y, prefix=True) for f, t, y in prefix),
                *(Track(f, 0, "z", m, RECORD_EVERY) for f, m in enumerate(maps, 2)),
            ],
            captions=texts,
            every=RECORD_EVERY,
        ),
    )


def two_heads_text(two: TwoLookupsRun, one: TwoLookupsRun, record: int, heads: tuple[int, int]) -> str:
    """What one record says."""
    step = int(two.recorded[record])
    on_A, on_B = (captions.percent(float(two.on_match[step, head, kind])) for kind, head in enumerate(heads))
    return (
        f"Step {step}: one head gives the right A token {on_A}, the other the right B token {on_B}; "
        f"the loss is {two.loss[step]:.3f} with two heads and {one.loss[step]:.3f} with one"
    )


def removed_heads(seed: int, steps: int, schedule: Schedule, target: str, collide: bool, theme: str) -> Picture:
    """What is left of two trained heads when one of them is taken out."""
    run = two_lookups(seed, steps=steps, lr=schedule, target=target, collide=collide)
    head_A, head_B = match_heads(run)
    without = [remove_head(run, head) for head in (head_A, head_B)]
    names = ("both heads", "without A's", "without B's")
    ends = np.array([float(run.loss[-1]), *(float(w.loss[-1]) for w in without)])
    title = "Held-out loss at the end; dotted: always saying 0"
    top = max(float(ends.max()), run.no_skill_loss)
    figure = bars(ends, names, theme=theme, title=title, top=top, line=run.no_skill_loss)
    alt = f"Loss {ends[0]:.3f} with both heads, {ends[1]:.2f} and {ends[2]:.2f} with one of them taken out"
    table = table_of({"model": list(names), "loss": [f"{end:.4f}" for end in ends]}.items())
    report = [int(run.steps[-1])]
    program = two_lookups_program(seed, schedule, target, collide, report, removed=(head_A, head_B))
    return Picture("A head removed after training", [figure], [alt], table, program)
