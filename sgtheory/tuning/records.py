"""What ``tune`` finds: choices of a parameter, how good each is, and why none is better."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.finding import suggest
from sgtheory.notation.display import Shown

_HOW = {
    "printed": "as printed",
    "continuous": "best in continuous time",
    "exact": "best for the algorithm",
}


@dataclass(repr=False, frozen=True)
class Choice(Shown):
    """One way to choose a parameter, and what the algorithm then really does.

    ``promised`` is the divergence in the continuous-time limit, where the rules of papers are
    derived; ``kl_to_posterior`` is that of the algorithm, None where it is unstable.
    """

    how: str  # "printed", "continuous" or "exact"
    values: dict[str, Any]  # parameter to number, list of diagonal entries, or rows
    formula: Any = None  # what is equal to the parameter, or to its inverse
    inverse: bool = False
    cites: str = ""
    kl_to_posterior: float | None = None
    kl_from_posterior: float | None = None
    wasserstein2: float | None = None
    promised: float | None = None
    stable: bool = True

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``tune --json``."""
        document: dict[str, Any] = {"how": self.how, "values": self.values, "stable": self.stable}
        if self.formula is not None:
            from sgtheory.notation.printing import latex, plain

            text, tex = plain(self.formula), latex(self.formula)
            document["formula"] = {"text": text, "latex": tex, "of_inverse": self.inverse}
        for key in ("cites", "kl_to_posterior", "kl_from_posterior", "wasserstein2", "promised"):
            if getattr(self, key) not in (None, ""):
                document[key] = getattr(self, key)
        return document


@dataclass(repr=False, frozen=True)
class Certificate(Shown):
    """Why a choice is optimal: slopes that vanish and curves that rise, or a divergence of zero."""

    words: str
    holds: bool
    numbers: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``tune --json``."""
        return {"words": self.words, "holds": self.holds, **self.numbers}


@dataclass(repr=False, frozen=True)
class Tuned(Shown):
    """All choices of one parameter (or of several together)."""

    parameter: str
    choices: tuple[Choice, ...]
    certificate: Certificate | None = None
    note: str = ""

    @property
    def exact(self) -> Choice | None:
        """The optimum of the algorithm itself; None where there is none."""
        return next((c for c in self.choices if c.how == "exact"), None)

    @property
    def best(self) -> Choice:
        """The same; where there is none, an error that says why."""
        if self.exact is None:
            why = self.note or "none was found"
            raise UnusableInput(f"a best {self.parameter}", why, "see the other choices")
        return self.exact

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``tune --json``."""
        document: dict[str, Any] = {
            "parameter": self.parameter,
            "choices": [c.to_json() for c in self.choices],
        }
        if self.certificate is not None:
            document["certificate"] = self.certificate.to_json()
        if self.note:
            document["note"] = self.note
        return document


@dataclass(frozen=True)
class Tuning:
    """Everything that can be tuned of a sampler on a problem."""

    sampler: str
    problem: dict[str, Any]
    tuned: tuple[Tuned, ...]

    def __getitem__(self, parameter: str) -> Tuned:
        known = {t.parameter: t for t in self.tuned}
        if parameter not in known:
            here = ", ".join(known) or "nothing"
            remedy = suggest.remedy(parameter, known, f"there is {here}")
            raise UnusableInput(f"a parameter that {self.sampler} is tuned in", repr(parameter), remedy)
        return known[parameter]

    def __repr__(self) -> str:
        return f"<Tuning of {self.sampler}: {', '.join(t.parameter for t in self.tuned) or 'nothing'}>"

    def _repr_html_(self) -> str:
        from sgtheory.notation.display import table

        rows = {
            f"{tuned.parameter}, {_HOW.get(choice.how, choice.how)}": [
                [*([name, value] for name, value in choice.values.items())],
                choice.kl_to_posterior if choice.stable else "unstable",
            ]
            for tuned in self.tuned
            for choice in tuned.choices
        }
        return table(f"Parameters of {self.sampler}, and the KL divergence to the posterior", rows)

    def to_json(self) -> dict[str, Any]:
        """Schema sgtheory.tuning/1."""
        return {
            "schema": "sgtheory.tuning/1",
            "sampler": self.sampler,
            "problem": self.problem,
            "tuned": [t.to_json() for t in self.tuned],
        }


def shown(value: Any) -> Any:
    """A parameter's value as JSON holds it."""
    array = np.asarray(value, float)
    return float(array) if array.ndim == 0 else array.tolist()
