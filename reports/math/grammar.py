"""The grammar of formulas as programs print them: a text that is one is read into a tree."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:,\d{3})+(?![\d.])|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z](?:~|\w*)\w*'*(?:\*(?=[\s),.;]|$|\|(?![\w(])))?)"  # a star ends it: theta*
    r"|(?P<sign>\*\*|<=|>=|!=|==|->|<-|[-+*/^()\[\],;=<>|~]))"
)
_NO_ACCENT = ("that", "what", "chat", "Chat", "That", "What")  # words


def accented(name: str) -> tuple[str, str]:
    """A letter and the accent that its name ends with, as ``Ltilde``, ``L~`` or ``thetahat``.

    >>> accented("Ltilde"), accented("L~"), accented("thetahat"), accented("that")
    (('L', 'tilde'), ('L', 'tilde'), ('theta', 'hat'), ('that', ''))
    """
    found = re.fullmatch(r"([A-Za-z]+?)(tilde|hat|bar|~)", name)
    if found is None or name in _NO_ACCENT or not (len(found[1]) == 1 or found[1] in GREEK):
        return name, ""
    return found[1], "tilde" if found[2] == "~" else found[2]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GREEK = _words(
    """alpha beta gamma delta epsilon eps zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau
    upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"""
)
CONSTANTS = {"infinity": r"\infty", "oo": r"\infty", "inf": r"\infty"}
_FUNCTIONS = _words(
    """sqrt exp log ln sin cos tan sinh cosh tanh coth max min sup inf Tr tr det diag rank E Var Cov KL
    Abs abs floor ceiling sign harmonic gamma Derivative Integral Sum Product erf erfc Max Min O
    Theta Omega o trace var cov"""
)
RELATIONS = {
    "=": "=", "==": "=", "<=": r"\le", ">=": r"\ge", "<": "<", ">": ">", "!=": r"\ne", "->": r"\to",
    "<-": r"\leftarrow", "~": r"\sim",
}  # fmt: skip
Tree = tuple[Any, ...]


class NotAFormula(Exception):
    """What stands here is no formula."""


@dataclass(frozen=True)
class Token:
    """A number, a name or a sign, and whether a space stands before it."""

    kind: str
    text: str
    spaced: bool

    @property
    def is_letter(self) -> bool:
        """Whether a name by itself is a letter of mathematics and no word."""
        stem = self.text.rstrip("'*_")
        first, _, below = stem.partition("_")
        if stem in CONSTANTS or stem == "W2":
            return True
        bare = accented(first)[0]
        return (bare in GREEK or len(bare) == 1) and (bool(below) or "_" not in stem)


_END = Token("end", "", False)


def tokens_of(text: str) -> list[Token]:
    """What a formula is made of; what is none has other signs in it."""
    found, place = [], 0
    while text[place:].strip():
        one = _TOKEN.match(text, place)
        if one is None:
            raise NotAFormula
        kind = str(one.lastgroup)
        found.append(Token(kind, one[kind], one.start(kind) > one.start()))
        place = one.end()
    return found


class Reader:
    """Reads a formula; each rule takes what it knows and moves on, or says that it is none."""

    def __init__(self, text: str) -> None:
        self.tokens, self.place = tokens_of(text), 0

    @property
    def next(self) -> Token:
        """The token that comes next."""
        return self.tokens[self.place] if self.place < len(self.tokens) else _END

    def take(self, *signs: str) -> str:
        """The sign that comes next, where it is one of these."""
        if self.next.kind != "sign" or self.next.text not in signs:
            return ""
        self.place += 1
        return self.tokens[self.place - 1].text

    def need(self, sign: str) -> None:
        """A sign that has to be there."""
        if not self.take(sign):
            raise NotAFormula

    def whole(self) -> Tree:
        """All of the text as one formula."""
        tree = self.relation()
        if self.place < len(self.tokens):
            raise NotAFormula
        return tree

    def relation(self) -> Tree:
        """Sums with relations between them."""
        parts: list[Any] = [self.sum()]
        while sign := self.take(*RELATIONS):
            parts += [sign, self.sum()]
        return ("relation", *parts) if len(parts) > 1 else parts[0]

    def sum(self) -> Tree:
        """Products with signs between them."""
        lead = self.take("-", "+")
        first = self.product()
        parts: list[Any] = [("minus", first) if lead == "-" else first]
        while sign := self.take("+", "-"):
            parts += [sign, self.product()]
        return ("sum", *parts) if len(parts) > 1 else parts[0]

    def product(self) -> Tree:
        """Powers that are multiplied, divided, or stand side by side."""
        left = self.power()
        while True:
            if sign := self.take("*", "/"):
                left = ("over" if sign == "/" else "times", left, self.power())
            elif self._is_factor(left):
                left = ("times", left, self.power())
            else:
                return left

    def _is_factor(self, left: Tree) -> bool:
        """Whether what comes next is a factor that is only written beside the one before."""
        last = left[2] if left[0] in ("times", "over") else left
        if self.next.text == "(":
            return last[0] in ("group", "power", "number")
        if self.next.text == "|":  # where it may begin what it ends, it ends it
            return last[0] == "group"
        wordy = last[0] == "name" and not Token("name", last[1], False).is_letter
        return self.next.kind == "name" and self.next.is_letter and not wordy

    def power(self) -> Tree:
        """An atom, perhaps raised."""
        base = self.atom()
        if not self.take("**", "^"):
            return base
        return ("power", base, ("minus", self.atom()) if self.take("-") else self.atom())

    def atom(self) -> Tree:
        """A number, a letter with what is below it, a function of something, or a group."""
        token = self.next
        self.place += 1
        if token.kind == "number":
            return "number", token.text
        if token.kind == "name":
            return self.named(token)
        if token.text == "(":
            return "group", *self.listed(")")
        if token.text == "[":
            return self.matrix()
        if token.text == "|":
            middle = self.sum()
            self.need("|")
            return "call", "abs", middle
        raise NotAFormula

    def named(self, token: Token) -> Tree:
        """A letter with indices in brackets, or a function with its arguments."""
        if token.text == "E" and self.next.text == "|":
            return "call", "E", self.power()
        if self.next.text == "(" and not self.next.spaced:
            self.place += 1
            if token.text.endswith("_"):
                return "index", ("name", token.text.rstrip("_")), *self.listed(")")
            return "call", token.text, *self.listed(")")
        tree: Tree = ("name", token.text)
        while self.next.text == "[" and not self.next.spaced:
            self.place += 1
            tree = ("index", tree, *self.listed("]"))
        return tree

    def listed(self, end: str) -> list[Tree]:
        """Formulas with commas between them, up to a bracket."""
        found = [self.relation()]
        while not self.take(end):
            self.need(",")
            found.append(self.relation())
        return found

    def matrix(self) -> Tree:
        """What stands in square brackets: formulas with commas, or rows with semicolons between them."""
        rows: list[list[Tree]] = [[]]
        commas = False
        while not self.take("]"):
            if self.take(";"):
                rows.append([])
            elif rows[-1] and self.take(","):
                commas = True
            rows[-1].append(self.relation())
        return ("list", *rows[0]) if commas or len(rows) == len(rows[0]) == 1 else ("matrix", *rows)
