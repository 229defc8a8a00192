"""An attention-only transformer with one head a layer: forward, and its gradient written out by hand.

Positions enter the queries and keys alone, so the residual stream and the values know words only.

References: Elhage et al. 2021, A Mathematical Framework for Transformer Circuits (attention-only, W_E, W_U);
Press et al. 2021, Shortformer (positions added to queries and keys only); Kingma and Ba 2015, Adam.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd, prod, sqrt
from typing import Any, NamedTuple

import numpy as np

from attention_core.attention import FloatArray
from attention_core.induction.sequences import N_WORDS, SEQUENCE_LENGTH, IntArray, Sequences

D_MODEL = 32
D_K = 16  # of queries, keys and values


class Layer(NamedTuple):
    """The matrices of a layer: (d, d_k) three times, and W_O, (d_k, d)."""

    W_Q: FloatArray
    W_K: FloatArray
    W_V: FloatArray
    W_O: FloatArray


class Weights(NamedTuple):
    """All matrices: W_E (V, d) of the words, W_P (T, d) of the positions, W_U (d, V) back to words, and the layers."""

    W_E: FloatArray
    W_P: FloatArray
    W_U: FloatArray
    layers: tuple[Layer, ...]


class Step(NamedTuple):
    """What a layer computed: residual stream `x` and `x` with positions `xp`, (B·T, d); Q, K, V; weights; mix."""

    x: FloatArray
    xp: FloatArray
    Q: FloatArray
    K: FloatArray
    V: FloatArray
    weights: FloatArray  # (B, T, T)
    mix: FloatArray  # weights V, (B * T, d_k)


_HEAD_SHAPES = ((D_MODEL, D_K), (D_MODEL, D_K), (D_MODEL, D_K), (D_K, D_MODEL))
_SHAPES = ((N_WORDS, D_MODEL), (SEQUENCE_LENGTH, D_MODEL), (D_MODEL, N_WORDS))
_HIDDEN = np.where(np.tri(SEQUENCE_LENGTH, dtype=bool), 0, -np.inf)  # causal


def views(numbers: FloatArray, n_layers: int) -> Weights:
    """All numbers of a model, one after the other, seen as its matrices."""

    def parts() -> Iterator[FloatArray]:
        at = 0
        for shape in (*_SHAPES, *_HEAD_SHAPES * n_layers):
            yield numbers[at : at + prod(shape)].reshape(shape)
            at += prod(shape)

    W_E, W_P, W_U, *rest = parts()
    return Weights(W_E, W_P, W_U, tuple(Layer(*rest[4 * i : 4 * i + 4]) for i in range(n_layers)))


def first_numbers(rng: np.random.Generator, n_layers: int, dtype: type[np.floating[Any]]) -> FloatArray:
    """All numbers of an untrained model: normal with variance 1/d, and 1/d_k in the W_O."""
    size = sum(prod(shape) for shape in (*_SHAPES, *_HEAD_SHAPES * n_layers))
    numbers = (rng.standard_normal(size) / sqrt(D_MODEL)).astype(dtype)
    for layer in views(numbers, n_layers).layers:
        layer.W_O[:] *= sqrt(D_MODEL / D_K)
    return numbers


def forward(W: Weights, tokens: IntArray) -> tuple[FloatArray, tuple[Step, ...]]:
    """The residual stream behind the last layer, (B·T, d), and what each layer computed for `tokens` (B, T)."""
    B, T = tokens.shape
    x = W.W_E[tokens.ravel()]  # (B * T, d)
    hidden = _HIDDEN.astype(x.dtype)
    steps = []
    for layer in W.layers:
        xp = (x.reshape(B, T, -1) + W.W_P).reshape(B * T, -1)
        Q, K, V = _times(xp, layer.W_Q), _times(xp, layer.W_K), _times(x, layer.W_V)  # (B * T, d_k)
        a = Q.reshape(B, T, -1) @ K.reshape(B, T, -1).mT  # in place: scores, logits, exponentials, weights
        a *= D_K**-0.5
        a += hidden
        a -= a.max(axis=-1, keepdims=True)
        np.exp(a, out=a)
        a /= a.sum(axis=-1, keepdims=True)
        mix = (a @ V.reshape(B, T, -1)).reshape(B * T, -1)
        steps.append(Step(x, xp, Q, K, V, a, mix))
        x = x + _times(mix, layer.W_O)
    return x, tuple(steps)


def cross_entropy(W: Weights, x: FloatArray, batch: Sequences) -> tuple[float, FloatArray, IntArray]:
    """Mean cross-entropy of the next words at predictable places, the probabilities (n, V), and those n places."""
    rows = np.flatnonzero(batch.predictable)
    logits = _times(x, W.W_U)[rows]  # (n, V)
    logits -= logits.max(axis=1, keepdims=True)
    exps = np.exp(logits)
    total = exps.sum(axis=1, keepdims=True)
    right = logits[np.arange(len(rows)), batch.next.ravel()[rows]]
    return float((np.log(total[:, 0]) - right).mean()), exps / total, rows


def gradient(W: Weights, batch: Sequences, out: Weights) -> float:
    """Write into `out` the gradient of the cross-entropy at predictable places, and return that."""
    B, T = batch.tokens.shape
    x, steps = forward(W, batch.tokens)
    loss, probabilities, rows = cross_entropy(W, x, batch)
    d_logits = np.zeros((B * T, N_WORDS), x.dtype)  # only predictable places count
    d_logits[rows] = probabilities
    d_logits[rows, batch.next.ravel()[rows]] -= 1
    d_logits /= len(rows)
    out.W_U[:] = _over_rows(x, d_logits)
    dx = _times(d_logits, W.W_U.T)  # (B * T, d)

    out.W_P[:] = 0
    for layer, d_layer, step in zip(W.layers[::-1], out.layers[::-1], steps[::-1], strict=True):
        d_layer.W_O[:] = _over_rows(step.mix, dx)
        d_mix = _times(dx, layer.W_O.T).reshape(B, T, -1)
        dV = (step.weights.mT @ d_mix).reshape(B * T, -1)
        da = d_mix @ step.V.reshape(B, T, -1).mT  # (B, T, T)
        d_scores = step.weights * (da - np.vecdot(step.weights, da)[..., None])
        d_scores *= D_K**-0.5
        dQ = (d_scores @ step.K.reshape(B, T, -1)).reshape(B * T, -1)
        dK = (d_scores.mT @ step.Q.reshape(B, T, -1)).reshape(B * T, -1)
        d_layer.W_Q[:] = _over_rows(step.xp, dQ)
        d_layer.W_K[:] = _over_rows(step.xp, dK)
        d_layer.W_V[:] = _over_rows(step.x, dV)
        dxp = _times(dQ, layer.W_Q.T) + _times(dK, layer.W_K.T)
        out.W_P[:] += dxp.reshape(B, T, -1).sum(axis=0)
        dx = dx + dxp + _times(dV, layer.W_V.T)  # what flows past the layer, and what it read
    words = np.eye(N_WORDS, dtype=dx.dtype)[batch.tokens.ravel()]  # (B * T, V)
    out.W_E[:] = _over_rows(words, dx)
    return loss


def _times(x: FloatArray, W: FloatArray) -> FloatArray:
    """x W, (n, d_out), a few rows at a time."""
    return (_few_rows(x) @ W).reshape(len(x), -1)


def _over_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """xᵀ y, (d_x, d_y), a few rows at a time."""
    total: FloatArray = (_few_rows(x).mT @ _few_rows(y)).sum(axis=0)
    return total


def _few_rows(x: FloatArray) -> FloatArray:
    """The rows in groups so small that BLAS keeps a product on one thread: sharing it costs far more than it saves."""
    return x.reshape(-1, gcd(len(x), 8 * SEQUENCE_LENGTH), x.shape[1])


@dataclass(eq=False)
class Adam:
    """Adam's two running means, of gradients and of their squares; `update` moves the numbers in place."""

    numbers: FloatArray
    lr: float
    step: int = 0

    def __post_init__(self) -> None:
        self.mean, self.square = np.zeros_like(self.numbers), np.zeros_like(self.numbers)

    def update(self, gradient: FloatArray) -> None:
        """Take one step; β₁ = 0.9, β₂ = 0.999, ε = 1e-8."""
        self.step += 1
        self.mean += 0.1 * (gradient - self.mean)
        self.square += 0.001 * (gradient * gradient - self.square)
        size = np.sqrt(self.square / (1 - 0.999**self.step)) + 1e-8
        self.numbers -= self.lr / (1 - 0.9**self.step) * self.mean / size
