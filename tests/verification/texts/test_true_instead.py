"""What is true instead of a false statement: a closed form, a range, in the letters of the statement."""

import pytest

from tests.verification.texts.quick import judged
from verification.statements import at_eigenvalues
from verification.texts import read
from verification.verdicts.verdict import Finding, RoutesDisagree

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| a, c | positive | |
| n | whole number | |
| h | positive | step |
| beta | in (0, 1) | |
| R | positive | |
| U | function | |
| A | positive definite matrix | curvature |

```sampler heavy
xi ~ N(0, 1)
v' = beta v - h (a x + sqrt(c) xi)
x' = x + v'
```

```sampler line
xi ~ N(0, 1)
x' = x - h (a x + sqrt(c) xi)
```

```sampler lmc
xi ~ N(0, 1)
x' = x - h a x + sqrt(2 h) xi
```

```sampler bent
xi ~ N(0, 1)
x' = x - h U'(x) + sqrt(2 h) xi
```

```sampler clipped
xi ~ Exp(1)
x' = x - h clip_R(a x + c (xi - 1))
```

```sampler matrices
xi ~ N(0, I)
x' = x - h A x + sqrt(2 h) xi
```

```sampler unknown
v' = beta v - h g(x)
x' = x + v'
```

"""


def told(text, sampler, said):
    """The verdict, and what is told beside it."""
    (one,) = text(f"Sampler: {sampler}, in discrete time.\n\n**Claim 1**. {said}\n").read
    verdict = judged(one)
    corrected = verdict.finding.corrected
    return verdict, "" if corrected is None else " and ".join(str(line) for line in corrected.lines)


@pytest.mark.parametrize(
    ("sampler", "said", "instead"),
    [
        (
            "heavy",
            "If h a < 2 (1 + beta), then tau_int(x) = (1 - beta) (2 - h a)/((1 + beta) h a).",
            "(1 - beta)*(2*beta + 2 - a*h)/(a*h*(beta + 1))",
        ),
        (
            "unknown",
            "If D = 1, S = 1 and h A < 2 (1 + beta), then tau_int(x) = (2 - h A)/(h A).",
            "(1 - beta)*(2*beta + 2 - A*h)/(A*h*(beta + 1))",
        ),
        ("heavy", "Var(x) = h c/((1 - beta) a).", "c*h*(beta + 1)/(a*(1 - beta)*(2*beta + 2 - a*h))"),
        ("line", "If h a < 2, then tau_int(x) = 2/(h a).", "2/(h*a) + (-1)"),
        ("lmc", "If h a < 2, then KL(N(0, Var(x)) || N(0, 1/a)) <= h^2 a^2/16.", "log(det("),
        ("bent", "E[x U'(x)] = 1.", "1 + h/2*E_bent[partial(U(x), x)**2]"),
        ("bent", "E[U'(x)] = h.", "E_bent[partial(U(x), x)] = 0"),
        (
            "clipped",
            "E[x] = 0.",
            "where the noise xi is symmetric about its mean, and the chain has one law",
        ),
        (
            "matrices",
            "If h lambda_max(A) < 2, then Sigma = A^{-1}/(1 - h lambda_max(A)/2).",
            "A*Sigma + Sigma*A - h*A*Sigma*A = 2*I",
        ),
    ],
)
def test_a_wrong_formula_is_told_with_the_right_one(text, sampler, said, instead):
    """A statement was refuted at a place, and nothing stood beside it."""
    verdict, shown = told(text, sampler, said)
    assert verdict.word in ("refuted", "limit-only")
    assert instead in shown


@pytest.mark.parametrize(
    ("sampler", "said", "condition"),
    [
        ("lmc", "Var(x) <= 2/a.", "a*h <= 1"),
        ("heavy", "Var(x) <= h c/((1 - beta) a).", "a*h <= beta + 1"),
        ("matrices", "Sigma <= (1 + beta) A^{-1}.", "h*lambda_max(A)*(beta + 1) <= 2*beta"),
        ("matrices", "If 2 h lambda_max(A) < 2, then 2 Sigma - Sigma[h -> 2 h] > 0.", "lambda_max(A)"),
    ],
)
def test_a_wrong_bound_is_told_with_where_it_holds(text, sampler, said, condition):
    """The condition, and that it holds nowhere else."""
    verdict, _ = told(text, sampler, said)
    assert verdict.word == "proved-if"
    assert verdict.finding.converse.known == "necessary"
    assert condition in str(verdict.finding.condition)


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("tau_int(x) = 0", "refuted"),
        ("long_run = c/a^2", "proved"),
        ("long_run = 0", "refuted"),
        ("If h a < 2 (1 + beta), then tau_int(x) <= 2 (1 - beta)/(h a)", "proved"),
    ],
)
def test_sums_over_lags_are_those_of_the_position(text, said, word):
    """With a velocity before it they were those of the velocity, whose sum is zero."""
    verdict, _ = told(text, "heavy", f"{said}.")
    assert verdict.word == word


@pytest.mark.parametrize(
    ("sampler", "said", "instead"),
    [
        ("lmc", "Var(x) <= 3/a if and only if h a <= 1.", "3*a*h <= 4"),
        (
            "matrices",
            "Sigma <= (1 + beta) A^{-1} if and only if h <= 2 beta/lambda_max(A).",
            "h*lambda_max(A)*(beta + 1) <= 2*beta",
        ),
        (
            "matrices",
            "Sigma <= 3 A^{-1} if and only if h lambda_max(A) <= 1.",
            "3*h*lambda_max(A) <= 4",
        ),
    ],
)
def test_a_wrong_if_and_only_if_is_told_with_the_right_range(text, sampler, said, instead):
    """Of numbers, and of matrices that are functions of A at each eigenvalue."""
    given = "h a" if sampler == "lmc" else "h lambda_max(A)"
    verdict, shown = told(text, sampler, f"If {given} < 2, then {said}")
    assert verdict.word == "refuted"
    assert "iff" in shown or "if and only if" in shown
    assert instead in shown


@pytest.mark.parametrize(
    "said",
    [
        "Sigma <= (1 + beta) A^{-1} if and only if h <= 2 beta/((1 + beta) lambda_max(A))",
        "Sigma >= A^{-1}",
        "Sigma <= 3 A^{-1} if and only if h lambda_max(A) <= 4/3",
    ],
)
def test_what_is_true_at_each_eigenvalue_is_proved(text, said):
    """True ones, beside the false ones above."""
    verdict, _ = told(text, "matrices", f"If h lambda_max(A) < 2, then {said}.")
    assert verdict.word == "proved"


def test_what_fails_and_is_so_at_each_eigenvalue_is_an_error(text):
    """It was called false without a word, though one of two routes is wrong there."""
    said = "**Claim 1**. If h lambda_max(A) < 2, then Sigma >= A^{-1}."
    (one,) = text(f"Sampler: matrices, in discrete time.\n\n{said}\n").read
    with pytest.raises(RoutesDisagree, match="each eigenvalue"):
        at_eigenvalues.beside(one.claim, Finding("refuted", "", ()), "discrete")


@pytest.mark.parametrize(
    ("said", "word", "instead"),
    [
        ("Sigma[h -> S h] = Sigma_{plain}[S -> 1]", "limit-only", "r_ij"),
        ("Sigma[h -> 2 h] = Sigma_{plain}[C -> C/2]", "refuted", "r_ij"),
        ("Sigma[S -> 2 S] = Sigma_{plain}[C -> C/2]", "proved", ""),
    ],
)
def test_two_laws_that_are_not_the_samplers_own_are_held_against_one_another(text, said, word, instead):
    """In every dimension, commuting or not: with the factor between them, entry by entry."""
    step = "```sampler plain\nx' = x - h g(x)\n```\n\n"
    (one,) = text(f"{step}**Claim 1**. In discrete time, {said}.\n").read
    verdict = judged(one)
    assert verdict.word == word
    assert instead in str(verdict.finding.corrected)
    assert "Sigma@" not in str(verdict.finding.corrected)


PRECONDITIONED = """| P | positive definite matrix | preconditioner |
| nu | {} | |

