"""Records that travel between processes: read-only mappings are sent as dictionaries."""

from __future__ import annotations

from dataclasses import fields
from types import MappingProxyType
from typing import Any


class Sent:
    """A frozen record that can be pickled and copied though it has read-only mappings.

    What it has computed meanwhile stays behind.
    """

    def __getstate__(self) -> dict[str, Any]:
        """Its fields, with what pickle can hold."""
        held = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {k: dict(v) if isinstance(v, MappingProxyType) else v for k, v in held.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The fields again, their mappings read-only."""
        for name, value in state.items():
            again = MappingProxyType(value) if isinstance(value, dict) else value
            object.__setattr__(self, name, again)
