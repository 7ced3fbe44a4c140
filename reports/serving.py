"""A report over HTTP, from this machine to itself only."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

LOOPBACK = "127.0.0.1"


class _Quiet(SimpleHTTPRequestHandler):
    """Files of one folder; nothing is logged."""

    def log_message(self, format: str, *arguments: Any) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")  # a report may be written anew at any time
        super().end_headers()


def server_of(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server for a folder that only this machine can reach; port 0 takes one that is free."""
    return ThreadingHTTPServer((LOOPBACK, port), partial(_Quiet, directory=str(folder)))


def serve_folder(folder: Path, tell: Callable[[str], None]) -> None:
    """Serve until interrupted; the address is told as soon as there is one."""
    with server_of(folder) as server:
        tell(f"http://{LOOPBACK}:{server.server_address[1]}/")
        with suppress(KeyboardInterrupt):
            server.serve_forever()
