"""What a sampler samples as its step vanishes: a printed density against the declared updates.

States that move without a step (averages of squared gradients) are at rest then, and the position
follows a diffusion that is read off the declaration. The potential U and the preconditioner G at rest
stay unspecified, G for the two signs that a gradient can have. The exported script runs the declared
updates with the position held, and takes drift and noise from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any, Self

import sympy as sp

from sgtheory import registry
from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.dynamics.density import stationary_density
from sgtheory.dynamics.vanishing import AtRest, Loss, at_rest
from sgtheory.printing import latex, plain
from verification.averages import DELTA, exponents
from verification.claims.base import Proof
from verification.claims.formal import Line
from verification.claims.functions import functions_in, polynomials, written
from verification.claims.invariance import Invariant
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.refuter.vanishscript import vanishing_script
from verification.verdict import Answer, Correction, Counterexample, Evidence, Finding, RoutesDisagree

x = sp.Symbol("x", real=True)
alpha = _ALPHA = sp.Symbol("alpha", nonnegative=True)
_lam, _N = sp.Symbol("lambda", positive=True), sp.Symbol("N", positive=True)
U = sp.Function("U")(x)  # minus the log posterior
G = sp.Function("G", positive=True)(x)  # the preconditioner for this position, at rest
G_1, G_2 = (sp.Function(f"G{i}", positive=True)(x) for i in (1, 2))  # of either of two examples
POSTERIOR = -U
_SIGNS = (1, -1)


@cache
def followed(sampler: str, params: tuple[tuple[str, Any], ...], examples: int) -> tuple[AtRest, ...]:
    """What the position follows, for each sign of the gradient; of two examples one is drawn."""
    found = []
    for sign in _SIGNS:
        if examples == 1:
            losses: Any = Loss(x, U.diff(x) / _N, sign * (1 / G - _lam), sign)
        else:  # N = 2: the mean of both gradients is U'/2
            shares = [sign * (1 / g - _lam) for g in (G_1, G_2)]
            rest = U.diff(x) / 2 - sum(shares) / 2
            losses = tuple(Loss(x, share + rest, share, sign) for share in shares)
        known = dict(params) | ({"N": examples} if examples > 1 else {})
        found.append(at_rest(registry.sampler(sampler), losses, known))
    return tuple(found)


@dataclass(frozen=True, kw_only=True)
class VanishingStep(Invariant):
    """As its step vanishes, ``sampler`` samples exp(log_density).

    In terms of U, minus the log posterior, and of G, the preconditioner at rest. ``params`` sets
    parameters; with two ``examples`` one is drawn in each step, which takes ``alpha`` 0.
    """

    sampler: str
    params: tuple[tuple[str, Any], ...] = ()
    examples: int = 1
    process: Any = None
    log_density: Any = POSTERIOR
    time: str = "discrete"

    def __post_init__(self) -> None:
        if self.process is None:
            one, other = (r.process for r in followed(self.sampler, self.params, self.examples))
            object.__setattr__(self, "process", one)
            object.__setattr__(self, "also", ((other, self.log_density),))
        super().__post_init__()

    @property
    def rests(self) -> tuple[AtRest, ...]:
        """Where the other states rest, for both signs."""
        return followed(self.sampler, self.params, self.examples)

    def space(self) -> Space:
        """The memory alpha is below 1."""
        space = super().space()
        return replace(
            space, scalars={n: "unit" if n == "alpha" else k for n, k in space.scalars.items()}
        )

    def look_freely(self, time: str) -> Look:
        """As for any density, where the memory is below 1."""
        inner = super().look_freely(time)

        def at(place: Place) -> Sides | None:
            return None if place.scalars.get("alpha") == 1 else inner(place)

        return at

    def lines(self) -> tuple[Line, ...]:
        """The limit of the law."""
        density = sp.sympify(self.log_density)
        name = self.sampler.replace("_", " ").replace(":", " ")
        return (
            Line(
                rf"\text{{{name}}}: \quad \lim_{{\epsilon \to 0}} \pi_\epsilon"
                rf" \propto \exp\left({latex(density)}\right)",
                f"{self.sampler}, eps -> 0: pi ~ exp({plain(density)})",
            ),
        )

    def prove_freely(self, time: str) -> Proof:
        """The process is that of the declared updates; then as for any density."""
        proof = super().prove_freely(time)
        return replace(proof, evidence=(self._at_rest(), *proof.evidence))

    def _at_rest(self) -> Evidence:
        (found, _) = self.rests
        shown = [
            Equation(Formula(latex(s), str(s)), e, "->")
            for s, e in (*found.rest.items(), (sp.Symbol("drift"), found.process.drift[0]),
                         (sp.Symbol("variance"), found.process.covariance[0][0]))
        ]  # fmt: skip
        keeps = ", ".join(
            f"{s} keeps {plain(k)} of its distance in a step" for s, k in found.keeps.items()
        )
        words = "The declared step, with what settles at rest" + (f" ({keeps})." if keeps else ".")
        steps = (Step("As the step vanishes", "Per unit of eps, in terms of U and G:", tuple(shown)),)
        return Evidence(
            "symbolic", words, {"signs": len(self.rests)}, Derivation("The limit", steps, ())
        )

    def correct(self, time: str) -> Correction | None:
        """The density that it does sample."""
        true = stationary_density(self.process) if self.examples == 1 else None
        if true is None:
            return None
        fixed = replace(self, log_density=true, also=((self.also[0][0], true),) if self.also else ())
        if fixed.prove(time).holds is not True:
            return None
        (line,) = replace(fixed).lines()
        words = "the density that its limit keeps"
        return Correction(line.latex(), line.text(), "proved", words, (fixed,))

    def script(self, failure: Failure, time: str) -> str:
        """The declared updates with polynomials for U and G, at a point."""
        claim = self.resolved
        chosen = polynomials(functions_in(claim.expressions), failure.place)
        texts = {n: str(written(p, (x,))) for n, p in chosen.items()}
        gains = [texts[n] for n in (("G",) if self.examples == 1 else ("G1", "G2")) if n in texts]
        slopes = [str(sp.diff(sp.sympify(g, {"x": x}), x)) for g in gains]
        slope = str(sp.diff(sp.sympify(texts.get("U", "0"), {"x": x}), x))
        known = {**failure.place.scalars, **{str(a): Fraction(v) for a, v in self.params}}
        at = float(known["x"])
        lam = min(float(sp.sympify(g, {"x": x}).subs(x, at) ** -1) for g in gains) / 4
        numbers: dict[str, Any] = {"alpha": 0.5, "N": self.examples, "lambda": lam, "x0": at}
        numbers |= {k: v for k, v in known.items() if k in numbers}
        share = f"lambda x, i: 1 / [{', '.join(f'({g}) + 0 * x' for g in gains)}][i] - lambda_"
        bends = ", ".join(f"-({d}) / ({g})**2" for g, d in zip(gains, slopes, strict=True))
        mean = " + ".join(f"share(x, {i})" for i in range(self.examples))
        functions = {
            "U": f"lambda x: {texts.get('U', '0')} + 0 * x",
            "share": share,
            "slope": f"lambda x, i: [{bends}][i] + 0 * x",
            "gradient": f"lambda x, i: share(x, i) + ({slope}) / {self.examples}"
            f" - ({mean}) / {self.examples}",
        }
        if self.examples == 1:
            functions["gradient"] = f"lambda x, i: ({slope}) / N + 0 * x"
        sampler = registry.sampler(self.sampler)
        return vanishing_script(self.heading, sampler, functions, numbers, self.examples, True)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Other densities, and other printings of the sampler."""
        for name, twin in super().corrupted(finding):
            if name.startswith("density"):
                yield name, twin
        family, _, word = self.sampler.partition(":")
        for other in registry.family(family).examples if word else ():
            if other != word:
                yield f"{other} for {word}", replace(self, sampler=f"{family}:{other}", process=None)

    def has_discrete_reading(self) -> bool:
        """It is about the algorithm."""
        return False

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """A limit is not measured."""
        return finding, None


