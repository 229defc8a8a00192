from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from attention_core import attention, attention_backward
from attention_core.learning import (
    LookupRun,
    TwoLookupsRun,
    descent,
    train_lookup,
    train_two_lookups,
)
from attention_core.learning.examples import lookup_layouts

Array = NDArray[Any]
Run = LookupRun | TwoLookupsRun


def arrays(run: Run) -> dict[str, Array]:
    return {name: x for name, x in vars(run).items() if isinstance(x, np.ndarray)}


def assert_same(a: Run, b: Run) -> None:
    """Bit for bit."""
    assert arrays(a).keys() == arrays(b).keys()
    for name, x in arrays(a).items():
        assert_array_equal(x, arrays(b)[name], err_msg=name)
    assert a.diverged_at == b.diverged_at


def assert_beginning(short: Run, long: Run) -> None:
    """Bit for bit, as far as the short one goes."""
    for name, x in arrays(short).items():
        assert len(x) <= len(arrays(long)[name])
        assert_array_equal(x, arrays(long)[name][: len(x)], err_msg=name)


# What a run holds


def test_a_lookup_run_by_the_long_way_round() -> None:
    """The same training written plainly, on batches drawn as the run draws them."""
    run = train_lookup(seed=3, steps=60, lr=0.2)
    rng = np.random.default_rng(3)
    W_Q, W_K, W_V = (rng.normal(size=(6, d)) * 0.2 for d in (4, 4, 3))
    draws = [lookup_layouts().draw(rng, (50, 32))[0] for _ in range(2)]
    keys, query, target = (np.concatenate(x) for x in zip(*draws, strict=True))
    for step in range(61):
        if step % 5 == 0:
            for ours, theirs in zip((run.W_Q, run.W_K, run.W_V), (W_Q, W_K, W_V), strict=True):
                assert_allclose(ours[step // 5], theirs, rtol=0, atol=1e-12)
        x = query[step][:, None]  # (32, 1, 6)
        trace = attention(x @ W_Q, keys[step] @ W_K, keys[step] @ W_V, scale=1)
        d_output = 2 * (trace.output - target[step][:, None]) / 32
        dQ, dK, dV = attention_backward(d_output, trace)
        W_Q = W_Q - 0.2 * (x.mT @ dQ).sum(axis=0)
        W_K = W_K - 0.2 * (keys[step].mT @ dK).sum(axis=0)
        W_V = W_V - 0.2 * (keys[step].mT @ dV).sum(axis=0)


def test_what_a_lookup_run_holds() -> None:
    run = train_lookup(steps=52, d_k=5)
    assert_array_equal(run.steps, np.arange(53))
    assert run.loss.shape == run.match.shape == (53,)
    assert_array_equal(run.recorded, np.arange(0, 51, 5))
    assert run.W_Q.shape == run.W_K.shape == (11, 6, 5)
    assert run.W_V.shape == (11, 6, 3)
    assert run.attention.shape == (11, 4, 4)
    example = run.example
    assert (len(example.tokens), len(example.features)) == example.X.shape == (4, 6)
    assert example.query_features == example.features
    assert_array_equal(example.X[example.match[0], 3:], example.target)
    assert_array_equal(example.X[example.match[0], :3], example.X[-1, :3])
    assert_array_equal(run.attention[:, range(4), range(4)], 0)  # nobody looks at itself
    assert_allclose(run.attention.sum(axis=-1), 1)
    theirs = attention(example.X[-1:] @ run.W_Q[4], example.X[:3] @ run.W_K[4], np.eye(3), scale=1)
    assert_allclose(run.attention[4, -1, :3], theirs.weights[0])
    assert_array_equal(train_lookup(d_k=5, steps=0).loss, run.loss[:1])


@pytest.mark.parametrize("n_heads", [1, 2, 3])
@pytest.mark.parametrize(("target", "d_out"), [("concat", 6), ("sum", 3)])
def test_what_a_run_of_two_lookups_holds(n_heads: int, target: str, d_out: int) -> None:
    run = train_two_lookups(n_heads=n_heads, steps=12, d_k=5, d_v=2, target=target)
    assert_array_equal(run.steps, np.arange(13))
    assert_array_equal(run.recorded, [0, 5, 10])
    assert run.W_Q.shape == run.W_K.shape == (3, n_heads, 8, 5)
    assert run.W_V.shape == (3, n_heads, 8, 2)
    assert run.W_O.shape == (3, n_heads, 2, d_out)
    assert run.attention.shape == (3, n_heads, 5, 5)
    assert run.on_match.shape == (13, n_heads, 2)
    assert run.on_type_A.shape == (13, n_heads)
    assert (run.specialisation is None) == (run.lookup is None) == (n_heads == 1)
    if run.specialisation is not None and run.lookup is not None:
        assert_allclose(run.specialisation, run.on_type_A.max(axis=1) - run.on_type_A.min(axis=1))
        assert run.lookup.shape == (13,)
    example = run.example
    assert (len(example.tokens), len(example.features)) == example.X.shape == (5, 8)
    assert len(example.query_features) == 8
    a, b = example.match
    assert_array_equal(example.X[a, 2:5], example.X[-1, 1:4])
    assert_array_equal(example.X[b, 2:5], example.X[-1, 5:])
    assert (example.X[a, 0], example.X[b, 1]) == (1, 1)
    values = example.X[[a, b], 5:]
    assert_array_equal(example.target, values.ravel() if target == "concat" else values.sum(axis=0))
    assert_allclose(run.attention.sum(axis=-1), 1)
    assert_array_equal(run.attention[..., range(5), range(5)], 0)


def test_the_example_of_two_lookups_may_collide() -> None:
    collides, apart = (train_two_lookups(steps=0, collide=collide).example for collide in (True, False))
    assert collides.tokens == ("A1", "B2", "A2", "B3", "A2 B3?")
    assert apart.tokens == ("A1", "B1", "A2", "B3", "A2 B3?")


@pytest.mark.parametrize("run", [train_lookup(steps=5), train_two_lookups(steps=5)], ids=["A", "B"])
def test_a_run_is_read_only(run: Run) -> None:
    for x in (*arrays(run).values(), run.example.X, run.example.target):
        with pytest.raises(ValueError, match="read-only"):
            x[:] = 0
    with pytest.raises(FrozenInstanceError):
        run.loss = run.loss  # type: ignore[misc]


def test_baselines() -> None:
    lookup = train_lookup(steps=0)
    assert lookup.no_skill_loss == pytest.approx(3, rel=0.1)
    assert lookup.uniform_loss == pytest.approx(2, rel=0.1)
    concat, total = (train_two_lookups(steps=0, target=target) for target in ("concat", "sum"))
    assert concat.no_skill_loss == pytest.approx(6, rel=0.1)
    assert concat.uniform_loss == pytest.approx(4.5, rel=0.1)
    assert total.no_skill_loss == pytest.approx(6, rel=0.1)
    assert total.uniform_loss == pytest.approx(3, rel=0.1)
    for other in (train_lookup(seed=9, steps=0, std=1), train_lookup(steps=0, attend_self=True)):
        assert other.no_skill_loss == lookup.no_skill_loss  # all are judged by the same examples
        assert other.uniform_loss == pytest.approx(lookup.uniform_loss)


def test_from_a_small_start_it_lingers_at_the_uniform_baseline() -> None:
    run = train_lookup(std=0.02, steps=60)
    assert run.loss[60] == pytest.approx(run.uniform_loss, rel=0.05)
    assert run.match[60] == pytest.approx(1 / 3, abs=0.05)
    stuck = train_lookup(std=0, steps=300)  # from zero nothing tells the keys apart, ever
    assert_array_equal(stuck.W_Q, 0)
    assert stuck.loss[-1] == pytest.approx(stuck.uniform_loss, rel=0.05)


def test_where_learning_shows_in_the_matrices() -> None:
    run = train_lookup(steps=2000)
    assert_array_equal(run.W_Q[:, 3:], np.broadcast_to(run.W_Q[0, 3:], run.W_Q[:, 3:].shape))  # no gradient
    for W, rows in ((run.W_K, slice(0, 3)), (run.W_V, slice(3, 6))):
        assert (W[-1, rows] ** 2).sum() > 0.94 * (W[-1] ** 2).sum()
    QK = run.W_Q[-1, :3] @ run.W_K[-1, :3].T
    assert np.ptp(np.diag(QK)) < 0.2
    assert (QK[~np.eye(3, dtype=bool)] < -1).all()
    assert_allclose(run.W_V[-1, 3:], np.eye(3), atol=0.05)


# A run depends on its arguments alone, and goes on from where it is


@pytest.mark.parametrize("train", [train_lookup, train_two_lookups])
@pytest.mark.parametrize("steps", [0, 1, 4, 5, 49, 50, 51, 100])
def test_a_shorter_run_is_the_beginning_of_a_longer_one(train: Callable[..., Run], steps: int) -> None:
    descent._so_far.cache_clear()
    short = train(seed=5, steps=steps)
    long = train(seed=5, steps=120)  # goes on
    assert len(short.loss) == steps + 1
    assert len(short.recorded) == steps // 5 + 1
    assert_beginning(short, long)
    assert_same(train(seed=5, steps=steps), short)  # cut from the long one
    descent._so_far.cache_clear()
    assert_same(train(seed=5, steps=120), long)  # in one go


def test_going_on_costs_only_the_new_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    descent._so_far.cache_clear()
    walks: list[int] = []
    walk = descent.walk

    def counted(plan: descent.Plan, start: Array, rng: np.random.Generator, from_step: int = 0) -> Array:
        walks.append(from_step)
        return walk(plan, start, rng, from_step)

    monkeypatch.setattr(descent, "walk", counted)
    for steps, walked in ((100, 2), (60, 2), (100, 2), (101, 3), (150, 3), (151, 4)):
        train_lookup(seed=6, steps=steps)
        assert len(walks) == walked


def test_runs_differ_with_any_argument() -> None:
    base = train_lookup(steps=10)
    for other in (
        train_lookup(1, steps=10),
        train_lookup(steps=10, lr=0.11),
        train_lookup(steps=10, std=0.21),
        train_lookup(steps=10, scaled=True),
        train_lookup(steps=10, attend_self=True),
        train_lookup(steps=10, batch=33),
    ):
        assert other.loss[-1] != base.loss[-1]
    assert_same(train_lookup(steps=10), base)


def test_threads_get_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    descent._so_far.cache_clear()
    alone = train_lookup(seed=7, steps=250)
    descent._so_far.cache_clear()
    walk = descent.walk

    def overtaken(plan: descent.Plan, start: Array, rng: np.random.Generator, from_step: int = 0) -> Array:
        monkeypatch.setattr(descent, "walk", walk)
        train_lookup(seed=7, steps=150)  # as another thread may, while this one has begun a stretch
        return walk(plan, start, rng, from_step)

    monkeypatch.setattr(descent, "walk", overtaken)
    assert_beginning(train_lookup(seed=7, steps=60), alone)
    assert_same(train_lookup(seed=7, steps=250), alone)
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda i: train_lookup(seed=8, steps=100 + 50 * (i % 4)), range(16)))
    for run in runs:
        assert_beginning(run, runs[3])


