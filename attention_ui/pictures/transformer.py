"""The pictures of the rest of the block: a residual stream, cross-attention, words one by one, both circuits."""

from __future__ import annotations

import numpy as np

from attention_core import FEATURES, ov_circuit, qk_circuit
from attention_ui import captions, stacks
from attention_ui.escape import labels
from attention_ui.figures import Curve, Outline, Series, compare, curves, grid
from attention_ui.pictures.dashboard import named_rows
from attention_ui.programs import attention_program
from attention_ui.settings import Settings
from attention_ui.show import Picture, table_of

_STACK = """
blocks, seed, norm = {blocks}, {seed}, "{norm}"
rng = np.random.default_rng(seed)
entries = lambda *shape: rng.normal(0, 1 / np.sqrt(shape[-2]), shape)

def layer_norm(x):
    return (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1 / 100_000)

def gelu(x):  # x times the normal distribution function, summed up as a series
    term = total = x
    for k in range(3, 200, 2):
        term = term * x**2 / k
        total = total + term
    return x * np.clip(1 / 2 + total * np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi), 0, 1)

def attention_part(x, Wq, Wk, Wv, Wo):
    parts = []
    for h in range(2):
        logits = np.where(may_look, (x @ Wq[h]) @ (x @ Wk[h]).T / np.sqrt(2), -np.inf)
        w = np.exp(logits - logits.max(axis=1, keepdims=True))
        parts.append(w / w.sum(axis=1, keepdims=True) @ (x @ Wv[h]))
    return np.hstack(parts) @ Wo

x = X
row("start", [*x[focus], np.linalg.norm(x[focus]), 0])
for b in range(1, blocks + 1):
    Wq, Wk, Wv = entries(2, 4, 2), entries(2, 4, 2), entries(2, 4, 2)
    Wo, W1, W2 = entries(4, 4), entries(4, 16), entries(16, 4)
    for part in ("attention", "MLP"):
        y = layer_norm(x) if norm == "pre" else x
        added = attention_part(y, Wq, Wk, Wv, Wo) if part == "attention" else gelu(y @ W1) @ W2
        x = x + added if norm == "pre" else layer_norm(x + added)
        row(f"{{b}} {{part}}", [*x[focus], np.linalg.norm(x[focus]), np.linalg.norm(added[focus])])
"""


def residual_stream(settings: Settings, blocks: int, seed: int, norm: str, theme: str) -> Picture:
    """The focus word's vector on its way up a stack of random blocks, and how much each part adds."""
    trace, i, names = stacks.stack(settings, blocks, seed, norm), settings.focus, labels(settings.tokens)
    parts = ["start", *(f"{b} {part}" for b in range(1, blocks + 1) for part in ("attention", "MLP"))]
    vectors, lengths = trace.stream[:, i], trace.lengths[:, i]
    added = np.concatenate([[0.0], trace.added_lengths[:, i]])
    x = np.arange(len(parts)) / 2
    figures = [
        grid(
            vectors,
            parts,
            [str(feature) for feature in range(1, 5)],
            theme=theme,
            title=f"The vector of {names[i]}, part by part",
            axes=("after part", "entry"),
            height=330,
        ),
        curves(
            [Curve("length of the vector", x, lengths), Curve("length of what was added", x[1:], added[1:], "query")],
            theme=theme,
            title=f"{norm}-norm: length, and what each part adds",
            axes=("blocks passed", "length"),
            markers=True,
            y_range=(0.0, 1.1 * max(1.0, float(lengths.max()), float(added.max()))),
            height=360,
        ),
    ]
    most = int(added.argmax())
    alts = [
        f"{names[i]} starts as {captions.vector(vectors[0])} and ends as {captions.vector(vectors[-1])}",
        f"Its length goes from {captions.number(lengths[0])} to {captions.number(lengths[-1])}; "
        f"{parts[most]} adds most, {captions.number(added[most])}",
    ]
    columns = {f"entry {k + 1}": vectors[:, k] for k in range(4)} | {"length": lengths, "length added": added}
    table = table_of({"after": parts, **columns}.items())
    name = "The residual stream"
    program = attention_program(settings, name, _STACK.format(blocks=blocks, seed=seed, norm=norm))
    return Picture(name, figures, alts, table, program, f"{alts[0]}. {alts[1]}.", [""])


def cross_grid(settings: Settings, other: Settings, theme: str) -> Picture:
    """Queries of one sentence looking at keys of another."""
    trace, here, there = stacks.cross(settings, other), labels(settings.tokens), labels(other.tokens)
    i = settings.focus
    figures = [
        grid(
            trace.weights,
            settings.tokens,
            other.tokens,
            theme=theme,
            title=f"{len(here)} queries × {len(there)} keys",
            kind="weights",
            outlines=[Outline(row=i)],
            axes=("listens", "is heard, in the other sentence"),
        ),
        grid(trace.output, settings.tokens, ("x", "y"), theme=theme, title="Output", outlines=[Outline(row=i)]),
    ]
    best = captions.winners(trace.weights[i])
    heard = captions.listed([there[j] for j in best])
    each = " each" if len(best) > 1 else ""
    alts = [
        f"{here[i]} listens most to {heard} of the other sentence, {captions.percent(trace.weights[i, best[0]])}{each}",
        f"{here[i]} becomes {captions.vector(trace.output[i])}",
    ]
    columns = (*(f"to {name}" for name in there), "x", "y")
    table = named_rows("listens", here, np.hstack([trace.weights, trace.output]), columns)
    name = "Cross-attention"
    first = attention_program(other.but(mask="none"), name, "other_K, other_V = K @ R, V")
    report = """
logits = (Q @ rotation(head_angles[shown]) @ R) @ other_K.T / (np.sqrt(d_k) if scaled else 1)
w = np.exp(logits - logits.max(axis=1, keepdims=True))
w = w / w.sum(axis=1, keepdims=True)
for i in range(n): row(names[i], [*w[i], *(w @ other_V)[i]])"""
    second = attention_program(settings, "the queries", report).replace("import numpy as np\n", "", 1)
    program = first + "\n" + second
    return Picture(name, figures, alts, table, program, f"{alts[0]}. {alts[1]}.", ["· V of the other →"])


