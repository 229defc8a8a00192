"""Plays a visitor without a browser: speaks Streamlit's websocket and fetches files, cheaply enough for 200 at once.

The websocket library is the one that Streamlit itself needs; messages are Streamlit's own protobuf.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Common_pb2 import StringArray
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

PATIENCE = 30.0  # seconds for one answer
DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


class LostError(Exception):
    """The server did not answer, or answered with an error."""


class Client:
    """Someone at a page.

    Parameters
    ----------
    socket : ClientConnection
        A websocket to the app.
    path : str
        The page's address below the app's; empty for the home page.
    """

    def __init__(self, socket: ClientConnection, path: str = "") -> None:
        self.path = path
        self.session = ""
        self.widgets: dict[str, WidgetState] = {}  # by the name that a control has in the URL
        self.options: dict[str, list[str]] = {}
        self.pictures: dict[str, str] = {}  # components' JSON by their key
        self._socket = socket
        self._page = ""
        self._fragments: dict[str, str] = {}
        self._kept: list[set[str]] = [
            set(),
            set(),
        ]  # messages of the last two runs, which a browser does not want again

    async def open(self) -> float:
        """Ask for the page and return how long it took, in ms."""
        return await self._ask(ClientState(page_name=self.path))

    async def choose(self, control: str, option: str) -> float:
        """Set one of the sidebar's controls and return how long the answer took, in ms."""
        state = self.widgets[control]
        kind = state.WhichOneof("value")
        if kind == "bool_value":
            state.bool_value = option == "true"
        elif kind == "string_value":
            state.string_value = option
        else:
            state.string_array_value.data[:] = [option]
        return await self._ask(ClientState(widget_states=WidgetStates(widgets=self.widgets.values())))

    def chosen(self, control: str) -> str:
        """What one of the sidebar's controls says."""
        state = self.widgets[control]
        if state.WhichOneof("value") == "bool_value":
            return str(state.bool_value).lower()
        return state.string_value or state.string_array_value.data[0]

    async def drag(self, canvas: str, arrow: str, x: float, y: float, seq: int) -> float:
        """Report where a dragged arrow is, as the canvas does, and return how long the answer took, in ms."""
        move = {"move": {"seq": seq, "moves": [{"id": arrow, "x": x, "y": y}]}}
        self.widgets[canvas].json_value = json.dumps(move)
        state = ClientState(
            widget_states=WidgetStates(widgets=self.widgets.values()),
            fragment_id=self._fragments[canvas],
        )
        taken = await self._ask(state)
        if f'"seq":{seq}' not in self.pictures[canvas].replace(" ", ""):
            raise LostError(f"move {seq} was not answered")
        return taken

    async def _ask(self, state: ClientState) -> float:
        """Have the script run and read its messages to the end."""
        state.page_script_hash = self._page
        state.cached_message_hashes.extend(self._kept[0] | self._kept[1])
        state.context_info.timezone = "UTC"
        state.context_info.color_scheme = "light"
        self._kept = [self._kept[1], set()]
        start = time.perf_counter()
        await self._socket.send(BackMsg(rerun_script=state).SerializeToString())
        try:
            async with asyncio.timeout(PATIENCE):
                while not self._note(ForwardMsg.FromString(bytes(await self._socket.recv(decode=False)))):
                    pass
        except TimeoutError:
            raise LostError(f"no answer in {PATIENCE:.0f} s") from None
        return 1000 * (time.perf_counter() - start)

    def _note(self, message: ForwardMsg) -> bool:
        """Keep what later messages need and tell whether this one is the last of a run."""
        kind = message.WhichOneof("type")
        if kind == "script_finished":
            return message.script_finished in DONE
        if kind == "new_session":
            self.session = message.new_session.initialize.session_id
        elif kind == "navigation":
            self._page = message.navigation.page_script_hash
        elif kind == "ref_hash":
            self._kept[1].add(message.ref_hash)
        elif kind == "delta" and message.delta.HasField("new_element"):
            if message.metadata.cacheable:
                self._kept[1].add(message.hash)
            self._see(message.delta.new_element, message.delta.fragment_id)
        return False

    def _see(self, element: Element, fragment: str) -> None:
        """Take a component or a control for later, as a browser does."""
        kind = element.WhichOneof("type")
        if kind == "exception" or (kind == "alert" and element.alert.format == element.alert.ERROR):
            raise LostError(element.exception.message or element.alert.body)
        if kind == "bidi_component":
            component = element.bidi_component
            key = _name(component.id)
            self.pictures[key] = component.json or component.bytes.decode()
            self._fragments[key] = fragment
            self.widgets.setdefault(key, WidgetState(id=component.id, json_value="{}"))
        elif kind == "checkbox":
            box = element.checkbox
            on = box.value if box.set_value else box.default
            self._take(WidgetState(id=box.id, bool_value=on), ["false", "true"], box.set_value)
        elif kind == "selectbox":
            select = element.selectbox
            text = select.raw_value if select.set_value else select.options[select.default]
            self._take(WidgetState(id=select.id, string_value=text), select.options, select.set_value)
        elif kind == "button_group":
            group = element.button_group
            names = [option.content for option in group.options]
            texts = group.raw_values if group.set_value else [names[place] for place in group.default]
            self._take(WidgetState(id=group.id, string_array_value=StringArray(data=texts)), names, group.set_value)

    def _take(self, state: WidgetState, options: Sequence[str], was_set: bool) -> None:
        """Know a control from now on; what it says is the client's own, unless the server has set it."""
        name = _name(state.id)
        self.options[name] = list(options)
        if was_set or name not in self.widgets or self.widgets[name].id != state.id:
            self.widgets[name] = state


