"""What training learns, over many seeds, and where it does not."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_core.learning import (
    match_heads,
    remove_head,
    train_lookup,
    train_two_lookups,
)

# Training works: the statistics over seeds, and where it does not


def test_lookup_is_learned_from_any_start() -> None:
    for seed in range(50):
        run = train_lookup(seed)
        assert run.loss[100] <= run.loss[0] / 10
        assert run.match[100] >= 0.85
        assert run.match[300] >= 0.94
        assert run.attention[-1, -1].argmax() == run.example.match[0]


@pytest.mark.parametrize("seed", range(5))
def test_a_query_that_sees_itself_ends_half_on_itself(seed: int) -> None:
    run = train_lookup(seed, steps=1500, attend_self=True)
    assert 0.45 <= run.match[-1] <= 0.55
    assert_allclose(run.attention[-1, -1, [2, 3]], 0.5, atol=0.05)  # on its match, and on itself
    assert_allclose(run.W_V[-1, 3:], 2 * np.eye(3), atol=0.1)
    assert run.loss[-1] < 0.01


@pytest.mark.parametrize("lr", [0.01, 0.03, 0.1, 0.3, 0.9])
def test_rates_that_do_not_diverge(lr: float) -> None:
    for seed in range(5):
        run = train_lookup(seed, lr=lr)
        assert run.diverged_at is None
        assert len(run.loss) == 301
        assert run.loss[-1] < run.loss[0]


def test_two_heads_specialise_where_one_stays_at_half() -> None:
    for seed in range(20):
        two, one = train_two_lookups(seed), train_two_lookups(seed, n_heads=1)
        assert two.loss[-1] < 0.05 * two.no_skill_loss
        assert two.specialisation is not None
        assert two.specialisation[-1] > 0.9
        assert two.lookup is not None
        assert two.lookup[-1] > 0.9
        assert 0.4 * one.no_skill_loss < one.loss[-1] < 0.6 * one.no_skill_loss
        assert one.diverged_at is None


def test_one_head_with_as_many_numbers_stays_at_half_too() -> None:
    run = train_two_lookups(n_heads=1, d_k=8, d_v=6, lr=0.1)
    two = train_two_lookups()
    assert sum(W[0].size for W in (run.W_Q, run.W_K, run.W_V, run.W_O)) == sum(
        W[0].size for W in (two.W_Q, two.W_K, two.W_V, two.W_O)
    )
    assert 0.4 < run.loss[-1] / run.no_skill_loss < 0.6


def test_one_head_learns_the_sum_unless_keys_collide() -> None:
    apart, colliding = (
        train_two_lookups(n_heads=1, target="sum", steps=500, collide=collide) for collide in (False, True)
    )
    assert apart.loss[-1] < 0.02 * apart.no_skill_loss
    assert_allclose(apart.attention[-1, 0, -1, [2, 3]], 0.5, atol=0.06)  # half on each, then doubled
    assert colliding.loss[-1] > 0.15 * colliding.no_skill_loss


# Which head is which, and what is left without it


def test_heads_are_matched_to_what_they_look_up() -> None:
    found = set()
    for seed in range(6):
        run = train_two_lookups(seed)
        a, b = match_heads(run)
        found.add((a, b))
        assert run.on_match[-1, a, 0] > 0.9
        assert run.on_match[-1, b, 1] > 0.9
        assert run.on_type_A[-1, a] > 0.9 > 0.1 > run.on_type_A[-1, b]
        assert_array_equal(run.attention[-1, [a, b], -1].argmax(axis=1), run.example.match)
        assert run.lookup is not None
        assert_allclose(run.lookup[-1], (run.on_match[-1, a, 0] + run.on_match[-1, b, 1]) / 2)
        swapped_first = np.concatenate([run.on_match[-1:, ::-1], run.on_match[-1:]])
        assert match_heads(replace(run, on_match=swapped_first)) == (a, b)  # the end counts
    assert found == {(0, 1), (1, 0)}  # they come out either way round
    assert match_heads(train_two_lookups(n_heads=1, steps=5)) == (0, 0)
    three = match_heads(train_two_lookups(n_heads=3, steps=400))
    assert three[0] != three[1]


def test_removing_a_head_takes_away_its_lookup_alone() -> None:
    run = train_two_lookups(2)
    for head, lost, kept in zip(match_heads(run), ("loss_A", "loss_B"), ("loss_B", "loss_A"), strict=True):
        removed = remove_head(run, head)
        assert removed.head == head
        assert_array_equal(removed.recorded, run.recorded)
        assert getattr(removed, lost)[-1] == pytest.approx(run.no_skill_loss / 2, rel=0.1)
        assert getattr(removed, kept)[-1] < 0.05
        assert removed.loss_A is not None
        assert removed.loss_B is not None
        assert_allclose(removed.loss, removed.loss_A + removed.loss_B)
        assert (removed.loss > 0).all()
        with pytest.raises(ValueError, match="read-only"):
            removed.loss[:] = 0


def test_removing_a_head_is_training_without_its_output() -> None:
    run = train_two_lookups(steps=30, target="sum", collide=False)
    removed = remove_head(run, 1)
    assert removed.loss_A is None
    assert removed.loss_B is None
    alone = remove_head(train_two_lookups(n_heads=1, steps=30), 0)
    assert_allclose(alone.loss, alone.loss[0])  # the only head: nothing is said
    assert alone.loss[0] == pytest.approx(train_two_lookups(steps=0).no_skill_loss)
    with pytest.raises(ValueError, match="head must be a whole number from 0 to 1, got 2"):
        remove_head(run, 2)
