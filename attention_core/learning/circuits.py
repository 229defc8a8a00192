"""One query that looks at a few keys: its forward pass, and the gradient of its error written out by hand.

The keys k_j = c_j W_K and values v_j = c_j W_V of the tokens c_j are never formed, for
(x W_Q) · (c_j W_K) = x (W_Q W_Kᵀ) · c_j and Σ a_j (c_j W_V) = (Σ a_j c_j) W_V. So the products QK = W_Q W_Kᵀ
(who is looked at) and OV = W_V W_O (what is brought back) are all that the loss depends on, and gradients
reach the four matrices through them.

References: Elhage et al. 2021, A Mathematical Framework for Transformer Circuits (QK and OV circuits).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod, sqrt
from typing import NamedTuple

import numpy as np

from attention_core.attention import FloatArray


class Batch(NamedTuple):
    """Examples: one query each, the tokens that it may look at, and what it should tell.

    `keys` (..., B, n_k, d), `query` (..., B, d), `target` (..., B, d_out).
    """

    keys: FloatArray
    query: FloatArray
    target: FloatArray


class Weights(NamedTuple):
    """The matrices: (..., h, d, d_k) twice, (..., h, d, d_v) and, if it has one, (..., h, d_v, d_out)."""

    W_Q: FloatArray
    W_K: FloatArray
    W_V: FloatArray
    W_O: FloatArray | None


@dataclass(frozen=True)
class Sizes:
    """What the matrices' shapes follow from; without a W_O (`mixed` False) d_out is d_v."""

    n_heads: int
    d_model: int
    d_k: int
    d_v: int
    d_out: int
    mixed: bool
    scaled: bool

    @property
    def scale(self) -> float:
        """What the scores are multiplied by."""
        return 1 / sqrt(self.d_k) if self.scaled else 1.0

    @property
    def shapes(self) -> tuple[tuple[int, int, int], ...]:
        """The shapes of W_Q, W_K, W_V and, if there is one, W_O."""
        h, d = self.n_heads, self.d_model
        looks = (h, d, self.d_k), (h, d, self.d_k), (h, d, self.d_v)
        return (*looks, (h, self.d_v, self.d_out)) if self.mixed else looks

    @property
    def n_numbers(self) -> int:
        """How many numbers the matrices hold."""
        return sum(prod(shape) for shape in self.shapes)

    def views(self, numbers: FloatArray) -> Weights:
        """All numbers of the matrices, (..., n_numbers), seen as the matrices."""

        def parts() -> Iterator[FloatArray]:
            at = 0
            for shape in self.shapes:
                yield numbers[..., at : at + prod(shape)].reshape(*numbers.shape[:-1], *shape)
                at += prod(shape)

        W_Q, W_K, W_V, *W_O = parts()
        return Weights(W_Q, W_K, W_V, W_O[0] if W_O else None)


def products(W: Weights, scale: float) -> tuple[FloatArray, FloatArray]:
    """QK = W_Q W_Kᵀ · scale, (..., h, d, d), and OV = W_V W_O, (..., h, d, d_out)."""
    QK = W.W_Q @ W.W_K.mT
    return QK if scale == 1 else QK * scale, W.W_V if W.W_O is None else W.W_V @ W.W_O


def look(QK: FloatArray, batch: Batch) -> tuple[FloatArray, FloatArray]:
    """Let each of h heads look: the weights a, (B, h, n_k), and the mix of keys Σ a_j c_j, (B, h, d)."""
    n_heads, d, _ = QK.shape
    # x QK of all heads in one product, (B, h * d); then, in place, scores, their exponentials, weights.
    a = batch.query.dot(QK.transpose(1, 0, 2).reshape(d, -1)).reshape(-1, n_heads, d) @ batch.keys.mT
    a -= _over_keys(np.maximum, a)
    np.exp(a, out=a)
    a /= _over_keys(np.add, a)
    return a, a @ batch.keys


def gradient(W: Weights, batch: Batch, scale: float, out: Weights) -> None:
    """Write into `out` the gradient of the mean over B examples of ‖prediction − target‖²."""
    QK, OV = products(W, scale)
    n_heads, d, d_out = OV.shape
    OV = OV.reshape(n_heads * d, d_out)
    a, c = look(QK, batch)
    c = c.reshape(-1, n_heads * d)
    error = c.dot(OV) - batch.target  # (B, d_out)

    d_prediction = error * (2 / len(error))
    dOV = c.T.dot(d_prediction).reshape(n_heads, d, d_out)
    dc = d_prediction.dot(OV.T).reshape(-1, n_heads, d)
    da = dc @ batch.keys.mT  # (B, h, n_k)
    d_logits = a * (da - np.vecdot(a, da)[..., None])
    du = (d_logits @ batch.keys).reshape(-1, n_heads * d)
    dQK = batch.query.T.dot(du).reshape(d, n_heads, d).transpose(1, 0, 2)  # (h, d, d)
    if scale != 1:
        dQK = dQK * scale

    np.matmul(dQK, W.W_K, out=out.W_Q)
    np.matmul(dQK.mT, W.W_Q, out=out.W_K)
    if W.W_O is None or out.W_O is None:
        out.W_V[:] = dOV
    else:
        np.matmul(dOV, W.W_O.mT, out=out.W_V)
        np.matmul(W.W_V.mT, dOV, out=out.W_O)


def judge(W: Weights, batch: Batch, marks: FloatArray, scale: float) -> tuple[FloatArray, FloatArray]:
    """Judge T models on the same B examples.

    `marks` (B, n_k, n_marks) holds 1 at the tokens that are watched. Returns the squared errors, (T, d_out),
    and the weight that each head puts on each mark, (T, h, n_marks), both as means over the examples.
    """
    QK, OV = products(W, scale)
    n_models, n_heads, d, d_out = OV.shape
    # All heads of all models stand side by side, as if they were heads of one: large products, few calls.
    a, c = look(QK.reshape(-1, d, d), batch)
    marked = (a @ marks).mean(axis=0).reshape(n_models, n_heads, -1)
    c = c.reshape(-1, n_models, n_heads * d).transpose(1, 0, 2)
    error = c @ OV.reshape(n_models, n_heads * d, d_out) - batch.target  # (T, B, d_out)
    return np.square(error, out=error).mean(axis=1), marked


def _over_keys(f: np.ufunc, x: FloatArray) -> FloatArray:
    """f over the last axis, kept; key by key, as numpy is slow at reducing many very short rows."""
    result = x[..., 0]
    for j in range(1, x.shape[-1]):
        result = f(result, x[..., j])
    return result[..., None]
