"""Stand-alone numpy training programs that print the same losses as the pages."""

from __future__ import annotations

from attention_core.learning.descent import Schedule

_LOOKUP = """
ids, layouts = np.eye(3), []                    # 18 layouts: any order of the candidates, any of them asked for
for order in permutations(range(3)):
    for asked in range(3):
        layouts.append((np.pad(ids[[*order, asked]], [(0, 0), (0, 3)]), order.index(asked)))
tokens, match = np.array([t for t, _ in layouts]), np.array([m for _, m in layouts])

def draw(rng, *shape):
    which = rng.integers(len(tokens), size=shape)
    payloads = rng.standard_normal((*shape, 3, 3))
    X = tokens[which]                           # (..., 4, 6): three candidates [id | payload] and the query
    X[..., :3, 3:] = payloads
    target = np.take_along_axis(payloads, match[which][..., None, None], axis=-2)[..., 0, :]
    return X, match[which], target

def forward(X):
    keys = X if attend_self else X[:, :3]       # (B, n_k, 6)
    query = X[:, 3]                             # (B, 6)
    scores = np.einsum("bk,bjk->bj", query @ W_Q, keys @ W_K)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return keys, query, weights, np.einsum("bj,bjv->bv", weights, keys @ W_V)

def judge(step):
    X, found, target = held_out
    _, _, weights, output = forward(X)
    loss = ((output - target) ** 2).sum(axis=1).mean()
    print(step, f"{loss:.4f}", f"{weights[np.arange(len(X)), found].mean():.4f}", sep="\\t")

held_out = draw(np.random.default_rng(2**32), 256)
rng = np.random.default_rng(seed)
W_Q, W_K, W_V = (rng.normal(scale=0.2, size=(6, width)) for width in (4, 4, 3))
for step in range(steps + 1):
    if step in printed:
        judge(step)
    if step % 50 == 0:
        batches = draw(rng, 50, 32)
    X, _, target = (x[step % 50] for x in batches)
    keys, query, weights, output = forward(X)
    d_output = 2 * (output - target) / len(X)                   # (B, 3)
    d_weights = np.einsum("bv,bjv->bj", d_output, keys @ W_V)
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=1, keepdims=True))
    dq = np.einsum("bj,bjk->bk", d_scores, keys @ W_K)
    dK = d_scores[..., None] * (query @ W_Q)[:, None]           # (B, n_k, d_k)
    dV = weights[..., None] * d_output[:, None]                 # (B, n_k, 3)
    rate = [r for start, r in schedule if start <= step][-1]
    W_Q, W_K, W_V = (
        W_Q - rate * query.T @ dq,
        W_K - rate * np.einsum("bjd,bjk->dk", keys, dK),
        W_V - rate * np.einsum("bjd,bjv->dv", keys, dV),
    )
"""

_TWO_LOOKUPS = """
types, keys, layouts = np.eye(2), np.eye(3), []
for slots in sorted(set(permutations((0, 0, 1, 1)))):           # which type stands where
    for keys_A, keys_B in product(permutations(range(3), 2), repeat=2):
        for a, b in product((0, 1), repeat=2):                  # which pair of each type is asked for
            collides = keys_A[1 - a] == keys_B[b] or keys_B[1 - b] == keys_A[a]
            if collides and not collide:
                continue
            at_A, at_B = np.flatnonzero(np.equal(slots, 0)), np.flatnonzero(np.equal(slots, 1))
            key = np.empty(4, int)
            key[at_A], key[at_B] = keys_A, keys_B
            pairs = np.hstack([types[list(slots)], keys[key], np.zeros((4, 3))])
            query = np.hstack([[1], keys[keys_A[a]], [1], keys[keys_B[b]]])
            layouts.append((np.vstack([pairs, query]), (at_A[a], at_B[b])))
tokens, match = np.array([t for t, _ in layouts]), np.array([m for _, m in layouts])

def draw(rng, *shape):
    which = rng.integers(len(tokens), size=shape)
    payloads = rng.standard_normal((*shape, 4, 3))
    X = tokens[which]                                           # (..., 5, 8): four pairs and the query
    X[..., :4, 5:] = payloads
    found = [np.take_along_axis(payloads, match[which][..., m, None, None], -2)[..., 0, :] for m in (0, 1)]
    return X, np.concatenate(found, -1) if target == "concat" else found[0] + found[1]

def forward(X, W):
    W_Q, W_K, W_V, W_O = W                                      # (h, 8, 4), (h, 8, 4), (h, 8, 3), (h, 3, d_out)
    q = np.einsum("bd,hdk->bhk", X[:, 4], W_Q)
    K, V = (np.einsum("bjd,hdk->bhjk", X[:, :4], M) for M in (W_K, W_V))
    scores = np.einsum("bhk,bhjk->bhj", q, K)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    heads = np.einsum("bhj,bhjv->bhv", weights, V)
    return q, K, V, weights, heads, np.einsum("bhv,hvo->bo", heads, W_O)

held_out = draw(np.random.default_rng(2**32), 256)

def judge(W):
    X, wanted = held_out
    *_, weights, _, output = forward(X, W)
    on_A = (weights * X[:, None, :4, 0]).sum(-1).mean(0)        # mean weight of each head on type A
    return ((output - wanted) ** 2).sum(1).mean(), on_A.max() - on_A.min()

def train(n_heads):
    rng, d_out = np.random.default_rng(seed), 6 if target == "concat" else 3
    shapes = [(n_heads, 8, 4), (n_heads, 8, 4), (n_heads, 8, 3), (n_heads, 3, d_out)]
    W = [rng.normal(scale=0.3, size=shape) for shape in shapes]
    results = {}
    for step in range(printed[-1] + 1):
        if step in printed:
            results[step] = (*judge(W), W)
        if step % 50 == 0:
            batches = draw(rng, 50, 32)
        X, wanted = (x[step % 50] for x in batches)
        q, K, V, weights, heads, output = forward(X, W)
        d_output = 2 * (output - wanted) / len(X)
        d_heads = np.einsum("bo,hvo->bhv", d_output, W[3])
        d_weights = np.einsum("bhv,bhjv->bhj", d_heads, V)
        d_scores = weights * (d_weights - (weights * d_weights).sum(-1, keepdims=True))
        gradients = [
            np.einsum("bd,bhj,bhjk->hdk", X[:, 4], d_scores, K),
            np.einsum("bjd,bhj,bhk->hdk", X[:, :4], d_scores, q),
            np.einsum("bjd,bhj,bhv->hdv", X[:, :4], weights, d_heads),
            np.einsum("bhv,bo->hvo", heads, d_output),
        ]
        rate = [r for start, r in schedule if start <= step][-1]
        W = [M - rate * dM for M, dM in zip(W, gradients)]
    return results
"""

