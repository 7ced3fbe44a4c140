"""The ``sgtheory`` command: our packages, whatever a folder is called in which it is run.

They are pinned when this is imported, because workers import what their parent was started with.
"""

from __future__ import annotations

from typing import Any

from sgtheory.rooms import ours, pin

pin()


def main() -> Any:
    """Run the command."""
    return ours("reports.terminal").main()
