"""The ``sgtheory`` command: our packages, whatever a folder is called in which it is run.

They are pinned when this is imported, because workers import what their parent was started with.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Any

from sgtheory.rooms import ours, pin

pin()


def stopped(*_: Any) -> None:
    """What Ctrl-C does before the command has begun, and when it has said all."""
    with suppress(OSError):
        os.write(2, b"\nsgtheory: stopped\n")
    os._exit(130)


def main() -> Any:
    """Run the command."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stopped)
    return ours("reports.terminal").main()