@dataclass(frozen=True, kw_only=True)
class ConsistentBound(VanishingStep):
    """``bound`` is said to bound the mean square error up to a constant; it vanishes as steps do.

    ``extra`` is a further term in alpha, up to a constant of its own. A sampler whose law has another
    limit than the posterior has no such bound: the error stays as the bound vanishes, and for
    alpha -> 1 beyond ``extra``.
    """

    bound: Any
    extra: Any = sp.S.Zero

    def lines(self) -> tuple[Line, ...]:
        """The bound."""
        more = f" + O({plain(self.extra)})" if self.extra != 0 else ""
        more_tex = rf" + O\left({latex(sp.sympify(self.extra))}\right)" if self.extra != 0 else ""
        return (
            Line(
                rf"\mathbb{{E}}(\hat\phi - \bar\phi)^2 \le C \left({latex(self.bound)}\right){more_tex}",
                f"{self.sampler}: E(phi^ - phi_bar)^2 <= C*({plain(self.bound)}){more}",
            ),
        )

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
        true = stationary_density(self.process)
        return None if true is None else sp.expand(true - self.log_density)

    def find(self, time: str | None = None) -> Finding:
        """Where the limit of the law is not the posterior, the bound is false."""
        time = time or self.time
        proof, tilt = self.prove(time), self.tilt
        failure = self.failure(time)
        evidence = (*proof.evidence, self.tested(time, expected=proof.holds))
        if proof.holds is not None and proof.holds is not (failure is None):
            says = {True: "the limit of the law is the posterior", False: "it is not the posterior"}
            by_symbols = Answer("symbols", says[proof.holds])
            raise RoutesDisagree(self.id, by_symbols, Answer("exact numbers", says[failure is None]))
        if failure is None or tilt is None or not self.vanishes:
            reason = "That the limit is the posterior does not decide a bound on the way."
            return Finding("inconclusive", reason, evidence)
        stays, more = tilt, "."
        if self.extra != 0:
            stays = tilt.subs(alpha, 1)
            more = "; this does not go away as alpha tends to 1, where the further term does."
            if sp.simplify(stays.diff(x)) == 0 or sp.limit(self.extra, alpha, 1, "-") != 0:
                reason = "The further term may cover what the limit of the law is off."
                return Finding("inconclusive", reason, evidence)
        reason = (
            "Under Assumption 1 the terms of the bound tend to zero, while the sampler's law tends to"
            f" the posterior times exp({plain(stays)}), up to a constant{more}"
        )
        corrected, shown = self.correct(time), self.shown(failure, time)
        return Finding("refuted", reason, evidence, corrected=corrected, counterexample=shown)

    def correct(self, time: str) -> Correction | None:
        """What the averages tend to instead."""
        kept = {
            f: getattr(self, f) for f in ("key", "at", "title", "says", "paper", "sampler", "params")
        }
        return VanishingStep(**kept, log_density=self.log_density).correct(time)

    def true_statement(self, finding: Finding) -> Any:
        """The limit of the law."""
        return finding.corrected.printed[0] if finding.corrected else None

    def script(self, failure: Failure, time: str) -> str:
        """Logistic regression on one example with a normal prior: all that is assumed holds there."""
        functions = {
            "U": "lambda x: x**2 / 4 + np.log1p(np.exp(x))",
            "share": "lambda x, i: 1 / (1 + np.exp(-x))",
            "slope": "lambda x, i: share(x, i) * (1 - share(x, i))",
            "gradient": "lambda x, i: x / 2 + share(x, i)",
        }
        numbers: Mapping[str, Any] = {"alpha": 0.99, "N": 1, "lambda": 1e-5}
        return vanishing_script(
            self.heading, registry.sampler(self.sampler), functions, numbers, 1, False
        )

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
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
        )

    def _means(self, alpha: float = 0.99) -> tuple[float, float]:
        """Of phi, under the limit of the law and under the posterior, for that example."""
        import numpy as np

        tilt = sp.lambdify((G, _ALPHA), self.tilt, "numpy")
        at = np.linspace(-12, 12, 4801)
        share = 1 / (1 + np.exp(-at))
        p = np.exp(-(at**2) / 4 - np.log1p(np.exp(at)))
        law = p * np.exp(tilt(1 / (1e-5 + share), alpha))
        return float(law @ share / law.sum()), float(p @ share / p.sum())
