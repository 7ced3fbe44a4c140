"""What is proved of orders of matrices and traces holds at many places; most that is asked is false."""

import random

import numpy as np
import pytest

from sgtheory.errors import DeclarationError
from sgtheory.notation.matrixwords import LargestEigenvalue, SmallestEigenvalue
from verification.notation import A, C, D, H, identity, trace
from verification.refuter.script import run
from verification.statements import Compare, claim
from verification.statements.deciding import asked
from verification.theories.answers import Disproved, Proved

KINDS = ("positive definite", "positive semidefinite", "symmetric")
LETTERS = {"A": A, "C": C, "H": H}
TOP, LOW = LargestEigenvalue, SmallestEigenvalue


def about(left, relation, right, kind="positive definite"):
    kinds = (("H", kind),) if H in (left - right).free_symbols else ()
    return claim(
        "key", at="here", title="t", says="s.", read=Compare(left, relation, right), kinds=kinds
    )


class Drawn:
    """Random sides, each a term and what it is worth where A, C and H are arrays."""

    def __init__(self, seed):
        self.draw = random.Random(seed)

    def word(self):
        names = [self.draw.choice("ACH") for _ in range(self.draw.choice((1, 1, 2, 2, 3)))]
        term, inverse = np.prod([LETTERS[n] for n in names]), self.draw.random() < 0.15
        if inverse:
            return A**-1 * term, lambda at: np.linalg.inv(at["A"]) @ product(at, names)
        return term, lambda at: product(at, names)

    def number(self):
        (term, worth), (other, too) = self.word(), self.word()
        kind, times = self.draw.random(), self.draw.choice((1, 1, 1, 2, 3))
        if kind < 0.15:
            name, end = self.draw.choice("AC"), self.draw.choice((TOP, LOW))
            k = -1 if end is TOP else 0
            return times * end(LETTERS[name]), lambda at: times * np.linalg.eigvalsh(at[name])[k]
        if kind < 0.25:
            return TOP(A + C), lambda at: np.linalg.eigvalsh(at["A"] + at["C"])[-1]
        if kind < 0.3:  # which is not symmetric
            return TOP(A * C), lambda at: np.linalg.eigvals(at["A"] @ at["C"]).real.max()
        if kind < 0.35:
            return times * trace(term) * trace(
                other
            ), lambda at: times * np.trace(worth(at)) * np.trace(too(at))
        if kind < 0.5:
            return D * trace(term), lambda at: len(at["A"]) * np.trace(worth(at))
        if kind < 0.6:
            return trace(term) ** 2, lambda at: np.trace(worth(at)) ** 2
        return times * trace(term), lambda at: times * np.trace(worth(at))

    def matrix(self):
        name, other = self.draw.choice("ACH"), self.draw.choice("ACH")
        M, X, kind = LETTERS[name], LETTERS[other], self.draw.random()
        if kind < 0.3:
            return X * M * X, lambda at: at[other] @ at[name] @ at[other]
        if kind < 0.4:
            return A**-1, lambda at: np.linalg.inv(at["A"])
        if kind < 0.6:
            return M * X + X * M, lambda at: at[name] @ at[other] + at[other] @ at[name]
        if kind < 0.65:
            return (
                TOP(M * X) * identity,
                lambda at: np.linalg.eigvals(at[name] @ at[other]).real.max() * np.eye(len(at[name])),
            )
        if kind < 0.75:
            return TOP(M) * identity, lambda at: np.linalg.eigvalsh(at[name])[-1] * np.eye(len(at[name]))
        return M, lambda at: at[name]

    def side(self):
        kind = self.number if self.numbers else self.matrix
        term, worth = kind()
        if self.draw.random() < 0.4:
            more, too = kind()
            sign = self.draw.choice((1, 1, -1))
            return term + sign * more, lambda at: worth(at) + sign * too(at)
        return term, worth

    def question(self):
        self.numbers, kind = self.draw.random() < 0.5, self.draw.choice(KINDS)
        relation = self.draw.choice(("<=", "<=", "<", ">=", ">"))
        return self.side(), relation, self.side(), kind


def product(at, names):
    found = np.eye(len(at["A"]))
    for name in names:
        found = found @ at[name]
    return found


def places(seed, kind):
    """A is positive definite, C nowhere negative and not zero, H of a kind; some are multiples."""
    rng = np.random.default_rng(seed)
    for k in range(300):
        d = (1, 2, 2, 3, 4, 6)[k % 6]

        def made(rank, spread, d=d):
            Q = np.linalg.qr(rng.normal(size=(d, d)))[0]
            return (
                Q @ np.diag(np.where(np.arange(d) < rank, np.exp(spread * rng.normal(size=d)), 0)) @ Q.T
            )

        at = {"A": made(d, (0.3, 1, 3)[k % 3]), "C": made(rng.integers(1, d + 1), 1)}
        at["H"] = made(rng.integers(0, d + 1) if kind == "positive semidefinite" else d, 1)
        if kind == "symmetric":
            at["H"] = at["H"] - made(d, 1)
        if k % 7 == 0:
            at["C"] = at["A"] * rng.exponential()
        if k % 11 == 0:
            at["A"] = np.eye(d) * rng.exponential()
        yield at


