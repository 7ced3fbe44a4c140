"""What is true at a pair of modes is an equation between matrices, judged in every dimension."""

import random
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import solve_discrete_lyapunov

from verification.laws.quantities import DIVERGENCE
from verification.notation import A, S, Sigma, eps, mu, second
from verification.statements import Equal, claim, deciding
from verification.theories.matrices.words import elsewhere

c = sp.Symbol("c", positive=True)
FRACTION = (("mu", "fraction"),)


def fresh(of, left, right, kinds=()):
    return claim("k", at="here", title="T", of=of, read=Equal(left, right), kinds=kinds)


CASES = {
    "scaled curvature": fresh("sgd", c * elsewhere(Sigma, (A, c * A)), Sigma),
    "another sampler": fresh("momentum", Sigma, elsewhere(Sigma, of="sgd") / mu, FRACTION),
    "two moments": fresh("momentum", second("v", "theta") + second("theta", "v"), 0, FRACTION),
    "zero on the left": fresh(
        "momentum", 0, 2 * second("v", "v") - eps * A * Sigma - eps * Sigma * A, FRACTION
    ),
    "two noises": fresh("sgld", Sigma, 2 * elsewhere(Sigma, (eps, 2 * eps))),
    "other minibatches": fresh("sgld", Sigma, elsewhere(Sigma, (S, 2 * S))),
}


@pytest.mark.parametrize("name", CASES)
def test_it_holds_at_exact_places_of_every_size(name):
    found = CASES[name].find("discrete").corrected
    true = replace(CASES[name], statement=found.printed[0], time="discrete")
    assert true.find().verdict == "proved"
    asked, source, seen = deciding.asked(true), random.Random(name), []
    for d in (1, 2, 2, 3):
        places = (asked.known.calm(asked.space.random(source, d)) for _ in range(20))
        sides = (asked.seen(place) for place in places if asked.admits(place))
        seen.append(next(s.holds for s in sides if s is not None))
    assert seen == [True] * 4


def test_nothing_is_corrected_by_itself():
    """The moment of the other law stands on the left side: the factor is that of the right one."""
    found = CASES["scaled curvature"].find("discrete").corrected
    assert "r_ij * Sigma, r_ij = (lambda_i + lambda_j - eps*lambda_i*lambda_j)" in found.text
    (one,) = found.printed
    assert one.left != one.right


def test_what_is_printed_to_be_zero_is_told_with_one_sign():
    balance = A * second("theta", "v") + second("v", "theta") * A
    found = fresh("momentum", 0, balance, FRACTION).find("discrete").corrected
    assert found.text.startswith("(A*E[theta v^T] + E[v theta^T]*A)_ij = eps**2*C_ij*(2*mu*")


def test_what_is_left_over_at_every_pair_may_be_so_many_times_a_moment():
    """A step moves theta by the new v: twice what is mixed, symmetrised, is the moment of v."""
    texts = [CASES[k].find("discrete").corrected.text for k in ("two moments", "zero on the left")]
    assert "= E[v v^T]" in texts[0]
    assert texts[1] == "0 = (2 - mu)*E[v v^T] - eps*(A*Sigma + Sigma*A)"


def covariance(A, C, step, damping):
    """Of momentum, by its Stein equation."""
    d, one = len(A), np.eye(len(A))
    M = np.block([[one - step * A, (1 - damping) * one], [-step * A, (1 - damping) * one]])
    kick = np.vstack([one, one])
    return solve_discrete_lyapunov(M, step**2 * kick @ C @ kick.T)[:d, :d]


def divergence(A, law):
    return (np.trace(A @ law) - np.linalg.slogdet(A @ law)[1] - len(A)) / 2


def test_divergences_of_laws_that_become_one():
    """Half the step with half the damping: the difference over the step, and the term that is told."""
    other = elsewhere(DIVERGENCE, (eps, eps / 2), (mu, mu / 2))
    found = fresh("momentum", DIVERGENCE, other, FRACTION).find("discrete")
    assert (found.verdict, found.gap.order) == ("limit-only", "1")
    rho = sp.sympify(found.gap.term.text.split("rho_ij = ")[1].split(",")[0])
    named = {str(s): s for s in rho.free_symbols}
    modes, C = [1.0, 2.0, 4.0], np.array([[2, 1, 0.5], [1, 3, 0.2], [0.5, 0.2, 1]])
    A, damping = np.diag(modes), 0.5
    terms = [[float(rho.subs({named["lambda_i"]: a, named["lambda_j"]: b, named["mu"]: damping}))
              for b in modes] for a in modes]  # fmt: skip
    for step in (1e-3, 1e-4):
        law = covariance(A, C, step, damping)
        by = divergence(A, law) - divergence(A, covariance(A, C, step / 2, damping / 2))
        told = step * np.trace(np.linalg.inv(law) @ (np.array(terms) * law))
        assert by == pytest.approx(told, rel=20 * step)
    assert (
        fresh("momentum", DIVERGENCE, elsewhere(DIVERGENCE, (mu, mu / 2)), FRACTION).find("discrete").gap
        is None
    )
