"""Files that never change, and messages that do not wait."""

import asyncio
import gzip
import socket
from pathlib import Path

import pytest
import streamlit as st
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from attention_ui import serving
from attention_ui.component import bundle

STREAMLIT = Path(st.__file__).parent / "static"
SCRIPT = next((STREAMLIT / "static" / "js").glob("index.*.js"))
FONT = next((STREAMLIT / "static" / "media").glob("*.woff2"))


async def someone_else(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers for everything that is not a file of ours."""
    await send({"type": "http.response.start", "status": 299, "headers": []})


def ask(path: str, accepts: str = "gzip, br", method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    """Ask for an address and return status, headers and body."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": [(b"accept-encoding", accepts.encode())]}
    asyncio.run(serving.UnchangingFiles(someone_else)(scope, receive, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:])


@pytest.mark.parametrize(
    ("path", "kind", "content"),
    [
        (f"/static/js/{SCRIPT.name}", "text/javascript", SCRIPT.read_bytes()),
        (f"/static/media/{FONT.name}", "font/woff2", FONT.read_bytes()),
        ("/attention-lab/plot.css", "text/css", bundle("plot", ".css")),
    ],
)
def test_a_file_is_served_packed_and_kept_for_a_year(path: str, kind: str, content: bytes) -> None:
    status, headers, body = ask(path)
    assert status == 200
    assert headers["content-type"].split(";")[0] == kind
    assert headers["content-encoding"] == "gzip"
    assert headers["vary"] == "Accept-Encoding"
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert gzip.decompress(body) == content
    assert serving.packed(path) is serving.packed(path)
    _, plain, whole = ask(path, accepts="identity")
    assert "content-encoding" not in plain
    assert whole == content


@pytest.mark.parametrize(
    "path", ["/", "/arrows", "/static/js/none.js", "/static/../app.py", "/attention-lab/app.js", "/static/index.html"]
)
def test_all_else_is_handed_on(path: str) -> None:
    assert ask(path)[0] == 299
    assert ask("/plotly.min.js", method="POST")[0] == 299


def test_files_follow_the_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": "/attention/"}.get)
    assert ask("/attention/plotly.min.js")[0] == 200
    assert ask("/plotly.min.js/")[0] == 299


def test_connections_send_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving.send_at_once()
        with socket.create_connection(listener.getsockname()), listener.accept()[0] as connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_theme_is_made_once_and_stays_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    make, made = app_session._populate_theme_msg, []

    def noted(message: CustomThemeConfig, section: str) -> None:
        made.append(section)
        make(message, section)

    monkeypatch.setattr(app_session, "_populate_theme_msg", noted)
    serving.make_theme_once()
    for _ in range(2):
        for section in ("theme", "theme.light", "theme.dark.sidebar", "theme.sidebar"):
            usual, ours = CustomThemeConfig(), CustomThemeConfig()
            make(usual.light, section)
            app_session._populate_theme_msg(ours.light, section)
            assert ours == usual
            assert ours.HasField("light") == usual.HasField("light")
    assert made == ["theme", "theme.light", "theme.dark.sidebar", "theme.sidebar"]


def test_a_streamlit_that_makes_its_theme_in_another_way_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(app_session, "_populate_theme_msg")
    serving.make_theme_once()
    assert not hasattr(app_session, "_populate_theme_msg")
