"""How the house is built: who may import whom, where state lives, what every page and function says of itself."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from attention_ui import prose
from tests.cases import PAGES, ROOT

CORE = sorted((ROOT / "attention_core").rglob("*.py"))
UI = sorted((ROOT / "attention_ui").rglob("*.py"))
FIGURES = sorted((ROOT / "attention_ui" / "figures").glob("*.py"))
# In pieces, so that this file names none of them itself.
HOSTS = re.compile(
    r"https?://(?:[\w-]+\.)*(?:cdn|un" r"pkg|js" r"delivr|cdnjs|googleapis|gstatic|plot\.ly|npmjs|pypi)\b[\w./-]*", re.I
)
TEXT = {".py", ".js", ".css", ".md", ".toml", ".txt", ".svg", ".html", ".json", ".yml", ".yaml", ""}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imports(path: Path) -> set[str]:
    """The dotted names of all modules that a file imports."""
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports by a relative name"
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def roots(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imports(path)}


@pytest.mark.parametrize("path", CORE, ids=name_of)
def test_the_core_knows_numpy_alone(path: Path) -> None:
    assert roots(path) <= {"numpy", "attention_core"} | sys.stdlib_module_names


@pytest.mark.parametrize("path", FIGURES, ids=name_of)
def test_figures_know_neither_streamlit_nor_pictures(path: Path) -> None:
    assert roots(path) <= {"numpy", "plotly", "attention_core", "attention_ui"} | sys.stdlib_module_names
    own = {name for name in imports(path) if name.startswith("attention_ui.")}
    assert all(name.split(".")[1] in ("figures", "captions", "escape") for name in own), own


@pytest.mark.parametrize("path", UI, ids=name_of)
def test_the_ui_knows_no_page_and_figures_are_drawn_on_demand(path: Path) -> None:
    assert not roots(path) & {"pages", "app", "start", "tests", "benchmarks"}
    assert "plotly.express" not in imports(path)  # a third of a second at start


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_is_a_flat_short_script(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 120
    assert not roots(path) & {"pages", "numpy", "plotly", "pandas"}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    defined = [node for node in ast.walk(tree_of(path)) if isinstance(node, kinds)]
    # Streamlit reruns a part of a page on its own only as a function.
    assert all("st.fragment" in map(ast.unparse, getattr(node, "decorator_list", [])) for node in defined)
    assert ast.get_docstring(tree_of(path))


def test_state_lives_in_one_package() -> None:
    users = [path for path in (*UI, *CORE, *PAGES) if re.search(r"session_state|query_params", path.read_text("utf-8"))]
    assert {path.parent for path in users} == {ROOT / "attention_ui" / "controls"}


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_has_its_prose(path: Path) -> None:
    text, script = path.with_suffix(".md").read_text("utf-8"), path.read_text("utf-8")
    assert text.startswith("# ")
    for field in ("order", "question", "teaser"):
        assert re.search(rf"^{field}: \S", text, re.M), field
    if "show(" in script:
        assert "### What to try" in text
        assert "controls.guess(" in script
    chapter = prose.read(path.stem.replace("_", "-"))
    for part in re.findall(r"text\.(?:say|html)\(\s*\"([\w-]+)\"|parts\[\"([\w-]+)\"\]", script):
        assert "".join(part) in chapter.parts, part


def test_every_prose_file_has_its_page() -> None:
    assert {path.stem for path in (ROOT / "pages").glob("*.md")} == {path.stem for path in PAGES}


def test_nothing_is_fetched_from_another_host() -> None:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    files = [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]
    assert files or not (ROOT / ".git").exists()
    for path in files:
        if path.suffix in TEXT and ROOT / "tests" not in path.parents:
            assert not HOSTS.search(path.read_text("utf-8", errors="replace")), path
    for path in (*UI, *(ROOT / "attention_ui").rglob("*.js"), *(ROOT / "attention_ui").rglob("*.css")):
        assert not re.search(r"(?:src|href|import|url)\W{0,4}https?:|\bfetch\(|@import", path.read_text("utf-8")), path


def public(path: Path) -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """The functions and classes of a file that readers call: all of a module, what a package of modules exports."""
    exported = None
    if path.parent != ROOT / "attention_core":
        exported = importlib.import_module(f"attention_core.{path.parent.name}").__all__
    for node in tree_of(path).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        if exported is None or node.name in exported:
            yield f"{name_of(path)}:{node.name}", node


@pytest.mark.parametrize("path", [*CORE, *UI, *PAGES], ids=name_of)
def test_everything_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(tree_of(path)), "the module"
    classes = [node for node in tree_of(path).body if isinstance(node, ast.ClassDef)]
    for node in (*tree_of(path).body, *(member for each in classes for member in each.body)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("__"):
            text = ast.get_docstring(node)
            assert text, f"{path}:{node.name}"
            assert text.splitlines()[0].endswith((".", ":")), f"{path}:{node.name}"


@pytest.mark.parametrize(("name", "node"), [case for path in CORE for case in public(path)], ids=lambda x: str(x)[:60])
def test_the_core_is_documented_in_full(name: str, node: ast.FunctionDef | ast.ClassDef) -> None:
    text = ast.get_docstring(node) or ""
    assert "Examples\n--------\n" in text, name
    assert ">>> " in text, name
    if isinstance(node, ast.FunctionDef):
        arguments = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
        if arguments:
            assert "Parameters\n----------\n" in text, name
        assert "Returns\n-------\n" in text, name
        if [each for each in ast.walk(node) if isinstance(each, ast.Raise)]:
            assert "Raises\n------\n" in text, name
        section = text.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
        assert set(arguments) <= set(re.findall(r"\w+", section)), name


def test_importing_the_core_is_light() -> None:
    code = "import sys, attention_core; print(*sorted({'pandas', 'streamlit', 'plotly'} & sys.modules.keys()))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""