```sampler pre
x' = x - h P g(x)
```

```sampler heavy_pre
v' = nu v - h P g(x)
x' = x + v'
```

"""


@pytest.mark.parametrize(
    ("sampler", "kind", "said", "word", "instead"),
    [
        ("pre", "in (0, 1)", "if and only if h < 2/lambda_max(P A)", "proved", ""),
        ("pre", "in (0, 1)", "if and only if h lambda_max(A P) < 2", "proved", ""),
        (
            "pre", "in (0, 1)", "if and only if h < 2/(lambda_max(P) lambda_max(A))", "refuted",
            "h*lambda_max(P*A) < 2",
        ),
        ("pre", "in (0, 1)", "if h < 2/(lambda_max(P) lambda_max(A))", "proved", ""),
        (
            "heavy_pre", "in (0, 1)", "if and only if h < 2/lambda_max(P A)", "refuted",
            "h*lambda_max(P*A) < 2*(nu + 1)",
        ),
        ("heavy_pre", "in (0, 1)", "if and only if h lambda_max(P A) < 2 (1 + nu)", "proved", ""),
        ("heavy_pre", "real", "if nu < 1 and h lambda_max(P A) < 2", "refuted", ""),
        ("heavy_pre", "nonnegative", "if and only if h lambda_max(P A) < 2 (1 + nu)", "refuted", ""),
    ],
)  # fmt: skip
def test_with_a_matrix_before_every_gradient_the_range_is_one_of_their_product(
    tmp_path, sampler, kind, said, word, instead
):
    """Of the product's eigenvalues, which are at most those of the factors multiplied."""
    notes = tmp_path / "notes.md"
    claim = f"Sampler: {sampler}, in discrete time.\n\n**Claim 1**. The chain is stable {said}.\n"
    head = HEAD.partition("\n\n```")[0]
    notes.write_text(f"{head}\n{PRECONDITIONED.format(kind)}{claim}", encoding="utf-8")
    (one,) = read(notes).read
    verdict = judged(one)
    assert verdict.word == word
    assert instead in str(verdict.finding.corrected)


