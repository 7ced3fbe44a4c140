"""The relaxation time of a chain: in it the slowest decaying direction shrinks by a factor e."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import acb_mat, arb, ctx

from sgtheory.independent.fields import Rows
from sgtheory.modepairs.pairs import LI
from sgtheory.notation.matrixwords import A, SmallestEigenvalue
from sgtheory.onestep.affine import LAMBDA, mode_form
from sgtheory.polynomials import is_zero
from sgtheory.setting import Setting
from verification.laws.per_mode import General, spelt
from verification.laws.rational import step_of
from verification.refuter.places import Place
from verification.refuter.script import array
from verification.terms.arithmetics.symbols import in_symbols, symbol
from verification.terms.asymptotics import Undecided, first_terms, sign
from verification.terms.walking import Unable
from verification.terms.ways import Way
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent

RELAXATION = sp.Symbol("tau_relax", positive=True)


@dataclass(frozen=True)
class Relaxation:
    """-1/log(rho), rho the spectral radius of one step; -1/Re(s) in continuous time."""

    step: Rows
    time: str

    def ball(self, digits: int) -> Any:
        """The time to so many digits; unable where it does not decay, or digits do not tell."""
        before, ctx.dps = ctx.dps, digits
        try:
            rows = [[arb(x.numerator) / x.denominator for x in row] for row in self.step]
            values = acb_mat(len(rows), len(rows), [x for row in rows for x in row]).eig(multiple=True)
            sizes = [abs(z).log() if self.time == "discrete" else z.real for z in values]
            slowest = sizes[0]
            for one in sizes[1:]:
                slowest = slowest.max(one)
            if not slowest < 0:
                raise Unable("a chain that does not decay")
            return -1 / slowest
        except ValueError as error:
            raise Unable("eigenvalues that the digits do not tell apart") from error
        finally:
            ctx.dps = before

    def lines(self) -> list[str]:
        """The same in a script, by NumPy."""
        values = f"np.linalg.eigvals({array(self.step)}.astype(float))"
        rate = f"np.log(abs({values}).max())" if self.time == "discrete" else f"{values}.real.max()"
        return [f"{RELAXATION} = _d(float(-1 / {rate}))"]


def relaxation(setting: Setting, place: Place, time: str) -> Relaxation:
    """At a place."""
    return Relaxation(step_of(setting, place, time), time)


def formula(expr: Any, setting: Setting, time: str, way: Way) -> General | None:
    """From the characteristic polynomial of one mode, for a step of one or two states near a limit."""
    put = {symbol(a).name: in_symbols(b) for a, b in way.where}
    M = sp.Matrix(mode_form(setting, time).M.subs(LAMBDA, LI))
    M = M.subs({s: put[s.name] for s in M.free_symbols if s.name in put})
    x = symbol(way.letter)
    found = _slowest(M.applyfunc(lambda e: spelt(e, x)), x, way.to, time)
    scope = "along every eigenvector of $A$, for small enough values"
    return None if found is None else General((expr.subs(RELAXATION, found),), "formula", scope)


def _slowest(M: sp.Matrix, x: Any, limit: str, time: str) -> Any:
    """The relaxation time of a step of one or two states, for x near its limit."""
    if M.rows == 1:
        return -1 / sp.log(M[0, 0]) if time == "discrete" else -1 / M[0, 0]
    if M.rows != 2:
        return None
    total, product = sp.expand(M.trace()), sp.factor(M.det())
    spread = sp.factor(total**2 - 4 * product)
    try:
        way = sign(first_terms(spread, x, limit, 1)[0].coefficient)
        up = sign(first_terms(total, x, limit, 1)[0].coefficient)
    except (Undecided, ZeroDivisionError):
        return None
    if way == -1:  # a pair of complex numbers: |z|^2 is their product, Re z half their sum
        return -2 / sp.log(product) if time == "discrete" else -2 / total
    if way == 1 and up is not None:
        far = (total + up * sp.sqrt(spread)) / 2  # the two roots, the second by their product
        if time == "discrete":
            return -1 / sp.log(up * far)
        return -1 / far if up == 1 else -far / product
    return None


def is_best(setting: Setting, time: str, x: Any, value: Any) -> Answer:
    """Whether the relaxation time of a process of two states is shortest at a value of x, in all modes.

    Its roots solve z^2 + b z + c = 0. If b grows with x alone, and c with the curvature alone, and b^2 =
    4 c in the slowest mode, then at smaller x no root is left of -b/2, and at larger x the slow root
    of that mode is right of it: b^2 - 4 c > (b - b*)^2, as 2 b b* > 2 b*^2.
    """
    M = sp.Matrix(mode_form(setting, time).M.subs(LAMBDA, LI))
    if time != "continuous" or M.rows != 2:
        return Silent(Silence.NO_FORMULA)
    b, c = (sp.factor(spelt(e, x)) for e in (-M.trace(), M.det()))
    slowest = value.subs(SmallestEigenvalue(A), LI)
    grow = sp.diff(b, x).is_positive and sp.diff(c, LI).is_positive
    if not grow or b.has(LI) or c.has(x) or not slowest.is_commutative:
        return Silent(Silence.NO_FORMULA)
    if not is_zero(b.subs(x, slowest) ** 2 - 4 * c):
        return Disproved("At that value the slowest mode is not critically damped.")
    return Proved("The slowest mode is critically damped there, and slower on both sides.")
