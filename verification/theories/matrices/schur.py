"""Orders of matrices that a law makes of its noise entry by entry: kernels between eigenvalues.

In the eigenbasis of A a second moment is K(l_i, l_j) C_ij. Of such a difference the order holds for any
covariance C where K is positive semidefinite between any eigenvalues, by Schur's product theorem. So is
what a law makes of a noise with C_ij = 1, for that is a covariance; so are g(l_i) g(l_j), and products
and sums of such kernels. A difference is looked for among these: numbers choose which, letters prove it.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from scipy.optimize import nnls

from sgtheory.modepairs.matrixform import block_symbol
from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.onestep.affine import LAMBDA, mode_form
from verification.laws.pair_form import responses
from verification.terms.term import Letter
from verification.theories.matrices import elsewhere

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law
    from verification.theories.matrices.pairs import AtPairs
    from verification.theories.signs import Bound

_POWERS, _PLACES, _TRIES = (0, 1, 2, -1, -2), 3, 200
_SMALL = 1e-9  # what is left over in numbers that are of the size of one


def variances(law: Law, found: AtPairs, noise: Any) -> list[Any]:
    """What the laws of an equation make of a noise where C_ij = 1, of each state by itself."""
    pair = found.pair
    names = [s.name for s in pair.form.states]
    entries = [pair.entry(a, a) for a in names]
    for _, other in elsewhere.moments(found.terms).values():
        own = (s.name for s in other.setting(law).state)
        entries += [other.entry(law, Letter(str(block_symbol(a, a)), "matrix")) for a in own]
    each = (responses(entry).get(noise) for entry in entries)
    return [x for x in dict.fromkeys(each) if x is not None]


def is_positive(
    law: Law,
    kernel: Any,
    known: Sequence[Any],
    bounds: Sequence[Bound],
    certified: Callable[[Any], bool],
) -> bool:
    """Whether a kernel is a sum of positive ones, with numbers that are certified for what is given."""
    if sp.cancel(kernel - kernel.subs({LI: LJ, LJ: LI}, simultaneous=True)) != 0:
        return False
    root = sp.sqrt(LI * LJ)
    if not kernel.is_rational_function(LI, LJ):
        kernel = sp.cancel(sp.expand_power_base(sp.expand(kernel / root), force=True))
    if not kernel.is_rational_function(LI, LJ):
        return False
    atoms = list(_atoms(law, kernel, known))
    for place in _places((kernel, *atoms), bounds):
        chosen = _chosen(kernel, atoms, place)
        shares = None if chosen is None else _shares(kernel, chosen)
        if shares is not None:
            return all(map(certified, shares))
    return False


def _atoms(law: Law, kernel: Any, known: Sequence[Any]) -> Iterator[Any]:
    """Positive kernels with no more in their denominators than a kernel has, but for powers of A."""
    below = _below(kernel)
    form = None if law.setting is None else mode_form(law.setting, law.time).M
    moved = [] if form is None or form.shape != (1, 1) else [form[0, 0].subs(LAMBDA, LI)]
    apart = [sp.Integer(1), *(m * m.subs(LI, LJ) for m in moved if m.has(LI))]
    some = range(1 + sum(below.values()))
    for count in some:
        for chosen in itertools.combinations_with_replacement(known, count):
            if sum(map(_below, chosen), Counter()) <= below:
                for b, own in itertools.product(_POWERS, apart):
                    yield sp.Mul(*chosen) * (LI * LJ) ** b * own


def _below(kernel: Any) -> Counter[Any]:
    """The factors of its denominator that are no powers of A, nor numbers."""
    factors = sp.factor_list(sp.fraction(sp.factor(kernel))[1])[1]
    plain = ((f if not f.could_extract_minus_sign() else -f, n) for f, n in factors)
    return Counter({sp.expand(f): n for f, n in plain if f.has(LI, LJ) and f not in (LI, LJ)})


def _places(exprs: Iterable[Any], bounds: Sequence[Bound]) -> Iterator[dict[Any, Any]]:
    """Numbers of letters at which what is given holds for small eigenvalues."""
    letters = {s for e in exprs for s in e.free_symbols} | {
        s for a, b, _ in bounds for s in (a - b).free_symbols
    }
    own, source = sorted(letters - {LI, LJ}, key=str), random.Random(1)
    left = _PLACES
    for _ in range(_TRIES):
        place = {s: sp.Rational(source.randint(1, 24), 8) for s in own}
        if all(_holds(bound, place) for bound in bounds):
            yield place
            left -= 1
        if not left:
            return


def _holds(bound: Bound, place: Mapping[Any, Any]) -> bool:
    small, large, _ = bound
    value = (large - small).subs({**place, LI: sp.Rational(1, 997)})
    return bool(value.is_number and value > 0)


def _chosen(kernel: Any, atoms: Sequence[Any], place: Mapping[Any, Any]) -> list[Any] | None:
    """Kernels of which numbers that are not negative make this one, in numbers at random eigenvalues."""
    values = sp.lambdify((LI, LJ), [kernel.subs(place), *(a.subs(place) for a in atoms)], "math")
    source, rows = random.Random(2), list[list[float]]()
    while len(rows) < 2 * len(atoms):
        x, y = (Fraction(source.randint(1, 60), 300) for _ in range(2))
        rows.append([float(v) for v in values(float(x), float(y))])
    whole = np.array(rows)
    whole /= np.abs(whole[:, :1]).clip(1e-300)
    scales = np.linalg.norm(whole[:, 1:], axis=0)
    found, rest = nnls(whole[:, 1:] / scales, whole[:, 0])
    if rest > _SMALL * len(rows):
        return None
    return [atom for atom, share in zip(atoms, found, strict=True) if share > _SMALL]


def _shares(kernel: Any, chosen: Sequence[Any]) -> list[Any] | None:
    """How much of each kernel there is, in letters; None where they do not make it in one way."""
    unknown = [sp.Dummy() for _ in chosen]
    rest = sp.Add(*(c * a for c, a in zip(unknown, chosen, strict=True))) - kernel
    above = sp.Poly(sp.fraction(sp.together(rest))[0], LI, LJ)
    solved = sp.solve(above.coeffs(), unknown, dict=True)
    if len(solved) != 1 or len(solved[0]) < len(unknown):
        return None
    return [sp.factor(solved[0][c]) for c in unknown]
