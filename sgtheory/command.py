"""The ``sgtheory`` command: our packages, whatever a folder is called in which it is run.

They are pinned when this is imported, because workers import what their parent was started with.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.rooms import half_compiled, ours, pin

pin()


def stopped(*_: Any) -> None:
    """What Ctrl-C does before the command has begun, and when it has said all."""
    with suppress(OSError):
        os.write(2, b"\nsgtheory: stopped\n")
    os._exit(130)


def spare_threads() -> None:
    """Where the system has few threads left, OpenBLAS has one: it raises Ctrl-C where it lacks some."""
    enough, begun = threading.Event(), list[threading.Thread]()
    try:
        for _ in range(2 * min(os.cpu_count() or 1, 64) + 6):  # as many as a command may have at once
            begun.append(threading.Thread(target=enough.wait, daemon=True))
            begun[-1].start()
    except RuntimeError:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        begun.pop()
    enough.set()
    for thread in begun:
        thread.join()


def main() -> Any:
    """Run the command."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stopped)
    spare_threads()
    if sys.flags.optimize > 1:  # titles, pages and help are made of docstrings
        _refuse(UnusableInput("Python with its docstrings", "python -OO", "unset PYTHONOPTIMIZE"))
    try:
        return ours("reports.terminal").main()
    except SystemExit as end:
        _wait_for_nobody(end.code)
        raise
    except (ImportError, MemoryError) as error:  # of a library: ours are loaded with it
        said = str(error).strip().splitlines()[-1:] or ["no memory"]
        _refuse(UnusableInput("libraries that load", said[0][-150:], "free memory, or install again"))
    except EOFError as error:
        if (told := half_compiled(error)) is None:
            raise
        _refuse(told)


def _wait_for_nobody(status: Any) -> None:
    """All is said: a thread that a plug-in or a user's file began does not keep the command."""
    if any(not one.daemon for one in threading.enumerate() if one is not threading.main_thread()):
        atexit._run_exitfuncs()
        os._exit(status if isinstance(status, int) else status is not None)


def _refuse(error: UnusableInput) -> None:
    with suppress(OSError):
        os.write(2, f"sgtheory: {error}\n".encode())
    sys.exit(2)
