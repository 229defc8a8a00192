from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from attention_core import (
    D_K_CHOICES,
    HEAD_ANGLES,
    HEAD_CHOICES,
    SENTENCES,
    W_K,
    W_Q,
    W_V,
    attend_in_head,
    attend_in_heads,
    causal_mask,
    embed,
    lift_matrix,
    multi_head_attention,
    output_matrix,
    permutation_residual,
    project,
    rotation,
)

FIVE = list(SENTENCES)[:5]


def features(id_: str) -> NDArray[Any]:
    return embed(SENTENCES[id_].tokens)


# the pieces


def test_matrices_by_hand() -> None:
    assert_array_equal(W_Q, [[2, 0], [0, 2], [0, 0], [1, 0]])
    assert_array_equal(W_K, [[2, 0], [0, 2], [0, -4], [0, 0]])
    assert_array_equal(W_V, [[4, 0], [0, 4], [0, 0], [1, 1]])
    for W in (W_Q, W_K, W_V, lift_matrix(2), lift_matrix(8)):
        with pytest.raises(ValueError, match="read-only"):
            W[0] = 1


def test_choices() -> None:
    assert D_K_CHOICES == (2, 4, 8, 16, 32, 64)
    assert HEAD_CHOICES == (1, 2, 4, 8)
    assert HEAD_ANGLES == (0, 90, 180, 270, 45, 135, 225, 315)


@pytest.mark.parametrize(
    ("degrees", "turned"),
    [(0, (1, 0)), (90, (0, 1)), (180, (-1, 0)), (270, (0, -1)), (360, (1, 0)), (-90, (0, -1)), (450, (0, 1))],
)
def test_quarter_turns_are_exact_and_counter_clockwise(degrees: float, turned: tuple[int, int]) -> None:
    turn = rotation(degrees)
    assert_array_equal([1, 0] @ turn, turned)
    assert set(turn.ravel()) <= {0.0, 1.0, -1.0}
    assert not np.signbit(turn[turn == 0]).any()  # no -0.0


@given(st.floats(-1e4, 1e4))
def test_rotation_turns_and_keeps_lengths(degrees: float) -> None:
    turn = rotation(degrees)
    assert_allclose([1, 0] @ turn, [cos(degrees * pi / 180), sin(degrees * pi / 180)], atol=1e-11)
    assert_allclose(turn @ turn.T, np.eye(2), atol=1e-15)
    assert_allclose(np.linalg.det(turn), 1)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_rotation_refuses_what_is_no_angle(bad: float) -> None:
    with pytest.raises(ValueError, match="degrees must be finite"):
        rotation(bad)


@pytest.mark.parametrize("d_k", D_K_CHOICES)
def test_lift_stretches_dot_products_alone(d_k: int) -> None:
    R = lift_matrix(d_k)
    assert R.shape == (2, d_k)
    assert_allclose(R @ R.T, sqrt(d_k / 2) * np.eye(2), rtol=0, atol=1e-14)
    if d_k > 2:
        turns = 2 * pi * np.arange(d_k) / d_k
        assert_allclose(R, np.stack([np.cos(turns), np.sin(turns)]) * sqrt(2 / d_k) * (d_k / 2) ** 0.25, atol=1e-15)
    else:
        assert_array_equal(R, np.eye(2))


def test_output_matrix_is_the_mean_of_the_heads() -> None:
    assert_array_equal(output_matrix(1), np.eye(2))
    assert_array_equal(output_matrix(4), np.tile(np.eye(2), (4, 1)) / 4)
    assert output_matrix(8).shape == (16, 2)


def test_projection_by_hand() -> None:
    Q, K, V = project(embed(["bank", "river", "money", "pie", "baked", "the"]))
    assert_array_equal(Q, [[2, 2], [2, 0], [0, 2], [-2, 0], [0, 0], [0, 0]])
    assert_array_equal(K, [[2, -2], [2, 0], [0, 2], [-2, 0], [-1, 0], [0, 0]])
    assert_array_equal(V, [[4, 4], [4, 0], [0, 4], [-4, 0], [-1, 1], [0, 0]])


@pytest.mark.parametrize("d_k", D_K_CHOICES)
@pytest.mark.parametrize("head", range(8))
def test_projection_is_turned_then_lifted(d_k: int, head: int) -> None:
    X = features("apple-pie")
    Q, K, V = project(X, d_k, head)
    assert Q.shape == K.shape == (5, d_k)
    assert_allclose(Q, X @ W_Q @ rotation(HEAD_ANGLES[head]) @ lift_matrix(d_k))
    assert_allclose(K, X @ W_K @ lift_matrix(d_k))
    assert_array_equal(V, X @ W_V)


# what model.md promises


