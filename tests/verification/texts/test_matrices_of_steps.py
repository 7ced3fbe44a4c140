"""Samplers with matrices of their own, and matrices that equations fix, in every dimension."""

from pathlib import Path

import pytest

from verification.texts import read

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| T | positive | temperature |
| A | symmetric positive definite matrix | curvature |
| C | symmetric positive definite matrix | gradient noise covariance |
| P | symmetric positive definite matrix | a preconditioner |
| G | diagonal matrix | a gain |
| Q | symmetric matrix | |
| S | whole number | minibatch size |

"""
PSGD = """```sampler psgd
theta' = theta - h P g(theta)
```

"""
GAIN = """```sampler gain
theta' = theta - h G g(theta)
```

"""
LMC = """```sampler lmc
zeta ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(2 h T) zeta
```

"""
CORRECTED = f"""{LMC}```sampler corrected
zeta ~ N(0, I)
theta' = theta - h g(theta) + Q zeta
```

"""
PLAIN = """```sampler plain
theta' = theta - h g(theta)
```

"""


@pytest.fixture
def found(tmp_path):
    def judged(sampler, said):
        path = Path(tmp_path, "notes.md")
        path.write_text(f"{HEAD}{sampler}**Claim 1**. In discrete time, {said}.\n")
        text = read(path)
        assert not text.refused, text.refused
        return text.read[0].claim.find()

    return judged


BEST = r"P = \frac{2 T}{h} (C + T A)^{-1}"
JUDGED = [
    # fifth exam, 27: the one preconditioner, in every dimension
    (PSGD, rf"if S = 1 and ${BEST}$, then $\Sigma = T A^{{-1}}$", "proved"),
    (PSGD, rf"if S = 1 and $\Sigma = T A^{{-1}}$, then ${BEST}$", "proved"),
    (PSGD, r"if S = 1 and $\Sigma = T A^{-1}$, then $P = \frac{T}{h} (C + T A)^{-1}$", "refuted"),
    (PSGD, r"if S = 1 and $P = \frac{T}{h} (C + T A)^{-1}$, then $\Sigma = T A^{-1}$", "refuted"),
    (PSGD, rf"if S = 1 and ${BEST}$, then the chain is stable", "proved"),
    (PSGD, r"if S = 1 and $P = \frac{3 T}{h} (C + T A)^{-1}$, then the chain is stable", "refuted"),
    # fifth exam, 28, with the inverse as an equation
    (PSGD, r"if S = 1, P A = I and h < 2, then $\Sigma = \frac{h}{2} A^{-1} C A^{-1}$", "limit-only"),
    (PSGD, r"if S = 1, P A = I and h < 2, then $\Sigma = \frac{h}{2 - h} A^{-1} C A^{-1}$", "proved"),
    (PSGD, "if P = A^{-1}, then the chain is stable", "proved-if"),
    (PSGD, "if P A = I, then the chain is stable if and only if h < 2", "proved"),
    (PSGD, r"if $2 P^{-1} \succ h A$, then the chain is stable", "proved"),
    (PSGD, "the chain is stable", "refuted"),
    # nothing is taken for the identity
    (PSGD, r"if S = 1, then $A \Sigma + \Sigma A - h A \Sigma A = h C$", "refuted"),
    (PSGD, r"if S = 1, then $P A \Sigma + \Sigma A P - h P A \Sigma A P = h P C P$", "proved"),
    (PSGD, r"if S = 1, then $\Sigma = h P C (A (2 I - h P A))^{-1}$", "proved-if"),
    (GAIN, "if S = 1, then $2 tr(A \\Sigma) - h tr(A G A \\Sigma) = h tr(G C)$", "proved"),
    # fifth exam, 26: a noise that makes up for that of gradients
    (CORRECTED, r"if S = 1 and $Q Q = 2 h T I - h^2 C$, then $\Sigma = \Sigma_{lmc}$", "proved"),
    (CORRECTED, r"if S = 1 and $Q Q = 2 h T I - h C$, then $\Sigma = \Sigma_{lmc}$", "refuted"),
    # fifth exam, 5: a solution of Lyapunov's equation
    (PLAIN, r"if S = 1 and $A P + P A = h C$, then $\Sigma \succeq P$", "proved"),
    (PLAIN, r"if S = 1 and $A P + P A = h C$, then $\Sigma \preceq P$", "refuted"),
    (PLAIN, r"if S = 1 and $A P + P A = h C$, then $\Sigma = P$", "limit-only"),
]
SLOW = ("\\Sigma = T A^{-1}$, then", "P C (A", "preceq P", "\\Sigma = P", "h T I - h C", "h A \\Sigma A")


@pytest.mark.parametrize(
    ("sampler", "said", "word"),
    [
        pytest.param(*one, marks=[pytest.mark.strong] if any(s in one[1] for s in SLOW) else [])
        for one in JUDGED
    ],
)
def test_a_law_in_words(found, sampler, said, word):
    assert found(sampler, said).verdict == word


@pytest.mark.strong
def test_the_one_preconditioner_in_both_directions(found):
    said = rf"if S = 1, then $\Sigma = T A^{{-1}}$ if and only if ${BEST}$"
    assert found(PSGD, said).verdict == "proved"


def test_what_is_true_instead_is_solved_where_it_can_be(found):
    true = found(PSGD, r"if S = 1, P A = I and h < 2, then $\Sigma = h A^{-1} C A^{-1}$").corrected
    assert [line.text for line in true.lines] == ["Sigma = h*A**(-1)*C*A**(-1)/(2 - h)"]


def test_a_place_shows_the_matrices_that_follow(found):
    at = found(PSGD, r"if S = 1 and $P = \frac{T}{h} (C + T A)^{-1}$, then $\Sigma = T A^{-1}$")
    place = at.counterexample.problem
    h, T = (int(place["params"][n]) for n in "hT")
    assert (h, T, place["params"]["P"]) == (1, 1, [["1/2"]])


def test_where_a_chain_with_newtons_preconditioner_is_stable(found):
    assert str(found(PSGD, "if P = A^{-1}, then the chain is stable").condition) == "h < 2"
