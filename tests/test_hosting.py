"""The files of deploy/: each is read as its own program reads it, and nginx, its replicas and the image's tree run."""

import asyncio
import gzip
import http.client
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import streamlit.config

import start
from benchmarks.client import LostError, connected
from benchmarks.hosting import DEPLOY, Host, find_nginx, host, settings
from benchmarks.server import HOST, ROOT, ending, free_port, wait_until_healthy

PORT = "8501"
BASE = settings()["STREAMLIT_SERVER_BASE_URL_PATH"]


# The image


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, comments left out."""
    lines = (DEPLOY / "Dockerfile").read_text("utf-8").splitlines()
    return [(word, rest) for line in lines if line and line[0] != "#" for word, rest in [line.split(" ", 1)]]


def argument(word: str) -> str:
    """What follows the only instruction of a name."""
    (found,) = (rest for each, rest in instructions() if each == word)
    return found


def command(address: str, port: str) -> list[str]:
    """What start.py runs, as a host would have it."""
    options = ["--server.address", address, "--server.port", port, "--server.headless", "true"]
    ((module, *rest),) = start.programs("run", options)
    return ["-m", module, *rest]


def test_the_image_runs_what_start_py_runs_on_a_python_that_it_accepts() -> None:
    name, *arguments = json.loads(argument("CMD"))
    assert name == "python"
    assert arguments == command("0.0.0.0", PORT)
    assert argument("EXPOSE") == PORT
    (version,) = re.findall(r"^python:3\.(\d+)-slim$", argument("FROM"))
    assert int(version) >= 11


def test_the_image_runs_as_a_user_of_its_own() -> None:
    words = [word for word, _ in instructions()]
    assert argument("USER") != "root"
    assert f" {argument('USER')}\n" in "\n".join(rest for word, rest in instructions() if word == "RUN") + "\n"
    assert words.index("USER") > max(place for place, word in enumerate(words) if word in ("COPY", "RUN"))


def build(folder: Path) -> None:
    """Copy what the Dockerfile copies."""
    for sources, target in (rest.rsplit(" ", 1) for word, rest in instructions() if word == "COPY"):
        for source in sources.split():
            if source.endswith("/"):
                shutil.copytree(ROOT / source, folder / target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, folder / target)


def test_the_image_has_all_that_the_app_needs_and_a_failed_page_apologizes(tmp_path: Path) -> None:
    build(tmp_path)
    (tmp_path / "pages" / "matrix.py").write_text('raise RuntimeError("a secret of the house")\n', encoding="utf-8")
    port, log = free_port(), tmp_path / "log"
    shell = [part.replace(PORT, str(port)).replace("0.0.0.0", HOST) for part in json.loads(argument("CMD"))]
    with log.open("wb") as output:
        process = subprocess.Popen([sys.executable, *shell[1:]], cwd=tmp_path, stdout=output, stderr=subprocess.STDOUT)
    with ending(process):
        wait_until_healthy(process, port, log)
        check = json.loads(argument("HEALTHCHECK").partition("CMD ")[2])
        healthy = [part.replace(PORT, str(port)) for part in check[1:]]
        assert check[0] == "python"
        assert subprocess.run([sys.executable, *healthy], check=False).returncode == 0
        asyncio.run(opened(f"http://{HOST}:{port}", ""))
        with pytest.raises(LostError, match=r"^Something went wrong here; the server's log has the details\.$"):
            asyncio.run(opened(f"http://{HOST}:{port}", "matrix"))
        assert subprocess.run([sys.executable, *check[1:]], capture_output=True, check=False).returncode != 0
    assert "RuntimeError: a secret of the house" in log.read_text("utf-8")


async def opened(url: str, path: str) -> None:
    """Open a page and read all that the server sends for it."""
    async with connected(url, path) as person:
        await person.open()
        assert person.pictures


# systemd


def unit() -> dict[str, str]:
    """The unit's settings; none that is read here stands twice."""
    lines = (DEPLOY / "attention@.service").read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def test_the_unit_runs_what_start_py_runs_on_loopback() -> None:
    python, *arguments = unit()["ExecStart"].split()
    assert python == str(start.venv_python(Path(unit()["WorkingDirectory"], start.VENV.name), "posix"))
    assert arguments == command("127.0.0.1", "%i")
    assert unit()["Restart"] == "always"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze on this machine")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    text = (DEPLOY / "attention@.service").read_text("utf-8")
    text = text.replace(unit()["ExecStart"].split()[0], sys.executable)  # systemd looks whether it is there
    (tmp_path / f"attention@{PORT}.service").write_text(text, encoding="utf-8")
    verify = ["systemd-analyze", "verify", "--man=no", str(tmp_path / f"attention@{PORT}.service")]
    ran = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout + ran.stderr) == (0, "")


