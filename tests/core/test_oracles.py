"""Our attention against PyTorch's and ONNX's numbers; tests/data/README.md says what is what."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from attention_core import (
    BlockParams,
    KVCache,
    attention,
    attention_backward,
    causal_mask,
    decode_step,
    gelu,
    layer_norm,
    layer_norm_backward,
    online_attention,
    padding_mask,
    rotate_pairs,
    sliding_window_mask,
    softmax,
    softmax_jacobian,
    transformer_block,
)

DATA = Path(__file__).parents[1] / "data"
Arrays = dict[str, NDArray[Any]]

SDPA = sorted(path.stem for path in (DATA / "torch").glob("sdpa_*.npz"))
MHA = sorted(path.stem for path in (DATA / "torch").glob("mha_*.npz"))
ONNX: dict[str, dict[str, Any]] = json.loads((DATA / "onnx" / "cases.json").read_text())
ONNX_ATTENTION = sorted(name for name, case in ONNX.items() if case["op"] == "Attention")
ONNX_ROTARY = sorted(name for name, case in ONNX.items() if case["op"] == "RotaryEmbedding")
ONNX_GELU = sorted(name for name, case in ONNX.items() if case["op"] == "Gelu")
ONNX_LAYER_NORM = sorted(name for name, case in ONNX.items() if case["op"] == "LayerNormalization")
ONNX_SOFTMAX = sorted(name for name, case in ONNX.items() if case["op"] == "Softmax")


def load(suite: str, name: str) -> Arrays:
    with np.load(DATA / suite / f"{name}.npz") as arrays:
        return dict(arrays)


def test_no_case_is_lost() -> None:
    assert (len(SDPA), len(MHA), len(ONNX_ATTENTION), len(ONNX_SOFTMAX), len(ONNX_ROTARY)) == (6, 2, 33, 5, 6)
    assert len(ONNX) == 59
    assert (len(ONNX_GELU), len(ONNX_LAYER_NORM)) == (3, 12)
    assert {path.stem for path in (DATA / "onnx").glob("*.npz")} == set(ONNX)


@pytest.mark.parametrize("name", SDPA)
def test_torch_scaled_dot_product_attention(name: str) -> None:
    case = load("torch", name)
    given = case.get("mask")
    mask = given if given is not None and given.dtype == bool else None
    bias = given if given is not None and given.dtype != bool else None
    if name == "sdpa_causal":
        mask = causal_mask(case["q"].shape[-2])
    scale = 0.5 if name == "sdpa_scale" else None
    trace = attention(case["q"], case["k"], case["v"], mask=mask, bias=bias, scale=scale)
    assert_allclose(trace.output, case["y"], rtol=0, atol=1e-12)
    for gradient, name_ in zip(attention_backward(case["g"], trace), ("dq", "dk", "dv"), strict=True):
        assert_allclose(gradient, case[name_], rtol=0, atol=1e-12)
    if bias is None:
        tiled = online_attention(case["q"], case["k"], case["v"], mask=mask, scale=scale, block_q=3, block_k=2)
        assert_allclose(tiled, case["y"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", MHA)
def test_torch_multi_head_attention(name: str) -> None:
    case = load("torch", name)
    n_heads = 4

    def in_heads(x: NDArray[Any]) -> NDArray[Any]:
        return x.reshape(*x.shape[:-1], n_heads, -1).swapaxes(-2, -3)  # (batch, h, n, d)

    Q, K, V = map(in_heads, np.split(case["x"] @ case["in_w"].T + case["in_b"], 3, axis=-1))
    n_real = (~case["kpm"]).sum(axis=-1)  # PyTorch: True = hidden
    trace = attention(Q, K, V, mask=padding_mask(n_real, K.shape[-2]))
    concat = trace.output.swapaxes(-2, -3).reshape(case["x"].shape)
    assert_allclose(concat @ case["out_w"].T + case["out_b"], case["y"], rtol=0, atol=1e-12)
    weights = trace.weights.mean(axis=-3) if name == "mha_avg" else trace.weights
    assert_allclose(weights, case["w"], rtol=0, atol=1e-12)


def test_torch_gelu() -> None:
    case = load("torch", "gelu")
    assert_allclose(gelu(case["x"]), case["exact"], rtol=0, atol=1e-12)
    assert_allclose(gelu(case["x"], approximate="tanh"), case["tanh"], rtol=0, atol=1e-12)


def test_torch_layer_norm_and_its_gradients() -> None:
    case = load("torch", "layernorm")
    assert_allclose(layer_norm(case["x"], case["gamma"], case["beta"]), case["y"], rtol=0, atol=1e-12)
    gradients = layer_norm_backward(case["g"], case["x"], case["gamma"])
    for name, gradient in zip(("dx", "dgamma", "dbeta"), gradients, strict=True):
        assert_allclose(gradient, case[name], rtol=0, atol=1e-12)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_torch_transformer_encoder_layer(norm: str) -> None:
    case = load("torch", f"encoder_layer_{norm}")
    in_heads = case["in_w"].reshape(3, 2, 4, 8).swapaxes(-1, -2)  # (Q K V, h, d_model, d_k)
    params = BlockParams(
        W_Q=in_heads[0],
        W_K=in_heads[1],
        W_V=in_heads[2],
        W_O=case["out_w"].T,
        W_1=case["w_1"].T,
        W_2=case["w_2"].T,
        **{name: case[name] for name in ("b_1", "b_2", "gamma_1", "beta_1", "gamma_2", "beta_2")},
    )
    trace = transformer_block(case["x"], params, norm=norm, mask=causal_mask(5))
    assert_allclose(trace.output, case["y"], rtol=0, atol=1e-12 * np.abs(case["y"]).max())


@pytest.mark.parametrize("name", ONNX_GELU)
def test_onnx_gelu(name: str) -> None:
    case, attrs = load("onnx", name), ONNX[name]["attrs"]
    bent = gelu(case["in0"], **attrs)
    assert bent.dtype == np.float32
    assert_allclose(bent, case["out0"], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ONNX_LAYER_NORM)
def test_onnx_layer_norm(name: str) -> None:
    case, attrs = load("onnx", name), ONNX[name]["attrs"]
    assert set(attrs) <= {"axis", "epsilon"}
    x, gamma = case["in0"], case["in1"]
    assert gamma.shape == x.shape[attrs["axis"] :]  # ONNX's axis is the first one of those that gamma has
    normalized = layer_norm(x, gamma, case["in2"], attrs.get("epsilon", 1e-5))
    assert normalized.dtype == np.float32
    assert_allclose(normalized, case["out0"], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ONNX_SOFTMAX)
def test_onnx_softmax(name: str) -> None:
    case = load("onnx", name)
    assert_allclose(softmax(case["in0"], ONNX[name]["attrs"].get("axis", -1)), case["out0"], rtol=1e-6, atol=1e-7)


def test_torch_softmax_jacobian() -> None:
    case = load("torch", "softmax_jac")
    assert_allclose(softmax_jacobian(softmax(case["x"])), case["J"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ONNX_ROTARY)
def test_onnx_rotary_embedding(name: str) -> None:
    case, attrs = load("onnx", name), ONNX[name]["attrs"]
    assert set(attrs) <= {"interleaved", "num_heads", "rotary_embedding_dim"}  # nothing passes by unread

    x, cos, sin = case["in0"], case["in1"], case["in2"]
    if x.ndim == 3:  # (batch, n, h * d)
        x = x.reshape(*x.shape[:2], attrs["num_heads"], -1).swapaxes(1, 2)  # (batch, h, n, d)
    if "in3" in case:  # one row of the tables for each position
        cos, sin = cos[case["in3"]], sin[case["in3"]]  # (batch, n, d/2)
    turning = attrs.get("rotary_embedding_dim", x.shape[-1])  # the entries after these stay as they are
    interleaved = bool(attrs.get("interleaved", 0))
    turned = rotate_pairs(x[..., :turning], cos[:, None], sin[:, None], interleaved=interleaved)
    assert turned.dtype == np.float32
    y = np.concatenate([turned, x[..., turning:]], axis=-1)
    if case["in0"].ndim == 3:
        y = y.swapaxes(1, 2).reshape(case["out0"].shape)
    assert_allclose(y, case["out0"], rtol=1e-6, atol=1e-6)


def onnx_masks(
    case: Arrays, attrs: dict[str, Any], n_q: int, n_past: int, n_k: int
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """ONNX's causality, windows, padding and masks as one boolean mask and one bias of ours."""
    n_real = case.get("in6")
    mask = np.ones((n_q, n_k), dtype=bool) if n_real is None else padding_mask(n_real, n_k)
    ahead = 0 if attrs.get("is_causal") else attrs.get("right_window_size")
    if ahead is not None:
        # Query i stands at n_past + i, or among the last of the real keys where their number is given. Our
        # masks end where the queries end, so they are made that long and then cut, or filled up with False.
        lasts = [n_past + n_q] if n_real is None else n_real.tolist()
        behind = attrs.get("left_window_size")
        grids = np.zeros((len(lasts), 1, n_q, n_k), dtype=bool)
        for grid, last in zip(grids, lasts, strict=True):
            if behind is None:
                look = causal_mask(n_q, last + ahead)
            else:
                look = sliding_window_mask(n_q, behind + 1 + ahead, last + ahead)
            grid[..., : look.shape[-1]] = look[:, :n_k]
        mask = mask & grids
    given = case.get("in3")
    if given is None:
        return mask, None
    missing = n_k - given.shape[-1]  # ONNX fills a short mask up with "may not look"
    fill = False if given.dtype == bool else -np.inf
    given = np.pad(given, [(0, 0)] * (given.ndim - 1) + [(0, missing)], constant_values=fill)
    return (mask & given, None) if given.dtype == bool else (mask, given)


