"""What attention costs: arithmetic, cells of the grid, and bytes that are kept while generating."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from attention_core.masks import _whole


@dataclass(frozen=True)
class ModelSpec:
    """The published sizes of a model, as far as its key/value cache depends on them.

    Parameters
    ----------
    id : str
        Its name in links.
    name : str
        Its name on screen.
    layers, heads : int
        Attention layers, and query heads in each.
    kv_heads : int
        Key/value heads in each layer: as many as heads, 1 (multi-query), or between (grouped-query).
    d_head : int
        Width of a head's keys and values.
    source : str
        Where these numbers are published.
    latent : int or None
        With multi-head latent attention: how many numbers a layer keeps for a token, instead of keys and values.
    window : int or None
        With a sliding window: how many tokens are kept, the newest included.

    Raises
    ------
    ValueError
        If a size is not a whole number of at least 1, or the heads do not share their keys and values evenly.

    Examples
    --------
    >>> MODEL_SPECS["gemma-2b"].kv_heads
    1
    """

    id: str
    name: str
    layers: int
    heads: int
    kv_heads: int
    d_head: int
    source: str
    latent: int | None = None
    window: int | None = None

    def __post_init__(self) -> None:
        for name in ("layers", "heads", "kv_heads", "d_head"):
            _whole(name, getattr(self, name), 1)
        for name in ("latent", "window"):
            if getattr(self, name) is not None:
                _whole(name, getattr(self, name), 1)
        if self.heads % self.kv_heads:
            raise ValueError(f"{self.heads} query heads cannot share {self.kv_heads} key/value heads evenly")


MODEL_SPECS: Mapping[str, ModelSpec] = MappingProxyType(
    {
        spec.id: spec
        for spec in (
            ModelSpec("gpt2-small", "GPT-2 small", 12, 12, 12, 64, "Radford et al. 2019, table 2"),
            ModelSpec("llama-2-7b", "Llama 2 7B", 32, 32, 32, 128, "Touvron et al. 2023, arXiv 2307.09288"),
            ModelSpec("llama-2-70b", "Llama 2 70B", 80, 64, 8, 128, "Touvron et al. 2023, arXiv 2307.09288"),
            ModelSpec("llama-3-8b", "Llama 3 8B", 32, 32, 8, 128, "Llama team 2024, arXiv 2407.21783, table 3"),
            ModelSpec("llama-3-70b", "Llama 3 70B", 80, 64, 8, 128, "Llama team 2024, arXiv 2407.21783, table 3"),
            ModelSpec(
                "mistral-7b", "Mistral 7B", 32, 32, 8, 128, "Jiang et al. 2023, arXiv 2310.06825, table 1", window=4096
            ),
            ModelSpec("gemma-2b", "Gemma 2B", 18, 8, 1, 256, "Gemma team 2024, arXiv 2403.08295, table 1"),
            ModelSpec(
                *("deepseek-v3", "DeepSeek-V3", 61, 128, 128, 128),
                "DeepSeek-AI 2024, arXiv 2412.19437, section 4.2",
                latent=512 + 64,  # the compressed keys and values, and one key that carries the position
            ),
        )
    }
)


def attention_flops(n: int, d_model: int) -> int:
    """Count the floating-point operations of the n x n part of a layer, Q Kᵀ and weights V: 4 n² d_model.

    A multiplication and an addition count as two; the softmax and the scale are left out. The number of heads
    does not matter, for together they are d_model wide.

    Parameters
    ----------
    n : int
        Tokens, 0 or more.
    d_model : int
        Width of the model, 1 or more.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If a size is too small or not a whole number.

    References
    ----------
    Kaplan et al. 2020, Scaling Laws for Neural Language Models, table 1 (for one token: 4 n d_model).

    Examples
    --------
    >>> attention_flops(2048, 768) / attention_flops(1024, 768)
    4.0
    """
    return 4 * _whole("n", n) ** 2 * _whole("d_model", d_model, 1)


def layer_flops(n: int, d_model: int, d_ff: int | None = None) -> int:
    """Count the floating-point operations of a whole layer.

    8 n d_model² for the projections W_Q, W_K, W_V, W_O, 4 n d_model d_ff for the feed-forward part, and
    `attention_flops` for the grid: 24 n d_model² + 4 n² d_model in all at the usual d_ff.

    Parameters
    ----------
    n : int
        Tokens, 0 or more.
    d_model : int
        Width of the model, 1 or more.
    d_ff : int, optional
        Width of the feed-forward part; 4 d_model unless given.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If a size is too small or not a whole number.

    References
    ----------
    Kaplan et al. 2020, Scaling Laws for Neural Language Models, table 1.

    Examples
    --------
    >>> layer_flops(1024, 768) == 24 * 1024 * 768**2 + 4 * 1024**2 * 768
    True
    """
    grid = attention_flops(n, d_model)
    n, d_model = int(n), int(d_model)
    d_ff = 4 * d_model if d_ff is None else _whole("d_ff", d_ff, 1)
    return 8 * n * d_model**2 + 4 * n * d_model * d_ff + grid


def grid_crossing(d_model: int, d_ff: int | None = None) -> int:
    """Return the number of tokens at which the n x n part costs as much as the rest of the layer.

    Parameters
    ----------
    d_model : int
        Width of the model, 1 or more.
    d_ff : int, optional
        Width of the feed-forward part; 4 d_model unless given.

    Returns
    -------
    int
        n = 2 d_model + d_ff, so 6 d_model at the usual d_ff; beyond it the grid costs more.

    Raises
    ------
    ValueError
        If a size is too small or not a whole number.

    Examples
    --------
    >>> n = grid_crossing(768)
    >>> n, 2 * attention_flops(n, 768) == layer_flops(n, 768)
    (4608, True)
    """
    d_model = _whole("d_model", d_model, 1)
    return 2 * d_model + (4 * d_model if d_ff is None else _whole("d_ff", d_ff, 1))


def score_cells(n: int, *, causal: bool = False, window: int | None = None) -> int:
    """Count the cells of the n x n grid that may be looked at.

    Parameters
    ----------
    n : int
        Tokens, 0 or more.
    causal : bool
        Whether each token sees only itself and what came before it.
    window : int, optional
        If each token sees only the last `window` ones, itself included; such a window is causal in any case.

    Returns
    -------
    int
        n², n (n + 1) / 2 with the causal mask, and with a window of w the same for the first w tokens and w for
        each later one.

    Raises
    ------
    ValueError
        If a size is too small or not a whole number.

    References
    ----------
    Beltagy, Peters, Cohan 2020, Longformer, section 3.1 (the window).

    Examples
    --------
    >>> score_cells(1000), score_cells(1000, causal=True), score_cells(1000, window=10)
    (1000000, 500500, 9955)
    """
    n = _whole("n", n)
    if window is not None:
        w = min(n, _whole("window", window, 1))
        return w * (w + 1) // 2 + (n - w) * w
    return n * (n + 1) // 2 if causal else n**2


def generation_scores(n: int, *, cached: bool = True) -> int:
    """Count the dot products q · k of one head that generates n tokens one by one.

    Parameters
    ----------
    n : int
        Tokens, 0 or more.
    cached : bool
        With a key/value cache, token t adds one row of t dot products. Without, it computes all t rows again.

    Returns
    -------
    int
        n (n + 1) / 2 with a cache, n (n + 1) (n + 2) / 6 without.

    Raises
    ------
    ValueError
        If `n` is negative or not a whole number.

    References
    ----------
    Shazeer 2019, Fast Transformer Decoding, section 2.4.

    Examples
    --------
    >>> generation_scores(1024), generation_scores(1024, cached=False)
    (524800, 179481600)
    """
    n = _whole("n", n)
    return n * (n + 1) // 2 if cached else n * (n + 1) * (n + 2) // 6


def kv_cache_bytes(spec: ModelSpec, tokens: int, batch: int = 1, bytes_per_value: int = 2) -> int:
    """Count the bytes of keys and values that a model keeps while it generates.

    2 · layers · kv_heads · d_head · bytes_per_value for each token; layers · latent · bytes_per_value with
    multi-head latent attention. With a sliding window only the last `window` tokens are kept.

    Parameters
    ----------
    spec : ModelSpec
        One of `MODEL_SPECS`, or one's own. `dataclasses.replace(spec, window=None)` keeps every token.
    tokens : int
        Length of each text, 0 or more.
    batch : int
        How many texts are generated at once, 0 or more.
    bytes_per_value : int
        2 for float16 and bfloat16, 4 for float32, 1 for 8 bits; 1 or more.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If a number is too small or not whole.

    References
    ----------
    Sizes: Radford et al. 2019, Language Models are Unsupervised Multitask Learners, table 2 (GPT-2);
    Touvron et al. 2023, arXiv 2307.09288 (Llama 2); Llama team 2024, arXiv 2407.21783, table 3 (Llama 3);
    Jiang et al. 2023, arXiv 2310.06825, table 1 (Mistral 7B: a window of 4,096); Gemma team 2024, arXiv
    2403.08295, table 1; DeepSeek-AI 2024, arXiv 2412.19437, section 4.2 (latent attention: 512 + 64 numbers a
    layer). The formula: Shazeer 2019; Ainslie et al. 2023; DeepSeek-AI 2024, arXiv 2405.04434, table 1.

    Examples
    --------
    >>> kv_cache_bytes(MODEL_SPECS["llama-2-7b"], tokens=1)
    524288
    >>> kv_cache_bytes(MODEL_SPECS["mistral-7b"], tokens=32_768) // 2**20  # MiB
    512
    """
    tokens, batch = _whole("tokens", tokens), _whole("batch", batch)
    kept = tokens if spec.window is None else min(tokens, spec.window)
    values = 2 * spec.kv_heads * spec.d_head if spec.latent is None else spec.latent  # a token and layer
    return spec.layers * values * kept * batch * _whole("bytes_per_value", bytes_per_value, 1)
