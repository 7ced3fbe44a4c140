"""Formulas that were read, as terms: what stands beside what, with the sorts of the letters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lark import Token, Tree

from verification.statements import elsewhere, law, second
from verification.terms.term import INFINITY, Applied, Letter, Name, Term, number, term
from verification.terms.words import is_matrix
from verification.texts.expressions import applied, moments, under
from verification.texts.lags import correlation_time, named
from verification.texts.letters import SEQUENCES, STATE, Letters
from verification.texts.pieces import TRANSPOSED, Chosen, Left, Limit, Normal, With, shown
from verification.texts.shapes import at, changes, factors, is_name, is_normal, only_name
from verification.texts.sizes import raised, summed
from verification.texts.unclear import Unclear
from verification.texts.words import EXPECTATION, FUNCTIONS, ORDERS, clipped
from verification.theories.chains.words import Chain
from verification.theories.distances.words import KNOWN, TARGET
from verification.theories.sequences.words import CHANCE

_DATA = ("column of each", "number of each")
POSTERIOR, LAW = ("p", "pi", "posterior", "target"), ("q", "law", "pi_h")


@dataclass(frozen=True)
class Formulas:
    """The terms of a statement; a sampler's name stands for the law of that sampler."""

    letters: Letters
    strict: bool = True  # whether states of a sampler are refused

    def term(self, tree: Any) -> Term:
        """A formula that is a term; what is none is refused."""
        found = self.read(tree)
        if not isinstance(found, Term):
            told = "an order such as O(h^2) stands alone, or after + at the end of a right side"
            raise Unclear("a number or a matrix", shown(found), told, at(tree))
        state = next((a.name for a in found.letters if a.kind == STATE), None) if self.strict else None
        if state is not None:
            told = f"say it of its moments: E[{state} {state}^T], Cov({state})"
            raise Unclear("what a law has", f"the state {state}", told, at(tree))
        return found

    def read(self, tree: Any) -> Any:
        """What a part of a formula stands for."""
        rule: Callable[[Tree[Token]], Any] = getattr(self, f"_{tree.data}")
        return rule(tree)

    def _noun(self, tree: Any) -> Term:
        (token,) = tree.children
        if token.value == "letter":
            raise Unclear("a letter after what it is called", "none", "name the letter", at(tree))
        if not self.letters.sampler:
            raise Unclear("a sampler whose it is", str(token), "name it: Sampler: sgd", at(token))
        return named(self.letters, token.value, at(token))

    def _number(self, tree: Any) -> Term:
        return number(str(tree.children[0]))

    def _name(self, tree: Any) -> Any:
        name = str(tree.children[0])
        if name == "oo":
            return INFINITY
        if name not in self.letters.all:
            made = FUNCTIONS[name].make if name in FUNCTIONS else None
            if made is None:
                raise Unclear("a letter of the table", name, f"add a line: {name} | positive", at(tree))
            return made()
        return self.letters.find(name)

    def _top(self, tree: Any) -> Any:
        return TRANSPOSED

    def _sum(self, tree: Any) -> Any:
        found: Any = None
        sign = "+"
        for part in tree.children:
            if isinstance(part, Token) and part.type == "SIGN":
                sign = str(part)
                continue
            found = self._added_to(found, sign, self.read(part), part)
            sign = "+"
        return found

    def _added_to(self, found: Any, sign: str, one: Any, tree: Any) -> Any:
        if isinstance(one, Left) and sign == "+" and (found is None or isinstance(found, Term)):
            return one if found is None else With(found, one)
        if found is None and sign == "+":
            return one
        if not isinstance(one, Term) or not isinstance(found, Term | None):
            raise Unclear("terms that can be added", shown(one), "put what is left out last", at(tree))
        if found is None:
            return -one
        return found + one if sign == "+" else found - one

    def _product(self, tree: Any) -> Any:
        parts = tree.children
        if len(parts) == 2 and is_normal(parts):
            return Normal(self.term(parts[1].children[0].children[1]))
        factors, sign = [("*", self.read(parts[0]))], "*"
        for k, part in enumerate(parts[1:], 1):
            if isinstance(part, Token) and part.type in ("TIMES", "DIV"):
                sign = str(part)
                continue
            raised = getattr(part, "data", "") == "raised"
            moved = changes(part.children[0] if raised else part)
            if moved and sign == "*":  # what stands before it is taken at other letters, and no more
                changed = [(self.term(a), self.term(b)) for a, b in moved]
                before, one = factors[-1][0], self._moved(factors[-1][1], changed)
                factors[-1] = (before, one ** self.term(part.children[1]) if raised else one)
                continue
            self._refuse_loose_function(parts[k - 1], part)
            factors, sign = [*factors, (sign, self.term(part))], "*"
        found = factors[0][1]
        for before, one in factors[1:]:
            found = _term(found, parts[0])
            found = found * one if before == "*" else found / one
        return found

    def _moved(self, of: Any, changed: list[tuple[Term, Term]]) -> Term:
        """With parameters changed; of another sampler's law, those of that law."""
        if isinstance(of, Applied) and of.head == "elsewhere" and isinstance(of.of[1], Name):
            known = dict(zip(of.of[2::2], of.of[3::2], strict=True)) | dict(changed)
            name = of.of[1]
            return elsewhere(of.of[0], *known.items(), of=name.meant or name.name)
        return elsewhere(of, *changed)

    def _refuse_loose_function(self, before: Any, part: Any) -> None:
        if getattr(before, "data", "") != "bare_function" or not is_matrix(self.term(part)):
            return
        name = str(before.children[0])
        raise Unclear(
            "brackets around what a word is of", f"{name} of a product", f"{name}(...)", at(before)
        )

    def _raised(self, tree: Any) -> Any:
        base, power = tree.children
        if is_name(base, "e") and "e" not in self.letters.all:
            return self._exponential(self.term(power))
        found, above = self.term(base), self.read(power)
        if above is TRANSPOSED and self.letters.place and not is_matrix(found):
            return term(self.letters.find("D")) * found  # of x^T y, over the coordinates of a vector
        if above is TRANSPOSED:
            return Applied("transpose", (found,))
        return raised(found, _term(above, power), at(tree))

    def _signed(self, tree: Any) -> Any:
        sign, part = tree.children
        found = self.term(part)
        return -found if sign == "-" else found

    def _primed(self, tree: Any) -> Any:
        found = self.term(tree.children[0])
        if is_matrix(found):
            return Applied("transpose", (found,))
        raise Unclear(
            "a letter as it is", f"{found}'", "a prime is for the new state of a sampler", at(tree)
        )

    def _entry(self, tree: Any) -> Any:
        name, index = tree.children
        found = self.letters.find(str(name)) if str(name) in self.letters.all else None
        if found is None or self.letters.kind(str(name)) not in SEQUENCES:
            told = f"declare it: {name} | sequence, or a letter {name}_1 | positive"
            raise Unclear("a sequence before an index", str(name), told, at(tree))
        return Applied("at", (found, self.term(index)))

    def _called(self, tree: Any) -> Any:
        name, group = tree.children
        return applied(self, str(name), self._parts(group), tree)

    def _fraction(self, tree: Any) -> Any:
        above, below = tree.children
        return self.term(above) / self.term(below)

    def _size(self, tree: Any) -> Any:
        return Applied("abs", (self.term(tree.children[0]),))

    def _group(self, tree: Any) -> Any:
        (inside,) = tree.children
        if len(inside.children) != 1:
            raise Unclear(
                "one formula in brackets", f"{len(inside.children)}", "name a word before it", at(tree)
            )
        return self.read(inside.children[0])

    def _equation(self, tree: Any) -> Any:
        raise Unclear("a formula", "an equation in brackets", "state it by itself", at(tree))

    def _change(self, tree: Any) -> Any:
        raise Unclear(
            "a formula", "an arrow in brackets", "Sigma[h -> h/2] is the law at another h", at(tree)
        )

    def _pair(self, tree: Any) -> Any:
        raise Unclear("a formula", "a bar", "KL(q || p), E[x | past] and |x| have bars", at(tree))

    def _parts(self, group: Any) -> list[Term]:
        return [self.term(part) for part in group.children[0].children]

    def _bare_function(self, tree: Any) -> Any:
        name, part = tree.children
        if str(name) in (*EXPECTATION, *ORDERS, "KL", "W_2", "W2", "TV"):
            raise Unclear(f"brackets after {name}", "none", f"write {name}(...)", at(tree))
        return self._of(str(name), [self.term(part)], tree)

    def _function(self, tree: Any) -> Any:
        name, group = str(tree.children[0]), tree.children[1]
        if name in ORDERS:
            return Left(name, self._parts(group)[0])
        if name == "KL":
            return self._divergence(group)
        if name in ("W_2", "W2", "TV"):
            return self._distance(name, group)
        if name in EXPECTATION:
            return self._mean(name, group)
        if name == "tau_int":
            return correlation_time(group, self.letters.sampler)
        return self._of(name, self._parts(group), tree)

    def _function_below(self, tree: Any) -> Any:
        name, below, group = tree.children
        whose, known = only_name(below), dict(self.letters.named)
        if str(name) == "clip":
            return clipped(self._parts(group)[0], self.term(below))
        if str(name) in EXPECTATION and whose in self.letters.densities:
            return under(self, str(name), whose, group)
        if str(name) in EXPECTATION and isinstance(known.get(whose), Chain):
            return replace(self, letters=self.letters.of(known[whose]))._mean(str(name), group)
        if str(name) in EXPECTATION and whose in known and self.letters.sampler:
            there = replace(self, letters=self.letters.of(known[whose]))
            return self.letters.of_another(whose, there._mean(str(name), group))
        if str(name) == "E" and whose in POSTERIOR and self.letters.sampler:
            told = "its covariance is written out: T A^{-1}, or (N A)^{-1}"
            raise Unclear("a mean under the sampler's law", f"E_{whose}", told, at(tree))
        if str(name) == "E" and whose:
            return self._mean("E", group)
        raise Unclear(f"{name} without an index", "one", f"write {name}(...)", at(tree))

    def _of(self, name: str, parts: list[Term], tree: Any) -> Any:
        word = FUNCTIONS[name]
        if not word.least <= len(parts) <= word.most:
            raise Unclear(
                f"{word.least} parts of {name}", str(len(parts)), "see the page on texts", at(tree)
            )
        if name == "exp":
            return self._exponential(parts[0])
        assert word.make is not None
        return word.make(*parts)

    def _exponential(self, power: Term) -> Term:
        return Applied("expm" if is_matrix(power) else "exp", (power,))

    def _mean(self, name: str, group: Any) -> Any:
        inside = group.children[0].children
        if isinstance(self.letters.sampler, Chain):
            return moments(self, name, group, self.letters.sampler.mean)
        if len(inside) == 1 and getattr(inside[0], "data", "") == "pair":
            return Applied("mean_before", (self.term(inside[0].children[0]),))
        if len(inside) != 1:
            raise Unclear(
                "one formula under a mean", str(len(inside)), "write E[...] of each", at(group)
            )
        if self.letters.sampler:
            return self._moment(name, inside[0])
        of = self.term(inside[0])
        kinds = {a.kind for a in of.letters}
        if name == "E" and kinds & set(_DATA):
            return Applied("E", (of,))
        if name == "E" and kinds & set(CHANCE):
            return Applied("mean", (of,))
        if name == "Var" and kinds & set(CHANCE):
            return Applied("mean", (of ** number(2),)) - Applied("mean", (of,)) ** number(2)
        told = "name a sampler, or declare what is random: x | random sequence"
        raise Unclear("what the mean is over", str(of), told, at(group))

    def _moment(self, name: str, tree: Any) -> Any:
        """A second moment of the stationary law; its position may be called otherwise."""
        states = factors(tree, self.letters.aliases)
        if name in ("Cov", "Var") and states in (["theta"], ["theta", "theta"]):
            return self.letters.find("Sigma")
        if states == ["theta", "theta^T"] or states == ["theta^2"]:
            return self.letters.find("Sigma")
        own = states[-1:]
        if len(states) in (2, 3) and states[0] == f"{own[0]}^T" and own[0] in self.letters.states:
            sigma = self.letters.find("Sigma") if own == ["theta"] else term(second(own[0], own[0]))
            middle = [self.term(Tree("name", [Token("NAME", one)])) for one in states[1:-1]]
            return Applied("tr", (middle[0] * sigma if middle else sigma,))
        if len(states) == 2 and states[1].endswith("^T"):
            return term(second(states[0], states[1].removesuffix("^T")))
        told = "E[theta theta^T], E[theta^T M theta], E[theta v^T], Cov(theta) can be said"
        raise Unclear(
            "second moments of the sampler's law", " ".join(states) or "others", told, at(tree)
        )

    def _divergence(self, group: Any) -> Any:
        (inside,) = group.children[0].children[:1] or [None]
        if getattr(inside, "data", "") != "pair":
            raise Unclear(
                "two laws with a bar", "others", "KL(q || p), or KL(N(0, V) || N(0, W))", at(group)
            )
        parts = [x for side in inside.children for x in self._normal(side)]
        return Applied("KL", tuple(parts))

    def _distance(self, name: str, group: Any) -> Term:
        """Of normal laws; or of a sampler on any potential, where bounds of that are known."""
        sides = group.children[0].children
        if len(sides) == 1 and getattr(sides[0], "data", "") == "pair":
            sides = sides[0].children
        if len(sides) != 2:
            told = f"{name}(q, p), or {name}(N(0, V), N(0, W))"
            raise Unclear("two laws", str(len(sides)), told, at(group))
        named = [only_name(side) for side in sides]
        of_any = str(self.letters.sampler) in KNOWN or any(one in KNOWN for one in named)
        if name != "TV" and of_any and all(named):
            return Applied("W2", tuple(self._law(side) for side in sides))
        parts = [x for side in sides for x in self._normal(side)]
        return Applied("normal_TV" if name == "TV" else "normal_W2", tuple(parts))

    def _normal(self, tree: Any) -> tuple[Term, Term]:
        name = only_name(tree)
        if name in POSTERIOR and name not in self.letters.all:
            precision = self.letters.find("N") * self.letters.find("A")
            return precision ** number(-1), Name(name)
        if name in LAW and name not in self.letters.all:
            return self.letters.find("Sigma"), Name(name)
        found = self.read(tree)
        if not isinstance(found, Normal):
            said = "q is the sampler's law, p the posterior; any other is N(0, V)"
            raise Unclear("a law", name or shown(found), said, at(tree))
        told, one = found.covariance, self.letters.find("I")  # of a number, in each coordinate
        return told if is_matrix(told) else told * one, Name(f"N(0, {told})")

    def _law(self, tree: Any) -> Term:
        name = only_name(tree)
        if name in POSTERIOR and name not in self.letters.all:
            return TARGET
        if name in LAW and self.letters.sampler:
            return law(str(self.letters.sampler))
        from sgtheory import registry

        if name in registry.names("samplers"):
            return law(name)
        told = "q is the sampler's law, p the target; or the name of a sampler"
        raise Unclear("a law", name or "a formula", told, at(tree))

    def _added(self, tree: Any) -> Any:
        below, last, body = tree.children
        (start,) = below.children[0].children[:1] or [None]
        if getattr(start, "data", "") != "equation" or not isinstance(
            self.term(start.children[0]), Letter
        ):
            raise Unclear("where a sum begins", "something else", "write sum_{k=0}^{n} ...", at(tree))
        running, _, first = start.children
        parts = (self.term(body), self.term(running), self.term(first), self.term(last))
        return summed(*parts, at(tree))

    def _integrated(self, tree: Any) -> Any:
        low, high, body, by = tree.children
        found = self.letters.find(str(by))
        running = Letter(getattr(found, "name", str(by)), "variable")
        inside = self.term(body).put({found: running}) if isinstance(found, Letter) else self.term(body)
        return Applied("integral", (inside, running, self.term(low), self.term(high)))

    def _derived(self, tree: Any) -> Any:
        by, body = tree.children
        if str(by) not in self.letters.all:
            raise Unclear("a letter of the table", str(by), f"add a line: {by} | positive", at(tree))
        of = self.term(body)
        opens = any(isinstance(t, Applied) and t.head == "of" for t in of.subterms())
        return Applied("partial" if opens else "derivative", (of, self.letters.find(str(by))))

    def _limit_of(self, tree: Any) -> Any:
        below, of = tree.children
        (way,) = below.children[0].children[:1] or [None]
        if getattr(way, "data", "") != "change":
            raise Unclear(
                "lim_{h -> 0}", "something else below it", "say which letter goes where", at(tree)
            )
        letter, to = way.children
        return Limit(self.term(letter), self.term(to), self.term(of))

    def _argbest(self, tree: Any) -> Any:
        end, letter, of = tree.children
        return Chosen(self.term(letter), self.term(of), str(end))


def _term(found: Any, tree: Any) -> Term:
    if not isinstance(found, Term):
        raise Unclear("a number or a matrix", shown(found), "see the page on texts", at(tree))
    return found
