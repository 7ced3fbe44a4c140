"""Orders of matrices, and whether a chain is stable, by what drives a difference in a law in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial, reduce
from itertools import islice, permutations
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.errors import NotAffine
from sgtheory.matrices import Sign
from sgtheory.notation.derivation import Derivation, Equation, Step
from sgtheory.notation.matrixwords import A, LargestEigenvalue, SmallestEigenvalue
from sgtheory.notation.sentence import formula_of, say
from verification.laws.pair_form import by_word
from verification.terms.asymptotics import taken_and_added
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Term
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.matrices.gainmodes import gain_modes
from verification.theories.matrices.traces import Traces, letters_of
from verification.theories.matrices.wordletters import DEFINITE, IDENTITY, Of, Words

if TYPE_CHECKING:
    from verification.theories.matrices.wordlaw import WordLaw

_EVERY = {"dimensions": "every"}
_X, _MEANING = sp.Symbol("X", commutative=False), "{}, for $X$ the larger side minus the smaller,"
_MOST = 12  # ways in which one equation takes a word out of an expression


def order(words: Words, left: Term, right: Term, wanted: tuple[int, ...]) -> Answer:
    """The order of matrices: by the sign of the difference, or of what drives it."""
    law, strictly = words.law, 0 not in wanted
    small, large = (right, left) if wanted[0] > 0 else (left, right)
    try:
        laws = words.laws((left, right))
    except NotAffine:
        return Silent(Silence.NO_CERTIFICATE)
    rest = words.meant(law.symbols(law.spelt(large)) - law.symbols(law.spelt(small)))
    told = [*words.equations(), *(r for one in laws for r in one.residuals)]
    for operated, shown in _drivers(words, laws, rest):
        for bound in (operated, *_below(words, operated)):
            sign, seen = _sign(words, bound, told) or (Sign.UNKNOWN, bound)
            if sign >= (Sign.DEFINITE if strictly else Sign.SEMIDEFINITE):
                return _shown(words, shown, seen, sign, "=" if bound is operated else ">=")
    return Silent(Silence.NO_CERTIFICATE)


def order_of_ends(words: Words, left: Term, right: Term, wanted: tuple[int, ...]) -> Answer:
    """The order of numbers, one of them an end of a spectrum: lambda_max(M) <= c where M <= c I."""
    sides = [words.law.symbols(left), words.law.symbols(right)]
    largest = 1 if wanted[0] > 0 else 0  # the place of the smaller side
    for k, kind in ((largest, LargestEigenvalue), (1 - largest, SmallestEigenvalue)):
        for end in sides[k].atoms(kind):
            times, M = sp.cancel(sides[k] / end), end.args[0]
            if not times.has(end) and _is_positive(words, times) and not sides[1 - k].has(end):
                matrices = [times * M, sides[1 - k] * IDENTITY]
                left, right = map(from_sympy, matrices if k == 0 else matrices[::-1])
                return order(words, left, right, wanted)
    return Silent(Silence.NO_CERTIFICATE)


def _shown(words: Words, shown: Any, seen: Any, sign: Sign, relation: str) -> Proved:
    shown, seen = _readable(words, shown, seen)
    what = "Larger side minus smaller" if shown is None else say(_MEANING, shown)
    word = "positive definite" if sign is Sign.DEFINITE else "positive semidefinite"
    bound = "" if relation == "=" else "at least "
    lemma = "{} is {}{}, which is {} in every dimension: each term is a congruence."
    return Proved(
        say(lemma, what, bound, formula_of(seen), word), _told(shown, seen, word, relation), _EVERY
    )


def _below(words: Words, expr: Any) -> Iterator[Any]:
    """What a matrix is at least: X M X^T for lambda_max(M) X X^T, and minus that for -lambda_min(M)."""
    known, every = Traces(words.kinds), expr.atoms(LargestEigenvalue, SmallestEigenvalue)
    # of a matrix that is not symmetric an eigenvalue is no bound
    ends = sorted((e for e in every if known.is_symmetric(words.factored(e.args[0]))), key=str)
    for order in islice(permutations(ends), _MOST):
        bound = reduce(partial(_without_end, words), order, expr)
        if bound != expr:
            yield bound


def _without_end(words: Words, expr: Any, end: Any) -> Any:
    M, sign, known = end.args[0], 1 if isinstance(end, LargestEigenvalue) else -1, Traces(words.kinds)
    for word, number in by_word(expr).items():
        if (letters := letters_of(word)) is None:
            continue
        times = sp.Add(*(t / end for t in sp.Add.make_args(sp.expand(number)) if t.has(end)))
        folded = known.folded(letters)
        if folded is not None and folded[1] in ([], [M]) and _is_positive(words, sign * times):
            half = len(folded[0])
            inside = sp.Mul(*letters[:half]) * M * sp.Mul(*letters[half:])
            return _without_end(words, sp.expand(expr + times * (inside - end * word)), end)
    return expr


def _readable(words: Words, shown: Any, seen: Any) -> tuple[Any, Any]:
    """Both with B B^T for C where that is how the noise is printed, without a factor that they share."""
    seen = words.factored(seen)
    if shown is None:
        return shown, seen
    coefficients = list(by_word(sp.expand(shown)).values())
    scale = reduce(sp.gcd, coefficients)
    scale *= max(abs((c / scale).as_coeff_Mul()[0]) for c in coefficients)
    if not scale.is_positive:
        return shown, seen
    return sp.expand(shown / scale), sp.Add(
        *(sp.factor(c / scale) * w for w, c in by_word(seen).items())
    )


def _told(shown: Any, seen: Any, word: str, relation: str) -> Derivation:
    about = "For $X$ the larger side minus the smaller. Each term is a congruence; together they are"
    equation = Equation(_X if shown is None else shown, formula_of(seen), relation)
    step = Step("The difference", f"{about} {word}:", (equation,))
    return Derivation("Order of matrices", (step,), ())


def _drivers(words: Words, laws: list[Of], rest: Any) -> Iterator[tuple[Any, Any]]:
    """A difference, and what operators that keep its sign make of it: of laws, and of what is given.

    X is positive where A X + X A is, or X - M X M^T of a stable step, for it is the integral, or the
    sum, of congruences of that.
    """
    of_laws = any(rest.has(*one.symbols) for one in laws if one.symbols)
    if not of_laws:  # what a law is driven by says why a moment is definite
        yield rest, None
    for one in laws:
        if len(one.symbols) == 1 and one.residuals[0].has(*one.symbols):  # it may be given itself
            ((symbol,), (residual,)) = one.symbols, one.residuals
            operator = sp.Add(*(t for t in sp.Add.make_args(residual) if t.has(symbol)))
            yield sp.expand(operator.subs(symbol, rest)), operator.subs(symbol, _X)
    if "positive_definite" in words.traits(A.name, False):
        yield A * rest + rest * A, A * _X + _X * A
    if of_laws:
        yield rest, None


def _sign(words: Words, expr: Any, told: list[Any]) -> tuple[Sign, Any] | None:
    """The sign of an expression, and how it is written with what is given in the place of a word."""
    for candidate in _rewritten(sp.expand(expr), told):
        found = words.sign(candidate)
        if found >= Sign.SEMIDEFINITE:
            return found, candidate
        for order, strictly in words.orders:
            parts, own = by_word(order), by_word(candidate)
            for factor in {sp.cancel(own[w] / c) for w, c in parts.items() if w in own and c != 0}:
                rest = words.sign(sp.expand(candidate - factor * order))
                if _is_positive(words, factor) and rest >= Sign.SEMIDEFINITE:
                    return (Sign.DEFINITE if strictly else rest), candidate
    return None


def _is_positive(words: Words, factor: Any) -> bool:
    return bool(sp.factor(words.bounded(factor)).is_positive)


def _rewritten(expr: Any, told: list[Any]) -> Iterator[Any]:
    """An expression, and with each choice of a word that an equation takes out of it."""
    yield expr
    choices = [expr]
    for equation in told:
        parts, more = by_word(sp.expand(equation)), list[Any]()
        for one in choices:
            own = by_word(one)
            for word in (w for w in parts if w in own and parts[w] != 0):
                more.append(sp.expand(one - sp.cancel(own[word] / parts[word]) * equation))
        fresh = [e for k, e in enumerate(more) if e not in more[:k] and e not in choices]
        choices += fresh[:_MOST]
        yield from fresh[:_MOST]


def settles(law: WordLaw, given: tuple[Any, ...] = ()) -> Answer:
    """Whether the chain is stable: X - M X M^T is positive definite for a positive definite X.

    Of a process: -(F X + X F^T) is.
    """
    modes = gain_modes(law)
    along = None if modes is None else modes.settles((*law.bounds, *given))
    if isinstance(along, Proved):
        return along
    found = _by_what_is_lost(law, given)
    return found if along is None or isinstance(found, Proved) else along


def _by_what_is_lost(law: WordLaw, given: tuple[Any, ...]) -> Answer:
    bounds = (one for one in given if hasattr(one, "upward") and one not in law.bounds)
    words = replace(law, bounds=(*law.bounds, *bounds)).words
    if len(words.own.symbols) != 1:
        return Silent(Silence.NO_CERTIFICATE)
    (sigma,), (residual,) = words.own.symbols, words.own.residuals
    operator = sp.Add(*(t for t in sp.Add.make_args(residual) if t.has(sigma)))
    own = [sp.Symbol(n, commutative=False) for n, k in words.kinds.items() if k in DEFINITE]
    share = words.meant(operator.subs(sigma, 1))
    if share.is_commutative:  # a step multiplies by a number
        return _as_far_as(words, sp.factor(share))
    for X in (A**-1, sp.Integer(1), *own, *(P**-1 for P in own)):
        lost = sp.expand(operator.subs(sigma, X))
        for K in (sp.Integer(1), *(P**-1 for P in own)):
            found = _sign(words, words.meant(sp.expand(K * lost * K)), words.equations())
            if found is not None and found[0] is Sign.DEFINITE:
                shown = from_sympy(X) if X != 1 else from_sympy(IDENTITY)
                lemma = "{} is positive definite, and so is what each step takes from it."
                return Proved(say(lemma, shown), facts=_EVERY)
    return Silent(Silence.NO_CERTIFICATE)


def _as_far_as(words: Words, share: Any) -> Answer:
    """Where one less the square of what a step multiplies by is positive: there and nowhere else."""
    if _is_positive(words, share):
        return Proved("A step multiplies all by a number between -1 and 1.", facts=_EVERY)
    number, rest = share.as_coeff_Mul()
    open_ones = [f for f in sp.Mul.make_args(rest) if not f.is_positive]
    if len(open_ones) != 1:
        return Silent(Silence.NO_CERTIFICATE)
    small, large = map(from_sympy, taken_and_added(sp.sign(number) * open_ones[0]))
    return Silent(Silence.NO_CERTIFICATE, only_if=(small < large,))


def only_where(law: WordLaw, said: Answer, when: Any) -> Answer:
    """That what a chain's being stable needs is a condition, written in whatever way."""
    needed, modes = said.only_if if isinstance(said, Silent) else None, gain_modes(law)
    for one in needed or ():
        (*first, strict), (*other, too) = one.upward, when.upward
        sides = [law.symbols(side) for side in (*first, *other)]
        a, b, c, d = sides if modes is None else map(modes.spelt, sides)
        tops = {x: sp.Dummy(positive=True) for x in sp.Tuple(a, b, c, d).atoms(LargestEigenvalue)}
        room, other_room = ((y - x).xreplace(tops) for x, y in ((a, b), (c, d)))
        if strict is not too or not (room.is_commutative and other_room.is_commutative):
            continue
        if other_room != 0 and sp.cancel(room / other_room).is_positive:
            return Proved("Elsewhere it does not settle along an eigenvector.")
    return Silent(Silence.NO_FORMULA)
