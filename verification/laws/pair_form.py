"""Printed matrix equations at a pair of modes: A on the left is lambda_i, on the right lambda_j."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ, PairCovariance
from sgtheory.notation.matrixwords import EE, SIGMA, A, C, identity
from sgtheory.polynomials import factored
from verification.terms.from_sympy import from_sympy

DELTA = sp.Symbol("delta_ij", real=True)
NOISE = sp.Symbol("C_ij", real=True)
LETTERS = {"C_ij": C, "EE_ij": EE}  # the matrices of noises


class NotInPairForm(ValueError):
    """The printed expression has a word that no pair of modes can express."""


def pair_symbol(core: Any) -> sp.Symbol:
    """The pair symbol of a matrix: Sigma_ij, P_theta_v_ij, C_ij, delta_ij."""
    if core is None or str(core) == "I":
        return DELTA
    return sp.Symbol(f"{core}_ij", real=True)


def to_pair(expr: Any) -> Any:
    """A sum of words f(A) X g(A) as a sum of f(lambda_i) g(lambda_j) X_ij.

    >>> from verification.notation import A, Sigma
    >>> to_pair(A * Sigma + Sigma * A)
    Sigma_ij*lambda_i + Sigma_ij*lambda_j
    >>> from verification.notation import identity
    >>> to_pair((identity - A) * Sigma)
    -Sigma_ij*lambda_i + Sigma_ij
    >>> to_pair((identity + A) ** -1 * Sigma)
    Sigma_ij/(lambda_i + 1)
    """
    total = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(expr)):
        scalars, words = term.args_cnc()
        letters = [a for a in letters_of(words) if a != identity]
        if not all(a.is_Symbol or of_curvature(a) for a in letters):
            raise NotInPairForm(f"{sp.Mul(*words)} has powers that are no products of letters")
        cores = [k for k, letter in enumerate(letters) if not of_curvature(letter)]
        if len(cores) > 1:
            raise NotInPairForm(f"{sp.Mul(*words)} has more than one matrix besides A")
        at = cores[0] if cores else len(letters)
        core = letters[at] if cores else None
        left, right = _at_mode(letters[:at], LI), _at_mode(letters[at + 1 :], LJ)
        total += sp.Mul(*scalars) * left * right * pair_symbol(core)
    return total


def of_curvature(word: Any) -> bool:
    """Whether a matrix is a function of A alone, such as (I - h A)^-1: then it is a number at a mode."""
    return {s for s in word.free_symbols if not s.is_commutative} in ({A}, {A, identity})


def _at_mode(words: list[Any], mode: Any) -> Any:
    """The product of functions of A where A is an eigenvalue."""
    return sp.Mul(*(word.subs({A: mode, identity: 1}) for word in words))


def letters_of(words: list[Any]) -> list[Any]:
    """Positive powers of letters, and of products of letters, written out; others stay as they are."""
    flat: list[Any] = []
    for word in words:
        base, power = word.as_base_exp()
        if power.is_Integer and power > 0:
            flat += (letters_of(list(base.args)) if base.is_Mul else [base]) * int(power)
        else:
            flat.append(word)
    return flat


def substitute_law(pair_expr: Any, pair: PairCovariance) -> Any:
    """The expression with every second moment replaced by the derived one."""
    names = [s.name for s in pair.form.states]
    known = {}
    for a in names:
        for b in names:
            core = SIGMA if a == b == "theta" else f"P_{a}_{b}"
            known[pair_symbol(core)] = pair.entry(a, b)
    return pair_expr.subs(known)


def responses(pair_expr: Any) -> dict[Any, Any]:
    """The coefficients of the noise symbols; isotropic noise reaches only equal modes."""
    found = {}
    couplings = {s for s in pair_expr.free_symbols if s.name.endswith("_ij")}
    for symbol in sorted(couplings, key=lambda s: s.name):
        coefficient = factored(sp.expand(pair_expr).coeff(symbol))
        if symbol == DELTA:
            coefficient = factored(coefficient.subs(LJ, LI))
        if coefficient != 0:
            found[symbol] = coefficient
    return found


def inverted_once(expr: Any) -> Any:
    """With powers of powers of matrices as one: SymPy leaves the inverse of an inverse as it is."""
    return expr.replace(
        lambda e: bool(e.is_Pow and e.base.is_Pow and not e.is_commutative),
        lambda e: e.base.base ** (e.base.exp * e.exp),
    )


def by_word(expr: Any) -> dict[Any, Any]:
    """The factors of products of matrices, which do not commute."""
    found: dict[Any, Any] = {}
    for one in sp.Add.make_args(sp.expand(expr)):
        scalars, words = one.args_cnc()
        word = sp.Mul(*words)
        found[word] = found.get(word, 0) + sp.Mul(*scalars)
    return found


def function_of_A(value: Any, roots: bool = False) -> Any:
    """A rational function of an eigenvalue as one of A, factor by factor, a term; None of any other.

    Roots of such functions are said too, where they are asked for.

    >>> print(function_of_A((2 - LI) / 3), function_of_A(LI - 2))
    (2*I - A)/3 -(2*I - A)
    """
    if value.has(sp.exp) or not (
        value.is_rational_function(LI) or (roots and value.is_algebraic_expr(LI))
    ):
        return None
    number_of, words = sp.factor(value).as_independent(LI, as_Add=False)
    found = []
    for one in sp.Mul.make_args(words):
        base, power = one.as_base_exp()
        turned = -1 if base.subs(LI, 0).could_extract_minus_sign() else 1
        number_of *= turned**power
        terms = sp.Add.make_args(sp.expand(turned * base))
        total = sp.Add(*(t.subs(LI, A) if t.has(LI) else t * identity for t in terms))
        found.append(total**power)
    return from_sympy(sp.Mul(number_of, *found) if words != 1 else number_of * identity)
