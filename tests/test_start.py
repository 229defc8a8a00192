"""start.py without installing anything: its decisions, its sentences, and the processes it runs."""

import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import start


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of its own for start.py, with a space in its path and no environment yet."""
    root = tmp_path / "a clone"
    root.mkdir()
    (root / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    monkeypatch.setattr(start, "ROOT", root)
    monkeypatch.setattr(start, "VENV", root / ".venv")
    monkeypatch.setattr(start, "STAMP", root / ".venv" / start.STAMP.name)
    return root


class Runs:
    """Stands in for subprocess.run: notes the commands, and makes what `python -m venv` would make."""

    def __init__(self, failing: str = "") -> None:
        self.commands: list[list[str]] = []
        self.failing = failing

    def __call__(self, command: Sequence[str], cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
        self.commands.append(list(command))
        failed = bool(self.failing) and self.failing in command
        if "venv" in command and not failed:
            python = start.venv_python(start.VENV)
            python.parent.mkdir(parents=True, exist_ok=True)
            python.touch()
        return subprocess.CompletedProcess(command, int(failed))

    @property
    def kinds(self) -> list[str]:
        return [next(word for word in command if word in ("venv", "install")) for command in self.commands]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    """A machine with pip and without uv, on which everything works."""
    runs = Runs()
    monkeypatch.setattr(subprocess, "run", runs)
    monkeypatch.setattr("shutil.which", lambda name: None)
    return runs


def test_python_of_an_environment() -> None:
    assert start.venv_python(Path("v"), "posix") == Path("v/bin/python")
    assert start.venv_python(Path("v"), "nt") == Path("v/Scripts/python.exe")


def test_set_up_happens_once(project: Path, runs: Runs) -> None:
    start.set_up("")
    assert runs.kinds == ["venv", "install"]
    assert runs.commands[1][-2:] == ["--editable", "."]
    start.set_up("")
    assert len(runs.commands) == 2


def test_test_tools_are_added_and_serve_the_app_too(project: Path, runs: Runs) -> None:
    start.set_up("")
    start.set_up("test")
    assert runs.kinds == ["venv", "install", "install"]
    assert runs.commands[2][-1] == ".[test]"
    start.set_up("")
    assert len(runs.commands) == 3


def test_changed_dependencies_start_over(project: Path, runs: Runs) -> None:
    start.set_up("")
    (project / "pyproject.toml").write_text("[project]\ndependencies = ['numpy']\n", encoding="utf-8")
    start.set_up("")
    assert runs.kinds == ["venv", "install"] * 2
    assert "--clear" in runs.commands[2]


def test_another_python_starts_over(project: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    start.set_up("")
    monkeypatch.setattr("platform.python_version", lambda: "3.99.0")
    start.set_up("")
    assert runs.kinds == ["venv", "install"] * 2


def test_a_moved_checkout_starts_over(project: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    start.set_up("")
    moved = project.rename(project.with_name("moved"))
    monkeypatch.setattr(start, "ROOT", moved)
    monkeypatch.setattr(start, "VENV", moved / ".venv")
    monkeypatch.setattr(start, "STAMP", moved / ".venv" / start.STAMP.name)
    start.set_up("")
    assert runs.kinds == ["venv", "install"] * 2


def test_a_failed_install_starts_over(project: Path, runs: Runs) -> None:
    runs.failing = "install"
    with pytest.raises(SystemExit, match="could not be installed"):
        start.set_up("")
    runs.failing = ""
    start.set_up("")
    assert runs.kinds == ["venv", "install"] * 2


def test_an_interrupted_install_starts_over(project: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(command: list[str], cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
        result = runs(command)
        if "install" in command:
            raise KeyboardInterrupt
        return result

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            start.set_up("")
    start.set_up("")
    assert runs.kinds == ["venv", "install"] * 2


def test_a_failed_addition_of_the_test_tools_starts_over(project: Path, runs: Runs) -> None:
    start.set_up("")
    runs.failing = "install"
    with pytest.raises(SystemExit, match="could not be installed"):
        start.set_up("test")
    runs.failing = ""
    start.set_up("")
    assert runs.kinds == ["venv", "install", "install", "venv", "install"]


def test_an_environment_whose_python_is_gone_starts_over(project: Path, runs: Runs) -> None:
    start.set_up("")
    start.venv_python(start.VENV).unlink()
    start.set_up("")
    assert runs.kinds == ["venv", "install"] * 2


def test_no_environment_no_install(project: Path, runs: Runs) -> None:
    runs.failing = "venv"
    with pytest.raises(SystemExit, match="could not be made"):
        start.set_up("")
    assert runs.kinds == ["venv"]
    assert not start.STAMP.exists()


def test_uv_installs_into_the_environment(project: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: "/tools/uv")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "ensurepip" else object())
    start.set_up("")
    make, install = runs.commands
    assert "--without-pip" in make
    assert install[:5] == ["/tools/uv", "pip", "install", "--python", str(start.venv_python(start.VENV))]


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_missing_modules_are_named(project: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == missing else object())
    with pytest.raises(SystemExit, match="sudo apt install python3-venv"):
        start.set_up("")
    assert runs.commands == []


def test_an_older_python_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 9, "final", 0))
    monkeypatch.setattr("platform.python_version", lambda: "3.10.9")
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer, and .* is 3\.10\.9"):
        runpy.run_path(start.__file__)


def test_the_app_listens_on_loopback_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STREAMLIT_SERVER_ADDRESS", raising=False)
    app = ["streamlit", "run", "app.py"]
    loopback = ["--server.address", "127.0.0.1"]
    assert start.programs("run", []) == [app + loopback]
    assert start.programs("run", ["--server.port", "8601"]) == [[*app, *loopback, "--server.port", "8601"]]
    assert start.programs("run", ["--server.address=0.0.0.0"]) == [[*app, "--server.address=0.0.0.0"]]
    monkeypatch.setenv("STREAMLIT_SERVER_ADDRESS", "0.0.0.0")
    assert start.programs("run", []) == [app]


def programs_run(monkeypatch: pytest.MonkeyPatch, code: int) -> list[list[str]]:
    """Note what would be run instead of running it; each program ends with `code`."""
    ran: list[list[str]] = []

    def note(module: list[str]) -> int:
        ran.append(module)
        return code

    monkeypatch.setattr(start, "run", note)
    return ran


@pytest.mark.parametrize(
    ("arguments", "extra", "modules"),
    [
        ([], "", ["streamlit"]),
        (["--server.port", "8601"], "", ["streamlit"]),
        (["run", "--server.port", "8601"], "", ["streamlit"]),
        (["test", "-k", "a and b"], "test", ["pytest"]),
        (["check"], "test", ["ruff", "mypy"]),
    ],
)
def test_commands(monkeypatch: pytest.MonkeyPatch, arguments: list[str], extra: str, modules: list[str]) -> None:
    extras: list[str] = []
    ran = programs_run(monkeypatch, code=0)
    monkeypatch.setattr(start, "set_up", extras.append)
    assert start.main(arguments) == 0
    assert extras == [extra]
    assert [module for module, *_ in ran] == modules
    options = arguments[1:] if arguments and not arguments[0].startswith("-") else arguments
    assert ran[0][len(ran[0]) - len(options) :] == options


def test_the_first_failure_ends_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = programs_run(monkeypatch, code=3)
    monkeypatch.setattr(start, "set_up", lambda extra: None)
    assert start.main(["check"]) == 3
    assert len(ran) == 1


def test_an_unknown_command_sets_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "set_up", lambda extra: pytest.fail("was called"))
    with pytest.raises(SystemExit, match="no command 'tests'"):
        start.main(["tests"])


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert start.main(["--help"]) == 0
    assert "python start.py test" in capsys.readouterr().out


@pytest.mark.skipif(os.name == "nt", reason="sends POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ending_start_ends_the_app_quietly(tmp_path: Path, number: signal.Signals) -> None:
    """The child notes its start and its end; start.py outlives it and prints nothing."""
    app = tmp_path / "app_for_signals.py"
    app.write_text(
        "import pathlib, signal, sys, time\n"
        "here = pathlib.Path(__file__).parent\n"
        "def end(*_):\n"
        "    (here / 'ended').touch()\n"
        "    sys.exit(0)\n"
        "signal.signal(signal.SIGINT, end)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "(here / 'started').touch()\n"
        "time.sleep(60)\n",
        encoding="utf-8",
    )
    code = (
        "import pathlib, sys, start\n"
        f"start.ROOT = pathlib.Path({str(tmp_path)!r})\n"
        "start.venv_python = lambda venv: sys.executable\n"
        "sys.exit(start.run(['app_for_signals']))\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=Path(start.__file__).parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    deadline = time.monotonic() + 30
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    if number == signal.SIGINT:  # a terminal's Ctrl+C goes to the whole group
        os.killpg(parent.pid, number)
    else:
        parent.send_signal(number)
    output, _ = parent.communicate(timeout=30)
    assert (tmp_path / "ended").exists()
    assert (parent.returncode, output) == (0, b"")
