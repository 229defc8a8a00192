"""Reads the lines that compute the formula out of the code itself, so that what is quoted cannot drift from it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from attention_core import (
    attend_in_heads,
    attention,
    attention_backward,
    causal_mask,
    layer_norm,
    normalization,
    ov_circuit,
    qk_circuit,
    softmax,
    tiles,
    transformer_block,
)

ROOT = Path(__file__).resolve().parent.parent
RETURN = "return"


@dataclass(frozen=True)
class Line:
    """A statement as it stands in the code: its file, the number of its first line, and its text."""

    file: str
    number: int
    code: str


# What a sign stands for, the function that computes it, the name it is given there, and which time that is.
SIGNS: tuple[tuple[str, Callable[..., Any], str, int], ...] = (
    ("Q Kᵀ: every query times every key", attention, "scores", 0),
    ("÷ √d_k: the scale", attention, "scale", 0),
    ("Q Kᵀ ÷ √d_k", attention, "logits", 0),
    ("+ bias: positions of the ALiBi kind", attention, "logits", 1),
    ("mask: hidden before the softmax", attention, "logits", 2),
    ("softmax, in the formula", attention, "weights", 0),
    ("softmax, its exponentials", softmax, "exps", 0),
    ("softmax, their total", softmax, "total", 0),
    ("softmax, exp ÷ total", softmax, "weights", 0),
    ("· V: the blend", attention, "output", 0),
    ("the causal mask", causal_mask, RETURN, 0),
    ("W_O: the heads, joined and mixed", attend_in_heads, "output", 0),
    ("tiles: what was summed before, rescaled", tiles._absorb, "rescale", 0),
    ("layer norm: average 0, spread 1", normalization._normalized, "inverse", 0),
    ("layer norm: stretched and shifted", layer_norm, RETURN, 0),
    ("x + attention, pre- or post-norm", transformer_block, "middle", 0),
    ("x + feed-forward, pre- or post-norm", transformer_block, "output", 0),
    ("QK: where to look", qk_circuit, RETURN, 0),
    ("OV: what to copy", ov_circuit, RETURN, 0),
    ("gradient through the softmax", attention_backward, "d_logits", 0),
)


def line_of(function: Callable[..., Any], name: str, which: int = 0) -> Line:
    """Find where a function assigns to a name, or what it returns.

    Parameters
    ----------
    function : callable
        Its source is read.
    name : str
        The name that is assigned, or ``"return"``.
    which : int
        Which of these statements, from 0.

    Raises
    ------
    LookupError
        If there is no such statement: the code has changed, and so must what is said of it.

    Examples
    --------
    >>> line_of(attention, "weights").code
    'weights = softmax(logits)'
    """
    lines, first = inspect.getsourcelines(function)
    source = "".join(lines)
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt) and _gives(node, name)]
    found.sort(key=lambda node: node.lineno)
    if which >= len(found):
        raise LookupError(f"{function.__name__} has {len(found)} statements for {name!r}, not {which + 1}")
    node = found[which]
    code = ast.get_source_segment(source, node) or ""
    file = Path(inspect.getsourcefile(function) or "").resolve().relative_to(ROOT)
    return Line(file.as_posix(), first + node.lineno - 1, " ".join(code.split()))


@lru_cache
def formula_in_code() -> str:
    """Return each sign of the formula above the line that computes it, as Python.

    Examples
    --------
    >>> "weights = softmax(logits)" in formula_in_code()
    True
    """
    told = []
    for sign, function, name, which in SIGNS:
        line = line_of(function, name, which)
        told.append(f"# {sign}    ({line.file}, line {line.number})\n{line.code}")
    return "\n\n".join(told)


def _gives(node: ast.stmt, name: str) -> bool:
    """Whether a statement gives this name a value, or returns one."""
    if isinstance(node, ast.Return):
        return name == RETURN
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)