_COMPARE = """
two, one = train(2), train(1)
for step in printed:
    print(step, f"{two[step][0]:.4f}", f"{one[step][0]:.4f}", f"{two[step][1]:.4f}", sep="\\t")
"""

_REMOVE = """
loss, _, W = train(2)[printed[-1]]
print("both heads", f"{loss:.4f}", sep="\\t")
for name, head in zip("AB", removed):
    silenced = W[3].copy()
    silenced[head] = 0                                          # its part of W_O
    print(f"without {name}'s", f"{judge([*W[:3], silenced])[0]:.4f}", sep="\\t")
"""


def two_lookups_program(
    seed: int,
    schedule: Schedule,
    target: str,
    collide: bool,
    printed: list[int],
    removed: tuple[int, int] | None = None,
) -> str:
    """Write the training of chapter 8 as a program.

    It prints step, loss of two heads and of one, and specialisation; or, where heads are to be removed, the
    losses at the last step with both heads and without each.

    Parameters
    ----------
    seed, schedule, target, collide
        As in `attention_core.learning.train_two_lookups`.
    printed : list of int
        The steps to print.
    removed : tuple of int, optional
        The heads to be silenced in turn.

    Returns
    -------
    str
        The program's text.

    Examples
    --------
    >>> two_lookups_program(0, ((0, 0.05),), "concat", True, [0]).splitlines()[0]
    '# Attention Lab: two lookups, two heads'
    """
    return "\n".join(
        [
            "# Attention Lab: two lookups, two heads",
            "from itertools import permutations, product",
            "import numpy as np",
            "",
            f"seed, target, collide = {seed}, {target!r}, {collide}",
            f"schedule = {list(schedule)}  # from which step on which learning rate",
            f"printed = {printed}",
            *([f"removed = {removed}"] if removed else []),
            _TWO_LOOKUPS.rstrip(),
            (_REMOVE if removed else _COMPARE).rstrip(),
            "",
        ]
    )


def lookup_program(seed: int, steps: int, schedule: Schedule, attend_self: bool, printed: list[int]) -> str:
    """Write the training of chapter 7 as a program that prints step, loss and weight on the match.

    Parameters
    ----------
    seed, steps, schedule, attend_self
        As in `attention_core.learning.train_lookup`.
    printed : list of int
        The steps to print.

    Returns
    -------
    str
        The program's text.

    Examples
    --------
    >>> lookup_program(0, 5, ((0, 0.1),), False, [0, 5]).splitlines()[0]
    '# Attention Lab: one head learns to look something up'
    """
    return "\n".join(
        [
            "# Attention Lab: one head learns to look something up",
            "from itertools import permutations",
            "import numpy as np",
            "",
            f"seed, steps, attend_self = {seed}, {steps}, {attend_self}",
            f"schedule = {list(schedule)}  # from which step on which learning rate",
            f"printed = {printed}",
            _LOOKUP.rstrip(),
            "",
        ]
    )
