"""What encoders could not say: drawing, reversibility, steps given by matrices, constants in updates."""

import pytest

from tests.verification.texts.quick import judged

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h, a, b | positive | |
| C | symmetric positive definite matrix | gradient noise covariance |
| P | symmetric positive definite matrix | |
| z | column of each | |

```sampler plain
theta' = theta - h g(theta)
```

```sampler gained
theta' = theta - h P g(theta)
```

```sampler twice
theta' = theta - h grad(theta) + h^2 A grad(theta)
```

```sampler shifted
xi ~ N(0, 1)
x' = x - h (a x - b) + sqrt(2 h) xi
```
"""
BATCH = "E[(avg_S(z) - avg_N(z)) (avg_S(z) - avg_N(z))^T]"
SPREAD = "avg_N((z - avg_N(z)) (z - avg_N(z))^T)"
WITHOUT = f"{BATCH} = (N - S)/(S (N - 1)) {SPREAD}"
DRAWN = (
    (f"If minibatches are drawn without replacement and S <= N, then {WITHOUT}", "proved"),
    (f"If S <= N and the batch is sampled uniformly without replacement, then {WITHOUT}", "proved"),
    (f"If examples are drawn with replacement, then {BATCH} = {SPREAD}/S", "proved"),
    (f"If S <= N and minibatches are drawn without replacement, then {BATCH} = {SPREAD}/S", "proved-if"),
)
OF_A_STEP = (
    ("The chain is reversible if and only if A C = C A", "proved"),
    ("If C A = A C, the chain is reversible", "proved"),
    ("The chain is reversible", "proved-if"),
    ("If S = 1 and h = 1/lambda_max(A), then tr(A^2 Sigma) <= tr(C)", "proved"),
    ("If S = 1 and h = 1/lambda_max(A), then tr(A^2 Sigma) = tr(C)", "refuted"),
    # sum over modes of h l C_ll/(2 - h l), so that it holds where h l >= 1, which is D = 1 at this step
    ("If S = 1 and h = 1/tr(A), then tr(A^2 Sigma) >= tr(C)", "proved-if"),
    ("If h = 1/lambda_max(A), then the chain is stable", "proved"),
    ("If h = 3/lambda_max(A), then the chain is not stable", "proved"),
    ("If h = 1/lambda_min(A), then the chain is not stable", "refuted"),
)
OF_A_LINE = (
    ("E[x] = b/a", "proved"),
    ("Var(x) = 2/(a (2 - h a))", "proved"),
    ("E[x] = b/(a + h)", "limit-only"),
)


def word(found):
    return judged(found).word


@pytest.mark.parametrize(("statement", "expected"), DRAWN)
def test_how_minibatches_are_drawn_is_a_hypothesis(stated, statement, expected):
    assert word(stated("none", statement)) == expected


@pytest.mark.parametrize(("statement", "expected"), OF_A_STEP)
def test_a_step_may_be_given_by_the_curvature_and_a_chain_be_reversible(stated, statement, expected):
    """h = 1/lambda_max(A) ended in an error; what is reversible was said as a lagged covariance."""
    assert word(stated("plain, in discrete time", statement)) == expected


@pytest.mark.parametrize("sampler", ["gained", "twice"])
def test_no_other_chain_is_called_reversible_by_that(text, sampler):
    """Of two powers of A in a step two eigenvalues may give one factor."""
    found = text(f"\nSampler: {sampler}, in discrete time\n\n**Claim 1.** The chain is reversible.\n")
    assert [one.expected for one in found.refused] == [
        "a sampler of one state whose step is linear in A"
    ]


@pytest.mark.parametrize(("statement", "expected"), OF_A_LINE)
def test_a_line_of_updates_may_add_a_number(stated, statement, expected):
    assert word(stated("shifted, in discrete time", statement)) == expected


def test_what_is_said_to_exist_leaves_no_letter_open(text):
    """For some h, for any A and C, was proved by one A and one C."""
    said = "There is h > 0 with Sigma = A^{-1}", "There is no h for which Sigma = A^{-1}"
    body = "".join(f"**Claim {k}.** {one}.\n\n" for k, one in enumerate(said))
    found = text(f"\nSampler: plain, in discrete time\n\n{body}")
    assert [one.keys for one in found.refused] == [("claim0",)]
    (nowhere,) = found.read
    assert word(nowhere) == "refuted"


@pytest.mark.parametrize("listed", ["h, a, b > 0", "h, a and b"])
def test_each_letter_of_a_list_is_named(stated, listed):
    """The one that stands before the bound was said to be left open."""
    assert word(stated("none", f"There are {listed} with h + a < b")) == "proved"


def test_a_letter_that_is_left_open_is_told(text):
    (refused,) = text("\nSampler: none\n\n**Claim 1.** There are h, a with h + a < b.\n").refused
    assert "expected b too, or a value; got h, a alone, in" in str(refused)
