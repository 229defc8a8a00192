from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import layer_norm, layer_norm_backward
from tests.arrays import normal


def test_by_hand() -> None:
    spread = np.sqrt(2 / 3 + 1e-5)
    assert_allclose(layer_norm([1, 2, 3], [1, 1, 2], [0, 0, 10]), [-1 / spread, 0, 10 + 2 / spread])


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.floats(-100, 100), st.floats(0.01, 100))
def test_neither_shift_nor_stretch_of_a_word_matters(seed: int, shift: float, stretch: float) -> None:
    x = normal(seed, 3, 5)
    plain = layer_norm(x, np.ones(5), np.zeros(5), eps=1e-30)
    assert_allclose(plain.mean(axis=1), 0, atol=1e-12)
    assert_allclose(plain.var(axis=1), 1)
    assert_allclose(layer_norm(stretch * x + shift, np.ones(5), np.zeros(5), eps=1e-30), plain, rtol=1e-6, atol=1e-6)


def test_equal_numbers_become_beta() -> None:
    for word in (np.zeros(4), np.full(4, 7.0)):
        assert_array_equal(layer_norm(word, [1, 2, 3, 4], [5, 6, 7, 8]), [5, 6, 7, 8])
    assert_array_equal(layer_norm([[3.0]], [2], [1]), [[1]])  # one number is its own mean


def test_more_axes_of_gamma_take_more_axes_together() -> None:
    x, gamma, beta = normal(0, 2, 3, 4), normal(1, 3, 4), normal(2, 3, 4)
    flat = layer_norm(x.reshape(2, 12), gamma.ravel(), beta.ravel())
    assert_allclose(layer_norm(x, gamma, beta), flat.reshape(2, 3, 4), rtol=1e-12)


@pytest.mark.parametrize(("shape", "axes"), [((5,), 1), ((3, 5), 1), ((2, 3, 5), 1), ((2, 3, 5), 2), ((3, 5), 2)])
@pytest.mark.parametrize("eps", [1e-5, 0.5])
def test_gradients_against_finite_differences(shape: tuple[int, ...], axes: int, eps: float) -> None:
    x, d_output = normal(0, *shape), normal(1, *shape)
    gamma, beta = normal(2, *shape[-axes:]), normal(3, *shape[-axes:])
    gradients = layer_norm_backward(d_output, x, gamma, eps)
    step = 1e-6
    for at, (moving, gradient) in enumerate(zip((x, gamma, beta), gradients, strict=True)):
        assert gradient.shape == moving.shape
        for index in np.ndindex(moving.shape):
            losses = []
            for sign in (1, -1):
                moved = [x.copy(), gamma.copy(), beta.copy()]
                moved[at][index] += sign * step
                losses.append((layer_norm(moved[0], moved[1], moved[2], eps) * d_output).sum())
            assert_allclose(gradient[index], (losses[0] - losses[1]) / (2 * step), rtol=1e-6, atol=1e-8)


def test_dtypes() -> None:
    small = normal(0, 3, 4).astype(np.float32)
    for x in (layer_norm(small, small[0], small[1]), *layer_norm_backward(small, small, small[0])):
        assert x.dtype == np.float32
    assert layer_norm(small, np.ones(4), np.zeros(4)).dtype == np.float64
    assert layer_norm([1, 2], [1, 1], [0, 0]).dtype == np.float64


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"gamma": [1.0]}, r"gamma must have the last axes of x, got \(1,\) for x of shape \(2, 2\)"),
        ({"gamma": 1.0}, r"gamma must have the last axes of x, got \(\) for"),
        ({"gamma": np.ones((3, 2, 2))}, r"gamma must have the last axes of x, got \(3, 2, 2\) for"),
        ({"x": 1.0}, r"gamma must have the last axes of x, got \(2,\) for x of shape \(\)"),
        ({"beta": [1.0]}, r"gamma and beta must have the same shape, got \(2,\) and \(1,\)"),
        ({"x": [[np.nan, 1]]}, "x holds NaN or an infinity"),
        ({"gamma": [np.inf, 1]}, "gamma holds NaN or an infinity"),
        ({"beta": [np.inf, 1]}, "beta holds NaN or an infinity"),
        ({"x": [["a", "b"]]}, "x must hold real numbers"),
        ({"eps": 0}, "eps must be above 0, got 0"),
        ({"eps": np.nan}, "eps must be one finite number"),
        ({"x": [[1e200, -1e200]]}, "the variance overflows float64"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        layer_norm(**{"x": np.eye(2), "gamma": [1.0, 1.0], "beta": [0.0, 0.0], **given})


def test_gradients_have_the_shape_of_the_words() -> None:
    with pytest.raises(ValueError, match=r"d_output of shape \(3,\) does not fit x of shape \(2, 3\)"):
        layer_norm_backward(np.ones(3), np.ones((2, 3)), np.ones(3))


def test_nothing_warns_however_strict_numpy_is() -> None:
    with np.errstate(all="raise"):
        assert_allclose(layer_norm([1e-200, -1e-200], [1, 1], [0, 0]), 0, atol=1e-190)
