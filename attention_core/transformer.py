"""The block round the attention, and a stack of them: what is added to each word's vector on its way up."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from attention_core.activations import gelu
from attention_core.attention import AttentionTrace, FloatArray, _frozen, _real, attention
from attention_core.masks import _whole
from attention_core.normalization import layer_norm

NORMS = ("pre", "post")
MAX_BLOCKS = 8


@dataclass(frozen=True, eq=False)
class BlockParams:
    """What one block has learned, or was given at random; all arrays are read-only copies in float64.

    Parameters
    ----------
    W_Q, W_K : ndarray, (h, d_model, d_k)
        One matrix a head.
    W_V : ndarray, (h, d_model, d_v)
    W_O : ndarray, (h · d_v, d_model)
    gamma_1, beta_1 : ndarray, (d_model,)
        The layer norm of the attention: before it, or after it in a post-norm block.
    W_1, b_1 : ndarray, (d_model, d_ff) and (d_ff,)
        Into the feed-forward part.
    W_2, b_2 : ndarray, (d_ff, d_model) and (d_model,)
        And back.
    gamma_2, beta_2 : ndarray, (d_model,)
        The layer norm of the feed-forward part.

    Raises
    ------
    ValueError
        If sizes do not fit, or an entry is not a finite real number.

    Examples
    --------
    >>> random_blocks(1)[0].W_1.shape
    (4, 16)
    """

    W_Q: FloatArray
    W_K: FloatArray
    W_V: FloatArray
    W_O: FloatArray
    gamma_1: FloatArray
    beta_1: FloatArray
    W_1: FloatArray
    b_1: FloatArray
    W_2: FloatArray
    b_2: FloatArray
    gamma_2: FloatArray
    beta_2: FloatArray

    def __post_init__(self) -> None:
        for field in fields(self):
            array = _frozen(_real(field.name, getattr(self, field.name)), np.float64)
            if not np.isfinite(array).all():
                raise ValueError(f"{field.name} holds NaN or an infinity; every entry must be finite")
            object.__setattr__(self, field.name, array)
        for name, dimensions in (("W_Q", 3), ("W_V", 3), ("W_1", 2)):
            if getattr(self, name).ndim != dimensions:
                raise ValueError(f"{name} must have {dimensions} axes, got shape {getattr(self, name).shape}")
        h, d_model, d_k = self.W_Q.shape
        d_v, d_ff = self.W_V.shape[-1], self.W_1.shape[-1]
        expected = {
            "W_K": (h, d_model, d_k),
            "W_V": (h, d_model, d_v),
            "W_O": (h * d_v, d_model),
            "W_1": (d_model, d_ff),
            "b_1": (d_ff,),
            "W_2": (d_ff, d_model),
        } | dict.fromkeys(("b_2", "gamma_1", "beta_1", "gamma_2", "beta_2"), (d_model,))
        for name, shape in expected.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} must be {shape} beside W_Q {self.W_Q.shape}, got {getattr(self, name).shape}")


@dataclass(frozen=True, eq=False)
class BlockTrace:
    """Every number of one block, in the order in which it is computed; all arrays are read-only.

    Parameters
    ----------
    X : ndarray, (..., n, d_model)
        The words' vectors as they come in.
    heads : AttentionTrace
        All heads at once: weights (..., h, n, n), output (..., h, n, d_v).
    attention_added : ndarray, (..., n, d_model)
        What the attention adds: the heads' outputs side by side, times W_O.
    middle : ndarray, (..., n, d_model)
        X + attention_added, and its layer norm in a post-norm block.
    hidden : ndarray, (..., n, d_ff)
        Inside the feed-forward part, after the gelu.
    feed_forward_added : ndarray, (..., n, d_model)
        What the feed-forward part adds.
    output : ndarray, (..., n, d_model)
        middle + feed_forward_added, and its layer norm in a post-norm block.

    Examples
    --------
    >>> transformer_block(np.eye(4), random_blocks(1)[0]).hidden.shape
    (4, 16)
    """

    X: FloatArray
    heads: AttentionTrace
    attention_added: FloatArray
    middle: FloatArray
    hidden: FloatArray
    feed_forward_added: FloatArray
    output: FloatArray


@dataclass(frozen=True, eq=False)
class StackTrace:
    """The residual stream: each word's vector after every part of a stack; all arrays are read-only.

    Part 2 b is the attention of block b, part 2 b + 1 its feed-forward part.

    Parameters
    ----------
    blocks : tuple of BlockTrace
        From the bottom up.
    stream : ndarray, (2 · blocks + 1, ..., n, d_model)
        The vectors: as they come in, and after each part.
    lengths : ndarray, (2 · blocks + 1, ..., n)
        Their lengths.
    added : ndarray, (2 · blocks, ..., n, d_model)
        What each part added. With pre-norm, stream[i + 1] = stream[i] + added[i]; with post-norm, its layer norm.
    added_lengths : ndarray, (2 · blocks, ..., n)
        The lengths of what was added.

    Examples
    --------
    >>> transformer_stack(np.eye(4), random_blocks(3)).stream.shape
    (7, 4, 4)
    """

    blocks: tuple[BlockTrace, ...]
    stream: FloatArray
    lengths: FloatArray
    added: FloatArray
    added_lengths: FloatArray


def random_blocks(
    n_blocks: int, seed: int = 0, *, d_model: int = 4, d_ff: int = 16, n_heads: int = 2
) -> tuple[BlockParams, ...]:
    """Make untrained blocks: normal entries that keep a vector's size, no shifts.

    Parameters
    ----------
    n_blocks : int
        1 to `MAX_BLOCKS`. The first blocks are the same however many follow.
    seed : int
        Of the random numbers, 0 or more.
    d_model, d_ff, n_heads : int
        1 or more; the heads share d_model evenly.

    Returns
    -------
    tuple of BlockParams

    Raises
    ------
    ValueError
        If a number is out of its range.

    References
    ----------
    LeCun et al. 1998, Efficient BackProp, equation 16 (entries with variance 1 / inputs).

    Examples
    --------
    >>> bool((random_blocks(1)[0].W_Q == random_blocks(8)[0].W_Q).all())
    True
    """
    if _whole("n_blocks", n_blocks, 1) > MAX_BLOCKS:
        raise ValueError(f"n_blocks must be 1 to {MAX_BLOCKS}, got {n_blocks}")
    d_model, d_ff, h = _whole("d_model", d_model, 1), _whole("d_ff", d_ff, 1), _whole("n_heads", n_heads, 1)
    if d_model % h:
        raise ValueError(f"{h} heads cannot share a d_model of {d_model} evenly")
    rng = np.random.default_rng(_whole("seed", seed))

    def entries(*shape: int) -> FloatArray:
        return rng.normal(0, 1 / sqrt(shape[-2]), shape)

    return tuple(
        BlockParams(
            W_Q=entries(h, d_model, d_model // h),
            W_K=entries(h, d_model, d_model // h),
            W_V=entries(h, d_model, d_model // h),
            W_O=entries(d_model, d_model),
            gamma_1=np.ones(d_model),
            beta_1=np.zeros(d_model),
            W_1=entries(d_model, d_ff),
            b_1=np.zeros(d_ff),
            W_2=entries(d_ff, d_model),
            b_2=np.zeros(d_model),
            gamma_2=np.ones(d_model),
            beta_2=np.zeros(d_model),
        )
        for _ in range(n_blocks)
    )


def transformer_block(
    X: ArrayLike, params: BlockParams, *, norm: str = "pre", mask: ArrayLike | None = None
) -> BlockTrace:
    """Let the words look at each other, then let each think for itself; both add to what is there.

    Parameters
    ----------
    X : array_like, (..., n, d_model)
        Words, one a row.
    params : BlockParams
    norm : str
        "pre": x + part(LN(x)), as in GPT-2. "post": LN(x + part(x)), as in 2017.
    mask : array_like of bool, optional
        True = may look. Anything that broadcasts to (..., h, n, n).

    Returns
    -------
    BlockTrace

    Raises
    ------
    ValueError
        If sizes do not fit (both are named), `norm` is neither, an entry is not finite, or numbers overflow.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.1 (post-norm); Xiong et al. 2020, On Layer
    Normalization in the Transformer Architecture, table 1 (both).

    Examples
    --------
    >>> trace = transformer_block(np.eye(4), random_blocks(1)[0])
    >>> bool(np.allclose(trace.output, np.eye(4) + trace.attention_added + trace.feed_forward_added))
    True
    """
    if norm not in NORMS:
        raise ValueError(f"norm must be one of {', '.join(NORMS)}, got {norm!r}")
    X = _frozen(_real("X", X), np.float64)
    d_model = params.W_Q.shape[1]
    if X.ndim < 2 or X.shape[-1] != d_model:
        raise ValueError(f"X must be (..., n, {d_model}) for these params, got shape {X.shape}")

    def norm_1(x: FloatArray) -> FloatArray:
        return layer_norm(x, params.gamma_1, params.beta_1)

    def norm_2(x: FloatArray) -> FloatArray:
        return layer_norm(x, params.gamma_2, params.beta_2)

    with np.errstate(over="ignore", invalid="ignore"):  # attention and layer_norm refuse what overflows
        looking = (norm_1(X) if norm == "pre" else X)[..., None, :, :]  # (..., 1, n, d_model), for every head
        heads = attention(looking @ params.W_Q, looking @ params.W_K, looking @ params.W_V, mask=mask)
        concat = np.moveaxis(heads.output, -3, -2).reshape(*X.shape[:-1], -1)  # (..., n, h * d_v)
        attention_added = concat @ params.W_O
        middle = X + attention_added if norm == "pre" else norm_1(X + attention_added)

        thinking = norm_2(middle) if norm == "pre" else middle
        hidden = gelu(thinking @ params.W_1 + params.b_1)  # (..., n, d_ff)
        feed_forward_added = hidden @ params.W_2 + params.b_2
        output = middle + feed_forward_added if norm == "pre" else norm_2(middle + feed_forward_added)

    if not np.isfinite(output).all():
        raise ValueError("the output overflows float64: the entries of X or params are too large")
    for x in (attention_added, middle, hidden, feed_forward_added, output):
        x.setflags(write=False)
    return BlockTrace(X, heads, attention_added, middle, hidden, feed_forward_added, output)


def transformer_stack(
    X: ArrayLike, blocks: Sequence[BlockParams], *, norm: str = "pre", mask: ArrayLike | None = None
) -> StackTrace:
    """Run block after block, and keep the residual stream.

    Parameters
    ----------
    X : array_like, (..., n, d_model)
        Words, one a row.
    blocks : sequence of BlockParams
        One or more, from the bottom up, as from `random_blocks`.
    norm, mask
        As in `transformer_block`, the same for all. GPT-2's last layer norm, on top of its stack, is not applied.

    Returns
    -------
    StackTrace

    Raises
    ------
    ValueError
        If there is no block, and as `transformer_block`.

    References
    ----------
    Elhage et al. 2021, A Mathematical Framework for Transformer Circuits (the residual stream).

    Examples
    --------
    >>> trace = transformer_stack(np.eye(4), random_blocks(8), norm="post")
    >>> trace.lengths[-1].round(3)  # a layer norm came last: mean square 1, so length √4
    array([2., 2., 2., 2.])
    """
    if not blocks:
        raise ValueError("a stack needs one block or more, got none")
    traces: list[BlockTrace] = []
    for params in blocks:
        traces.append(transformer_block(traces[-1].output if traces else X, params, norm=norm, mask=mask))
    stream = np.stack([traces[0].X, *(x for trace in traces for x in (trace.middle, trace.output))])
    added = np.stack([x for trace in traces for x in (trace.attention_added, trace.feed_forward_added)])
    lengths, added_lengths = np.linalg.norm(stream, axis=-1), np.linalg.norm(added, axis=-1)
    for x in (stream, lengths, added, added_lengths):
        x.setflags(write=False)
    return StackTrace(tuple(traces), stream, lengths, added, added_lengths)