def fails(at, worth, relation, too):
    """Whether an order surely fails, by more than rounding; a strict one also where both are equal."""
    left, right = worth(at), too(at)
    small, large = (left, right) if relation[0] == "<" else (right, left)
    rest = np.asarray(large - small, float)
    size = 1e-6 + np.abs(left).max() + np.abs(right).max()  # eigenvalues that are zero are rounded too
    if rest.ndim == 2:
        rest = np.linalg.eigvalsh((rest + rest.T) / 2)[0]
    close = len(relation) == 1 and np.linalg.cond(at["A"]) < 100  # else small is not zero
    return bool(rest < -1e-7 * size) or (close and bool(rest <= 1e-13 * size))


@pytest.mark.parametrize(
    ("first", "count"), [(0, 250), pytest.param(1_000, 3_000, marks=pytest.mark.strong)]
)
def test_nothing_false_is_proved_of_orders(first, count):
    proved = 0
    for seed in range(first, first + count):
        (left, worth), relation, (right, too), kind = Drawn(seed).question()
        if left == right:
            continue
        (answer,) = asked(about(left, relation, right, kind)).answers
        failing = (at for at in places(seed, kind) if fails(at, worth, relation, too))
        if isinstance(answer, Proved):
            proved += 1
            assert next(failing, None) is None, (seed, left, relation, right, kind)
        if isinstance(answer, Disproved):
            assert next(failing, None) is not None, (seed, left, relation, right, kind)
    assert proved > count / 60  # else nothing was looked at


@pytest.mark.parametrize(
    ("left", "relation", "right", "kind", "verdict"),
    [
        (TOP(A + C), "<=", TOP(A) + TOP(C), "", "proved"),
        (LOW(A + C), ">=", LOW(A) + LOW(C), "", "proved"),
        (LOW(A + C), ">=", TOP(A) + LOW(C), "", "refuted"),
        (TOP(A * C) + TOP(C * A), ">=", TOP(A * C + C * A), "", "refuted"),
        (TOP(A * C * A) * identity, ">=", A * C * A, "", "proved"),
        (TOP(A * C * A), "<=", TOP(A) ** 2 * TOP(C), "", "proved"),
        (TOP(A * C * A), "<=", TOP(A) * TOP(C), "", "refuted"),
        (TOP(A + C), ">=", TOP(A), "", "proved"),
        (TOP(A + C), ">", TOP(A), "", "refuted"),
        (TOP(A) * A, ">=", A * A, "", "proved"),
        (LOW(A) * A, ">=", A * A, "", "refuted"),
        (TOP(C) * A * A, ">=", A * C * A, "", "proved"),
        (trace(A * C), "<=", TOP(A) * trace(C), "", "proved"),
        (trace(A * C), ">=", LOW(A) * trace(C), "", "proved"),
        (trace(A * C), "<=", LOW(A) * trace(C), "", "refuted"),
        (trace(A * C) ** 2, "<=", trace(A * A) * trace(C * C), "", "proved"),
        (trace(A) ** 2, "<=", D * trace(A * A), "", "proved"),
        (trace(A) ** 2, "<=", trace(A * A), "", "refuted"),
        (trace(A**-1 * C), ">", 0, "", "proved"),
        (trace(H), ">=", 0, "positive semidefinite", "proved"),
        (trace(H), ">", 0, "positive semidefinite", "refuted"),
        (H, ">=", 0, "positive semidefinite", "proved"),
        (H, ">", 0, "positive semidefinite", "refuted"),
        (A + H, ">", 0, "positive semidefinite", "proved"),
        (trace(A * H), "<=", TOP(A) * trace(H), "positive semidefinite", "proved"),
        (trace(A * H), "<=", trace(A) * trace(H), "positive semidefinite", "proved"),
        (trace(A * H), "<=", trace(A) * trace(H), "symmetric", "refuted"),
        (trace(H), "<=", 0, "symmetric", "refuted"),
    ],
)
def test_orders_that_everybody_knows(left, relation, right, kind, verdict):
    found = about(left, relation, right, kind).find()
    assert found.verdict == verdict
    assert verdict == "proved" or not run(found.counterexample.script)


def test_a_kind_that_nobody_knows_is_refused():
    """It was taken for a positive definite one once."""
    with pytest.raises(DeclarationError, match="positive semidefinit'"):
        about(H, ">", 0, "positive semidefinit")
