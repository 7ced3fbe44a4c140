"""Two halves in one statement: if and only if of an equation, and existence beside a law."""

import pytest

from tests.verification.texts.quick import judged

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h, a, b | positive | |
| m, w | real | |
| s | in [0, 1] | |
| C | positive definite matrix | gradient noise |
| A | positive definite matrix | curvature |
| B | symmetric matrix | |
| X | matrix | |

```sampler weighted
xi ~ N(0, I)
theta' = theta - h (s grad(theta') + (1 - s) grad(theta)) + sqrt(2 h) xi
```

```sampler lmc
xi ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(2 h) xi
```

```sampler plain
theta' = theta - h g(theta)
```
"""
OF_LAWS = [
    ("weighted", r"$\Sigma = A^{-1}$ if and only if s = 1/2", "proved", ""),
    ("weighted", r"$\Sigma = A^{-1}$ iff s = 1/3", "refuted", "Sigma = A**(-1) if and only if s = 1/2"),
    ("weighted", r"If D = 1, then $\Sigma = A^{-1}$ iff s >= 1/2", "refuted", "if and only if s = 1/2"),
    ("weighted", r"If D = 1, then $\Sigma \ne A^{-1}$ iff s != 1/2", "proved", ""),
    ("plain", r"If S = 1, D = 1, then $\Sigma = C/A$ if and only if $h = 2/(1 + A)$", "proved", ""),
    ("plain", r"If S = 1, D = 1, then $\Sigma < C/A$ if and only if $h < 2/(1 + A)$", "proved", ""),
    ("plain", r"If S = 1, D = 1, then $\Sigma < C/A$ if and only if $h < 1/(1 + A)$", "refuted", ""),
    ("plain", r"If S = 1 and D = 1, then $\Sigma = C/A^2$ iff h = 2/A", "refuted", "only if h = 1/A"),
    ("lmc", r"A stationary law exists iff h lambda_max(A) < 2, and then $\Sigma = (A (I - h/2 A))^{-1}$",
     "proved", ""),
    ("lmc", r"An invariant distribution exists iff h lambda_max(A) < 2, "
     r"and then $\Sigma = (A (I - h A))^{-1}$",
     "limit-only", "it settles if and only if h*lambda_max(A) < 2"),
    ("lmc", r"There is exactly one stationary law iff h lambda_max(A) < 1, in which case "
     r"$\Sigma = (A (I - h/2 A))^{-1}$", "refuted", "h*lambda_max(A) < 2"),
    ("lmc", r"The chain has a unique invariant measure and $\Sigma = (A (I - h/2 A))^{-1}$",
     "proved-if", ""),
]  # fmt: skip
OF_NUMBERS = [
    (r"$a + b - h a b \ne 0$ if and only if $h \ne 1/a + 1/b$", "proved"),
    ("a^2 = b^2 if and only if a = b", "proved"),
    ("m^2 = w^2 if and only if m = w", "refuted"),
    ("m (m - 1) = 0 if and only if m = 1", "refuted"),
    ("m^2 + w^2 = 0 if and only if m = 0", "refuted"),
    ("a (a - 1) (a + 2) = 0 if and only if a = 1", "proved"),
    ("a^2 >= 2 a - 1 if and only if a = 1", "refuted"),
    ("a^2 <= 2 a - 1 if and only if a = 1", "proved"),
]


@pytest.mark.parametrize(("sampler", "said", "word", "instead"), OF_LAWS)
def test_each_half_is_judged_and_the_false_one_mended(text, sampler, said, word, instead):
    found = text(f"\nSampler: {sampler}, in discrete time.\n\n**Claim 1.** {said}.\n")
    assert not found.refused, found.refused
    verdict = judged(found.read[0])
    corrected = verdict.finding.corrected
    assert verdict.word == word
    assert instead in ("" if corrected is None else " and ".join(str(line) for line in corrected.lines))


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ("A stationary law exists iff h lambda_max(A) < 2", True),  # not where C = 0: zero is a law
        ("If h lambda_max(A) > 2, there is no stationary law", True),
        ("The chain has a normal stationary law", True),  # no word of what the noise is
        ("The chain is stable iff h lambda_max(A) < 2", False),
    ],
)
def test_a_law_exists_only_where_it_settles_if_noise_has_full_rank(text, monkeypatch, said, refused):
    body = f"\nSampler: plain, in discrete time.\n\n**Claim 1.** {said}.\n"
    assert bool(text(body).refused) == (refused and "normal" in said)
    monkeypatch.setattr(f"{__name__}.HEAD", HEAD.replace("C | positive definite", "C | symmetric"))
    assert bool(text(body).refused) == refused


@pytest.mark.parametrize(("said", "word"), OF_NUMBERS)
def test_an_equation_holds_exactly_where_another_does(stated, said, word):
    assert judged(stated("none", said)).word == word


EACH = "for all eigenvalues a, b of A"
SOLUTIONS = [
    (f"A X + X A - h A X A = C has exactly one solution X iff h != 1/a + 1/b {EACH}", "proved"),
    (f"A X + X A - h A X A = C has a unique solution X iff h != 1/a {EACH}", "refuted"),
    ("A X + X A = C has a unique solution X", "proved"),
    ("B X + X B = C has a unique solution X", "refuted"),
    ("A X - X A = C has exactly one solution X", "refuted"),
    ("If h lambda_max(A) < 2, then A X + X A - h A X A = C has exactly one solution X", "proved"),
    ("If h lambda_max(A) < 3, then A X + X A - h A X A = C has exactly one solution X", "refuted"),
    ("A X + X A - h A X A = C has exactly one solution X if and only if h lambda_max(A) < 2", "refuted"),
    # of each pair it fails at h a = 1 with b beside; of a whole spectrum it is so
    ("(I - h A) X (I - h A) = C has exactly one solution X iff h a != 1 for all eigenvalues a of A",
     "proved"),
    ("If D = 1, then 2 A X - h A^2 X = C has exactly one solution X if and only if h A != 2", "proved"),
    ("m w - a = b has exactly one solution w if and only if m != 0", "proved"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "word"), SOLUTIONS)
def test_an_equation_has_one_solution_where_nothing_makes_its_unknown_vanish(stated, said, word):
    assert judged(stated("none", said)).word == word


@pytest.mark.parametrize(
    "said",
    [
        "A X C + X A = C has exactly one solution X",  # whose eigenvectors are others
        "A X X = C has exactly one solution X",
        "A B = C has exactly one solution B",  # which need not be symmetric
        "A X + X A = C has exactly one solution X if and only if A C = C A",
    ],
)
def test_what_is_not_told_by_eigenvalues_of_one_matrix_is_refused(text, said):
    (one,) = text(f"\nSampler: none\n\n**Claim 1.** {said}.\n").refused
    assert one.expected.startswith(("an equation that is linear", "an unknown that", "conditions on"))
