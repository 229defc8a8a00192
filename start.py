"""Attention Lab's commands. They need nothing but Python 3.11 or newer.

    python start.py          set up, then run the app; options go to Streamlit, such as --server.port 8601
    python start.py test     set up, then run the tests; options go to pytest, such as -k softmax
    python start.py check    set up, then run ruff and mypy

Setting up makes the folder .venv and installs the packages into it, with uv when that is on PATH, otherwise
with pip. It happens once, and again when pyproject.toml, Python or the place of this folder has changed.
"""

import hashlib
import importlib.util
import os
import platform
import shutil
import signal
import subprocess
import sys
from pathlib import Path

# Only here can an older Python still be told: it does not get through the definitions below.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(
        f"Attention Lab needs Python 3.11 or newer, and {sys.executable} is {platform.python_version()}. "
        "Run start.py with a newer one, such as: python3.12 start.py"
    )

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "made-for.txt"


def venv_python(venv: Path, os_name: str = os.name) -> Path:
    """Where an environment keeps its Python."""
    return venv / ("Scripts/python.exe" if os_name == "nt" else "bin/python")


def stamp(root: Path, extra: str) -> str:
    """What an environment was made for. The path counts: an environment does not survive being moved."""
    digest = hashlib.sha256((root / "pyproject.toml").read_bytes()).hexdigest()
    return f"Python {platform.python_version()}\n{root}\npyproject.toml {digest}\nextra: {extra}\n"


def is_ready(root: Path, extra: str, venv: Path) -> bool:
    """Whether the environment serves; one with the test tools in it serves the app too."""
    if not venv_python(venv).exists() or not (venv / STAMP.name).is_file():
        return False
    return (venv / STAMP.name).read_text(encoding="utf-8") in {stamp(root, extra), stamp(root, "test")}


def set_up(extra: str) -> None:
    """Make .venv and fill it, unless that is done. The stamp comes last: without it, all is redone."""
    if is_ready(ROOT, extra, VENV):
        return
    uv = shutil.which("uv")
    if not uv and not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        sys.exit(
            f"{sys.executable} lacks the modules venv and ensurepip, which the set-up needs. "
            "On Debian and Ubuntu: sudo apt install python3-venv"
        )
    print(f"Setting up {VENV} with {'uv' if uv else 'pip'}. This can take some minutes.", flush=True)
    make = [sys.executable, "-m", "venv", "--clear", str(VENV), *(["--without-pip"] if uv else [])]
    python = str(venv_python(VENV))
    installer = [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
    # An environment that serves the app only lacks the test tools, which are added to it.
    if not is_ready(ROOT, "", VENV) and subprocess.run(make).returncode != 0:
        sys.exit(f"{VENV} could not be made; the reason is above.")
    STAMP.unlink(missing_ok=True)
    package = f".[{extra}]" if extra else "."
    if subprocess.run([*installer, "--editable", package], cwd=ROOT).returncode != 0:
        sys.exit(
            "The packages could not be installed; the reason is above, often the network or a full disk. "
            "The same command starts over."
        )
    STAMP.write_text(stamp(ROOT, extra), encoding="utf-8")


def programs(command: str, options: list[str]) -> list[list[str]]:
    """The modules, with their arguments, that a command runs one after the other."""
    if command == "test":
        return [["pytest", *options]]
    if command == "check":
        return [["ruff", "check", *options], ["mypy"]]
    # Streamlit would listen on every network the machine is in. A host that shares the app says so itself.
    chosen = "STREAMLIT_SERVER_ADDRESS" in os.environ or any("--server.address" in o for o in options)
    return [["streamlit", "run", "app.py", *([] if chosen else ["--server.address", "127.0.0.1"]), *options]]


def run(module: list[str]) -> int:
    """Run a module of the environment to its end and return its exit code."""
    process = subprocess.Popen([str(venv_python(VENV)), "-m", *module], cwd=ROOT)
    # Whoever ends this process means the app.
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    while process.returncode is None:
        try:
            process.wait()
        except KeyboardInterrupt:  # the terminal sent Ctrl+C to both; the other one tidies up and ends
            continue
    # Ended by a signal is a negative number here, and 128 and more to a shell.
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def main(arguments: list[str]) -> int:
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    command, options = "run", arguments
    if arguments and not arguments[0].startswith("-"):
        command, options = arguments[0], arguments[1:]
    if command not in ("run", "test", "check"):
        sys.exit(f"There is no command {command!r}.\n\n{__doc__}")
    set_up("" if command == "run" else "test")
    return next((code for code in map(run, programs(command, options)) if code != 0), 0)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # during the set-up
        sys.exit(130)
