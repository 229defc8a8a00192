"""Stand-alone numpy programs of chapter 13: the two layers set by hand, and their training."""

from __future__ import annotations

from collections.abc import Sequence

_BY_HAND = """
words = list(dict.fromkeys(tokens))                             # each word once, in the order of appearance
V = len(words)                                                  # column V stands for the start token
again = [i for i, t in enumerate(tokens) if t in tokens[:i]]       # places whose word has stood before

def two_layers(start_token, removed):
    first = int(start_token)
    ids = [V] * first + [words.index(t) for t in tokens]
    m = len(ids)                                                # places
    token, place, next_place = np.eye(V + 1)[ids], np.eye(m), np.eye(m, k=1)

    def attend(Q, K, values, layer):
        logits = np.where(np.tri(m, dtype=bool), beta * Q @ K.T, -np.inf)       # causal
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        weights = weights / weights.sum(axis=1, keepdims=True) * (layer != removed)
        return weights, weights @ values

    map_1, slot = attend(place, next_place, token, 1)           # looks one place back, notes the token
    map_2, output = attend(token, slot, token, 2)               # looks for its own token among the notes
    logits = output[:, :V]
    best = logits.round(9).argmax(axis=1)
    predicted = [words[b] if row.any() else "nothing" for b, row in zip(best, logits)]
    return map_1, slot, map_2, logits, predicted

def row(name, cells):
    print(name, *(cell if isinstance(cell, str) else f"{cell:.2f}" for cell in cells), sep="\\t")
"""

LAYER_1 = """
map_1, slot, *_ = two_layers(start_token, removed)
for i in range(len(names)): row(names[i], [*map_1[i], *slot[i]])"""

LAYER_2 = """
_, _, map_2, logits, predicted = two_layers(start_token, removed)
for i in range(len(names)): row(names[i], [*map_2[i], *logits[i], predicted[i]])"""

BREAKS = """
def judge(start_token, removed):
    _, _, map_2, _, predicted = two_layers(start_token, removed)
    first, right, mass = int(start_token), [], []
    for i in again:
        behind = [first + j + 1 for j in range(i) if tokens[j] == tokens[i]]   # behind earlier appearances
        mass.append(map_2[first + i, behind].sum())
        if i + 1 < len(tokens):
            right.append(float(predicted[first + i] == tokens[i + 1]))
    return [sum(x) / len(x) if x else "none" for x in (right, mass)]

row("both layers", judge(True, None))
row("no layer 1", judge(True, 1))
row("no layer 2", judge(True, 2))
row("no start", judge(False, None))"""