@pytest.mark.parametrize(
    ("sampler", "said", "word", "beside"),
    [
        ("line", "n averaged(n) <= c/a^2", "proved-if", "a*h <= 1"),
        ("line", "lagged(n, 0) > 0", "proved-if", "a*h < 1"),
        ("line", "lagged(n, 0) = (1 - h a)^n Var(x)", "proved", ""),
        ("line", "lagged(2, 0) = (1 - h a) Var(x)", "limit-only", "c*h*(1 - a*h)**2/(a*(2 - a*h))"),
        ("line", "averaged(2) = Var(x) (2 - h a)/2", "proved", ""),
        ("line", "averaged(2) = Var(x)/2", "refuted", "c*h/(2*a)"),
        ("heavy", "lagged(1, 0) > 0", "proved-if", "a*h < beta + 1"),
        ("heavy", "averaged(2) <= Var(x)/2", "proved-if", "beta + 1 <= a*h"),
        ("heavy", "averaged(2) <= Var(x)", "proved", ""),
    ],
)
def test_lags_and_windows_of_a_law_in_numbers(text, sampler, said, word, beside):
    """Of any number of steps where there is one state; else of a number that is known."""
    given = "h a < 2 (1 + beta)" if sampler == "heavy" else "h a < 2"
    verdict, _ = told(text, sampler, f"If {given}, then {said}.")
    shown = f"{verdict.finding.condition} {verdict.finding.corrected}"
    assert verdict.word == word
    assert beside in shown


def test_a_matrix_is_no_formula_in_one_eigenvalue(text):
    said = "If $C = I$, then $\\Sigma = (N A)^{-1}$."
    (one,) = text(f"Sampler: sgld, in discrete time.\n\n**Claim 1**. {said}\n").read
    verdict = judged(one)
    (line,) = verdict.finding.corrected.lines
    assert "lambda" not in str(line)
    assert "A" in str(line)