def one_more_word(settings: Settings, word: int, theme: str) -> Picture:
    """What is computed for one more word, and what is reused: the causal grid row by row, and the count."""
    n, names = settings.n_tokens, labels(settings.tokens)
    found = [stacks.generated(settings, t) for t in range(word + 1)]
    weights = np.zeros((n, n))
    for t, each in enumerate(found):
        weights[t, : t + 1] = each.row.weights[0]
    drawn = np.tril(np.ones((n, n), bool)) & (np.arange(n) <= word)[:, None]
    figures = [
        grid(
            np.where(drawn, weights, -np.inf)[: word + 1],
            settings.tokens[: word + 1],
            settings.tokens,
            theme=theme,
            title="Only the last row is computed now",
            kind="weights",
            visible=drawn[: word + 1],
            outlines=[Outline(row=word)],
            axes=("listens", "is heard"),
            height=150 + 32 * min(word + 1, 7),
        ),
        compare(
            [
                Series("with a cache", np.array([t + 1.0 for t in range(n)])),
                Series("without", np.array([(t + 1.0) * (t + 2) / 2 for t in range(n)]), "query"),
            ],
            settings.tokens,
            theme=theme,
            title="Dot products for each new word",
            top=n * (n + 1) / 2,
            height=340,
        ),
    ]
    last = found[-1]
    alts = [
        f"{names[word]} computes {captions.counted(word + 1, 'dot product')}; "
        f"{f'{word} of the {word + 1} keys and values are' if word else 'no key or value is'} reused",
        f"All words so far: {captions.counted(last.cache.dot_products, 'dot product')} with a cache, "
        f"{last.without} without",
    ]
    rows = [
        (names[t], t + 1, t, each.cache.dot_products, each.without, *each.row.output[0].tolist())
        for t, each in enumerate(found)
    ]
    columns = ["word", "computed now", "keys reused", "in all", "in all, without a cache", "output x", "output y"]
    table = table_of(zip(columns, zip(*rows, strict=True), strict=True))
    report = f"""
q, k = Q @ rotation(head_angles[shown]) @ R, K @ R
cached_K, cached_V = np.zeros((0, d_k)), np.zeros((0, 2))
count = without = 0
for t in range({word} + 1):
    reused = len(cached_K)
    cached_K, cached_V = np.vstack([cached_K, k[t]]), np.vstack([cached_V, V[t]])  # one new key and value
    s = cached_K @ q[t] / (np.sqrt(d_k) if scaled else 1)                          # one new row of scores
    w = np.exp(s - s.max()) / np.exp(s - s.max()).sum()
    count, without = count + len(s), without + (t + 1) * (t + 2) // 2
    row("\\t".join(map(str, [names[t], len(s), reused, count, without])), cached_V.T @ w)"""
    name = "Word by word"
    program = attention_program(settings, name, report)
    return Picture(name, figures, alts, table, program, f"{alts[0]}. {alts[1]}.", [""])


def circuits(settings: Settings, theme: str) -> Picture:
    """The shown head as two matrices between features: where to look, and what to copy."""
    features = [str(feature) for feature in FEATURES]
    QK, OV = qk_circuit(settings.head), ov_circuit(settings.head, settings.heads)
    figures = [
        grid(QK, features, features, theme=theme, title="QK: where to look", axes=("who looks", "who is looked at")),
        grid(OV, features, features, theme=theme, title="OV: what to copy", axes=("who is heard", "what is added")),
    ]
    row, column = divmod(int(np.abs(QK).argmax()), 4)
    copied = captions.listed([features[k] for k in np.flatnonzero(np.diag(OV)).tolist()])
    alts = [
        f"The strongest entry of QK, {captions.number(QK[row, column])}, is where {features[row]} looks at "
        f"{features[column]}",
        f"OV copies {copied} into themselves",
    ]
    columns = (*(f"QK: {f}" for f in features), *(f"OV: {f}" for f in features))
    table = named_rows("feature", features, np.hstack([QK, OV]), columns)
    name = "Two circuits"
    plain = Settings(heads=settings.heads, head=settings.head)
    report = f"""
QK = W_Q @ rotation(head_angles[shown]) @ W_K.T
U = W_O @ np.array([[0.25, 0, 0, 0], [0, 0.25, 0, 0]])  # mixes the heads, writes back into the four features
OV = W_V @ U[2 * shown : 2 * shown + 2]
for f, name in enumerate({features!a}): row(name, [*QK[f], *OV[f]])"""
    return Picture(name, figures, alts, table, attention_program(plain, name, report), ". ".join(alts) + ".", [""])
