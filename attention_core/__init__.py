"""The maths of every chapter, in NumPy alone."""

from attention_core.attention import AttentionTrace, attention, softmax
from attention_core.contributions import Contributions, contributions
from attention_core.equivalents import EquivalentWeights, equivalent_weights
from attention_core.geometry import Alignment, alignment, convex_hull, unit_circle_ceiling
from attention_core.gradients import attention_backward
from attention_core.leaks import MASKINGS, WRONG_MASKINGS, influence, leak
from attention_core.lexicon import FEATURES, LEXICON, embed, is_known, tokenize
from attention_core.masks import causal_mask, padding_mask, sliding_window_mask
from attention_core.model import (
    D_K_CHOICES,
    HEAD_ANGLES,
    HEAD_CHOICES,
    W_K,
    W_Q,
    W_V,
    MultiHeadTrace,
    attend_in_heads,
    lift_matrix,
    multi_head_attention,
    output_matrix,
    project,
    rotation,
)
from attention_core.paper import PaperRow, paper_row
from attention_core.permutations import permutation_residual
from attention_core.positions import (
    ALIBI_HEADS,
    DEFAULT_STRENGTH,
    POSITION_KINDS,
    ROPE_ANGLE,
    Positioned,
    alibi_bias,
    learned_positions,
    offset_matrix,
    positioned,
    rope,
    rotate_pairs,
    sinusoidal_positions,
    wavelengths,
)
from attention_core.scaling import ScoreStatistics, SoftmaxStatistics, random_scores
from attention_core.sentences import MAX_TOKENS, SENTENCES, Sentence
from attention_core.sharpness import effective_number, entropy, largest_slope, softmax_jacobian
from attention_core.steps import RowSteps, lift_factor, row_steps
from attention_core.worksheet import LINES, MISTAKES, Answers, Verdict, Worksheet, judge, worksheet

__all__ = [
    "ALIBI_HEADS",
    "DEFAULT_STRENGTH",
    "D_K_CHOICES",
    "FEATURES",
    "HEAD_ANGLES",
    "HEAD_CHOICES",
    "LEXICON",
    "LINES",
    "MASKINGS",
    "MAX_TOKENS",
    "MISTAKES",
    "POSITION_KINDS",
    "ROPE_ANGLE",
    "SENTENCES",
    "WRONG_MASKINGS",
    "W_K",
    "W_Q",
    "W_V",
    "Alignment",
    "Answers",
    "AttentionTrace",
    "Contributions",
    "EquivalentWeights",
    "MultiHeadTrace",
    "PaperRow",
    "Positioned",
    "RowSteps",
    "ScoreStatistics",
    "Sentence",
    "SoftmaxStatistics",
    "Verdict",
    "Worksheet",
    "alibi_bias",
    "alignment",
    "attend_in_heads",
    "attention",
    "attention_backward",
    "causal_mask",
    "contributions",
    "convex_hull",
    "effective_number",
    "embed",
    "entropy",
    "equivalent_weights",
    "influence",
    "is_known",
    "judge",
    "largest_slope",
    "leak",
    "learned_positions",
    "lift_factor",
    "lift_matrix",
    "multi_head_attention",
    "offset_matrix",
    "output_matrix",
    "padding_mask",
    "paper_row",
    "permutation_residual",
    "positioned",
    "project",
    "random_scores",
    "rope",
    "rotate_pairs",
    "rotation",
    "row_steps",
    "sinusoidal_positions",
    "sliding_window_mask",
    "softmax",
    "softmax_jacobian",
    "tokenize",
    "unit_circle_ceiling",
    "wavelengths",
    "worksheet",
]
