"""What a statement predicts of a run: the covariance that it fixes, parameters that it calls best."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.notation.matrixwords import SIGMA
from sgtheory.reader.exact import floats
from verification.laws.pair_form import DELTA, NOISE, NotInPairForm, pair_symbol, to_pair
from verification.laws.rational import plain_matrices
from verification.terms.arithmetics.rational import exactly
from verification.terms.walking import Unable, Undefined
from verification.theories.answers import Chosen
from verification.theories.matrices import elsewhere
from verification.theories.matrices.recipes import recipe_of

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

Predicts = Callable[[Any, Any], Any]  # of a problem and a sampler

_LEFT_TO_THE_USER = {"eps": Fraction(1, 4), "mu": Fraction(1, 2)}  # by a recipe for other parameters


def covariance(law: Law, relation: Any, chosen: Chosen | None) -> Predicts | None:
    """Sigma in the coordinates of a problem without a gain, of a sampler, where a relation fixes it."""
    if law.setting is None:
        return None
    if chosen is not None:
        recipe = recipe_of(law, chosen)
        every = chosen.among == "all" and chosen.letter.kind == "matrix"
        return _where_a_divergence_vanishes if recipe is not None and every else None
    equates = relation.relation == "=" and relation.between_matrices
    if not equates or elsewhere.moments(relation.sides):
        return None
    try:
        at_pair = to_pair(law.symbols(relation.left - relation.right))
    except NotInPairForm:
        return None
    found = sp.solve(at_pair, pair_symbol(SIGMA))
    return partial(_in_coordinates, found[0]) if len(found) == 1 else None


def _in_coordinates(at_pair: Any, problem: Any, sampler: str) -> Any:
    import numpy as np

    A, noise = floats(problem.matrices["A"]), floats(problem.matrices["C"])
    eigenvalues, U = np.linalg.eigh(A)
    scalars = problem.values(sampler).scalars
    known = {s: float(scalars[s.name]) for s in at_pair.free_symbols if s.name in scalars}
    if not at_pair.free_symbols <= {LI, LJ, NOISE, DELTA, *known}:
        return None  # it leans on another moment, or on a trace
    formula = sp.lambdify((LI, LJ, NOISE, DELTA), at_pair.subs(known), "numpy")
    shared, same = U.T @ noise @ U, np.eye(len(A))
    with np.errstate(divide="ignore", invalid="ignore"):  # what is printed may have a pole here
        entries = formula(eigenvalues[:, None], eigenvalues[None, :], shared, same)
    return U @ np.broadcast_to(entries, shared.shape) @ U.T  # what is printed may be one number


def _where_a_divergence_vanishes(problem: Any, sampler: Any) -> Any:
    """The posterior's covariance, which the best of all gains gives."""
    import numpy as np

    return np.linalg.inv(float(problem.sizes["N"]) * floats(problem.matrices["A"]))


def parameters(law: Law, chosen: Chosen | None, names: set[str], problem: Any) -> dict[str, Any] | None:
    """Parameters of a sampler as they are set or called best, E = I; None where that is no number."""
    given = {n: problem.matrices[n] for n in "AC"}
    one = tuple(tuple(Fraction(i == j) for j in range(problem.D)) for i in range(problem.D))
    matrices = plain_matrices({**given, "E": one}, problem.D)
    scalars = {**problem.sizes, **_LEFT_TO_THE_USER, "D": Fraction(problem.D)}
    known: dict[str, Any] = {**scalars, **matrices}
    found: dict[str, Any] = {}
    formulas = (*(() if chosen is None else ((chosen.letter, chosen.value),)), *law.sets)
    try:
        for letter, formula in formulas:
            found[letter.name] = known[letter.name] = exactly(formula, known)
    except (KeyError, Unable, Undefined):
        return None
    own: dict[str, Any] = {"E": one, "mu": _LEFT_TO_THE_USER["mu"], "eps": Fraction(1)}
    if any(a.name == "eps" for _, side in formulas for a in side.letters):
        own["eps"] = _LEFT_TO_THE_USER["eps"]
    return {n: _written(x) for n, x in (own | found).items() if n in names}


def _written(x: Any) -> Any:
    if isinstance(x, tuple):
        return [[str(entry) for entry in row] for row in x]
    return str(x)
