"""The maths of every chapter, in NumPy alone."""

from attention_core.attention import AttentionTrace, attention, softmax
from attention_core.gradients import attention_backward
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
from attention_core.permutations import permutation_residual
from attention_core.sentences import MAX_TOKENS, SENTENCES, Sentence
from attention_core.steps import RowSteps, lift_factor, row_steps

__all__ = [
    "D_K_CHOICES",
    "FEATURES",
    "HEAD_ANGLES",
    "HEAD_CHOICES",
    "LEXICON",
    "MAX_TOKENS",
    "SENTENCES",
    "W_K",
    "W_Q",
    "W_V",
    "AttentionTrace",
    "MultiHeadTrace",
    "RowSteps",
    "Sentence",
    "attend_in_heads",
    "attention",
    "attention_backward",
    "causal_mask",
    "embed",
    "is_known",
    "lift_factor",
    "lift_matrix",
    "multi_head_attention",
    "output_matrix",
    "padding_mask",
    "permutation_residual",
    "project",
    "rotation",
    "row_steps",
    "sliding_window_mask",
    "softmax",
    "tokenize",
]
