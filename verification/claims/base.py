"""What every claim has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.matrixwords import C
from sgtheory.printing import latex, plain
from sgtheory.setting import Setting
from verification.verdict import Finding, Twins


@dataclass(frozen=True)
class Printed:
    """An equation as a paper prints it: both sides are data, nothing says whether it is true."""

    left: Any
    right: Any

    @property
    def residual(self) -> Any:
        """Left minus right."""
        return self.left - self.right

    def latex(self) -> str:
        """As typeset; the noise covariance is B B^T, as in the papers."""
        product = sp.Symbol("BB^T", commutative=False)
        left, right = (latex(sp.sympify(side).subs(C, product)) for side in (self.left, self.right))
        return f"{left} = {right}"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} = {plain(self.right)}"


@dataclass(frozen=True)
class Claim:
    """A numbered statement of a paper, encoded as printed.

    ``says`` retells it in one sentence of ours. ``given`` are the hypotheses that the paper
    states, as words; a hypothesis that it does not state is for the machine to find.
    """

    key: str  # the part of the id after the paper's name
    at: str  # where in the paper
    title: str
    says: str
    of: str  # the sampler
    printed: tuple[Printed, ...]
    given: tuple[str, ...] = ()
    time: str = "continuous"
    paper: str = ""

    @property
    def id(self) -> str:
        """Such as ``mandt2017.eq13``."""
        return f"{self.paper}.{self.key}"

    @property
    def setting(self) -> Setting:
        """The sampler on the quadratic model."""
        return Setting(registry.sampler(self.of), registry.model("quadratic"))

    def printed_latex(self) -> list[str]:
        """The printed equations in LaTeX."""
        return [p.latex() for p in self.printed]

    def find(self, time: str | None = None) -> Finding:
        """Prove or refute the claim, in its own time or in another."""
        raise NotImplementedError

    def twins(self, finding: Finding) -> Twins:
        """Corrupt the claim and see whether the corruption is noticed."""
        raise NotImplementedError

    def has_discrete_reading(self) -> bool:
        """Whether the statement can also be held against the discrete algorithm."""
        return self.time == "continuous"

    def printed_covariance(self, problem: Any) -> Any:
        """The position's covariance that the printed statement predicts, or None where it does not."""
        return None
