from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import (
    HEAD_CHOICES,
    SENTENCES,
    WRITE_BACK,
    attention,
    embed,
    multi_head_attention,
    output_matrix,
    ov_circuit,
    project,
    qk_circuit,
    write_back_matrix,
)

WORDS = embed(SENTENCES["river-bank"].tokens)


def test_where_to_look_by_hand() -> None:
    assert_array_equal(qk_circuit(0), [[4, 0, 0, 0], [0, 4, -8, 0], [0, 0, 0, 0], [2, 0, 0, 0]])
    assert_array_equal(qk_circuit(1), [[0, 4, -8, 0], [-4, 0, 0, 0], [0, 0, 0, 0], [0, 2, -4, 0]])
    for head in range(8):
        assert not np.signbit(qk_circuit(head)[qk_circuit(head) == 0]).any()  # -0.0 would be printed


@pytest.mark.parametrize("head", range(8))
@pytest.mark.parametrize("d_k", [2, 8])
def test_where_to_look_is_the_scores_of_the_head(head: int, d_k: int) -> None:
    Q, K, V = project(WORDS, d_k, head)
    lift = np.sqrt(d_k / 2)
    assert_allclose(attention(Q, K, V).scores, WORDS @ qk_circuit(head) @ WORDS.T * lift, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_heads", HEAD_CHOICES)
def test_what_to_copy_is_what_the_heads_write_back(n_heads: int) -> None:
    trace = multi_head_attention(WORDS, n_heads)
    U = write_back_matrix(n_heads)
    assert U.shape == (n_heads * 2, 4)
    assert_array_equal(U, output_matrix(n_heads) @ WRITE_BACK)
    added = sum(head.weights @ WORDS @ ov_circuit(h, n_heads) for h, head in enumerate(trace.heads))
    assert_allclose(added, trace.concat @ U, rtol=0, atol=1e-12)
    assert_allclose(trace.concat @ U, trace.output @ WRITE_BACK, rtol=0, atol=1e-12)
    assert_allclose(ov_circuit(n_heads - 1, n_heads) * n_heads, ov_circuit(0), rtol=0, atol=1e-15)


def test_what_to_copy_by_hand() -> None:
    assert_array_equal(ov_circuit(0), [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0.25, 0.25, 0, 0]])


def test_queries_of_one_sentence_ask_another() -> None:
    money = embed(SENTENCES["money-bank"].tokens)
    for asking in (WORDS, WORDS[5:]):  # the whole sentence, and one word
        Q, K, V = project(asking)[0], *project(money)[1:]
        trace = attention(Q, K, V)
        assert trace.weights.shape == (len(asking), 6)
        assert_allclose(trace.scores, asking @ qk_circuit(0) @ money.T, rtol=0, atol=1e-12)
        assert trace.weights[-1].argmax() == SENTENCES["money-bank"].cue  # bank, asked beside the other river


@pytest.mark.parametrize("head", [-1, 8, 1.0, True, "0", None])
def test_heads_that_do_not_exist_are_refused(head: Any) -> None:
    with pytest.raises(ValueError, match="head must be one of 0, 1, 2, 3, 4, 5, 6, 7, got"):
        qk_circuit(head)
    with pytest.raises(ValueError, match="head must be one of 0, 1, got"):
        ov_circuit(head, 2)
    with pytest.raises(ValueError, match="n_heads must be one of 1, 2, 4, 8, got 3"):
        ov_circuit(0, 3)
