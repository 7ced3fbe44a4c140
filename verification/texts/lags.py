"""What is said of a chain in texts: autocorrelation times, reversibility, how many laws it has."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.notation.matrixwords import Entry
from sgtheory.onestep.affine import mode_form
from sgtheory.setting import Setting
from verification import notation
from verification.laws import lagsums
from verification.laws.stepwords import own_matrices
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.relations.limits import Order
from verification.relations.stable import EIGENVALUE
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Term, number, term
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


def laws_of(of: Chain, how: str, way: Way | None) -> Any:
    """How many stationary laws a chain has, in the end where a letter vanishes."""
    if how == "not":
        return Equal(of.laws, 0)
    if how in ("normal", "uniform", "laplace"):
        return Equal(of.unlike(how), 0)
    if way is not None:
        return Order(of.laws, "~", number(1), way)
    return Equal(of.laws, 1) if how == "one" else Compare(of.laws, ">=", 1)
