"""Defaults of parameters that depend on the problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.language import Parameter


@dataclass(frozen=True)
class Derived:
    """A default that depends on the problem: in words, and as a rule.

    ``rule`` gets the exact scalars and matrices by name and gives a Fraction, a diagonal (a
    tuple of D Fractions) or a whole matrix.
    """

    words: str
    rule: Callable[[Mapping[str, Any], Mapping[str, Any]], Any]
    home: Home | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.words

    def __reduce__(self) -> Any:
        # a rule of the user's file, which no other process can import, is read there anew
        return (Derived, (self.words, self.rule)) if self.home is None else (self.home.again, ())


@dataclass(frozen=True)
class Home:
    """Where a rule is: the file or module, what that was called with this content, the way there."""

    where: str
    module: str
    declaration: str
    parameter: str

    def again(self) -> Derived:
        """The default, from the same content in another process."""
        from sgtheory.finding.elsewhere import Address

        module = Address(self.where).module()
        if module.__name__ != self.module:
            raise UnusableInput(f"{self.where} as it was", "another content", "begin again")
        found = vars(module)[self.declaration].default(Parameter(self.parameter))
        return replace(found, home=self)
