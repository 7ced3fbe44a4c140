"""Terms stay as they are written, are read back from their text, and are worth the same everywhere."""

import math
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sgtheory.errors import UnusableInput
from verification.refuter.script import run
from verification.relations import Compare, Equal
from verification.statements import Letter, exp, letter, letters, log, number, sqrt, term
from verification.statements.scripts import script_of
from verification.terms.arithmetics import RATIONAL, balls
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.comparing import compared
from verification.terms.term import Applied
from verification.terms.walking import Unable, Undefined, walk
from verification.texts.letters import Letters, row
from verification.texts.sentences import Sentence

x, y, lam = letters("x y lambda")
KNOWN = Letters((row("x, y, lambda", "positive"),))
PLACE = {"x": Fraction(1, 3), "y": Fraction(2), "lambda": Fraction(3, 7)}

leaves = st.one_of(
    st.sampled_from((x, y, lam)),
    st.integers(0, 5).map(term),
    st.sampled_from(("0.5", "0.25", "10")).map(number),
)


def longer(inner):
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: p[0] + p[1]),
        pair.map(lambda p: p[0] - p[1]),
        pair.map(lambda p: p[0] * p[1]),
        pair.map(lambda p: p[0] / p[1]),
        st.tuples(inner, st.integers(0, 3)).map(lambda p: p[0] ** p[1]),
        inner.map(lambda t: -t),
        inner.map(lambda t: exp(t / 50)),
    )


terms = st.recursive(leaves, longer, max_leaves=9)


def read(text):
    return Sentence(text, KNOWN, "").stated()[1]["statement"]


@settings(max_examples=15, deadline=None)
@given(terms)
def test_what_is_said_is_read_back(one):
    stated = Compare(one, "<=", x + y + 1)
    assert read(stated.text()) == stated


@given(terms)
def test_a_term_is_worth_the_same_in_symbols_and_in_balls(one):
    try:
        ball = walk(one, balls(30), {n: balls(30).number(v) for n, v in PLACE.items()})
    except (Undefined, Unable):
        return
    if not abs(ball) < 10**12:
        return
    symbolic = in_symbols(one).subs(
        {s: sp.Rational(PLACE[s.name]) for s in in_symbols(one).free_symbols}
    )
    if symbolic.is_finite:
        assert math.isclose(float(sp.N(symbolic, 30)), float(ball.mid()), rel_tol=1e-9, abs_tol=1e-9)


@given(terms, terms)
def test_the_script_and_the_evaluator_say_the_same(left, right):
    if left == right:
        return
    statement = Compare(left, "<=", right)
    seen = statement.at(PLACE)
    if seen is None or seen.alike or "1e300" in seen.left + seen.right:
        return
    if max(abs(Fraction(seen.left)), abs(Fraction(seen.right))) > 10**15:
        return
    try:
        assert run(script_of(statement, PLACE)) is seen.holds
    except ArithmeticError:
        pytest.fail("a side that has a value in balls has none in decimals")


def test_nothing_is_simplified():
    assert str(x + x) == "x + x"
    assert str(x / x) == "x/x"
    assert (x + y) != (y + x)
    assert term("0.10").text() == "0.10"
    assert (x + x).latex() == "x + x"
    assert (-(x * y)).text() == "-x*y"
    assert ((x - (y - 1)) ** 2 / (2 * x)).text() == "(x - (y - 1))**2/(2*x)"


@pytest.mark.parametrize(
    ("one", "latex"),
    [
        (x**2 / (2 * lam), r"\frac{x^{2}}{2 \lambda}"),
        (exp(-lam * x), r"e^{-\lambda x}"),
        (sqrt(x) * log(y), r"\sqrt{x} \log\left(y\right)"),
        ((x + y) * 2, r"\left(x + y\right) \cdot 2"),
        (letter("theta_11") * letter("KL_SGD"), r"\theta_{11} \mathrm{KL}_{\mathrm{SGD}}"),
        ((x**2) ** 3, r"\left(x^{2}\right)^{3}"),
    ],
)
def test_as_it_is_typeset(one, latex):
    assert one.latex() == latex


def test_rational_numbers_stop_where_they_end():
    with pytest.raises(Unable):
        walk(exp(x), RATIONAL, {"x": RATIONAL.number(1)})
    with pytest.raises(Undefined):
        walk(1 / (x - 1), RATIONAL, {"x": RATIONAL.number(1)})
    with pytest.raises(Undefined):
        walk(log(x - 1), balls(30), {"x": balls(30).number(Fraction(1, 2))})
    assert walk(sqrt(x), RATIONAL, {"x": RATIONAL.number(Fraction(9, 4))}) == RATIONAL.number(
        Fraction(3, 2)
    )


def test_digits_are_added_until_numbers_are_told_apart():
    near = x + term(10) ** -50
    assert compared(exp(x) - exp(x) + near, near + term(10) ** -100, PLACE).sign == -1
    assert compared(sqrt(x) * sqrt(x), x, PLACE).sign is None


@pytest.mark.parametrize("text", ["x +", "x.real", "__import__('os')", "x[0", "w + 1", "x if y else 1"])
def test_what_is_no_formula_is_one_line(text):
    with pytest.raises(UnusableInput) as error:
        read(f"{text} <= 1")
    assert "\n" not in str(error.value)


def test_a_comparison_is_no_truth_value():
    with pytest.raises(TypeError, match="not a truth value"):
        bool(x < y)


def test_letters_of_any_name_reach_scripts():
    odd = [letter(n) for n in ("lambda", "in", "N", "d", "theta'", "2nd", "print", "x'", "x_")]
    statement = Equal(sum(odd[1:], odd[0]), 9)
    assert run(script_of(statement, {one.name: Fraction(1) for one in odd}))


def test_the_same_tree_from_a_word_and_from_text():
    assert read("sqrt(x)*exp(-y) = 1") == Equal(sqrt(x) * exp(-y), 1)
    assert isinstance(read("x <= y"), Compare)
    assert isinstance(x, Letter)
    assert Applied("pi", ()).text() == "pi"