_TRAINING = """
V, T, d, d_k, B = 20, 24, 32, 16, 32                            # words, places, widths, batch

def repeated(words, before, period):                            # so many words once, then a block, over and over
    at = np.arange(T + 1)
    which = np.where(at < before, at, before + (at - before) % period)
    text = np.take_along_axis(words, which, axis=1)
    return text[:, :-1], text[:, 1:], at[:-1] >= before + period    # words, next words, predictable

def draw(rng, n):
    words = rng.random((n, V)).argsort(axis=1)
    return repeated(words, rng.integers(0, 9, (n, 1)), rng.integers(6, 11, (n, 1)))

def few_rows(x):                                                # small products keep to one thread
    return x.reshape(-1, gcd(len(x), 8 * T), x.shape[1])

def times(x, W): return (few_rows(x) @ W).reshape(len(x), -1)
def over_rows(x, y): return (few_rows(x).mT @ few_rows(y)).sum(axis=0)

def views(numbers, n_layers):                                   # W_E, W_P, W_U, then W_Q, W_K, W_V, W_O a layer
    shapes = [(V, d), (T, d), (d, V)] + [(d, d_k), (d, d_k), (d, d_k), (d_k, d)] * n_layers
    ends = np.cumsum([a * b for a, b in shapes])
    parts = [part.reshape(shape) for part, shape in zip(np.split(numbers, ends[:-1]), shapes)]
    return parts[:3], [parts[i : i + 4] for i in range(3, len(parts), 4)]

def forward(W, tokens):
    (W_E, W_P, _), layers = W
    n, x, steps = len(tokens), W_E[tokens.ravel()], []
    hidden = np.where(np.tri(T, dtype=bool), 0, -np.inf).astype(x.dtype)        # causal
    for W_Q, W_K, W_V, W_O in layers:
        xp = (x.reshape(n, T, -1) + W_P).reshape(n * T, -1)     # positions for queries and keys alone
        Q, K, values = times(xp, W_Q), times(xp, W_K), times(x, W_V)
        a = Q.reshape(n, T, -1) @ K.reshape(n, T, -1).mT * d_k**-0.5 + hidden
        a = np.exp(a - a.max(axis=-1, keepdims=True))
        a /= a.sum(axis=-1, keepdims=True)
        mix = (a @ values.reshape(n, T, -1)).reshape(n * T, -1)
        steps.append((x, xp, Q, K, values, a, mix))
        x = x + times(mix, W_O)
    return x, steps

def cross_entropy(W, x, batch):                                 # at predictable places only
    rows = np.flatnonzero(batch[2])
    logits = times(x, W[0][2])[rows]
    logits -= logits.max(axis=1, keepdims=True)
    exps = np.exp(logits)
    total = exps.sum(axis=1, keepdims=True)
    right = logits[np.arange(len(rows)), batch[1].ravel()[rows]]
    return float((np.log(total[:, 0]) - right).mean()), exps / total, rows

def gradient(W, batch, dW):
    (W_E, W_P, W_U), layers = W
    tokens, following, _ = batch
    x, steps = forward(W, tokens)
    _, probabilities, rows = cross_entropy(W, x, batch)
    d_logits = np.zeros((B * T, V), x.dtype)
    d_logits[rows] = probabilities
    d_logits[rows, following.ravel()[rows]] -= 1
    d_logits /= len(rows)
    dW[0][2][:] = over_rows(x, d_logits)
    dx = times(d_logits, W_U.T)
    dW[0][1][:] = 0
    for (W_Q, W_K, W_V, W_O), d_layer, step in zip(layers[::-1], dW[1][::-1], steps[::-1]):
        x, xp, Q, K, values, a, mix = step
        d_layer[3][:] = over_rows(mix, dx)
        d_mix = times(dx, W_O.T).reshape(B, T, -1)
        dV = (a.mT @ d_mix).reshape(B * T, -1)
        da = d_mix @ values.reshape(B, T, -1).mT
        ds = a * (da - np.vecdot(a, da)[..., None]) * d_k**-0.5
        dQ = (ds @ K.reshape(B, T, -1)).reshape(B * T, -1)
        dK = (ds.mT @ Q.reshape(B, T, -1)).reshape(B * T, -1)
        for into, y, dy in zip(d_layer, (xp, xp, x), (dQ, dK, dV)):
            into[:] = over_rows(y, dy)
        dxp = times(dQ, W_Q.T) + times(dK, W_K.T)
        dW[0][1][:] += dxp.reshape(B, T, -1).sum(axis=0)
        dx = dx + dxp + times(dV, W_V.T)
    dW[0][0][:] = over_rows(np.eye(V, dtype=dx.dtype)[tokens.ravel()], dx)

held_out = draw(np.random.default_rng(2**32), 128)
tokens, _, predictable = held_out
places = np.zeros((128, T, T), bool)                            # behind earlier appearances of the same word
places[..., 1:] = tokens[:, :, None] == tokens[:, None, :-1]
places &= np.tri(T, dtype=bool) & predictable[..., None]
read = places.any(axis=1)

def judge(W):                                                   # loss, accuracy, previous, induction score
    x, steps = forward(W, tokens)
    loss, probabilities, rows = cross_entropy(W, x, held_out)
    accuracy = (probabilities.argmax(axis=1) == held_out[1].ravel()[rows]).mean()
    back = np.diagonal(steps[0][5], -1, 1, 2)[read[:, 1:]].mean(dtype=float)
    return loss, accuracy, back, (steps[-1][5] * places).sum(axis=2)[predictable].mean(dtype=float)

def train(n_layers):
    rng = np.random.default_rng(seed)
    size = V * d + T * d + d * V + 4 * d * d_k * n_layers
    numbers = (rng.standard_normal(size) / sqrt(d)).astype(np.float32)
    slope, W = np.empty_like(numbers), views(numbers, n_layers)
    for layer in W[1]:
        layer[3][:] *= sqrt(d / d_k)
    dW, results = views(slope, n_layers), {}
    mean, square = np.zeros_like(numbers), np.zeros_like(numbers)
    for step in range(printed[-1] + 1):
        if step in printed:
            results[step] = judge(W)
        gradient(W, draw(rng, B), dW)
        mean += 0.1 * (slope - mean)                            # Adam
        square += 0.001 * (slope * slope - square)
        size = np.sqrt(square / (1 - 0.999 ** (step + 1))) + 1e-8
        numbers -= 5e-3 / (1 - 0.9 ** (step + 1)) * mean / size
    return results

two, one = train(2), train(1)
for step in printed:
    numbers = two[step][0], one[step][0], two[step][1], one[step][1], *two[step][2:]
    print(step, *(f"{x:.3f}" for x in numbers), sep="\\t")
"""


def by_hand_program(
    title: str,
    tokens: Sequence[str],
    names: Sequence[str],
    beta: float,
    start_token: bool,
    removed: int | None,
    report: str,
) -> str:
    """Write the two layers set by hand as a program.

    Parameters
    ----------
    title : str
        The picture's name.
    tokens, names : sequence of str
        The words, and what the places are called, the start token among them.
    beta, start_token, removed
        As in `attention_core.induction.hand_set`.
    report : str
        `LAYER_1`, `LAYER_2` or `BREAKS`.

    Returns
    -------
    str
        The program's text.

    Examples
    --------
    >>> by_hand_program("Layer 1", "ABA", "sABA", 4.0, True, None, LAYER_1).splitlines()[0]
    '# Attention Lab: Layer 1'
    """
    return "\n".join(
        [
            f"# Attention Lab: {title}",
            "import numpy as np",
            "",
            f"tokens = [{', '.join(map(ascii, tokens))}]",
            f"names = [{', '.join(map(ascii, names))}]",
            f"beta = {repr(beta).removesuffix('.0')}",
            f"start_token, removed = {start_token}, {removed}  # removed: None, 1 or 2",
            _BY_HAND.rstrip(),
            report,
            "",
        ]
    )


def training_program(seed: int, printed: list[int]) -> str:
    """Write the training of two layers, and of one, as a program that prints the measures at some steps.

    Parameters
    ----------
    seed : int
        As in `attention_core.induction.train`.
    printed : list of int
        The steps to print.

    Returns
    -------
    str
        The program's text.

    Examples
    --------
    >>> training_program(0, [0]).splitlines()[0]
    '# Attention Lab: two layers learn to copy, and one layer tries'
    """
    return "\n".join(
        [
            "# Attention Lab: two layers learn to copy, and one layer tries",
            "from math import gcd, sqrt",
            "import numpy as np",
            "",
            f"seed, printed = {seed}, {printed}",
            _TRAINING.rstrip(),
            "",
        ]
    )