def _name(widget_id: str) -> str:
    """A widget's key, which is what follows the digest in its id."""
    return widget_id.split("-", 2)[-1]


@asynccontextmanager
async def connected(url: str, path: str = "", cookie: str = "", session: str = "") -> AsyncIterator[Client]:
    """Connect someone to the app at `url`, who has yet to open the page, or comes back to a session."""
    # As a browser does, except that it offers no compression, which the app does not use either.
    async with connect(
        f"{url.replace('http', 'ws', 1)}/_stcore/stream",
        subprotocols=[Subprotocol(name) for name in ("streamlit", *(["no-token", session] if session else []))],
        additional_headers={"Cookie": cookie} if cookie else {},
        compression=None,
        max_size=None,
        ping_interval=None,
        open_timeout=PATIENCE,
        proxy=None,
    ) as socket:
        yield Client(socket, path)


class Fetcher:
    """A browser's six connections to a server, each kept open from one file to the next.

    Parameters
    ----------
    url : str
        The app's address.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.cookie = ""
        self._host, self._port, self._base = str(parts.hostname), parts.port or 80, parts.path

    async def fetch(self, paths: Sequence[str]) -> None:
        """Fetch files, six at a time.

        Raises
        ------
        LostError
            If one does not come, or not whole.
        """
        waiting = list(reversed(paths))
        async with asyncio.TaskGroup() as group:
            for _ in range(min(6, len(paths))):
                group.create_task(self._work(waiting))

    async def _work(self, waiting: list[str]) -> None:
        """Fetch one file after the other over one connection."""
        reader, writer = await asyncio.open_connection(self._host, self._port)
        try:
            async with asyncio.timeout(PATIENCE):
                while waiting:
                    await self._get(waiting.pop(), reader, writer)
        except (TimeoutError, OSError, asyncio.IncompleteReadError) as error:
            raise LostError(f"a file did not come: {error!r}") from None
        finally:
            writer.close()

    async def _get(self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Fetch one file and drop it."""
        request = [f"GET {self._base}/{path} HTTP/1.1", f"Host: {self._host}:{self._port}", "Accept-Encoding: gzip"]
        if self.cookie:
            request.append(f"Cookie: {self.cookie}")
        writer.write(("\r\n".join(request) + "\r\n\r\n").encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status, *lines = head.rstrip().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        if " 200 " not in f"{status} ":
            raise LostError(f"{path}: {status}")
        if headers.get("transfer-encoding") == "chunked":
            while size := int(await reader.readline(), 16):
                await reader.readexactly(size + 2)
            await reader.readexactly(2)
        else:
            await reader.readexactly(int(headers["content-length"]))
        if not self.cookie:
            self.cookie = headers.get("set-cookie", "").partition(";")[0]