def test_a_changed_rate_applies_from_its_step_on() -> None:
    plain, faster = train_lookup(steps=60), train_lookup(steps=60, lr=[(0, 0.10), (23, 0.30)])
    assert_array_equal(plain.loss[:24], faster.loss[:24])  # the update from 23 to 24 is the first new one
    assert (plain.loss[24:] != faster.loss[24:]).all()
    assert_same(train_lookup(steps=60, lr=((0, 0.10), (60, 9.0))), plain)
    assert_same(train_lookup(steps=60, lr=[(0, 0.10), (1000, 9.0)]), plain)
    assert_same(train_lookup(steps=60, lr=((0, 0.10), (10, 0.10))), plain)
    slow = train_lookup(steps=60, lr=((0, 0.10), (7, 0), (50, 0.10)))
    assert_array_equal(slow.loss[7:51], slow.loss[7])
    assert slow.loss[51] != slow.loss[50]


# A run that diverges


@pytest.mark.parametrize(
    ("train", "lr"),
    [
        (train_lookup, 1.5),
        (train_lookup, 2.0),
        (train_lookup, 1e308),
        (train_lookup, [(0, 0.1), (77, 3.0)]),
        (train_two_lookups, 0.6),
        (train_two_lookups, 5.0),
        (train_two_lookups, 1e308),
    ],
)
def test_a_run_that_diverges_ends_with_its_last_good_step(train: Callable[..., Run], lr: Any) -> None:
    for seed in range(5):
        run = train(seed, steps=300, lr=lr)
        assert run.diverged_at is not None
        assert_array_equal(run.steps, np.arange(run.diverged_at))
        assert len(run.recorded) == (run.diverged_at - 1) // 5 + 1
        for x in arrays(run).values():
            assert np.isfinite(x).all()
        assert (run.loss <= 100 * run.loss[0]).all()
        assert_same(train(seed, steps=run.diverged_at, lr=lr), run)  # the step that fails is in
        before = train(seed, steps=run.diverged_at - 1, lr=lr)  # and here it is not
        assert before.diverged_at is None
        assert_array_equal(before.loss, run.loss)


