"""What is said of a chain in texts: autocorrelation times, reversibility, how many laws it has."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.modepairs import pairs
from sgtheory.notation.matrixwords import Entry
from sgtheory.onestep.affine import mode_form
from sgtheory.setting import Setting
from verification import notation
from verification import statements as ours
from verification.laws import lagsums
from verification.laws.pair_form import DELTA
from verification.laws.quantities import setting_of
from verification.laws.rational import own_matrices
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.relations.limits import Order
from verification.relations.stable import EIGENVALUE
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Term, number, term
from verification.terms.ways import Way
from verification.terms.words import is_matrix
from verification.texts.shapes import at, factors
from verification.texts.unclear import Unclear
from verification.theories.chains.words import Chain

_KNOWN = {"theta": lagsums.correlation_time, "theta^2": lagsums.correlation_time_of_square}


def correlation_time(group: Any, sampler: Any) -> Term:
    """What ``tau_int`` of something in brackets is, under the law of a sampler."""
    inside = group.children[0].children
    called = dict(getattr(sampler, "aliases", ()))
    said = factors(inside[0], called) if len(inside) == 1 else []
    made = _KNOWN.get(" ".join(said))
    if made is None or not sampler:
        told = "tau_int(theta) and tau_int(theta^2), of a sampler, can be said"
        raise Unclear("the position, or its square", " ".join(said) or "others", told, at(group))
    return from_sympy(made(lambda matrix: Entry(matrix, 0, 0)))


def named(letters: Any, what: str, where: int) -> Term:
    """What a name in words is of a sampler: of its step, or of its law."""
    if what in ("radius", "gap"):
        found = spectral_radius(letters, where)
        return found if what == "radius" else number(1) - found
    sigma, posterior = letters.find("Sigma"), (letters.find("N") * letters.find("A")) ** number(-1)
    return {"covariance": sigma, "posterior": posterior}.get(what, sigma - posterior)


def spectral_radius(letters: Any, where: int) -> Term:
    """Of one step: the largest size of a root along any eigenvector of A, which an end of these has.

    A step of one state that is linear in the eigenvalue is largest, or least, at an end. The larger root
    of z^2 - t z + d, d not depending on the eigenvalue, grows with the size of t, and t is linear.
    """
    sampler = letters.sampler
    told = "say it of the roots at an eigenvalue, max(1 - h a, h a - 1)"
    wanted = "a step of one state, or of two with a constant determinant, that is linear in A"
    if isinstance(sampler, Chain) or own_matrices(registry.sampler(sampler)):
        raise Unclear(wanted, "another", told, where)
    M = mode_form(Setting(registry.sampler(sampler), registry.model("quadratic"))).M
    total, product = sp.expand(M.trace()), sp.factor(M.det())
    (eigenvalue,) = [s for s in M.free_symbols if s.name == EIGENVALUE.name] or [sp.Dummy()]
    linear = total.is_polynomial(eigenvalue) and sp.degree(total, eigenvalue) == 1
    calm = M.rows == 1 or (M.rows == 2 and not product.has(eigenvalue) and product.is_nonnegative)
    if not (linear and calm):
        raise Unclear(wanted, "another", told, where)
    plain = from_sympy(total)
    own = {a: letters.find(a.name) for a in plain.letters if a.name != EIGENVALUE.name}
    at_ends = [
        plain.put({**own, EIGENVALUE: Applied(end, (letters.find("A"),))})
        for end in ("lambda_min", "lambda_max")
    ]
    either = ours.largest(*(side for t in at_ends for side in (t, -t)))
    if M.rows == 1:
        return either
    d = from_sympy(product).put({a: letters.find(a.name) for a in from_sympy(product).letters})
    spread = ours.largest(number(0), either ** number(2) - number(4) * d)
    return ours.largest(ours.sqrt(d), (either + ours.sqrt(spread)) / number(2))


def reversible(sampler: Any, where: int) -> Equal:
    """That a normal law of one state is that of the chain backwards: A commutes with its covariance.

    Then (I - h A) Sigma, the covariance of two steps on end, is symmetric, and only then.
    """
    if isinstance(sampler, Chain) or not _is_linear_in_curvature(registry.sampler(sampler)):
        told = "say which covariance is symmetric: E[theta v^T] = E[v theta^T]"
        raise Unclear("a sampler of one state whose step is linear in A", "another", told, where)
    A, Sigma = term(notation.A), term(notation.Sigma)
    return Equal(A * Sigma, Sigma * A)


def _is_linear_in_curvature(sampler: Any) -> bool:
    """Whether a step on a quadratic is I minus a number times A: of powers two may be alike."""
    if own_matrices(sampler) or len(sampler.state) != 1:
        return False
    M = sp.expand(mode_form(Setting(sampler, registry.model("quadratic"))).M[0, 0])
    here = [s for s in M.free_symbols if s.name == EIGENVALUE.name]
    return bool(here) and M.is_polynomial(*here) and sp.degree(M, here[0]) == 1


def need_matrices(of: Term, tree: Any) -> None:
    """Refuses numbers where an order of matrices is named."""
    if not is_matrix(of):
        raise Unclear("matrices in an order of matrices", str(of), "leave the order out", at(tree))


def settled(letters: Any, how: str, where: int) -> Any:
    """That a sampler settles, or does not; that it has a law, where that is the same.

    Without noise what runs away has a law: the optimum, where it stays.
    """
    if how in ("normal", "uniform", "laplace"):
        told = "declare a sampler of numbers, such as x' = x - h U'(x) + sqrt(2 h) xi"
        raise Unclear("a chain on a line, whose law has a shape", str(letters.sampler), told, where)
    if how in ("law", "one", "no law") and not _is_noisy(letters):
        told = "declare C: symmetric positive definite matrix; or say: the chain is stable"
        raise Unclear(
            "noise in every direction, for else a law stays at the optimum", "none", told, where
        )
    return ours.Not(ours.Stable()) if how in ("not", "no law") else ours.Stable()


def _is_noisy(letters: Any) -> bool:
    """Whether a step has noise along every eigenvector: its own, or of matrices of full rank."""
    full = {n for row in letters.rows if row.kind == "positive definite" for n in (*row.names, row.role)}
    try:
        moved = pairs.stationary(setting_of(letters.sampler), "discrete").entry("theta", "theta")
    except UnusableInput:
        return True  # no step that is linear: what is said of it is judged by what it is
    noises = {s for s in moved.free_symbols if s.name.endswith("_ij") and s != DELTA}
    return bool(moved.subs({s: 0 for s in noises if s.name.removesuffix("_ij") not in full}) != 0)


def laws_of(of: Chain, how: str, way: Way | None) -> Any:
    """How many stationary laws a chain has, in the end where a letter vanishes."""
    if how in ("not", "no law"):
        return Equal(of.laws, 0)
    if how in ("normal", "uniform", "laplace"):
        return Equal(of.unlike(how), 0)
    if way is not None:
        return Order(of.laws, "~", number(1), way)
    return Equal(of.laws, 1) if how == "one" else Compare(of.laws, ">=", 1)
