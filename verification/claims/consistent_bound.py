"""A bound on the mean square error of averages, against what is sampled as steps vanish."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.dynamics.density import stationary_density
from sgtheory.notation.printing import latex, plain
from verification.claims.base import Claim
from verification.laws.averages import DELTA, exponents
from verification.refuter.script import run
from verification.refuter.vanishscript import vanishing_script
from verification.statements.algorithms import G, U, followed, samples_posterior
from verification.statements.claim import Stated, claim
from verification.terms.printing import Line
from verification.terms.term import Letter
from verification.verdicts.verdict import Counterexample, Finding, Twins, unseen_by_script

_X = sp.Symbol("x", real=True)
alpha = sp.Symbol("alpha", nonnegative=True)


@dataclass(frozen=True, kw_only=True)
class ConsistentBound(Claim):
    """``bound`` is said to bound the mean square error up to a constant; it vanishes as steps do.

    ``extra`` is a further term in alpha, up to a constant of its own. A sampler whose law has another
    limit than the posterior has no such bound: the error stays as the bound vanishes, and for
    alpha -> 1 beyond ``extra``.
    """

    sampler: str
    bound: Any
    extra: Any = sp.S.Zero
    time: str = "discrete"

    def __post_init__(self) -> None:
        """What is printed is the bound."""
        more = f" + O({plain(self.extra)})" if self.extra != 0 else ""
        more_tex = rf" + O\left({latex(sp.sympify(self.extra))}\right)" if self.extra != 0 else ""
        line = Line(
            rf"\mathbb{{E}}(\hat\phi - \bar\phi)^2 \le C \left({latex(self.bound)}\right){more_tex}",
            f"{self.sampler}: E(phi^ - phi_bar)^2 <= C*({plain(self.bound)}){more}",
        )
        object.__setattr__(self, "printed", (line,))

    @cached_property
    def limit(self) -> Stated:
        """That the limit of the law is the posterior."""
        below = Letter("alpha", "real") < 1
        found = claim(
            self.key,
            at=self.at,
            title=self.title,
            given=(below,),
            derived=samples_posterior(self.sampler),
            kinds=(("alpha", "unit"),),
        )
        return replace(found, paper=self.paper)

    @property
    def vanishes(self) -> bool:
        """Whether the bound tends to zero under Assumption 1: S_T to infinity, sums of squares finite.

        Then T grows at least like S_T^2, so that a monomial vanishes where its exponents say so. What a
        minibatch adds, Delta, has a bounded mean square.
        """
        for term in sp.Add.make_args(sp.expand(sp.sympify(self.bound).subs(DELTA, 1))):
            found = exponents(term)
            if found is None or not (found[0][0] + 2 * found[0][2] < 0 and found[0][2] <= 0):
                return False
        return True

    @property
    def tilt(self) -> Any:
        """The logarithm of the limit of the law over the posterior, without a constant."""
        true = stationary_density(followed(self.sampler, (), 1)[0])
        return None if true is None else sp.expand(true + U)

    def find(self, time: str | None = None) -> Finding:
        """Where the limit of the law is not the posterior, the bound is false."""
        found, tilt = self.limit.find(), self.tilt
        if found.verdict == "proved" or tilt is None or not self.vanishes:
            reason = "That the limit is the posterior does not decide a bound on the way."
            return Finding("inconclusive", reason, found.evidence)
        stays, more = tilt, "."
        if self.extra != 0:
            stays = tilt.subs(alpha, 1)
            more = "; this does not go away as alpha tends to 1, where the further term does."
            if sp.simplify(stays.diff(_X)) == 0 or sp.limit(self.extra, alpha, 1, "-") != 0:
                reason = "The further term may cover what the limit of the law is off."
                return Finding("inconclusive", reason, found.evidence)
        reason = (
            "Under Assumption 1 the terms of the bound tend to zero, while the sampler's law tends to"
            f" the posterior times exp({plain(stays)}), up to a constant{more}"
        )
        shown = self._shown()
        return Finding(
            "refuted", reason, found.evidence, corrected=found.corrected, counterexample=shown
        )

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Those of what the averages tend to instead."""
        return self.limit.twins(finding, most)

    def has_discrete_reading(self) -> bool:
        """It is about the algorithm."""
        return False

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """A limit is not measured."""
        return finding, None

    def _script(self) -> str:
        """Logistic regression on one example with a normal prior: all that is assumed holds there."""
        functions = {
            "U": "lambda x: x**2 / 4 + np.log1p(np.exp(x))",
            "share": "lambda x, i: 1 / (1 + np.exp(-x))",
            "slope": "lambda x, i: share(x, i) * (1 - share(x, i))",
            "gradient": "lambda x, i: x / 2 + share(x, i)",
        }
        numbers: Mapping[str, Any] = {"alpha": 0.99, "N": 1, "lambda": 1e-5}
        return vanishing_script(self.heading, registry.sampler(self.sampler), functions, numbers)

    def _shown(self) -> Counterexample:
        """The means of phi under both laws for that example."""
        left, right = self._means()
        return Counterexample(
            {
                "U": "x**2/4 + log(1 + exp(x))",
                "likelihood's gradient": "1/(1 + exp(-x))",
                "phi": "1/(1 + exp(-x))",
                "alpha": "99/100",
                "lambda": "1/100000",
                "N": "1",
            },
            f"{left:.6f}",
            f"{right:.6f}",
            "the limit of the average of phi, and its posterior mean (logistic regression on one example"
            " with a normal prior, where gradients of first and second order are bounded)",
            self._checked_script(),
        )

    def _checked_script(self) -> str:
        script = self._script()
        if run(script):
            raise unseen_by_script(self.id)
        return script

    def _means(self, memory: float = 0.99) -> tuple[float, float]:
        """Of phi, under the limit of the law and under the posterior, for that example."""
        import numpy as np

        tilt = sp.lambdify((G, alpha), self.tilt, "numpy")
        at = np.linspace(-12, 12, 4801)
        share = 1 / (1 + np.exp(-at))
        p = np.exp(-(at**2) / 4 - np.log1p(np.exp(at)))
        law = p * np.exp(tilt(1 / (1e-5 + share), memory))
        return float(law @ share / law.sum()), float(p @ share / p.sum())
