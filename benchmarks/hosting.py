"""Hosts the app for a benchmark or a test: one process, or replicas behind nginx with deploy/'s own files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.pages import cpu_milliseconds
from benchmarks.server import Server, serve


@dataclass(frozen=True)
class Host:
    """A hosted app: its address, and the processes that serve it."""

    url: str
    servers: tuple[Server, ...]

    def cpu_s(self) -> float:
        """CPU time of all processes so far, in seconds."""
        return sum(cpu_milliseconds(server) for server in self.servers) / 1000

    def rss_mib(self) -> float:
        """Memory that all processes hold, in MiB."""
        return sum(map(_rss_mib, self.servers))


def _rss_mib(server: Server) -> float:
    """Memory that a process holds, in MiB."""
    status = Path(f"/proc/{server.pid}/status").read_text("utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


@contextmanager
def host(replicas: int) -> Iterator[Host]:
    """Host the app on loopback and end it afterwards."""
    with serve() as server:
        yield Host(server.url, (server,))
