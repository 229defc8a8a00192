"""Starts the real app in a process of its own, for the benchmarks and the browser tests."""

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOST = "127.0.0.1"


@dataclass(frozen=True)
class Server:
    """A running app: where it is, which process it is, and the file it writes its output to."""

    url: str
    pid: int
    log: Path


@contextmanager
def serve(
    app: str | Path = "app.py", port: int | None = None, *options: str, environment: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Serve `app` (a path from the repository's root) on loopback, ready to answer, and end it afterwards.

    Parameters
    ----------
    app
        The script to serve.
    port
        Where to listen; a free one when None.
    *options
        More options for `streamlit run`.
    environment
        More variables for its environment; ``STREAMLIT_SERVER_BASE_URL_PATH`` is a part of the address.

    Raises
    ------
    RuntimeError
        If it ends or does not answer within a minute; the message holds what it printed.
    """
    port, variables = port or free_port(), dict(environment or {})
    base = "/".join(["", *filter(None, variables.get("STREAMLIT_SERVER_BASE_URL_PATH", "").split("/"))])
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless", "true"]
    command += ["--server.address", HOST, "--server.port", str(port), *options]
    # Windows cannot remove a file that is open, hence a folder and its own `with`.
    with tempfile.TemporaryDirectory(prefix="attention-lab-") as folder:
        log = Path(folder, "server.log")
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, cwd=ROOT, env=os.environ | variables, stdout=output, stderr=subprocess.STDOUT
            )
            with ending(process):
                wait_until_healthy(process, port, log, base=base)
                yield Server(f"http://{HOST}:{port}{base}", process.pid, log)


@contextmanager
def ending(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a process after use, by force if it does not end in ten seconds."""
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port() -> int:
    """A port nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def wait_until_healthy(
    process: subprocess.Popen[bytes], port: int, log: Path, seconds: float = 60, base: str = ""
) -> None:
    """Return once the server answers; complain with its output when it does not."""
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        if is_healthy(port, base):
            return
        time.sleep(0.05)
    state = "does not answer" if process.poll() is None else f"ended with code {process.returncode}"
    raise RuntimeError(f"The app {state}. It printed:\n{log.read_text(encoding='utf-8', errors='replace')}")


def is_healthy(port: int, base: str = "") -> bool:
    """Whether the app under `base`, such as ``"/attention"``, says that it is well."""
    # Not urllib: that would ask a proxy named in the environment.
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", f"{base}/_stcore/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
