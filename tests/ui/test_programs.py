"""Each "numpy for this picture" is run, and prints the picture's own numbers."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_ui.programs import attention_program
from attention_ui.settings import OWN, Settings
from attention_ui.show import payload
from tests.cases import HOSTILE_SETTINGS, SAMPLE, every_picture, printed_table, run_program, table_of

INPUTS = {"X", "Q", "K", "V", "W_Q", "W_K", "W_V", "beta"}
FEW = (
    Settings(),
    Settings("cat-sat", mask="causal", heads=4, head=2),
    Settings("apple-pie", d_k=64, scale=False),
    Settings(OWN, "the cat saw the dog", mask="window", window=2, heads=2, head=1),
    Settings(OWN, "my phone bank", mask="padding", padding=1),
    HOSTILE_SETTINGS[0],
)


def made(settings: Settings) -> list[dict[str, Any]]:
    return [payload(make, args, "light") for make, args in every_picture(settings)]


@pytest.mark.parametrize("settings", [*SAMPLE, *HOSTILE_SETTINGS])
def test_it_prints_the_table(settings: Settings) -> None:
    for picture in made(settings):
        assert run_program(picture["program"]) == printed_table(picture), picture["name"]


@pytest.mark.parametrize("settings", [FEW[0], FEW[1], HOSTILE_SETTINGS[3], HOSTILE_SETTINGS[-1]])
def test_it_runs_in_a_python_of_its_own(settings: Settings, tmp_path: Path) -> None:
    """As a file, isolated: its encoding line, its quotes and its output are Python's business there."""
    for picture in made(settings)[:: 1 if settings == FEW[0] else 5]:
        file = tmp_path / "picture.py"
        file.write_text(picture["program"], encoding="utf-8")
        ran = subprocess.run([sys.executable, "-I", "-X", "utf8", str(file)], capture_output=True, check=False)
        assert ran.stderr.decode() == ""
        assert table_of(ran.stdout.decode().replace("\r\n", "\n")) == printed_table(picture), picture["name"]


@pytest.mark.parametrize("settings", [*FEW, *HOSTILE_SETTINGS])
def test_it_needs_numpy_alone_and_holds_no_result(settings: Settings) -> None:
    for picture in made(settings):
        assert picture["program"].isascii()
        tree = ast.parse(picture["program"])
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        assert {ast.unparse(node) for node in imports} == {"import numpy as np"}
        numbers = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, float)]
        assert set(numbers) <= {0.25, 0.5}, picture["name"]  # a weight or an output would be another fraction


def inputs_of(tree: ast.Module) -> list[ast.Constant]:
    """The numbers that a program starts from."""
    given = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in INPUTS
    ]
    nodes = (node for value in given for node in ast.walk(value))
    return [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, int | float)]


@pytest.mark.parametrize("settings", FEW)
def test_another_input_is_another_output(settings: Settings) -> None:
    for picture in made(settings):
        before = run_program(picture["program"])
        tree = ast.parse(picture["program"])
        felt = False
        for constant in inputs_of(tree):
            assert isinstance(constant.value, int | float)
            constant.value += 1
            felt = run_program(ast.unparse(tree)) != before
            constant.value -= 1
            if felt:
                break
        assert felt, picture["name"]


def test_another_mask_scale_or_head_is_another_output() -> None:
    def printed(**changes: Any) -> list[list[str]]:
        report = "for i in range(n): row(names[i], [*weights[i], *output[i]])"
        return run_program(attention_program(Settings(**changes), "Weights", report))

    base = printed(d_k=8, heads=2)
    others: list[dict[str, Any]] = [
        {"scale": False},
        {"mask": "causal"},
        {"mask": "window", "window": 1},
        {"mask": "padding", "padding": 2},
        {"head": 1},
        {"heads": 4},
    ]
    tables = [base, *(printed(**{"d_k": 8, "heads": 2, **other}) for other in others)]
    assert all(one != other for i, one in enumerate(tables) for other in tables[:i])


def test_it_starts_from_the_same_numbers_in_full() -> None:
    program = attention_program(Settings(OWN, "baked"), "Weights", "row('x', X[0] / 3)")
    assert "X = np.array([[-0.5, 0, 0, 1]], float)" in program
    namespace: dict[str, Any] = {}
    exec(program.replace("-0.5", "-0.1234567890123"), namespace)
    assert np.asarray(namespace["X"])[0, 0] == -0.1234567890123
