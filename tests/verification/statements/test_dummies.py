"""A theory, a word and an arithmetic are added as one folder, one record and one file, and nothing else.

The folder and the file lie outside of the package: scanning alone finds them.
"""

import sys
from fractions import Fraction

import pytest

from verification import theories
from verification.refuter.script import run
from verification.statements import Equal, claim, letter, letters, sqrt
from verification.terms import arithmetics, comparing, words
from verification.terms.comparing import compared
from verification.terms.term import Applied

WORDS = '''
"""One word."""

from verification.terms.words import WHOLE, Word

WORDS = (
    Word(
        "half",
        lambda o, a: o.over(a, o.number(2)),
        lambda a: (f"1/2 {a.form}", WHOLE),
        lambda a: (f"half({a.form})", WHOLE),
        "half of {0}",
    ),
)
'''

THEORY = '''
"""Halves, of which it is known that twice a half is the whole."""

from dataclasses import dataclass

from verification.terms.term import Applied
from verification.theories.answers import Proved, Silence, Silent
from verification.theories.subject import ITS_WORDS, Subject


@dataclass(frozen=True)
class Halves(Subject):
    """Statements that speak of halves."""

    given: tuple = ()
    rank = ITS_WORDS

    def vanishes(self, left, right):
        """Twice a half."""
        if left == Applied("half", (right,)) + Applied("half", (right,)):
            return Proved("Twice a half is the whole.")
        return Silent(Silence.NO_FORMULA)

    def mended(self, left, right, moving=()):
        """The whole."""
        yield left, left.of[0].of[0]


def subject(about):
    """Where its word is."""
    return Halves() if "dummies" in about.theories else None
'''

ROOTS = '''
"""Numbers a + b sqrt(2) with rational a and b."""

from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpq

from verification.terms.walking import Arithmetic, Unable


@dataclass(frozen=True)
class Root:
    a: Fraction
    b: Fraction = Fraction(0)


def times(x, y):
    return Root(x.a * y.a + 2 * x.b * y.b, x.a * y.b + x.b * y.a)


def root(x):
    if x == Root(Fraction(2)):
        return Root(Fraction(0), Fraction(1))
    raise Unable("a root of another number")


def near(x):
    return arb(fmpq(*x.a.as_integer_ratio())) + arb(2).sqrt() * arb(fmpq(*x.b.as_integer_ratio()))


def sign(x):
    return 0 if x == Root(Fraction(0)) else 1 if near(x) > 0 else -1


COMPARES = (1, Arithmetic(
    "roots of two",
    lambda x: Root(Fraction(x)),
    {
        "add": lambda x, y: Root(x.a + y.a, x.b + y.b),
        "subtract": lambda x, y: Root(x.a - y.a, x.b - y.b),
        "multiply": times,
        "root": root,
    },
    exact=True,
    sign=sign,
    near=near,
))
'''


def forget():
    for known in (words._declared, words.lexicon, words.owners, words.local):
        known.cache_clear()
    for known in (arithmetics.exact, comparing._tried):
        known.cache_clear()


@pytest.fixture
def added(tmp_path, monkeypatch):
    """A package with further files: what scanning finds besides."""

    def add(package, **files):
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__in__', '/')}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
        forget()

    before = set(sys.modules)
    yield add
    monkeypatch.undo()
    for name in set(sys.modules) - before:
        if name.split(".")[-1] == "roots" or "dummies" in name:
            del sys.modules[name]
    forget()


@pytest.fixture
def half(added):
    added(theories, dummies__in____init__=THEORY, dummies__in__words=WORDS)
    return lambda x: Applied("half", (x,))


def stated(key, relation):
    return claim(key, at="Eq. 1", title="Of halves", printed=relation)


def test_a_folder_adds_a_theory_and_a_record_its_word(half):
    x = letter("x")
    found = stated("halves", Equal(half(x) + half(x), x)).find()
    assert (found.verdict, found.reason) == ("proved", "Twice a half is the whole.")
    assert half(x).latex() == "1/2 x"


def test_what_is_false_of_it_has_a_counterexample_a_script_and_a_correction(half):
    x = letter("x")
    found = stated("halves", Equal(half(x) + half(x), 2 * x)).find()
    assert found.verdict == "refuted"
    assert run(found.counterexample.script) is False
    assert found.corrected.text == "half(x) + half(x) = x"


def test_its_wrong_twins_are_rejected(half):
    x = letter("x")
    one = stated("halves", Equal(half(x) + half(x), x))
    twins = one.twins(one.find())
    assert twins.tried == twins.rejected > 0


def test_the_other_theories_take_what_they_took(half):
    x, y = letters("x y")
    assert type(stated("plain", Equal(x + y, y)).subject()).__name__ == "Numbers"


def test_without_the_folder_there_is_no_such_word():
    with pytest.raises(Exception, match="a word of a theory"):
        stated("halves", Equal(Applied("half", (letter("x"),)) * 2, letter("x"))).find()


def test_a_file_adds_an_arithmetic(added):
    x = letter("x")
    sides = sqrt(x) * sqrt(x), x
    assert compared(*sides, {"x": Fraction(2)}).sign is None  # balls never know that it is equal
    added(arithmetics, roots=ROOTS)
    assert compared(*sides, {"x": Fraction(2)}).sign == 0
    assert compared(sqrt(x), x, {"x": Fraction(2)}).sign == -1
    assert compared(sqrt(x), x, {"x": Fraction(3)}).sign == -1  # by balls, as before
