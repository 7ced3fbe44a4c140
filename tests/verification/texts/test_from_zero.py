"""Letters that may be zero, and what is said of numbers alone beside a sampler."""

import pytest

from tests.verification.texts.quick import judged
from verification import library

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h, eta | positive | |
| beta | in [0, 1) | momentum |
| gam | nonnegative | weight decay |
| phi | in (0, 1) | |
| P, Q | symmetric positive definite matrix | |

```sampler plain
theta' = theta - h g(theta)
```

```sampler heavy
v' = beta v - h g(theta)
theta' = theta + v'
```

```sampler decay
theta' = (1 - h gam) theta - h g(theta)
```
"""
OF_NUMBERS = (
    ("eta + gam > 0", "proved"),
    ("gam > 0", "refuted"),
    ("1/(1 + gam) <= 1", "proved"),
    ("1/(1 + gam) < 1", "proved-if"),
    ("If gam > 0, then 1/(1 + gam) < 1", "proved"),
    ("exp(-gam) <= 1", "proved"),
    ("exp(-gam) < 1", "refuted"),
    ("sqrt(gam^2) = gam", "proved"),
    ("sqrt(eta gam) <= (eta + gam)/2", "proved"),
    ("1/(1 - beta) > 1 + beta", "proved-if"),
    ("eta/(gam + eta) <= 2", "proved"),
    ("gam/(gam + eta) < 1", "proved"),
    ("eta/(gam + eta) < 1/2", "refuted"),
    ("eta + gam is least at gam = 0", "proved"),
    ("gam + 3 is least at gam = 0", "proved"),
)
OF_LAWS = (
    ("heavy", "If beta = 0 and S = 1, then Sigma = Sigma_plain", "proved"),
    ("heavy", "If beta = 0, then the chain is stable if and only if h < 2/lambda_max(A)", "proved"),
    ("heavy", "the chain is stable if and only if h < 2 (1 + beta)/lambda_max(A)", "proved"),
    ("decay", "the chain is stable if and only if h (lambda + gam) < 2", "proved"),
    ("decay", "the chain is stable if and only if h lambda < 2", "refuted"),
    ("decay", "If gam = 0 and S = 1, then A Sigma + Sigma A - h A Sigma A = h C", "proved"),
    ("decay", "If D = 1, S = 1 and h (2 A + gam) < 2, then Sigma < Sigma_plain", "refuted"),
)


@pytest.mark.parametrize(("statement", "word"), OF_NUMBERS)
def test_what_may_be_zero_is_no_positive_number(stated, statement, word):
    """A strict inequality that fails at zero alone is refuted there, and nothing else is lost."""
    assert judged(stated("none", statement)).word == word


@pytest.mark.parametrize(("sampler", "statement", "word"), OF_LAWS)
def test_a_parameter_may_be_zero(stated, sampler, statement, word):
    """Momentum in [0, 1) was a positive parameter, and "if beta = 0" a hypothesis that never holds."""
    assert judged(stated(f"{sampler}, in discrete time", statement)).word == word


@pytest.mark.parametrize("least", ["gam = 0", "gam = 7"])
def test_one_look_proves_no_best_value(stated, least):
    """Without other letters a best value was called proved where a few values beside it were worse."""
    found = stated("none", f"gam^2 ((gam - 7)^2 - 1/100) is least at {least}")
    assert judged(found).word != "proved"


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("2 - phi^2 - 2 sqrt(1 - phi^2) = (1 - sqrt(1 - phi^2))^2", "proved"),
        ("2 - phi^2 - sqrt(1 - phi^2) = (1 - sqrt(1 - phi^2))^2", "refuted"),
    ],
)
def test_numbers_alone_are_no_ones_law(stated, statement, word):
    """Roots became letters of the sampler beside them, of which two routes said two things."""
    found = stated("plain, in discrete time", statement)
    assert not found.claim.of
    assert judged(found).word == word


def test_a_difference_is_called_nonzero_only_where_it_was_seen(stated):
    """Of a difference that is zero it was said that it is not."""
    found = stated("none", "sqrt(2 - phi^2 - 2 sqrt(1 - phi^2)) = 1 - sqrt(1 - phi^2)").claim.find()
    assert found.verdict in ("proved", "inconclusive")
    assert "is not zero" not in str(found.reason)


def test_a_matrix_may_be_called_p(stated):
    """P_1 was read as the name of a moment of two states, and was no name of two."""
    time, tr = "plain, in discrete time", "\\operatorname{tr}"
    assert judged(stated(time, f"${tr}(A P A P^{{-1}}) = {tr}(P^{{-1}} A P A)$")).word == "proved"
    # true in every dimension; what was proved of it once was proved in two
    assert judged(stated(time, f"${tr}(A P A P^{{-1}}) \\ge {tr}(A^2)$")).word == "inconclusive"


def test_logarithms_beside_determinants_are_no_letters(stated):
    """log h was a fraction next to it, and so was no logarithm in exact numbers."""
    found = stated(
        "plain, in discrete time",
        "If D = 1 and S = 1, then log(det(Sigma)) = D log(h) + log(det(C)) - log(det(2 A - h A^2))",
    )
    verdict = judged(found)
    assert verdict.broken is None
    assert verdict.word in ("proved", "inconclusive")


def test_what_is_drawn_depends_on_what_is_said_and_on_no_name(tmp_path):
    """Two numbers of one statement had two counterexamples."""
    body = "".join(f"**Claim {k}.** A Sigma = Sigma A.\n\n" for k in (1, 27))
    path = tmp_path / "notes.md"
    path.write_text(f"{HEAD}\nSampler: plain, in discrete time\n\n{body}", encoding="utf-8")
    places = {str(claim.find().counterexample.problem) for claim in library.gather((str(path),)).claims}
    assert len(places) == 1


def test_what_fails_where_both_sides_are_equal_is_told_so(stated):
    """A strict inequality had a factor of 5/4 beside it, and no condition."""
    found = stated("none", "1/(1 + gam) < 1").claim.find()
    assert (found.verdict, str(found.condition)) == ("proved-if", "gam > 0")
    alike = stated("none", "h^2 + eta^2 > 2 h eta").claim.find()
    assert alike.verdict == "refuted"
    assert alike.corrected.text == "h**2 + eta**2 >= 2*h*eta"


def test_a_condition_can_hold_beside_a_step_that_is_given(stated):
    """h lambda < 2 is no condition where h lambda is 2."""
    found = stated("plain, in discrete time", "If h = 2/lambda_max(A), then the chain is stable")
    assert judged(found).word == "refuted"