# The smallest, and what is refused


@pytest.mark.parametrize("options", [{"d_k": 1}, {"batch": 1}, {"steps": 0}, {"steps": 1}])
def test_the_smallest(options: dict[str, Any]) -> None:
    options = {"steps": 7, **options}
    one_head = train_two_lookups(n_heads=1, d_v=1, **options)
    for run in (train_lookup(**options), train_two_lookups(**options), one_head):
        assert len(run.loss) == options["steps"] + 1
        assert np.isfinite(run.loss).all()
        assert run.diverged_at is None


def test_the_largest_batch() -> None:
    assert len(train_lookup(steps=1, batch=1024).loss) == 2


WHOLE = {
    "steps": (-1, 20_001, 1.0, True, "3", None, np.nan),
    "batch": (0, 1_025, 2.5, False),
    "d_k": (0, 17, 4.0),
    "seed": (-1, 2**32, 0.5, None),
}


@pytest.mark.parametrize(("name", "bad"), [(name, bad) for name, values in WHOLE.items() for bad in values])
@pytest.mark.parametrize("train", [train_lookup, train_two_lookups])
def test_numbers_out_of_bounds_are_refused(train: Callable[..., Run], name: str, bad: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a whole number from [01] to [0-9,]+, got "):
        train(**{name: bad})


@pytest.mark.parametrize("bad", [-0.1, np.nan, np.inf, -np.inf, True, [(0, -1)], [(0, np.nan)], [(0, "1")]])
@pytest.mark.parametrize("train", [train_lookup, train_two_lookups])
def test_rates_that_make_no_sense_are_refused(train: Callable[..., Run], bad: Any) -> None:
    with pytest.raises(ValueError, match="lr must be a finite number, 0 or more, got "):
        train(lr=bad, steps=1)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("0.1", "lr must be a number or pairs of"),
        (None, "lr must be a finite number"),
        ({0: 0.1}, "lr must be a finite number"),
        ([0.1], "lr must be a number or pairs of"),
        ([(0, 0.1, 0.2)], "lr must be a number or pairs of"),
        ([], r"must start at 0 and rise, got \[\]"),
        ([(1, 0.1)], r"must start at 0 and rise, got \[1\]"),
        ([(0, 0.1), (0, 0.2)], r"must start at 0 and rise, got \[0, 0\]"),
        ([(0, 0.1), (9, 0.2), (5, 0.2)], r"must start at 0 and rise, got \[0, 9, 5\]"),
        ([(0, 0.1), (20_001, 0.2)], "from_step must be a whole number from 0 to 20,000"),
        ([(0.0, 0.1)], "from_step must be a whole number"),
    ],
)
def test_schedules_that_make_no_sense_are_refused(bad: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        train_lookup(lr=bad, steps=1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"std": -1}, "std must be a finite number, 0 or more and at most 10, got -1"),
        ({"std": 11}, "std must be a finite number, 0 or more and at most 10, got 11"),
        ({"std": np.nan}, "std must be a finite number"),
        ({"n_heads": 0}, "n_heads must be a whole number from 1 to 4, got 0"),
        ({"n_heads": 5}, "n_heads must be a whole number from 1 to 4, got 5"),
        ({"d_v": 17}, "d_v must be a whole number from 1 to 16, got 17"),
        ({"target": "mean"}, "target must be one of concat, sum, got 'mean'"),
    ],
)
def test_other_options_out_of_bounds_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        train_two_lookups(**options)