@pytest.mark.parametrize(
    ("id_", "weight", "output"),
    [
        ("river-bank", 0.772, (3.32, 0.23)),
        ("money-bank", 0.772, (0.23, 3.32)),
        ("apple-pie", 0.704, (-3.15, 0.34)),
        ("apple-phone", 0.704, (0.00, 3.50)),
        ("keyboard-mouse", 0.809, (0.19, 3.43)),
    ],
)
def test_the_table(id_: str, weight: float, output: tuple[float, float]) -> None:
    sentence = SENTENCES[id_]
    trace = multi_head_attention(features(id_), n_heads=1)
    head = trace.heads[0]
    assert_allclose(head.weights[sentence.focus, sentence.cue], weight, atol=5e-4)
    assert_allclose(trace.output[sentence.focus], output, atol=5e-3)
    scores = head.logits[sentence.focus]
    leaning = {"baked", "rang"}
    expected = [1.4142 if token in leaning else 0 for token in sentence.tokens]
    assert sentence.cue is not None
    expected[sentence.cue] = 2.8284
    assert_allclose(scores, expected, atol=5e-5)


@pytest.mark.parametrize("id_", FIVE)
@pytest.mark.parametrize("scaled", [True, False])
def test_the_cue_wins_at_every_width(id_: str, scaled: bool) -> None:
    sentence = SENTENCES[id_]
    largest = []
    for d_k in D_K_CHOICES:
        head = multi_head_attention(features(id_), 1, d_k, scaled=scaled).heads[0]
        row = head.weights[sentence.focus]
        assert head.scale == (1 / sqrt(d_k) if scaled else 1)
        assert row.argmax() == sentence.cue
        assert (np.delete(row, row.argmax()) < row.max() - 0.1).all()
        assert abs(head.scores[sentence.focus, sentence.focus]) < 1e-14
        largest.append(row.max())
    if scaled:
        assert_allclose(largest, largest[0], rtol=0, atol=1e-12)
    else:
        assert (np.diff(largest) > 0).all()


def test_unscaled_river_runs_to_one_hot() -> None:
    weights = [
        multi_head_attention(features("river-bank"), 1, d_k, scaled=scaled).heads[0].weights[5, 4]
        for d_k, scaled in ((2, True), (2, False), (64, False))
    ]
    assert_allclose(weights, [0.772, 0.916, 1.000], atol=5e-4)


@pytest.mark.parametrize("id_", list(SENTENCES))
def test_scaled_weights_are_the_same_at_every_width_in_every_head(id_: str) -> None:
    qkv = SENTENCES[id_].qkv or project(features(id_))
    narrow = attend_in_heads(*qkv, 8)
    for d_k in D_K_CHOICES:
        wide = attend_in_heads(*qkv, 8, d_k)
        for a, b in zip(narrow.heads, wide.heads, strict=True):
            assert_allclose(b.weights, a.weights, rtol=0, atol=1e-12)
            assert_allclose(b.scores, a.scores * sqrt(d_k / 2), rtol=0, atol=1e-12)
        assert_allclose(wide.output, narrow.output, rtol=0, atol=1e-12)


def test_at_270_degrees_bank_looks_at_itself() -> None:
    weights = multi_head_attention(features("river-bank"), 4).heads[3].weights
    assert HEAD_ANGLES[3] == 270
    assert_allclose(weights[5, 5], 0.93, atol=5e-3)
    assert weights[5].argmax() == 5


@pytest.mark.parametrize("id_", FIVE)
def test_under_the_causal_mask_a_cue_that_comes_later_is_lost(id_: str) -> None:
    sentence = SENTENCES[id_]
    assert sentence.cue is not None
    mask = causal_mask(len(sentence.tokens))
    row = multi_head_attention(features(id_), 1, mask=mask).heads[0].weights[sentence.focus]
    if "bank" in id_:
        assert row.argmax() == sentence.cue
    else:
        assert row[sentence.cue] == 0
    assert_allclose(row.sum(), 1)


@pytest.mark.parametrize("id_", FIVE)
def test_shuffled_words_give_shuffled_outputs(id_: str) -> None:
    X = features(id_)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(X))
        assert permutation_residual(lambda X: multi_head_attention(X, 4, 8).output, X, order) < 1e-12


# heads


@pytest.mark.parametrize("n_heads", HEAD_CHOICES)
def test_heads_are_concatenated_and_mixed(n_heads: int) -> None:
    X = features("apple-phone")
    trace = multi_head_attention(X, n_heads, d_k=4, mask=causal_mask(5))
    assert len(trace.heads) == n_heads
    for i, head in enumerate(trace.heads):
        Q, K, V = project(X, 4, i)
        assert_allclose(head.Q, Q)
        assert_array_equal(head.K, K)
        assert_array_equal(head.V, V)
        assert_array_equal(trace.concat[:, 2 * i : 2 * i + 2], head.output)
        assert_array_equal(head.weights[~causal_mask(5)], 0)
    assert_array_equal(trace.W_O, output_matrix(n_heads))
    assert_allclose(trace.output, np.mean([head.output for head in trace.heads], axis=0), atol=1e-15)
    for x in (trace.concat, trace.W_O, trace.output):
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1


