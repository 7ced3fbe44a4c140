"""What has to vanish where an equation with functions holds for all of its states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.coefficients import coefficients
from verification.refuter.parameters import Holds, written_under
from verification.terms.arithmetics.symbols import symbol
from verification.theories.operators.arguments import FreeOfArgument, IsZero
from verification.theories.zeros import only_where, vanishing

if TYPE_CHECKING:
    from verification.theories.operators.calculus import Calculus

_EQUATIONS = ("=", "=c=", "O", "o")  # the latter hold where the terms before them vanish
_SLOPES = 3  # of a function along a state in its argument, where that is zero
_RANGES = ("real", "positive")  # of states that take all values of an interval


def holds_only_where(
    law: Calculus, relations: Sequence[Any], conditions: Sequence[Any], given: Sequence[Any] = ()
) -> bool:
    """Whether equations hold, for all states, only where one of some conditions does.

    Of a function that is no state nothing is known but that it is given: at each point its value and
    its derivatives are letters. That two of them multiply to zero says that one of them vanishes at
    each point, not that one vanishes everywhere: so no more than one condition may be on functions.
    """
    on_functions = [c for c in conditions if any(isinstance(p, FreeOfArgument) for p in _parts(c))]
    if len(on_functions) > 1 or any(r.relation not in _EQUATIONS for r in relations):
        return False
    rest = [written_under(e, tuple(given)) for r in relations for e in law.left_of(r)]
    wanted = [_formulas(law, c, rest) for c in conditions]
    if any(one is None for one in wanted):
        return False
    jets = dict[Any, Any]()
    known = [[written_under(e, tuple(given)) for e in one or ()] for one in wanted]
    said = [[_in_letters(e, law, jets) for e in one] for one in known]
    signed = _never_negative(given)
    put = [[e.xreplace(signed) for e in one] for one in said]
    return all(only_where([e.xreplace(signed) for e in one], put) for one in _cases(law, rest, jets))


def _never_negative(given: Sequence[Any]) -> dict[Any, Any]:
    """Letters that are given not to be negative, as such."""
    bounds = (p for c in given for p in c.parts if isinstance(p, Holds))
    letters = (p.upper for p in bounds if p.lower == 0 and p.upper.is_Symbol and not p.upper.is_positive)
    return {s: sp.Dummy(s.name, nonnegative=True) for s in letters}


def _parts(condition: Any) -> Sequence[Any]:
    return getattr(condition, "parts", ())


def _formulas(law: Calculus, condition: Any, rest: Sequence[Any]) -> list[Any] | None:
    """What vanishes where a condition holds and nowhere else."""
    found: list[Any] = []
    heads = {f.func.__name__: f.func for e in rest for f in e.atoms(AppliedUndef)}
    states = {a.name: symbol(a) for a in law.states if a.kind in _RANGES}
    for part in _parts(condition):
        formula = vanishing(part)
        if isinstance(part, FreeOfArgument) and part.name in heads:
            args = [states.get(str(a), a) for a in law.functions[part.name].args]
            f = heads[part.name](*args)
            formula = f if isinstance(part, IsZero) else sp.diff(f, args[part.k])
        if formula is None:
            return None
        found.append(formula)
    return found or None  # of a condition without parts nothing is known


def _cases(law: Calculus, rest: Sequence[Any], jets: dict[Any, Any]) -> Iterator[list[Any]]:
    """What vanishes: where two arguments of a function are one, and where its values are independent."""
    twice = [pair for e in rest for pair in _applied_twice(law, e)]
    for same in (e for f, g in twice for e in ([a - b for a, b in zip(f.args, g.args, strict=True)],)):
        yield [c for e in same for c in _coefficients(law, e, jets)]
    yield [c for e in rest for one in (e, *_along(law, e)) for c in _coefficients(law, one, jets)]


def _applied_twice(law: Calculus, expr: Any) -> list[tuple[Any, Any]]:
    """A state function at two arguments: its values there are independent where these differ."""
    found = sorted((f for f in expr.atoms(AppliedUndef) if _is_state(law, f)), key=str)
    return [(f, g) for f, g in combinations(found, 2) if f.func == g.func]


def _is_state(law: Calculus, f: Any) -> bool:
    return f.func.__name__ in {a.name for a in law.states}


def _along(law: Calculus, expr: Any) -> Iterator[Any]:
    """The slopes at zero of what vanishes for all values of a state in the argument of a function."""
    made = (a for f in expr.atoms(AppliedUndef) for a in f.args if not a.is_Symbol)
    inside = {s for a in made for s in a.free_symbols}
    for letter in (a for a in law.states if a.kind == "real" and symbol(a) in inside):
        for k in range(1, _SLOPES + 1):
            yield sp.diff(expr, symbol(letter), k).subs(symbol(letter), 0).doit()


def _coefficients(law: Calculus, expr: Any, jets: dict[Any, Any]) -> tuple[Any, ...]:
    """By the states that no given function has as an argument; none of what cannot be read."""
    density = law.density
    expr = sp.cancel(expr / density) if expr.has(density) else expr
    plain = _in_letters(expr, law, jets)
    held = {s for e in jets for s in e.free_symbols}
    over = [s for a in law.states if a.kind in _RANGES and (s := symbol(a)) not in held]
    letters = all(f.args and _is_state(law, f) for f in plain.atoms(AppliedUndef))
    others = plain.atoms(sp.Function, sp.Pow, sp.Subs) - plain.atoms(AppliedUndef)
    moving = (p for p in others if not p.free_symbols.isdisjoint(over))
    free = all(p.is_Pow and p.exp.is_Integer for p in moving)
    return coefficients(plain, over) if letters and free and not plain.has(density) else ()


def _in_letters(expr: Any, law: Calculus, jets: dict[Any, Any]) -> Any:
    """With letters for a given function, and for its derivatives, at the states themselves."""
    found = [e for e in expr.atoms(AppliedUndef, sp.Derivative) if _is_given_at_states(law, e)]
    for e in sorted(found, key=lambda e: (isinstance(e, AppliedUndef), str(e))):
        if e not in jets:
            jets[e] = sp.Dummy(str(e), positive=True) if e.is_positive else sp.Dummy(str(e), real=True)
        expr = expr.xreplace({e: jets[e]})
    return expr


def _is_given_at_states(law: Calculus, e: Any) -> bool:
    f = e.expr if isinstance(e, sp.Derivative) else e
    plain = isinstance(f, AppliedUndef) and all(a.is_Symbol for a in f.args)
    return plain and not _is_state(law, f)
