"""Inequalities between ranks, sizes and dimensions, by what bounds a rank.

That of a sum is at most the sum of the ranks of what its terms begin with, that of a product at most
each of them; a column has rank one at most, and a mean over N examples adds N of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

import sympy as sp

from sgtheory.notation.derivation import Equation
from sgtheory.notation.sentence import formula_of, listed, say
from verification.terms.arithmetics.symbols import in_symbols, symbol
from verification.terms.term import Applied, Letter, Term, added, term, total
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.signs import Case, certified, range_of, sizes_in

Pair = tuple[Term, Term, bool]  # the smaller, the larger, and whether they may be equal
Known = Callable[[Term], Iterator[Pair]]
_D, _N, _S = Letter("D", "dimension"), Letter("N", "count"), Letter("S", "count")


def are_in(*sides: Term) -> bool:
    """Whether any term has a rank in it."""
    return any(True for side in sides for _ in _ranks(side))


def has_sign(
    left: Term, right: Term, wanted: tuple[int, ...], given: Sequence[Pair], beside: Known
) -> Answer:
    """Whether left minus right has a wanted sign, by one bound of each rank; ``beside`` knows more.

    >>> from verification.terms.term import letters
    >>> X, Y = letters("X Y", "matrix")
    >>> rank = lambda a: Applied("rank", (a,))
    >>> has_sign(rank(X * Y), rank(X), (-1, 0), (), lambda a: iter(())).lemma
    'By bounds of ranks: rank(X*Y) <= rank(X).'
    """
    sides = (left, right, *(side for a, b, _ in given for side in (a, b)))
    ranks = list(dict.fromkeys(r for side in sides for r in _ranks(side)))
    known = [[None, *((r, b, True) for b in bounds(r.of[0])), *beside(r.of[0])] for r in ranks]
    for chosen in product(*known):
        facts = [fact for fact in chosen if fact is not None]
        answer = _certified(left, right, wanted, [*given, *facts])
        if isinstance(answer, Proved):
            lines = (Equation(formula_of(a), formula_of(b), "<=" if e else "<") for a, b, e in facts)
            lemma = say("By bounds of ranks: {}.", listed(lines))
            return Proved(lemma, answer.derivation, answer.facts)
    return Silent(Silence.NO_CERTIFICATE)


def bounds(of: Term) -> Iterator[Term]:
    """What the rank of a matrix, a column or a row is at most.

    >>> x = Letter("x", "column of each")
    >>> [str(b) for b in bounds(Applied("mean_n", (x * Applied("transpose", (x,)),)))]
    ['N', 'N*D', 'D']
    """
    yield from dict.fromkeys((*_by_parts(of), *([] if _is_column(of) else [_D])))


def _by_parts(of: Term) -> Iterator[Term]:
    if _is_column(of):
        yield term(1)
    if not isinstance(of, Applied):
        return
    for size in {"mean_n": (_N,), "mean_s": (_S, _N)}.get(of.head, ()):
        yield from (size if b == term(1) else size * b for b in bounds(of.of[0]))
    if of.head in ("+", "-"):
        for end in (0, -1):  # terms whose first, or last, factor is one matrix have their rank together
            ends = dict.fromkeys(_factors(part)[end] for _, part in added(of))
            yield from (total(chosen) for chosen in product(*map(_ranked, ends)))
    if of.head == "*":
        yield from (b for part in of.of for b in _ranked(part) if not _is_number(part))
    if of.head in ("transpose", "negative", "/", "**"):
        yield from _ranked(of.of[0])


def _ranked(of: Term) -> Iterator[Term]:
    """Of a part: its own rank, or what bounds that."""
    if isinstance(of, Letter) and of.kind == "matrix":
        yield Applied("rank", (of,))
    yield from bounds(of)


def _factors(of: Term) -> list[Term]:
    """The matrices of a product, from left to right."""
    if isinstance(of, Applied) and of.head in ("*", "negative", "/"):
        return [one for part in of.of if not _is_number(part) for one in _factors(part)]
    return [of]


def _is_column(of: Term) -> bool:
    if isinstance(of, Letter):
        return "column" in of.kind
    return isinstance(of, Applied) and of.head in ("transpose", "negative") and _is_column(of.of[0])


def _is_number(of: Term) -> bool:
    return not any("column" in a.kind or a.kind in ("matrix", "symmetric") for a in of.letters)


def _ranks(side: Term) -> Iterator[Applied]:
    return (t for t in side.subterms() if isinstance(t, Applied) and t.head == "rank")


def _certified(left: Term, right: Term, wanted: tuple[int, ...], pairs: list[Pair]) -> Answer:
    """With a letter for each rank, which may be zero."""
    every = (left, right, *(side for a, b, _ in pairs for side in (a, b)))
    found = dict.fromkeys(r for side in every for r in _ranks(side))
    named: dict[Term, Letter] = {r: Letter(f"rank_{k + 1}") for k, r in enumerate(found)}
    small, large = (right, left) if wanted[0] > 0 else (left, right)
    rest = in_symbols((large - small).named(named))
    under = [tuple(in_symbols(side.named(named)) for side in pair[:2]) for pair in pairs]
    letters = [symbol(a) for a in named.values()]
    strict = 0 not in wanted
    cases = [
        Case(rest.subs(put), [(a.subs(put), b.subs(put)) for a, b in under], put)
        for k in range(len(letters) + 1 if strict else 1)
        for zero in combinations(letters, k)
        for put in [dict.fromkeys(zero, sp.Integer(0))]
        if not any(b.subs(put) == 0 and a.subs(put).is_positive for a, b in under)
    ]
    counts = {a: range_of(a) for side in every for a in side.letters if a.kind == "count"}
    ranges = sizes_in(cases) | {symbol(a): value for a, value in counts.items()}
    ends = {f"t_{k + 1}" for k, pair in enumerate(pairs) if pair[2]} | {f"t_{s}" for s in ranges}
    closed = {sp.Symbol(name, positive=True) for name in ends} | set(letters)
    return certified(cases, ranges, closed, strict)