@pytest.mark.parametrize("name", ONNX_ATTENTION)
def test_onnx_attention(name: str) -> None:
    case, attrs = load("onnx", name), ONNX[name]["attrs"]
    known = {"q_num_heads", "kv_num_heads", "qk_matmul_output_mode", "scale", "is_causal"}
    assert set(attrs) <= known | {"left_window_size", "right_window_size"}  # nothing passes by unread
    assert set(case) <= {f"in{i}" for i in range(7)} | {f"out{i}" for i in range(4)}

    Q, K, V = case["in0"], case["in1"], case["in2"]
    if Q.ndim == 3:  # (batch, n, h * d)
        heads = {"Q": attrs["q_num_heads"], "K": attrs["kv_num_heads"]}
        Q, K, V = (
            x.reshape(*x.shape[:2], n, -1).swapaxes(1, 2)
            for x, n in ((Q, heads["Q"]), (K, heads["K"]), (V, heads["K"]))
        )
    n_past = 0
    if "in4" in case:
        n_past = case["in4"].shape[-2]
        K, V = np.concatenate([case["in4"], K], axis=-2), np.concatenate([case["in5"], V], axis=-2)
        assert np.array_equal(K, case["out1"])
        assert np.array_equal(V, case["out2"])

    mask, bias = onnx_masks(case, attrs, Q.shape[-2], n_past, K.shape[-2])
    trace = attention(Q, K, V, mask=mask, bias=bias, scale=attrs.get("scale"))
    assert trace.output.dtype == np.float32
    output = trace.output if case["in0"].ndim == 4 else trace.output.swapaxes(1, 2).reshape(case["out0"].shape)
    assert_allclose(output, case["out0"], rtol=1e-6, atol=1e-6)
    if "out3" in case:
        stages = {0: trace.scores * np.float32(trace.scale), 2: trace.logits, 3: trace.weights}
        assert_allclose(stages[attrs.get("qk_matmul_output_mode", 0)], case["out3"], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("which", ["gqa_causal_nonpad_decode", "causal_nonpad_continued_prefill"])
def test_onnx_decode_against_past_keys(which: str) -> None:
    case = load("onnx", f"test_attention_4d_{which}")
    n_new = case["in0"].shape[-2]
    for Q, K, V, n_real, output in zip(*(case[name] for name in ("in0", "in1", "in2", "in6", "out0")), strict=True):
        n_past = n_real - n_new
        assert n_past > 0
        past = KVCache(K[:, :n_past], V[:, :n_past])
        trace, present = decode_step(Q, K[:, n_past:n_real], V[:, n_past:n_real], past)
        assert_allclose(trace.output, output, rtol=1e-6, atol=1e-6)
        assert np.array_equal(present.K, K[:, :n_real])
        assert np.array_equal(present.V, V[:, :n_real])


def test_a_short_mask_is_refused_instead_of_filled_up() -> None:
    case = load("onnx", "test_attention_4d_diff_heads_mask4d_padded_kv")
    with pytest.raises(ValueError, match=r"bias of shape \(2, 3, 4, 4\).*\(2, 3, 4, 6\)"):
        attention(case["in0"], case["in1"], case["in2"], bias=case["in3"])
    with pytest.raises(ValueError, match=r"mask of shape \(4, 4\).*\(2, 3, 4, 6\)"):
        attention(case["in0"], case["in1"], case["in2"], mask=np.ones((4, 4), dtype=bool))
