"""A report over HTTP, from this machine to itself only."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

LOOPBACK = "127.0.0.1"


class _Quiet(SimpleHTTPRequestHandler):
    """Files that lie in one folder, asked for by this machine's own name; nothing is logged.

    Links that lead out of the folder, lists of folders, pipes and other methods are refused; so is a
    name of the server that is not this machine's, with which a page from elsewhere could read a report.
    """

    def send_head(self) -> Any:
        host = self.headers.get("Host", LOOPBACK).partition(":")[0]
        if host not in (LOOPBACK, "localhost"):
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            return None
        if not self._is_there():
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        return super().send_head()

    def _is_there(self) -> bool:
        """Whether the path is a file of the folder, or a folder in it with an index."""
        try:
            root, path = Path(self.directory).resolve(), Path(self.translate_path(self.path)).resolve()
            found = (path / "index.html").resolve() if path.is_dir() else path
            return found.is_file() and found.is_relative_to(root) and path.is_relative_to(root)
        except (OSError, ValueError, RuntimeError):  # a NUL, a name too long, a link to itself
            return False

    def log_message(self, format: str, *arguments: Any) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")  # a report may be written anew at any time
        super().end_headers()


class _Server(ThreadingHTTPServer):
    """Readers who leave in the middle of an answer are no news."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


def server_of(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server for a folder that only this machine can reach; port 0 takes one that is free."""
    return _Server((LOOPBACK, port), partial(_Quiet, directory=str(folder)))


def serve_folder(folder: Path, tell: Callable[[str], None]) -> None:
    """Serve until interrupted; the address is told as soon as there is one."""
    with server_of(folder) as server:
        tell(f"http://{LOOPBACK}:{server.server_address[1]}/")
        with suppress(KeyboardInterrupt):
            server.serve_forever()
