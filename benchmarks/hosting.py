"""Hosts the app for a benchmark or a test: one process, or replicas behind nginx with deploy/'s own files."""

from __future__ import annotations

import re
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.pages import cpu_milliseconds
from benchmarks.server import HOST, ROOT, Server, ending, free_port, serve, wait_until_healthy

DEPLOY = ROOT / "deploy"

# What an nginx.conf says round the files of conf.d; one process, so that its CPU time is all of nginx's.
_NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    include {folder}/site.conf;
}}
"""


@dataclass(frozen=True)
class Host:
    """A hosted app: its address, its replicas, and nginx if it stands before them."""

    url: str
    replicas: tuple[Server, ...]
    nginx: Server | None = None

    def cpu_s(self) -> float:
        """CPU time of all its processes so far, in seconds."""
        return sum(cpu_milliseconds(server) for server in self._processes()) / 1000

    def rss_mib(self) -> float:
        """Memory that all its processes hold, in MiB."""
        return sum(map(_rss_mib, self._processes()))

    def _processes(self) -> tuple[Server, ...]:
        """All that serve."""
        return (*self.replicas, self.nginx) if self.nginx else self.replicas


def _rss_mib(server: Server) -> float:
    """Memory that a process holds, in MiB."""
    status = Path(f"/proc/{server.pid}/status").read_text("utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


@contextmanager
def host(replicas: int) -> Iterator[Host]:
    """Host the app on loopback, more than one replica behind nginx, and end it afterwards."""
    with ExitStack() as stack:
        if replicas == 1:
            server = stack.enter_context(serve())
            yield Host(server.url, (server,))
            return
        # The file leaves the secret to whoever copies it.
        environment = settings() | {"STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32)}
        servers = tuple(stack.enter_context(serve(environment=environment)) for _ in range(replicas))
        nginx = stack.enter_context(before(servers, environment["STREAMLIT_SERVER_BASE_URL_PATH"]))
        yield Host(nginx.url, servers, nginx)


def settings() -> dict[str, str]:
    """Return the variables of deploy/attention.env."""
    lines = (DEPLOY / "attention.env").read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


@contextmanager
def before(replicas: Sequence[Server], base: str) -> Iterator[Server]:
    """Run nginx before some replicas with deploy/nginx.conf, in which only the ports are others.

    Raises
    ------
    FileNotFoundError
        If there is no nginx.
    """
    nginx = find_nginx()
    if nginx is None:
        raise FileNotFoundError("No nginx was found on PATH or in /usr/sbin.")
    port = free_port()
    site = (DEPLOY / "nginx.conf").read_text("utf-8").replace("listen 80;", f"listen {HOST}:{port};")
    servers = "".join(f"server {HOST}:{replica.url.split(':')[2].split('/')[0]};\n" for replica in replicas)
    site = re.sub(r"(\s*server [\d.:]+;)+\n", f"\n{servers}", site)
    with tempfile.TemporaryDirectory(prefix="attention-lab-nginx-") as folder:
        Path(folder, "site.conf").write_text(site, encoding="utf-8")
        Path(folder, "nginx.conf").write_text(_NGINX.format(folder=folder), encoding="utf-8")
        log = Path(folder, "error.log")
        process = subprocess.Popen([nginx, "-c", f"{folder}/nginx.conf", "-e", str(log)])
        with ending(process):
            wait_until_healthy(process, port, log, base=f"/{base}")
            yield Server(f"http://{HOST}:{port}/{base}", process.pid, log)


def find_nginx() -> str | None:
    """The path of nginx; Debian keeps it where a user's PATH does not look."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