def test_streamlit_knows_the_variables() -> None:
    known = {option.env_var for option in streamlit.config.get_config_options().values()}
    assert settings().keys() <= known
    assert settings()["STREAMLIT_SERVER_COOKIE_SECRET"] == ""  # a secret that all the world reads is none


def test_streamlit_community_cloud_finds_what_it_looks_for() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert (ROOT / "requirements.txt").read_text("utf-8").split() == tomllib.load(file)["project"]["dependencies"]
    assert (ROOT / "app.py").is_file()


# nginx


@pytest.fixture(scope="module")
def replicas() -> Iterator[Host]:
    """Two replicas behind nginx."""
    if find_nginx() is None:
        pytest.skip("nginx is not installed")
    with host(2) as place:
        yield place


def ask(url: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    """Ask for an address, without a proxy that the environment names and without following where it leads."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    connection.request("GET", parts.path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_pages_and_health_are_served_under_the_prefix_alone(replicas: Host) -> None:
    assert urlsplit(replicas.url).path == f"/{BASE}"
    for path in ("/", "/arrows"):
        answer, body = ask(replicas.url + path)
        assert answer.status == 200
        assert b'<div id="root">' in body
    assert ask(f"{replicas.url}/_stcore/health")[1] == b"ok"
    redirected, _ = ask(replicas.url)
    assert (redirected.status, redirected.headers["Location"]) == (301, f"/{BASE}/")
    assert ask(f"{replicas.url.removesuffix(BASE)}arrows")[0].status == 404


def test_text_travels_compressed(replicas: Host) -> None:
    for path, kind in (
        ("/", "text/html"),
        ("/plotly.min.js", "text/javascript"),
        ("/attention-lab/plot.css", "text/css"),
    ):
        packed, body = ask(replicas.url + path, Accept_Encoding="gzip")
        assert packed.headers["Content-Encoding"] == "gzip", path
        assert packed.headers["Content-Type"].startswith(kind)
        plain, whole = ask(replicas.url + path)
        assert plain.headers["Content-Encoding"] is None
        assert gzip.decompress(body) == whole


def test_a_first_visitor_gets_a_cookie_and_keeps_it(replicas: Host) -> None:
    first, _ = ask(f"{replicas.url}/")
    cookie, *attributes = first.headers["Set-Cookie"].split("; ")
    assert re.fullmatch(r"attention=[0-9a-f]{32}", cookie)
    assert set(attributes) == {f"Path=/{BASE}", "HttpOnly", "SameSite=Lax"}
    second, _ = ask(f"{replicas.url}/", Cookie=cookie)
    assert second.headers["Set-Cookie"] is None
    assert ask(f"{replicas.url}/")[0].headers["Set-Cookie"] != first.headers["Set-Cookie"]


async def leave_and_come_back(url: str, cookie: str) -> None:
    """Change a setting, lose the websocket, and find the same session with the setting again."""
    async with connected(url, "matrix", cookie) as person:
        await person.open()
        await person.choose("mask", "causal")
    async with connected(url, "matrix", cookie, person.session) as again:
        await again.open()
    assert again.session == person.session
    assert again.chosen("mask") == "causal"


def test_a_visitor_stays_with_one_replica_and_visitors_spread(replicas: Host) -> None:
    for _ in range(16):
        cookie = ask(f"{replicas.url}/")[0].headers["Set-Cookie"].split(";")[0]
        asyncio.run(leave_and_come_back(replicas.url, cookie))
    counts = [
        re.findall(r'session_events_total\{type="(\w+)"\} (\d+)', ask(f"{replica.url}/_stcore/metrics")[1].decode())
        for replica in replicas.replicas
    ]
    connected_, reconnected = ([int(dict(count)[kind]) for count in counts] for kind in ("connect", "reconnect"))
    assert connected_ == reconnected
    assert sum(connected_) == 16
    assert min(connected_) > 0  # by chance once in 32,768 runs
