"""Every rule that completing finds must hold in numbers; the order and the division on their own."""

import random
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sgtheory.errors import UnusableInput
from sgtheory.matrices import (
    I,
    Matrix,
    commute,
    equation,
    evaluate,
    inverse,
    matrices,
    matrix,
    prove_equal,
    root,
)
from sgtheory.matrices.hypotheses import pairs_of
from sgtheory.matrices.letters import Factor, subwords
from sgtheory.matrices.monoid import Order, divide, rooted, split
from sgtheory.matrices.rewriting import closures
from sgtheory.matrices.samples import together
from sgtheory.matrices.words import normal

A, C, H = matrices("A C H", "positive_definite")
B, G, Q = matrix("B"), matrix("G", "invertible"), matrix("Q", "orthogonal")
d, R = matrix("d", "diagonal", "invertible"), matrix("R", "symmetric", "orthogonal")
eps = sp.Symbol("eps", positive=True)
LETTERS = {m: next(iter(m.letters)) for m in (A, C, H, B, G, Q, d, R)}

SUMS = {
    "one": ([inverse(A + C)], []),
    "resolvents": ([inverse(A + C), inverse(A + eps * C)], []),
    "nested": ([inverse(A + inverse(A + C))], []),
    "Woodbury": ([inverse(A + B * C * B.T), inverse(C**-1 + B.T * A**-1 * B)], []),
    "roots": ([inverse(H + root(H) * A * root(H)), root(H)], []),
    "commuting": ([inverse(A + C), inverse(I + A * C, declared=True)], [commute(A, C)]),
    "partly commuting": ([inverse(A + H), inverse(C + H)], [commute(A, C), commute(C, H)]),
    "orthogonal": ([inverse(2 * I + Q, declared=True), inverse(3 * I + R, declared=True)], []),
    "diagonal": ([inverse(d * d + A), inverse(2 * I + d * d)], []),
}


def values(rng, letters, pairs, halved, size=2):
    made, roots = together(rng, letters, pairs, size, halved)
    back = {x.name: m for m, x in LETTERS.items()}
    return {back[k]: v for k, v in made.items()}, {back[k]: v for k, v in roots.items()}


def as_sum(rules, polynomial):
    return Matrix.of(rules.expressed(polynomial))


@pytest.mark.parametrize("name", SUMS)
def test_rules_hold_in_numbers(name):
    expressions, given_ = SUMS[name]
    pairs = pairs_of(given_)
    words = [w for m in expressions for w, _ in m.terms]
    halved = rooted(v for w in words for v in subwords(w))
    letters = {x for m in expressions for x in m.letters}
    rng = random.Random(name)
    rules = next(closures(words, [], [], pairs))
    assert rules.rules
    checked = 0
    for _ in range(6):
        point, roots = values(rng, letters, pairs, halved)
        for rule in rules.rules:
            left = Matrix(((normal(rule.lead, pairs), sp.S.One),))
            right = as_sum(rules, rule.rest)
            try:
                sides = [evaluate(m, point, {eps: Fraction(2, 3)}, roots) for m in (left, right)]
            except ZeroDivisionError:
                continue
            assert sides[0] == sides[1]
            checked += 1
    assert checked > 0


def test_rules_of_an_equation_hold_where_it_does():
    relation = equation(B * G, G * C).difference.terms
    rules = next(closures([w for w, _ in relation], [], [relation], frozenset()))
    point = {G: [[1, 2], [0, 1]], C: [[2, 0], [0, 5]]}
    point[B] = evaluate(G * C * G**-1, point)
    assert rules.rules
    for rule in rules.rules:
        left = Matrix(((normal(rule.lead), sp.S.One),))
        assert evaluate(left, point) == evaluate(as_sum(rules, rule.rest), point)


def test_hypotheses_that_contradict_are_refused():
    with pytest.raises(UnusableInput, match="hold together"):
        prove_equal(A, C, [equation(B, 0 * I), equation(B, I)])


LINKS = [(A, C), (C, H), (A, B), (B, G), (Q, B), (A, H), (G, Q)]
factors = st.tuples(
    st.sampled_from([A, C, H, B, G, Q, d, R]), st.sampled_from([1, -1, 2]), st.booleans(), st.booleans()
)


@settings(max_examples=settings().max_examples * 2)
@given(
    chosen=st.lists(factors, max_size=6),
    links=st.lists(st.sampled_from(LINKS), max_size=3),
    seed=st.integers(0, 10**6),
)
def test_words_keep_their_value_where_the_hypotheses_hold(chosen, links, seed):
    pairs = pairs_of([commute(x, y) for x, y in links])
    halved = frozenset(LETTERS[m] for m in (A, C, H))
    point, roots = values(random.Random(seed), LETTERS.values(), pairs, halved)
    word = []
    for m, power, transposed, half in chosen:
        x = LETTERS[m]
        power = Fraction(power, 2 if half and x in halved else 1)
        word.append(Factor(x, power if x.invertible else abs(power), transposed))
    try:
        raw = evaluate(Matrix(((tuple(word), sp.S.One),)), point, roots=roots)
    except ZeroDivisionError:
        return
    ordered = normal(tuple(word), pairs)
    assert evaluate(Matrix(((ordered, sp.S.One),)), point, roots=roots) == raw
    assert normal(ordered, pairs) == ordered


letters = st.sampled_from([Factor(LETTERS[m], Fraction(1)) for m in (A, C, H, B)])


@given(
    u=st.lists(letters, max_size=3),
    by=st.lists(letters, min_size=1, max_size=3),
    v=st.lists(letters, max_size=3),
    linked=st.booleans(),
)
def test_a_factor_is_found_and_the_rest_is_right(u, by, v, linked):
    pairs = pairs_of([commute(A, C), commute(C, B)] if linked else [])
    word = split(normal((*u, *by, *v), pairs), frozenset())
    found = divide(word, tuple(by), pairs)
    assert found is not None
    assert normal((*found[0], *by, *found[1]), pairs) == normal(word, pairs)


ONE_A, ONE_C, ONE_H = (Factor(LETTERS[m], Fraction(1)) for m in (A, C, H))


@example(x=[ONE_A], y=[ONE_C], z=ONE_H, linked=True)  # where projections have different lengths
@given(x=st.lists(letters, max_size=4), y=st.lists(letters, max_size=4), z=letters, linked=st.booleans())
def test_the_order_survives_multiplication(x, y, z, linked):
    pairs = pairs_of([commute(A, C), commute(C, B)] if linked else [])
    order = Order([Factor(LETTERS[m], Fraction(1)) for m in (A, C, H, B)], pairs)

    def key(*word):
        return order.key(split(normal(word, pairs), frozenset()))

    if key(*x) < key(*y):
        assert key(*x, z) < key(*y, z)
        assert key(z, *x) < key(z, *y)
    if key(*x) == key(*y):
        assert normal(tuple(x), pairs) == normal(tuple(y), pairs)
