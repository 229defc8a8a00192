"""The components' way into the browser: scripts and styles served once as files, data sent with each element.

Handed to Streamlit, a component's script would travel with every one of its elements on every rerun.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent
ROUTE = "attention-lab"  # app.py serves what `bundle` returns under this name
KINDS = {".js": "text/javascript", ".css": "text/css"}

# The data travels as bytes, one JSON object a line: Streamlit would search a dict for data frames and write it twice.
_LOADER = """
const url = (kind) => new URL(`{route}/{name}${{kind}}?v={version}`, document.baseURI);
if (!document.querySelector(`link[href="${{url(".css")}}"]`)) {{
  document.head.append(Object.assign(document.createElement("link"), {{ rel: "stylesheet", href: url(".css") }}));
}}
const loaded = import(url(".js"));
const lines = (data) => new TextDecoder().decode(data).split("\\n");
const read = (data) => Object.assign(...lines(data).map((line) => JSON.parse(line)));
export default (component) => {{
  let end;
  let gone = false;
  loaded.then(({{ default: draw }}) => {{
    if (!gone) end = draw({{ ...component, data: read(component.data) }});
  }});
  return () => {{
    gone = true;
    end?.();
  }};
}}
"""


def component(name: str) -> Callable[..., Any]:
    """Register the component whose scripts and styles lie in the folder of this name.

    Parameters
    ----------
    name : str
        The folder beside this module.

    Returns
    -------
    callable
        ``mount(data, key, more, **callbacks)``, which puts it on the page. The data may be a line already, as `as_line`
        writes it; a dict of more of it is joined to it in the browser.
    """
    version = hashlib.sha256(bundle(name, ".js") + bundle(name, ".css")).hexdigest()[:12]
    loader = _LOADER.format(route=ROUTE, name=name, version=version)
    mount = st.components.v2.component(f"attention_lab_{name}", js=loader, isolate_styles=False)

    def draw(
        data: dict[str, Any] | bytes, key: str, more: dict[str, Any] | None = None, **callbacks: Callable[[], None]
    ) -> Any:
        lines = [part if isinstance(part, bytes) else as_line(part) for part in (data, more or {})]
        return mount(data=b"\n".join(lines), key=key, **callbacks)  # type: ignore[arg-type]

    return draw


def as_line(data: dict[str, Any], default: Callable[[Any], Any] | None = None) -> bytes:
    """Return a component's data as the line that travels; `default` makes data of what JSON does not know.

    Examples
    --------
    >>> as_line({"x": [1, 2]})
    b'{"x":[1,2]}'
    """
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=default).encode()


@lru_cache
def bundle(name: str, kind: str) -> bytes:
    """Return a component's scripts (``".js"``) or styles (``".css"``), its files one after the other.

    Raises
    ------
    FileNotFoundError
        If there is no such component.
    """
    files = sorted((HERE / name).glob(f"*{kind}")) if name.isidentifier() and kind in KINDS else []
    if not files:
        raise FileNotFoundError(f"{name}{kind}")
    return "\n".join(file.read_text("utf-8") for file in files).encode()
