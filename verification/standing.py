"""How a printed equation stands to the law of a sampler, decided at a generic pair of modes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.language import STEP
from sgtheory.matrixform import block_symbol, law_equation
from sgtheory.pairs import LI, LJ, PairCovariance
from sgtheory.printing import tidy
from sgtheory.telling.covariance import tidy_matrix
from verification.claims.base import Printed
from verification.miner.scalars import Equal, written_under
from verification.miner.stated import Is
from verification.pairform import responses, substitute_law, to_pair

# How a printed equation stands to the law, from best to worst.
HOLDS, COMMUTING, LEADING, FAILS = "holds", "commuting", "leading order", "fails"
ORDER = (HOLDS, COMMUTING, LEADING, FAILS)


@dataclass(frozen=True)
class Standing:
    """How one printed equation stands, with what is left over at a pair of modes."""

    printed: Printed
    word: str
    left_over: dict[Any, Any]  # by noise symbol; empty where the equation holds
    gap: tuple[Any, Any] | None  # order in the step and first term, relative to the right side


def stand(printed: Printed, pair: PairCovariance, given: tuple[Any, ...] = ()) -> Standing:
    """Put the law into left minus right and see what is left over, and where.

    Equations between scalars that are ``given`` are put into what is left over.

    >>> from sgtheory import registry
    >>> from sgtheory.pairs import stationary
    >>> from sgtheory.setting import Setting
    >>> from verification.notation import A, C, S, Sigma, eps
    >>> sgd = stationary(Setting(registry.sampler("sgd"), registry.model("quadratic")))
    >>> stand(Printed(A * Sigma + Sigma * A, eps / S * C), sgd).word
    'leading order'
    """
    left_over = responses(substitute_law(to_pair(printed.residual), pair))
    equations = tuple(c for c in given if isinstance(c, Equal | Is))
    if equations and left_over:
        rests = {s: sp.cancel(written_under(r, equations)) for s, r in left_over.items()}
        left_over = {s: r for s, r in rests.items() if r != 0}
    gap = _gap(printed, pair, left_over) if left_over else None
    if not left_over:
        word = HOLDS
    elif all(sp.simplify(r.subs(LJ, LI)) == 0 for r in left_over.values()):
        word = COMMUTING
    elif gap is not None and gap[0] > 0:
        word = LEADING
    else:
        word = FAILS
    return Standing(printed, word, left_over, gap)


def _gap(printed: Printed, pair: PairCovariance, left_over: dict[Any, Any]) -> tuple[Any, Any] | None:
    """The relative size of what is left over as the step vanishes: its order and first term."""
    sides = responses(substitute_law(to_pair(printed.left), pair))
    worst: tuple[Any, Any] | None = None
    for symbol, rest in left_over.items():
        if symbol not in sides:
            return None
        ratio = sp.cancel(rest / sides[symbol])
        order, term = _leading(ratio)
        if worst is None or order < worst[0]:
            worst = (order, term)
    return worst


def _leading(ratio: Any) -> tuple[Any, Any]:
    # corrupted equations may hold a root of the step, so powers are counted in that root
    root = sp.Symbol("h", positive=True)
    top, bottom = (sp.Poly(p, root) for p in sp.fraction(sp.together(ratio.subs(STEP, root**2))))
    low_top, low_bottom = (min(m[0] for m in p.monoms()) for p in (top, bottom))
    order = sp.Rational(low_top - low_bottom, 2)
    term = top.coeff_monomial(root**low_top) / bottom.coeff_monomial(root**low_bottom)
    return order, tidy(sp.factor(term)) * STEP**order


def true_equation(printed: Printed, pair: PairCovariance) -> Printed | None:
    """The equation of the law for the one block that a printed equation is about, scaled alike."""
    blocks = [
        (a.name, b.name)
        for a in pair.form.states
        for b in pair.form.states
        if printed.residual.has(block_symbol(a.name, b.name))
    ]
    if len(blocks) != 1:
        return None
    law = law_equation(pair, *blocks[0])
    law_left, law_right = (e.subs(sp.Symbol("H", commutative=False), 1) for e in (law.left, law.right))
    scale = _scale(printed.left, law_left)
    identity = sp.Symbol("I", commutative=False)
    right = sp.Add(*(_times(t, scale, identity) for t in sp.Add.make_args(law_right)))
    left = sp.Add(*(_times(t, scale) for t in sp.Add.make_args(law_left)))
    return Printed(tidy_matrix(left), tidy_matrix(right))


def _times(term: Any, scale: Any, identity: Any = None) -> Any:
    scalars, words = term.args_cnc()
    if not words and identity is not None:
        words = [identity]
    return tidy(sp.factor(scale * sp.Mul(*scalars))) * sp.Mul(*words)


def _scale(printed_left: Any, law_left: Any) -> Any:
    """What makes the first shared word of both left sides carry the printed coefficient."""

    def by_word(expr: Any) -> dict[Any, Any]:
        return {
            sp.Mul(*t.args_cnc()[1]): sp.Mul(*t.args_cnc()[0]) for t in sp.Add.make_args(sp.expand(expr))
        }

    printed, law = by_word(printed_left), by_word(law_left)
    shared = sorted((w for w in printed if w in law), key=str)
    return sp.cancel(printed[shared[0]] / law[shared[0]]) if shared else sp.Integer(1)
