"""The examples that are drawn."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attention_core.learning.examples import Layouts, lookup_layouts, two_lookups_layouts


def test_lookup_layouts_by_hand() -> None:
    layouts = lookup_layouts()
    assert layouts.tokens.shape == (18, 4, 6)
    assert len({tokens.tobytes() for tokens in layouts.tokens}) == 18
    assert_array_equal(layouts.tokens[..., 3:], 0)
    for tokens, (match,) in zip(layouts.tokens, layouts.match, strict=True):
        assert sorted(tokens[:3, :3].argmax(axis=1)) == [0, 1, 2]
        assert_array_equal(tokens.sum(axis=1), 1)
        assert_array_equal(tokens[match], tokens[3])
    assert_array_equal(np.bincount(layouts.match[:, 0]), [6, 6, 6])


@pytest.mark.parametrize(("collide", "n_layouts"), [(True, 864), (False, 432)])
def test_two_lookups_layouts_by_hand(collide: bool, n_layouts: int) -> None:
    layouts = two_lookups_layouts("concat", collide)
    assert layouts.tokens.shape == (n_layouts, 5, 8)
    collisions = 0
    for tokens, (a, b) in zip(layouts.tokens, layouts.match, strict=True):
        pairs, query = tokens[:4], tokens[4]
        assert_array_equal(pairs[:, :2].sum(axis=0), [2, 2])  # two of each type
        assert_array_equal(pairs[:, 2:5].sum(axis=1), 1)
        assert len({pair.tobytes() for pair in pairs}) == 4  # keys are distinct within a type
        assert_array_equal(pairs[:, 5:], 0)
        assert_array_equal(query[[0, 4]], 1)
        assert_array_equal(pairs[a], [1, 0, *query[1:4], 0, 0, 0])
        assert_array_equal(pairs[b], [0, 1, *query[5:], 0, 0, 0])
        others = [pair for i, pair in enumerate(pairs) if i not in (a, b)]
        asked_of_the_other = [query[5:] if pair[0] else query[1:4] for pair in others]
        collisions += any((p[2:5] == k).all() for p, k in zip(others, asked_of_the_other, strict=True))
    assert collisions == (864 - 432 if collide else 0)
    assert_array_equal(np.bincount(layouts.match[:, 0]), [n_layouts / 4] * 4)


@pytest.mark.parametrize("attend_self", [False, True])
@pytest.mark.parametrize(
    "layouts",
    [lookup_layouts(), two_lookups_layouts("concat", True), two_lookups_layouts("sum", False)],
    ids=["lookup", "concat", "sum"],
)
def test_drawn_examples_ask_for_what_is_there(layouts: Layouts, attend_self: bool) -> None:
    batch, which = layouts.draw(np.random.default_rng(0), (40, 50), attend_self)
    n = layouts.tokens.shape[1] - 1
    assert batch.keys.shape == (40, 50, n + attend_self, layouts.tokens.shape[2])
    assert_array_equal(batch.query, layouts.tokens[which][..., -1, :])
    if attend_self:
        assert_array_equal(batch.keys[..., -1, :], batch.query)
    payloads = batch.keys[..., :n, -3:]
    assert abs(payloads.mean()) < 0.03
    assert abs(payloads.std() - 1) < 0.03
    for at in np.ndindex(40, 50):
        found = [payloads[at][m] for m in layouts.match[which[at]]]
        wanted = np.concatenate(found) if layouts.wanted == "concat" else sum(found)
        assert_array_equal(batch.target[at], wanted)
    counts = np.bincount(which.ravel(), minlength=len(layouts.tokens))
    assert counts.max() < 5 * counts.mean()
