from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_core import permutation_residual

X = np.array([[1.0, 0], [2, 0], [4, 0]])


def test_a_rowwise_function_commutes_with_every_order() -> None:
    assert permutation_residual(lambda X: X**2, X, [2, 0, 1]) == 0
    assert permutation_residual(lambda X: X - X.mean(axis=0), X, np.array([1, 0, 2])) < 1e-15


def test_a_position_breaks_it_by_hand() -> None:
    # PX = 4 1 2, so f(PX) = 4 2 4; f(X) = 1 3 6, so P f(X) = 6 1 3 (each row gets its position added)
    residual = permutation_residual(lambda X: X + np.arange(3)[:, None], X, [2, 0, 1])
    assert_allclose(residual, np.sqrt(2 * ((4 - 6) ** 2 + (2 - 1) ** 2 + (4 - 3) ** 2)))


def test_order_moves_rows_the_way_it_says() -> None:
    # With f = "first row, three times": f(PX) is row X[2] thrice, P f(X) is row X[0] thrice.
    residual = permutation_residual(lambda X: np.repeat(X[:1], 3, axis=0), X, [2, 0, 1])
    assert_allclose(residual, 3 * np.sqrt(3))


@pytest.mark.parametrize(
    "bad", [[0, 1], [0, 1, 1], [0, 1, 3], [0.0, 1.0, 2.5], [[0, 1, 2]], [-1, 0, 1], [False, True, 2.5]]
)
def test_order_must_be_a_permutation(bad: Any) -> None:
    with pytest.raises(ValueError, match="order must be a permutation of 0 to 2 for 3 rows"):
        permutation_residual(lambda X: X, X, bad)
