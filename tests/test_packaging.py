"""What is shipped, and that the files which say so agree."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import streamlit.config

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def tracked_files() -> list[Path]:
    """The files of the repository; skips where there is none, such as in an unpacked archive."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_run_time_packages(pyproject: dict[str, Any]) -> None:
    names = [re.split(r"[^A-Za-z]", requirement)[0] for requirement in pyproject["project"]["dependencies"]]
    assert names == ["streamlit", "numpy", "plotly", "pandas", "segno"]


def test_requirements_txt_repeats_the_dependencies(pyproject: dict[str, Any]) -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert lines == pyproject["project"]["dependencies"]


def test_no_torch_and_no_onnx(pyproject: dict[str, Any]) -> None:
    project = pyproject["project"]
    for requirements in (project["dependencies"], *project["optional-dependencies"].values()):
        assert not [requirement for requirement in requirements if re.match("torch|onnx", requirement)]


def test_start_py_asks_for_the_same_python(pyproject: dict[str, Any]) -> None:
    assert pyproject["project"]["requires-python"] == ">=3.11"
    assert "sys.version_info < (3, 11)" in (ROOT / "start.py").read_text(encoding="utf-8")


def test_start_py_needs_only_the_standard_library() -> None:
    """Isolated (-I) and without site-packages (-S) it still tells what it does."""
    command = [sys.executable, "-I", "-S", str(ROOT / "start.py"), "--help"]
    assert b"python start.py test" in subprocess.run(command, capture_output=True, check=True).stdout


def test_every_script_and_style_sheet_is_packaged(pyproject: dict[str, Any]) -> None:
    patterns = pyproject["tool"]["setuptools"]["package-data"]["attention_ui"]
    packaged = {path for pattern in patterns for path in (ROOT / "attention_ui").glob(pattern)}
    assets = {path for path in tracked_files() if path.suffix in (".js", ".css")}
    assert {path for path in assets if ROOT / "attention_ui" in path.parents} <= packaged


def test_no_lock_file_and_no_environment_is_tracked() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in tracked_files()}
    assert not names & {"uv.lock", "poetry.lock", "Pipfile.lock", ".venv", "build", "dist"}


def options(table: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """The tables of a TOML file as one, with dotted names."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        flat |= options(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return flat


def test_streamlit_knows_every_option() -> None:
    """It only warns about an unknown one, so a renamed option would go unnoticed."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    chosen = options(config)
    known = streamlit.config.get_config_options()
    assert chosen.keys() <= known.keys()
    assert chosen["browser.gatherUsageStats"] is False
    assert "server.headless" not in chosen  # a local user's browser should open
    assert "server.address" not in chosen  # start.py's and the host's choice


def test_light_and_dark_set_the_same_colours() -> None:
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    assert options(theme["light"]).keys() == options(theme["dark"]).keys()


def test_the_theme_asks_no_other_host() -> None:
    assert "://" not in (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")


def test_the_lower_bounds_are_installed_or_passed(pyproject: dict[str, Any]) -> None:
    def numbers(text: str) -> list[int]:
        return [int(part) for part in text.split(".")[:2]]

    for requirement in pyproject["project"]["dependencies"]:
        name, bound = re.split(r"(?:\[\w+\])?>=", requirement)
        assert numbers(version(name)) >= numbers(bound)
