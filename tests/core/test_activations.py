from math import erf, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import GELU_FORMS, gelu


def test_by_hand() -> None:
    for x in (-3.0, -0.5, 0.0, 0.7, 2.0):
        assert_allclose(gelu(x), x * (1 + erf(x / sqrt(2))) / 2, rtol=1e-12, atol=1e-16)
        assert_allclose(gelu(x) - gelu(-x), x, rtol=1e-12)  # Φ(x) + Φ(-x) = 1
    assert_allclose(gelu(1.0, "tanh"), 0.5 * (1 + np.tanh(0.7978845608 * 1.044715)), rtol=1e-9)


def test_the_two_forms_are_close_and_not_the_same() -> None:
    x = np.linspace(-6, 6, 241)
    difference = np.abs(gelu(x) - gelu(x, "tanh"))
    assert 1e-4 < difference.max() < 1e-3


def test_far_out_it_is_the_identity_or_nothing() -> None:
    for form in GELU_FORMS:
        with np.errstate(all="raise"):
            assert_array_equal(gelu([1e300, -1e300, 40, -40, 0], form), [1e300, 0, 40, 0, 0])
    assert_allclose(gelu(-10.0), -10 * 7.61985302416047e-24, rtol=1e-11)  # 1 + erf would have left nothing of it


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3, 4)])
def test_shapes_and_dtypes(shape: tuple[int, ...]) -> None:
    for form in GELU_FORMS:
        assert gelu(np.ones(shape), form).shape == shape
        assert gelu(np.ones(shape, np.float32), form).dtype == np.float32
        assert gelu(np.ones(shape, np.int64), form).dtype == np.float64


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="x holds NaN or an infinity"):
        gelu([0, bad])


@pytest.mark.parametrize("form", ["exact", "", None, True])
def test_forms_are_named(form: Any) -> None:
    with pytest.raises(ValueError, match=f"approximate must be one of none, tanh, got {form!r}"):
        gelu(1.0, approximate=form)
