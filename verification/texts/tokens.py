r"""The tokens of a statement: words and formulas, plain or in LaTeX, are the same ones.

Between dollar signs, and in what is set as code, letters are letters; elsewhere English phrases are
looked for first. A name that is no letter is the product of letters that it is made of: ``hA``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from lark import Token

from sgtheory.notation.naming import GREEK
from sgtheory.reader import limits
from verification.texts import phrases, spelling
from verification.texts.functions import AFTER, GRADIENT, unknown, with_primes
from verification.texts.hypotheses import joined, said_of
from verification.texts.letters import FUNCTIONS, STATE, Letters, canonical
from verification.texts.unclear import Unclear
from verification.texts.words import EXPECTATION
from verification.texts.words import FUNCTIONS as WORDS

LONGEST = 4 * limits.FORMULA  # characters of a statement, or of a sampler


@cache
def _phrases() -> dict[tuple[str, ...], tuple[str, str]]:
    return dict(phrases.phrases())


@dataclass
class Tokens:
    """What is left of a statement to read, and the tokens found so far."""

    body: str
    letters: Letters
    samplers: tuple[str, ...]
    tex: bool = False
    steps: bool = False  # whether it is a line of a sampler's block
    at: int = 0
    math: str = ""  # what opened the formula that is being read
    began: int = 0
    open: list[tuple[str, bool]] = field(default_factory=list)  # brackets, and whether of a mean
    texts: list[int] = field(default_factory=list)  # how many brackets were open at each \text{
    integrals: int = 0
    index: str = ""  # of an eigenvalue
    found: list[Token] = field(default_factory=list)

    def read(self) -> list[Token]:
        """All tokens."""
        if len(self.body) > LONGEST:
            raise Unclear(f"at most {LONGEST} characters", str(len(self.body)), "say it in parts", 0)
        while self.at < len(self.body):
            self._next()
            if len(self.found) > spelling.MOST:
                raise Unclear(
                    f"at most {spelling.MOST} symbols in a statement", "more", "say it in parts", self.at
                )
            if len(self.open) > spelling.DEEPEST:
                raise Unclear(
                    f"at most {spelling.DEEPEST} brackets within one another",
                    "more",
                    "name a part",
                    self.at,
                )
        if self.math:
            raise Unclear(f"a closing {self.math}", "the end of the statement", "close it", self.began)
        if self.open:
            raise Unclear(
                f"the bracket that closes {self.open[-1][0]}", "the end", "close it", len(self.body)
            )
        self.found = joined(self.found)
        return said_of(self.found)

    def _add(self, kind: str, value: str = "", length: int = 0) -> None:
        self.found.append(Token(kind, value, start_pos=self.at))
        self.integrals += kind == "INT"
        self.at += length

    def _next(self) -> None:
        rest, here = self.body[self.at : self.at + 400], self.body[self.at]
        if here.isspace():
            self.at += 1
        elif here in "$`" or rest.startswith(("\\[", "\\]", "\\(", "\\)")):
            self._toggle("$$" if rest.startswith("$$") else here if here in "$`" else rest[:2])
        elif self.steps and here in "∇\\" and (gradient := self._gradient(rest)):
            self._letter(*gradient)
        elif here in "i∈\\" and (interval := spelling.WITHIN.match(rest)) and self._follows(interval):
            self._within(interval)
        elif derivative := spelling.DERIVATIVE.match(rest):
            self._add("DERIV", canonical(derivative[1] or derivative[2]), derivative.end())
        elif best := spelling.ARGBEST.match(rest):
            self._add("ARGBEST", "smallest" if best[1] == "min" else "largest", best.end())
        elif here == "\\":
            self._command(rest)
        elif number := spelling.NUMBER.match(rest):
            self._number(number[0])
        elif here.isalpha():
            self._word(rest)
        elif here == "√":
            self._letter("sqrt", 1)
        elif here in "([{":
            self._open(here)
        elif here in ")]}":
            self._close(here)
        elif here == "|" and not rest.startswith("||"):
            self._bar()
        elif here in ",.":
            self._comma(here)
        elif (
            here == "*" and not rest.startswith("**") and not self.math and rest[1:2] in ("", "*")
        ) or (here in "&~" and (self.tex or here == "&")):
            self.at += 1
        else:
            self._symbol(rest)

    def _gradient(self, rest: str) -> tuple[str, int] | None:
        """That of the loss, unless it is one of a function of the table."""
        found, own = spelling.NABLA.match(rest), GRADIENT.match(rest)
        if found is None or (own and self.letters.kind(canonical(own[1])) in FUNCTIONS):
            return None
        return "g" if re.search(r"hat|tilde", found[0]) else "grad", found.end()

    def _symbol(self, rest: str) -> None:
        for length in (3, 2, 1):
            if rest[:length] in spelling.SYMBOLS:
                self._add(*spelling.SYMBOLS[rest[:length]], length)
                return
        raise Unclear("a formula or words", rest[:12], "leave it out", self.at)

    def _toggle(self, mark: str) -> None:
        closing = {"\\]": "\\[", "\\)": "\\("}.get(mark, mark)
        if self.math and closing != self.math:
            raise Unclear(f"a closing {self.math}", mark, "close the formula first", self.at)
        if self.open:
            raise Unclear(f"the bracket that closes {self.open[-1][0]}", mark, "close it", self.at)
        if not self.math and mark in ("\\]", "\\)"):
            raise Unclear("an opening sign before it", mark, "open the formula", self.at)
        if (
            not self.math and self.found and self.found[-1].type in spelling.OPERANDS
        ):  # two formulas are no product
            self._add("SEP")
        self.math, self.began = ("", self.at) if self.math else (closing, self.at)
        self.at += len(mark)

    def _open(self, bracket: str) -> None:
        before = self.found[-1] if self.found else None
        self.open.append((bracket, before is not None and before.type == "FUNC" and before == "E"))
        self._add("LEFT", bracket, 1)

    def _follows(self, interval: re.Match[str]) -> bool:
        """Whether a letter stands before an interval."""
        operand = bool(self.found) and self.found[-1].type in spelling.OPERANDS
        return operand and spelling.two_ends(self.body[self.at + interval.end() :])

    def _within(self, found: re.Match[str]) -> None:
        if "$" in found[0]:  # the formula ends before "in", or begins after it
            self.math, self.began = "" if self.math else "$", self.at
        self._add("IN")
        self.open.append(("within", False))
        self._add("OPENS", found[1], found.end())

    def _close(self, bracket: str) -> None:
        if self.open and self.open[-1][0] == "within" and bracket in ")]":
            self.open.pop()
            self._add("CLOSES", bracket, 1)
            return
        if self.texts and bracket == "}" and len(self.open) == self.texts[-1]:  # the end of \text{
            self.texts.pop()
            self.at += 1
            return
        opened = self.open.pop()[0] if self.open else ""
        if spelling.BRACKETS.get(opened) != bracket:
            expected = f"the bracket that closes {opened}" if opened else "an opening bracket before it"
            raise Unclear(expected, bracket, "see which bracket is missing", self.at)
        self._add("RIGHT", bracket, 1)

    def _bar(self) -> None:
        before = self.found[-1].type if self.found else "SEP"
        inside = self.open[-1] if self.open else ("", False)
        if inside[0] == "|" and before not in spelling.ALONE:
            self.open.pop()
            self._add("ENDBAR", "|", 1)
        elif inside[1] and before not in spelling.ALONE:
            self._add("GIVEN", "|", 1)
        else:
            self.open.append(("|", False))
            self._add("BAR", "|", 1)

    def _comma(self, mark: str) -> None:
        if mark == "." and self.open:
            raise Unclear("a number or a bracket", ".", "write 0.5, or close the bracket", self.at)
        inside = mark == "," and (self.open or self.math)
        self._add("COMMA" if inside else "SEP", mark, 1)

    def _number(self, text: str) -> None:
        size = re.search(r"[eE]([+-]?\d+)", text)
        if len(text) > 40 or (size and abs(int(size[1])) > 40):
            raise Unclear("a number of at most 40 digits", text[:20], "use a letter for it", self.at)
        after = self.body[self.at + len(text) : self.at + len(text) + 1]
        self._glued(after.isalpha() or after == "\\")
        self._add("NUM", text, len(text))

    def _glued(self, more: bool) -> None:
        """Refuse 1/2h: it is read in two ways."""
        if more and self.found and self.found[-1].type == "DIV":
            told = "put brackets: a/(2 h), or (a/2) h"
            raise Unclear(
                "one reading of what is divided by", self.body[self.at - 2 : self.at + 4], told, self.at
            )

    def _command(self, rest: str) -> None:
        if text := spelling.TEXT.match(rest):
            self.texts.append(len(self.open))
            self.at += text.end()
        elif (font := spelling.FONT.match(rest)) and font[1] in spelling.FONTS:
            self._named(font[2], font.end())
        elif rest[1:2] in ",;!:> " or rest[1:2] == "\\":
            self.at += 2
        elif rest[1:2] == "|":
            self._add("BESIDE", "||", 2)
        elif rest[1:2] in ("{", "}"):
            self.at += 1
            (self._open if rest[1] == "{" else self._close)(rest[1])
        else:
            self._named_command(rest)

    def _named_command(self, rest: str) -> None:
        name = re.match(r"\\([A-Za-z]+)", rest)
        if name is None:
            raise Unclear("a command of formulas", rest[:6], "write it plainly", self.at)
        if name[1] in spelling.SPACES:
            self.at += name.end()
        elif digits := re.match(r"\\[dt]?frac\s*(\d)\s*(\d)", rest):
            for kind, value in (("LEFT", "("), ("NUM", digits[1]), ("DIV", "/"), ("NUM", digits[2])):
                self._add(kind, value)
            self._add("RIGHT", ")", digits.end())
        elif name[1] in ("frac", "tfrac", "dfrac"):
            self._add("FRAC", "", name.end())
        elif (
            name[1] == "nabla" and (of := GRADIENT.match(rest)) and canonical(of[1]) in self.letters.all
        ):
            self._letter(canonical(of[1]) + "'", of.end())
        elif name[1] == "lim":
            self._add("LIM", "", name.end())
        elif name[1] in ("top", "intercal"):
            self._add("TOP", "", name.end())
        elif name[1] in ("lvert", "rvert", "vert", "mid"):
            self.at += name.end() - 1
            self._bar()
        elif name[1] in ("lVert", "rVert", "Vert", "parallel"):
            self._add("BESIDE", "||", name.end())
        elif name[1] in spelling.COMMANDS:
            self._add(*spelling.SYMBOLS[spelling.COMMANDS[name[1]]], name.end())
        else:
            own = canonical(name[1])
            if own not in GREEK and own not in (
                *self.letters.all,
                *WORDS,
                "eps",
                *spelling.LAWS,
                *self.samplers,
            ):
                told = "say it in words, or plainly; what a letter is stands in the table"
                raise Unclear("a command that can be read", name[0], told, self.at)
            self._named(name[1], name.end())

    def _word(self, rest: str) -> None:
        if found := re.match(r"lim\s*(?=_)", rest):
            self._add("LIM", "", found.end())
            return
        prose = (not self.math and not self.open) or bool(self.texts)
        each = (spelling.EIGENVALUES.match(rest) or spelling.EACH.match(rest)) if prose else None
        if each and (each.re is spelling.EIGENVALUES or each[1] not in self.letters.all):
            self.at += each.end()  # an index of eigenvalues: what is said is said of each
            return
        if prose and self._phrase():
            return
        found = spelling.WORD.match(rest) if prose else re.match(r"[A-Za-z]+|[Α-ω]", rest)
        if found is None:
            raise Unclear("a letter", rest[:8], "declare it in the table of letters", self.at)
        word = found[0].partition("-")[0] if "-" in found[0] else found[0]
        self._named(word, len(word), prose)

    def _phrase(self) -> bool:
        """An English phrase at this place, the longest; a letter of one sign comes first."""
        words: list[tuple[str, int]] = []
        most = phrases.longest(tuple(_phrases()))
        reach = re.compile(r"[\s]*([A-Za-z]+(?:-[A-Za-z]+)*(?:'s)?|[01](?![\d.A-Za-z]))")
        at = self.at
        while len(words) < most and (found := reach.match(self.body, at)):
            at = found.end()
            words.append((found[1], at))
        for length in range(len(words), 0, -1):
            said = tuple(w.lower() for w, _ in words[:length])
            if said in _phrases() and not (length == 1 and words[0][0] in self.letters.all):
                kind, value = _phrases()[said]
                end = words[length - 1][1]
                if kind == "LIMIT":
                    kind = "AS" if spelling.GOES.match(self.body, end) else "CONTINUOUS"
                self._add(kind, value)
                self.at = end
                return True
        if not words:
            return False
        word, end = words[0]
        own = word.removesuffix("'s")
        alike = [s for s in self.samplers if s.replace("_", "") == own.lower().replace("-", "")]
        if alike and own not in self.letters.all:
            self._add("SAMPLER", alike[0])
            self.at = end
            return True
        if word.lower() in phrases.NOISE and word not in self.letters.all:
            self.at = end
            return True
        return False

    def _named(self, word: str, length: int, prose: bool = False) -> None:
        """A letter, a function, or a product of letters; in a block with its step."""
        name = canonical(word)
        step = re.compile(spelling.STEP).match(self.body, self.at + length) if self.steps else None
        if step is not None:
            more, after = spelling.at_step(step[0])
            self._named_alone(name + more, step.end() - self.at, prose)
            if after:
                self._add("PRIME", "'")
        else:
            self._named_alone(name, length, prose)

    def _named_alone(self, name: str, length: int, prose: bool) -> None:
        known = self.letters.all
        index = spelling.INDEX.match(self.body, self.at + length)
        if name in ("sum", "int") and spelling.index_or_limits(self.body, self.at + length):
            self._add("SUM" if name == "sum" else "INT", name, length)
        elif (index and f"{name}_{index[1] or index[2]}" in {*known, *WORDS}) or (
            index and self.open and f"{name}_{index[1] or index[2]}" in spelling.LAWS
        ):
            self._letter(f"{name}_{index[1] or index[2]}", index.end() - self.at)
        elif name == "lambda" and index and (index[1] or index[2]) in ("i", "j", "k") and name in known:
            self._indexed(index)
        elif index and name in EXPECTATION and (index[1] or index[2]) in self.letters.laws:
            for kind, value in (("FUNC", name), ("SUB", "_"), ("NAME", index[1] or index[2])):
                self._add(kind, value)
            self.at += index.end() - self.at
        elif index and self.letters.kind(name) == STATE:
            told = "means after k steps cannot be said of a sampler; E[theta theta^T], lagged(T, 0) can"
            raise Unclear("what its stationary law has", f"{name}{index[0]}", told, self.at)
        elif name in known or name in WORDS or name in ("oo", "infinity", "infty"):
            self._letter(name, length)
        elif self.open and name.lower() in (*spelling.LAWS, *self.samplers):
            self._letter(name if name in spelling.LAWS else name.lower(), length)
        elif (
            self.integrals
            and (d := spelling.DIFFERENTIAL.match(self.body, self.at))
            and canonical(d[1]) in known
        ):
            self.integrals -= 1
            self._add("DIFF", canonical(d[1]), d.end() - self.at)
        else:
            self._apart(name, length, prose)

    def _indexed(self, index: re.Match[str]) -> None:
        """An eigenvalue of the curvature by an index, which is any of them; of two nothing is said."""
        self.index = self.index or index[0]
        if index[0] != self.index:
            told = "A, tr(A) and lambda_max(A) can be said"
            raise Unclear("one eigenvalue, lambda_i", f"lambda{index[0]} too", told, self.at)
        self._letter("lambda", index.end() - self.at)

    def _letter(self, name: str, length: int) -> None:
        raised = bool(self.found) and self.found[-1].type == "CARET"
        kind = self.letters.kind(name.rstrip("'"))
        if name == "T" and raised and (not kind or self.letters.place):
            self._add("TOP", "", length)
        elif kind in FUNCTIONS:
            marks, more = with_primes(self.body, self.at + length)
            self._add("CALLED", name + marks, length + more)
            if self.letters.place and not AFTER.match(self.body, self.at):  # f for f(x)
                for said, value in (("LEFT", "("), ("NAME", self.letters.place), ("RIGHT", ")")):
                    self._add(said, value)
        elif name in WORDS and not kind:
            told = "FUNC" if spelling.OPENS.match(self.body, self.at + length) else "BARE"
            self._add(told if WORDS[name].parts else "NAME", name, length)
        else:
            self._add("NAME", "oo" if name in ("infinity", "infty") else name, length)

    def _apart(self, name: str, length: int, prose: bool) -> None:
        if name == "T" and self.found and self.found[-1].type in ("CARET", "LEFT"):
            self._add("TOP", "", length)
            return
        split = self.letters.split(name) if not name.islower() or len(name) <= 4 or not prose else None
        if split is None:
            said = [" ".join(p) for p in _phrases()] if prose else []
            raise unknown(name, self.letters.all, said, prose, self.at)
        self._glued(len(split) > 1)
        for k, one in enumerate(split):
            self._letter(one, 0 if k < len(split) - 1 else length)
