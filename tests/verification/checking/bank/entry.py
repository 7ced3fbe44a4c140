"""What the bank says of each sampler in it: where it is, what it is held against, what is wrong."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import pkgutil
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Entry:
    """A sampler of the bank.

    ``names`` are regular expressions, without regard to case: one of them must be found in the name or
    the words of the first diagnosis. They are what an expert would call the fault, and were written
    before the checker had seen the sampler. A right sampler has none.
    """

    where: str  # file.py:name, beside this file
    like: str
    group: str  # the kind of fault, or "right"
    names: tuple[str, ...] = ()
    fault: str = ""  # what is wrong, for a person
    kind: str | None = None  # of adapter, where it must be asked for
    limit: float = 120.0  # seconds that a case may take
    budget: str = ""  # where another than that asked for is needed

    @property
    def name(self) -> str:
        return self.where.rpartition(":")[2]

    @property
    def right(self) -> bool:
        return not self.names

    @property
    def framework(self) -> str:
        """The first word of the file's name."""
        return self.where.partition("_")[0]

    @property
    def origin(self) -> str:
        """Who wrote it: those who knew the checker, or one of two who had not read it."""
        words = self.where.partition(".")[0].split("_")
        return next((w for w in ("blind", "second") if w in words), "known")

    @property
    def address(self) -> str:
        return str(HERE / self.where)

    @property
    def absent(self) -> str:
        """The library that it needs and that is not here, or nothing."""
        needs = "" if self.framework == "numpy" else self.framework
        return needs if needs and importlib.util.find_spec(needs) is None else ""

    @property
    def digest(self) -> str:
        """Of its file and of how it is checked."""
        how = repr((self.where, self.like, self.kind, self.limit, self.budget))
        text = (HERE / self.where.rpartition(":")[0]).read_bytes() + how.encode()
        return hashlib.sha256(text).hexdigest()[:16]

    def named_by(self, diagnosis: str) -> bool:
        """Whether a diagnosis says what an expert would; one that knows nothing does not."""
        return not diagnosis.startswith("unknown") and any(
            re.search(p, diagnosis, re.IGNORECASE | re.DOTALL) for p in self.names
        )

    def same_law(self, diagnosis: str) -> str:
        """Why an unforeseen name is the same law, or nothing."""
        from tests.verification.checking.bank.same_law import SAME

        pattern, reason = SAME.get(self.where, ("$^", ""))
        return reason if re.search(pattern, diagnosis, re.DOTALL) else ""


def entries() -> tuple[Entry, ...]:
    """All of the bank: what files whose names begin with ``expected`` list."""
    found: list[Any] = []
    for module in sorted(m.name for m in pkgutil.iter_modules([str(HERE)])):
        if module.startswith("expected"):
            found += importlib.import_module(f"{__package__}.{module}").ENTRIES
    return tuple(found)