def test_every_head_of_a_choice_sees_something_else() -> None:
    heads = multi_head_attention(features("river-bank"), 8).heads
    rows = {tuple(head.weights[5].round(6)) for head in heads}
    assert len(rows) == 8


@pytest.mark.parametrize("n_heads", HEAD_CHOICES)
@pytest.mark.parametrize("lead", [(), (3,), (2, 3)])
def test_the_heads_together_are_the_heads_one_by_one(n_heads: int, lead: tuple[int, ...]) -> None:
    rng = np.random.default_rng(n_heads)
    Q, K, V = rng.normal(size=(3, *lead, 5, 2))
    for mask in (None, causal_mask(5), rng.random(5) > 0.5, rng.random((*lead, 5, 5)) > 0.3):
        for bias in (None, rng.normal(size=(*lead, 5, 5))):
            together = attend_in_heads(Q, K, V, n_heads, 8, mask, bias=bias)
            for head, trace in enumerate(together.heads):
                alone = attend_in_head(Q, K, V, head, 8, mask, bias=bias)
                for name in ("Q", "K", "V", "mask", "bias", "scores", "logits", "weights", "output"):
                    assert_array_equal(getattr(trace, name), getattr(alone, name), name, strict=True)
                assert not trace.weights.flags.writeable
                assert trace.scale == alone.scale


def test_plain_vectors_and_features_take_one_road() -> None:
    X = features("money-bank")
    a = multi_head_attention(X, 2, 16, causal_mask(6), False)
    b = attend_in_heads(*project(X), 2, 16, causal_mask(6), False)
    assert_array_equal(a.output, b.output)
    assert_array_equal(a.heads[1].logits, b.heads[1].logits)


def test_leading_axes() -> None:
    batch = np.stack([features("river-bank"), features("money-bank")])
    trace = multi_head_attention(batch, 2)
    assert trace.output.shape == (2, 6, 2)
    assert_allclose(trace.output[1], multi_head_attention(batch[1], 2).output, rtol=0, atol=1e-14)


def test_a_row_with_nothing_to_see_comes_out_as_zeros() -> None:
    mask = np.ones((6, 6), bool)
    mask[2] = False
    trace = multi_head_attention(features("river-bank"), 4, mask=mask)
    assert_array_equal(trace.output[2], [0, 0])
    assert all((head.weights[2] == 0).all() for head in trace.heads)


# what is refused


@pytest.mark.parametrize("bad", [0, 1, 3, 7, 128, -2, 2.0, True, "2", None, [2]])
def test_d_k_names_its_choices(bad: Any) -> None:
    for call in (lift_matrix, lambda d_k: project(np.ones((2, 4)), d_k)):
        with pytest.raises(ValueError, match=r"d_k must be one of 2, 4, 8, 16, 32, 64, got"):
            call(bad)
    with pytest.raises(ValueError, match="d_k must be one of"):
        multi_head_attention(np.ones((2, 4)), 1, bad)


@pytest.mark.parametrize("bad", [0, 3, 5, 16, -1, 2.0, True, "2", None])
def test_heads_name_their_choices(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"n_heads must be one of 1, 2, 4, 8, got"):
        multi_head_attention(np.ones((2, 4)), bad)
    with pytest.raises(ValueError, match=r"n_heads must be one of 1, 2, 4, 8, got"):
        output_matrix(bad)


@pytest.mark.parametrize("bad", [-1, 8, 1.0, True, "1", None])
def test_head_names_its_choices(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"head must be one of 0, 1, 2, 3, 4, 5, 6, 7, got"):
        project(np.ones((2, 4)), head=bad)


@pytest.mark.parametrize("shape", [(3,), (3, 2), (3, 5), ()])
def test_features_are_four_wide(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"X must be \(..., n, 4\), got shape"):
        project(np.ones(shape))


def test_plain_vectors_are_two_wide() -> None:
    two, three = np.ones((4, 2)), np.ones((4, 3))
    with pytest.raises(ValueError, match=r"Q must be \(..., n, 2\), got shape \(4, 3\)"):
        attend_in_heads(three, two, two, 1)
    with pytest.raises(ValueError, match=r"V must be \(..., n, 2\), got shape \(4, 3\)"):
        attend_in_heads(two, two, three, 1)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_features_are_finite(bad: float) -> None:
    with pytest.raises(ValueError, match="X holds NaN or an infinity"):
        project([[0, 0, 0, bad]])


def test_features_too_large_to_multiply_are_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"infinity|overflow"):
        multi_head_attention([[1.7e308, -1.7e308, 0, 0]], 8, 64)
