"""What is not understood in a text, as one line: where it is, what was expected, what can be said."""

from __future__ import annotations

from sgtheory.errors import UnusableInput


class Unclear(UnusableInput):
    """Something in a text that is not understood; ``at`` is where, as a position in what is read."""

    def __init__(self, expected: str, got: str, remedy: str, at: int = -1) -> None:
        super().__init__(expected, got, remedy)
        self.at = at


class Shifted(Unclear):
    """An update that adds a number to the state: on a line it is a chain."""
