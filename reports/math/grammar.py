"""The grammar of formulas as programs print them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_NO_ACCENT = ("that", "what", "chat", "Chat", "That", "What")  # words of a sentence


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
    upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"""
)
CONSTANTS = {"infinity": r"\infty", "oo": r"\infty", "inf": r"\infty"}
_FUNCTIONS = _words(
    """sqrt exp log ln sin cos tan sinh cosh tanh coth max min sup inf Tr tr det diag rank E Var Cov KL
    Abs abs floor ceiling sign harmonic gamma Derivative Integral Sum Product erf erfc Max Min O
    Theta Omega o trace var cov"""
)
RELATIONS = {
    "=": "=", "==": "=", "<=": r"\le", ">=": r"\ge", "<": "<", ">": ">", "!=": r"\ne", "->": r"\to",
    "<-": r"\leftarrow",
}  # fmt: skip
Tree = tuple[Any, ...]


class NotAFormula(Exception):
    """What stands here is no formula."""


@dataclass(frozen=True)
class Token:
    """A number, a name or a sign, with its place in the sentence."""

    kind: str
    text: str
    start: int
    end: int

    @classmethod
    def of(cls, found: re.Match[str]) -> Token:
        """From a match of one of the kinds."""
        return cls(str(found.lastgroup), found[0], found.start(), found.end())

    @property
    def is_letter(self) -> bool:
        """Whether a name by itself is a letter of mathematics and no word."""
        stem = self.text.rstrip("'*")
        first, _, below = stem.partition("_")
        if stem in CONSTANTS or stem == "W2":
            return True
        bare = accented(first)[0]
        return (bare in GREEK or len(bare) == 1) and (bool(below) or "_" not in stem)

    @property
    def is_numbered(self) -> bool:
        """Whether it is a letter with a number, as ``V22``: a letter only beside other signs."""
        return bool(re.fullmatch(r"([A-Za-z]|" + "|".join(GREEK) + r")\d+'*", self.text))


