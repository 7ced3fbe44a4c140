"""A sampler that a text writes as lines of updates, as a declaration.

``v' = (1 - mu) v - h g(theta)``: a prime is the state after the step,
none the one before it; ``g`` is the
gradient of the mean loss over a minibatch, ``grad`` that over all data; ``xi ~ N(0, I)`` is a noise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from lark import Token

from sgtheory import declare
from sgtheory.declaring.wellformed import RESERVED
from sgtheory.errors import UnusableInput
from sgtheory.language import Apply, FullGradient, Gradient
from verification.terms.term import Letter
from verification.texts.blocks import Block, Update
from verification.texts.drawn import Drawn
from verification.texts.implicit import solved
from verification.texts.letters import FUNCTIONS, MATRICES, Letters
from verification.texts.maps import ONE, is_map, of, total, usable
from verification.texts.maps import power as power_of
from verification.texts.shapes import names_in
from verification.texts.unclear import Shifted, Unclear

_USUAL = ("theta", "x", "q", "w", "y", "z", "u")
_BOUNDS = {
    "fraction": lambda a: (a < 1,), "up to one": lambda a: (a <= 1,), "unit": lambda a: (a <= 1,),
}  # fmt: skip
_OF_THE_PROBLEM = {  # whatever a text calls it
    "A": declare.positive_definite("A"), "C": declare.positive_definite("C"),
    "N": declare.N, "S": declare.S, "D": declare.D,
}  # fmt: skip


@dataclass(frozen=True)
class _Updates:
    """The expressions of one sampler."""

    known: dict[str, Any]
    told: list[Any] = field(default_factory=list)  # of matrices that the step makes

    def expression(self, tree: Any) -> Any:
        """A right side."""
        return getattr(self, f"_{tree.data}")(tree)

    def _number(self, tree: Any) -> Any:
        return sp.Rational(str(tree.children[0]))

    def _name(self, tree: Any) -> Any:
        name = str(tree.children[0])
        if name not in self.known:
            told = f"a noise is a line of the block, {name} ~ N(0, I); another letter one of the table"
            raise Unclear("a state, a noise or a letter", name, told)
        return self.known[name]

    def _sum(self, tree: Any) -> Any:
        parts, sign = list[tuple[int, Any]](), 1
        for part in tree.children:
            if isinstance(part, Token):
                sign = -1 if part == "-" else 1
                continue
            parts, sign = [*parts, (sign, self.expression(part))], 1
        if any(is_map(one) for _, one in parts) and any(_is_vector(one) for _, one in parts):
            told = "write what the matrix multiplies behind it"
            raise Unclear("a sum of vectors, or of matrices", "both in one", told)
        return total(parts)

    def _product(self, tree: Any) -> Any:
        """Numbers times matrices times one vector, in the order in which they are written."""
        scalar, maps, over = sp.Integer(1), [], False
        vector: Any = None
        for part in tree.children:
            if isinstance(part, Token):
                over = part == "/"
                continue
            one = self.expression(part)
            if is_map(one):
                self._refuse_below(over, tree)
                maps.append(of(one))
            elif not over and _is_vector(one):
                if vector is not None and not _is_random(vector) and not _is_random(one):
                    raise Unclear("one vector in a product", "two", "write updates that are linear")
                vector = one if vector is None else vector * one
            else:
                scalar, over = scalar / one if over else scalar * one, False
        if vector is not None:
            maps = [usable(one, self.known, self.told) for one in maps]
        for one in reversed(maps):
            vector = one @ vector if vector is not None else one
        return scalar if vector is None else scalar * vector

    def _raised(self, tree: Any) -> Any:
        base, power = map(self.expression, tree.children)
        if not is_map(base):
            return base**power
        if not getattr(sp.sympify(2 * power), "is_Integer", False):
            raise Unclear("a whole or half power of a matrix", str(power), "write it so")
        return power_of(base, sp.sympify(power), self.known, self.told)

    def _signed(self, tree: Any) -> Any:
        sign, part = tree.children
        return total([(-1 if sign == "-" else 1, self.expression(part))])

    def _fraction(self, tree: Any) -> Any:
        above, below = map(self.expression, tree.children)
        self._refuse_below(is_map(below), tree)
        return (1 / below) * of(above) if is_map(above) else above / below

    def _refuse_below(self, is_below: bool, tree: Any) -> None:
        if is_below:
            told = "write its inverse where it stands: P^{-1}"
            raise Unclear("a number below a fraction", "a matrix", told)

    def _primed(self, tree: Any) -> Any:
        name = str(tree.children[0].children[0])
        if f"{name}__new" not in self.known:
            raise Unclear("a state that a line above changes", f"{name}'", "put its line first")
        return self.known[f"{name}__new"]

    def _group(self, tree: Any) -> Any:
        inside = tree.children[0].children
        if len(inside) != 1:
            raise Unclear("one formula in brackets", str(len(inside)), "write g(theta)")
        return self.expression(inside[0])

    def _called(self, tree: Any) -> Any:
        name, group = tree.children
        where = self.expression(group)
        return declare.gradient(where) if str(name) == "g" else declare.full_gradient(where)

    def _function(self, tree: Any) -> Any:
        name, group = str(tree.children[0]), tree.children[1]
        if name == "grad":
            return declare.full_gradient(self.expression(group))
        return self._of(name, self.expression(group), tree)

    def _bare_function(self, tree: Any) -> Any:
        name, part = tree.children
        return self._of(str(name), self.expression(part), tree)

    def _of(self, name: str, part: Any, tree: Any) -> Any:
        made = {"sqrt": sp.sqrt, "exp": sp.exp}.get(name)
        if made is None:
            raise Unclear("sqrt, exp, g or grad in an update", name, "declare such a sampler in Python")
        return made(part)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and not name.startswith("__"):
            return self._refuse
        raise AttributeError(name)

    def _refuse(self, tree: Any) -> Any:
        told = "numbers, letters, products and sums can be said"
        raise Unclear("an update", str(tree.data).replace("_", " "), told)


def _is_vector(one: Any) -> bool:
    if is_map(one):
        return False
    vectors = (declare.State, declare.Local, declare.Vector, declare.Noise)
    applied: set[Any] = getattr(one, "atoms", lambda *_: set())(sp.Symbol, sp.Function)
    return any(
        isinstance(s, vectors) or type(s).__name__ in ("Gradient", "FullGradient", "Apply")
        for s in applied
    )


def _is_random(one: Any) -> bool:
    """Whether it is made of noises and numbers: it multiplies what a step is linear in."""
    found: set[Any] = one.atoms(declare.Vector)
    applied = one.atoms(Gradient, FullGradient, Apply)
    return not applied and all(isinstance(s, declare.Noise) for s in found)


def sampler(block: Block, name: str, letters: Letters) -> tuple[Any, list[Any]]:
    """The declaration that a block is, and what is given of its matrices."""
    states, noises = [*dict.fromkeys(one.state for one in block.updates)], block.noises
    position = _position(block, states)
    aliases = {position: "theta"} if position not in ("", "theta") else {}
    known: dict[str, Any] = {**_OF_THE_PROBLEM, "I": ONE}
    for row in letters.rows:  # what a text declares is before what a letter is of the house
        for n in row.names if row.kind not in FUNCTIONS else ():
            if n in RESERVED and row.role_of(n) not in _OF_THE_PROBLEM:
                aliases[n] = f"{n}_0"
            known[n] = _OF_THE_PROBLEM.get(row.role_of(n)) or _parameter(aliases.get(n, n), row.kind)
    known |= {s: declare.state(aliases.get(s, s)) for s in states}
    known |= {n: declare.normal(f"{n}_0" if n in RESERVED else n) for n in noises}
    random = {n: declare.normal(n) for one in block.others for n in one.names}
    known |= random
    known |= {n: _number(one, n, known) for one in block.others for n in one.names}
    given: list[Any] = []
    reader = _Steps(known, given)
    updates = [reader.update(one) for one in block.updates]
    before = [(declare.local(f"{n}_old"), known[n]) for n in reader.olds]
    shared, updates = _shared(updates, before)
    start = block.updates[0].start
    try:
        declared = declare.Sampler(
            state=tuple(known[s] for s in states),
            noises=(*(known[n] for n in noises), *random.values()),
            updates=(*before, *shared, *updates),
            batches="reshuffled" if block.reshuffled else "independent",
            convention=declare.Card.of_a_text(),
            given=tuple(bound for r in letters.rows for n in r.names if n in known
                        for bound in _BOUNDS.get(r.kind, lambda _: ())(known[n])
                        if any(e.has(known[n]) for _, e in updates)),
            aliases=tuple(aliases.items()),
            name=name,
            title=f"The sampler {(name.partition(':')[2] or name).replace('_', ' ')} of the text",
        )  # fmt: skip
    except UnusableInput as error:
        shift = next((term for _, e in updates for term in _numbers_in(e)), None)
        if shift is not None:
            told = "write one line without g, x' = (1 - h a) x + b, or let the state be what it is about"
            raise Shifted("a step that adds no number", str(shift), told, start) from None
        raise Unclear(error.expected, error.got, error.remedy, start) from None
    return declared, given


def _position(block: Block, states: list[str]) -> str:
    """The state at which a gradient is taken; else the only one, or one that is called so usually."""
    if "theta" in states:
        return "theta"
    for gradient in block.gradients:
        names = {str(t) for t in gradient.scan_values(bool)}
        if found := next((s for s in states if s in names), None):
            return found
    return states[0] if len(states) == 1 else next((s for s in _USUAL if s in states), "")


def _numbers_in(right: Any) -> list[Any]:
    """The terms of a right side without a state or a noise."""
    return [term for term in sp.Add.make_args(sp.expand(right)) if term != 0 and not _is_vector(term)]


def _number(said: Drawn, name: str, known: dict[str, Any]) -> Any:
    """A random number: its mean, and a standard noise times its deviation."""
    if said.law not in ("", "normal"):
        told = "a step with gradients has noises ~ N(0, I), and coefficients with a mean and a variance"
        raise Unclear("a normal noise", said.law, told, 0)
    mean, variance = map(_Updates(known).expression, said.numbers)
    if any(is_map(one) or _is_vector(sp.sympify(one)) for one in (mean, variance)):
        raise Unclear("a mean and a variance in letters", name, f"{name} ~ (m, s^2)", 0)
    return mean + sp.sqrt(variance) * known[name]


def _shared(updates: list[tuple[Any, Any]], before: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """A minibatch's gradient that several lines have is taken once, where the step begins.

    Of a place that a line above has changed it is another one.
    """
    found: dict[Any, list[tuple[int, Any]]] = {}
    for k, (_, expr) in enumerate(updates):
        changed = {state for state, _ in updates[:k]}
        for one in expr.atoms(Gradient):
            if not one.free_symbols & changed:
                found.setdefault(one.xreplace(dict(before)), []).append((k, one))
    several = [(one, places) for one, places in found.items() if len({k for k, _ in places}) > 1]
    known = [(declare.local(f"g_{n}"), one) for n, (one, _) in enumerate(several, 1)]
    for (own, _), (_, places) in zip(known, several, strict=True):
        for k, one in places:
            updates[k] = (updates[k][0], updates[k][1].xreplace({one: own}))
    return known, updates


def _parameter(name: str, kind: str) -> Any:
    if kind in MATRICES:
        made = {"positive definite": declare.positive_definite, "diagonal": declare.diagonal}
        return made.get(kind, declare.matrix)(name)
    made = {"real": declare.real, "nonnegative": declare.nonnegative, "unit": declare.nonnegative}
    return made.get(kind, declare.positive)(name)


@dataclass(frozen=True)
class _Steps:
    """Updates one after the other: which states are changed, and which are meant as they were."""

    known: dict[str, Any]
    given: list[Any]
    written: list[str] = field(default_factory=list)
    olds: list[str] = field(default_factory=list)

    def update(self, line: Update) -> tuple[Any, Any]:
        """One line; what is solved for the new state adds an equation to what is given."""
        try:
            return self._updated(line.state, line.tree)
        except Unclear as error:
            error.at = line.start
            raise

    def _updated(self, state: str, tree: Any) -> tuple[Any, Any]:
        old = [n for n in self.written if n in names_in(tree)]
        self.olds.extend(n for n in old if n not in self.olds)
        after = {f"{n}__new": self.known[n] for n in self.written}
        new = declare.local(f"{state}_new")
        after |= {} if state in self.written else {f"{state}__new": new}
        before = {n: declare.local(f"{n}_old") for n in old}
        here = _Updates(self.known | before | after, self.given)
        value = here.expression(tree)
        made = (one.left.name for one in self.given if isinstance(one.left, Letter))
        self.known.update((name, here.known[name]) for name in made)
        if is_map(value):
            raise Unclear("a vector on the right side", "a matrix", "write what it multiplies")
        value = sp.expand(value) if _multiplies(value) else sp.sympify(value)
        if value.has(new):
            value, equation = solved(self.known[state], value, new)
            self.given.append(equation)
        self.written.append(state)
        return self.known[state], value


def _multiplies(value: Any) -> bool:
    """Whether a noise multiplies what has a state, or a noise."""
    products = [m for m in value.atoms(sp.Mul, sp.Pow) if m.atoms(declare.Noise)]
    return any(m.is_Pow or len([a for a in m.args if a.atoms(declare.Vector)]) > 1 for m in products)