class Reader:
    """Reads a formula from a place; each rule gives the tree and the place after it."""

    def __init__(self, words: str, tokens: list[Token], free: bool = False) -> None:
        self.words, self.tokens, self.free = words, tokens, free
        self.start = 0  # where the formula begins: what stands before does not matter there

    def sign(self, place: int) -> str:
        """The sign at a place, if there is one that goes on from what stands before."""
        if place >= len(self.tokens) or self.tokens[place].kind != "sign":
            return ""
        return self.tokens[place].text if self.joins(place) else ""

    def read(self, place: int) -> tuple[Tree, int]:
        """The formula that begins at a place, as long as it goes, and the place after it."""
        self.start = place
        return self.relation(place)

    def joins(self, place: int) -> bool:
        """Whether only spaces stand between a token and the one before it."""
        return place == self.start or not self.gap(place).strip()

    def gap(self, place: int) -> str:
        """What stands between a token and the one before it."""
        return self.words[self.tokens[place - 1].end : self.tokens[place].start]

    def relation(self, place: int) -> tuple[Tree, int]:
        """Sums with relations between them."""
        left, after = self.sum(place)
        parts: list[Any] = [left]
        while self.sign(after) in RELATIONS:
            try:
                right, end = self.sum(after + 1)
            except NotAFormula:
                break
            parts += [self.sign(after), right]
            after = end
        return (("relation", *parts) if len(parts) > 1 else left), after

    def sum(self, place: int) -> tuple[Tree, int]:
        """Products with signs between them."""
        lead = self.sign(place) if place < len(self.tokens) else ""
        if lead in ("-", "+") and self.close(place + 1):
            first, after = self.product(place + 1)
            first = ("minus", first) if lead == "-" else first
        else:
            first, after = self.product(place)
        parts: list[Any] = [first]
        while self.sign(after) in ("+", "-") and self.even(after):
            try:
                term, end = self.product(after + 1)
            except NotAFormula:
                break
            parts += [self.sign(after), term]
            after = end
        return (("sum", *parts) if len(parts) > 1 else first), after

    def close(self, place: int) -> bool:
        """Whether nothing stands between a token and the one before."""
        return place < len(self.tokens) and (self.free or not self.gap(place))

    def even(self, place: int) -> bool:
        """A sign between terms has spaces to both sides or to none; a hyphen of words does not."""
        return place + 1 < len(self.tokens) and bool(self.gap(place)) == bool(self.gap(place + 1))

    def product(self, place: int) -> tuple[Tree, int]:
        """Powers that are multiplied, divided, or stand side by side."""
        left, after = self.power(place)
        while after < len(self.tokens):
            sign = self.sign(after)
            try:
                if sign in ("*", "/"):
                    right, end = self.power(after + 1)
                    left, after = (("over" if sign == "/" else "times", left, right), end)
                elif self.beside(after, left):
                    right, end = self.power(after)
                    left, after = ("times", left, right), end
                else:
                    break
            except NotAFormula:
                break
        return left, after

    def beside(self, place: int, left: Tree) -> bool:
        """Whether a token is a factor that is only written beside the one before."""
        token = self.tokens[place]
        if not self.joins(place):
            return False
        if token.text == "(":
            last = left[2] if left[0] == "times" else left
            return not self.gap(place) and last[0] in ("group", "power", "number")
        if token.kind != "name" or token.text == "a" or self.gap(place) not in ("", " "):
            return False
        follows = self.words[token.end : token.end + 1]
        # of two letters one has to look like mathematics: "B B^T", but not "T x", "N i"
        wordy = left[0] == "name" and not (self.words and Token("name", left[1], 0, 0).is_letter)
        return token.is_letter and follows not in ("'", "’", "-") and _firm(left) and not wordy

    def power(self, place: int) -> tuple[Tree, int]:
        """An atom, perhaps raised."""
        base, after = self.atom(place)
        if self.sign(after) in ("**", "^") and not self.gap(after):
            start = after + 1
            if self.sign(start) == "-":
                high, end = self.atom(start + 1)
                return ("power", base, ("minus", high)), end
            high, end = self.atom(start)
            return ("power", base, high), end
        return base, after

    def atom(self, place: int) -> tuple[Tree, int]:
        """A number, a letter with what is below it, a function of something, or a group."""
        if place >= len(self.tokens) or not self.joins(place):
            raise NotAFormula
        token = self.tokens[place]
        if token.kind == "number":
            return ("number", token.text), place + 1
        if token.kind == "name":
            return self.named(token, place)
        if token.text == "(":
            inside, after = self.listed(place + 1, ")")
            return ("group", *inside), after
        if token.text == "[" and self.free:
            inside, after = self.listed(place + 1, "]")
            return ("list", *inside), after
        if token.text == "|":
            middle, after = self.sum(place + 1)
            if self.sign(after) != "|":
                raise NotAFormula
            return ("call", "abs", middle), after + 1
        raise NotAFormula

    def named(self, token: Token, place: int) -> tuple[Tree, int]:
        """A letter with indices in brackets, or a function with its arguments."""
        stem, after = token.text.rstrip("'"), place + 1
        called = self.sign(after) == "(" and not self.gap(after)
        if called and (stem in _FUNCTIONS or token.is_letter or self.free):
            inside, end = self.listed(after + 1, ")")
            return ("call", token.text, *inside), end
        if not (token.is_letter or token.is_numbered or self.free):
            raise NotAFormula
        tree: Tree = ("name", token.text)
        while self.sign(after) == "[" and not self.gap(after):
            inside, after = self.listed(after + 1, "]")
            tree = ("index", tree, *inside)
        return tree, after

    def listed(self, place: int, end: str) -> tuple[list[Tree], int]:
        """Formulas with commas between them, up to a bracket."""
        found: list[Tree] = []
        while True:
            one, place = self.relation(place)
            found.append(one)
            if self.sign(place) == end:
                return found, place + 1
            if self.sign(place) != ",":
                raise NotAFormula
            place += 1


def _firm(tree: Tree) -> bool:
    """Whether what stands to the left is surely mathematics."""
    if tree[0] in ("times", "over"):
        return _firm(tree[2])
    if tree[0] == "number":
        return True
    return tree[0] in ("power", "group", "index", "call") or (tree[0] == "name" and tree[1] != "a")
