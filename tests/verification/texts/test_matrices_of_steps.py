"""Samplers with matrices of their own, and matrices that equations fix, in every dimension."""

from pathlib import Path

import pytest

from sgtheory.notation.matrixwords import SIGMA, A, Trace
from verification.notation import D
from verification.texts import read
from verification.theories.matrices import wordproofs

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
HEAVY = """```sampler heavy
v' = T v - h P g(theta)
theta' = theta + v'
```

"""
OUTWARDS = """```sampler outwards
theta' = (1 + T) theta - h P g(theta)
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
def found(text):
    def judged(sampler, said):
        notes = text(f"{sampler}**Claim 1**. In discrete time, {said}.\n")
        assert not notes.refused, notes.refused
        return notes.read[0].claim.find()

    return judged


BEST = r"P = \frac{2 T}{h} (C + T A)^{-1}"
JUDGED = [
    # fifth exam, 27: the one preconditioner, in every dimension
    (PSGD, rf"if S = 1 and ${BEST}$, then $\Sigma = T A^{{-1}}$", "proved"),
    (PSGD, rf"if S = 1 and $\Sigma = T A^{{-1}}$, then ${BEST}$", "proved"),
    (PSGD, r"if S = 1 and $\Sigma = T A^{-1}$, then $P = \frac{T}{h} (C + T A)^{-1}$", "refuted"),
    (PSGD, r"if S = 1 and $P = \frac{T}{h} (C + T A)^{-1}$, then $\Sigma = T A^{-1}$", "refuted"),
    (PSGD, rf"if S = 1 and ${BEST}$, then the chain is stable", "proved"),
    (PSGD, r"if S = 1 and $P = \frac{3 T}{h} (C + T A)^{-1}$, then the chain is stable", "proved-if"),
    # fifth exam, 28, with the inverse as an equation
    (PSGD, r"if S = 1, P A = I and h < 2, then $\Sigma = \frac{h}{2} A^{-1} C A^{-1}$", "limit-only"),
    (PSGD, r"if S = 1, P A = I and h < 2, then $\Sigma = \frac{h}{2 - h} A^{-1} C A^{-1}$", "proved"),
    (PSGD, "if P = A^{-1}, then the chain is stable", "proved-if"),
    (PSGD, "if P A = I, then the chain is stable if and only if h < 2", "proved"),
    (PSGD, r"if $2 P^{-1} \succ h A$, then the chain is stable", "proved"),
    (PSGD, "the chain is stable", "proved-if"),
    (PSGD, "if P A = T I, then the chain is stable if and only if h T < 2", "proved"),
    (PSGD, "if P A = I, then the chain is stable if and only if h < 1", "refuted"),
    (HEAVY, "if P A = I and T < 1, then the chain is stable if and only if h < 2 + 2 T", "proved"),
    (HEAVY, "if P A = I and T < 1, then the chain is stable if and only if h < 2", "refuted"),
    (PSGD, r"if P = T I, then the chain is stable if and only if $h T \lambda_{max}(A) < 2$", "proved"),
    (PSGD, r"if P = 3 I, then the chain is stable if and only if $h \lambda_{max}(A) < 2$", "refuted"),
    (OUTWARDS, "if P A = 3 I, T < 3 h and 3 h < 2 + T, then the chain is stable", "proved"),
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
    # a law that is given drives nothing
    (PSGD, r"if S = 1 and $\Sigma = P$, then $\Sigma \preceq A$", "refuted"),
    (PSGD, r"the chain is stable if and only if $0 < 2 - h \lambda_{max}(P A)$", "proved"),
    (PSGD, r"the chain is stable if and only if $h < 2/\lambda_{max}(A P)$", "proved"),
    # that numbers differ says of neither that it is the smaller
    (PSGD, r"if $1 \neq h \lambda_{max}(P A)$, then the chain is stable", "proved-if"),
    # the largest eigenvalue being above something says nothing of the others; P A is not symmetric
    (PSGD, r"if $h \lambda_{max}(A) < 2$, then $h A \prec 2 I$", "proved"),
    (PSGD, r"if $-h \lambda_{max}(A) < -2$, then $h A \succeq I$", "refuted"),
    (PSGD, r"if $h \lambda_{max}(P A) < 2$, then $h P A \preceq 2 I$", "refuted"),
]
SLOW = (
    "A \\succeq I",
    "\\Sigma = T A^{-1}$, then",
    "P C (A",
    "preceq",
    "\\Sigma = P",
    "h T I - h C",
    "h A \\Sigma A",
)


@pytest.mark.parametrize(
    ("sampler", "said", "word"),
    [
        pytest.param(*one, marks=[pytest.mark.strong] if any(s in one[1] for s in SLOW) else [])
        for one in JUDGED
    ],
)
def test_a_law_in_words(found, sampler, said, word):
    assert found(sampler, said).verdict == word


T1, T2 = Trace(SIGMA), Trace(SIGMA**2)


@pytest.mark.parametrize(
    ("rest", "is_one"),
    [
        (T1 - 2 * D, True),
        (A * SIGMA - SIGMA * A, True),
        (T1**2 - T2, False),
        (D * T1 - T1, False),
        (1 / T1 - Trace(SIGMA**-1), False),
        (T1 * A - Trace(A) * SIGMA, False),
        (D * SIGMA - SIGMA, False),
        (T1 - 1, False),
    ],
)
def test_what_is_one_at_every_eigenvalue_is_a_sum_over_them(rest, is_one):
    assert wordproofs._are_sums(rest) is is_one


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


@pytest.mark.parametrize(
    ("sampler", "given", "needed"),
    [
        (PSGD, "if P = A^{-1}, then", "h < 2"),
        (PSGD, "if P A = 3 I, then", "3*h < 2"),
        (HEAVY, "if P = A^{-1} and T < 1, then", "h < 2*(T + 1)"),
        (HEAVY, "if P = 3 I and T < 1, then", "3*h*lambda_max(A) < 2*(T + 1)"),
        (PSGD, "", "h*lambda_max(P*A) < 2"),
        # of h P A = 3 T (C + T A)^(-1) A eigenvalues are from 0 to 3: below 2 where C is large enough
        (PSGD, r"if S = 1 and $P = \frac{3 T}{h} (C + T A)^{-1}$, then", "h*lambda_max(P*A) < 2"),
    ],
)
def test_where_a_chain_with_a_preconditioner_is_stable(found, sampler, given, needed):
    """What is given of P A is put in: with Newton's it is the identity."""
    judged = found(sampler, f"{given} the chain is stable")
    assert (judged.verdict, str(judged.condition)) == ("proved-if", needed)


@pytest.mark.parametrize("top", [r"h \lambda_{max}(P A)", r"3 h \lambda_{max}(A)"])
def test_that_the_largest_eigenvalue_is_above_something_is_said_of_no_other(found, top):
    given = "P = 3 I, " if "3" in top else ""
    said = f"if {given}$T < {top}$ and ${top} < 2 + T$, then the chain is stable"
    assert found(OUTWARDS, said).verdict != "proved"  # along the others it may be led outwards


NOISY = f"""{LMC}```sampler noisy
zeta ~ N(0, I)
theta' = theta - h g(theta) + (2 h T I - h^2 C)^{{1/2}} zeta
```

"""
ROOTED = """```sampler rooted
zeta ~ N(0, I)
theta' = theta - h P grad(theta) + sqrt(2 h T) P^{1/2} zeta
```

"""
NEWTON = """```sampler newton
theta' = theta - h A^{-1} g(theta)
```

"""
WHITE = """```sampler white
theta' = theta - h C^{-1} g(theta)
```

"""
BACKWARD = """```sampler backward
zeta ~ N(0, I)
theta' = (I + h A)^{-1} (theta + sqrt(2 h T) zeta)
```

"""
HALF = """```sampler half
theta' = theta - h C^{-1/2} g(theta)
```

"""
ADDED = """```sampler added
zeta ~ N(0, I)
theta' = (I - h P A) theta + (h P C P + h^2 C)^{1/2} zeta
```

"""


@pytest.mark.parametrize(
    ("sampler", "said", "word"),
    [
        (NOISY, r"if S = 1, then $\Sigma = \Sigma_{lmc}$", "proved"),
        (NOISY, r"if S = 1 and $2 T I - h C \succeq 0$, then $\Sigma = \Sigma_{lmc}$", "proved"),
        (NOISY, r"if S = 1, then $\Sigma = T A^{-1}$", "limit-only"),
        (ROOTED, r"$\Sigma = T (A - \frac{h}{2} A P A)^{-1}$", "proved"),
        (ROOTED, r"if P = A^{-1}, then $\Sigma = \frac{2 T}{2 - h} A^{-1}$", "proved"),
        (NEWTON, r"if S = 1 and h < 2, then $\Sigma = \frac{h}{2 - h} A^{-1} C A^{-1}$", "proved"),
        (NEWTON, r"if S = 1 and h < 2, then $\Sigma = \frac{h}{2} A^{-1} C A^{-1}$", "limit-only"),
        (NEWTON, "the chain is stable if and only if h < 2", "proved"),
        (NEWTON, "the chain is stable if and only if h < 1", "refuted"),
        (WHITE, r"if S = 1, then $A C \Sigma + \Sigma C A = h I$", "refuted"),
        (BACKWARD, r"$\Sigma = T (A + \frac{h}{2} A^2)^{-1}$", "proved"),
        (BACKWARD, r"$\Sigma = T A^{-1}$", "limit-only"),
        (ADDED, r"$P A \Sigma + \Sigma A P - h P A \Sigma A P = P C P + h C$", "proved"),
        (ADDED, r"$P A \Sigma + \Sigma A P - h P A \Sigma A P = P C P$", "limit-only"),
    ],
)
def test_roots_inverses_and_sums_in_updates(found, sampler, said, word):
    assert found(sampler, said).verdict == word


def test_a_root_that_is_not_only_seen_in_covariances_is_no_triangular_factor(found):
    """Of C^(-1/2) before a gradient no exact place has a value but in one dimension: none is made up."""
    said = r"if S = 1, then $C^{-1/2} A \Sigma + \Sigma A C^{-1/2} = h I$"
    assert found(HALF, said).verdict in ("refuted", "limit-only", "inconclusive")


def test_what_the_step_is_made_of_is_put_into_its_equation(found):
    true = found(WHITE, r"if S = 1, then $A C \Sigma + \Sigma C A = h I$").corrected
    assert "C**(-1)*A*Sigma + Sigma*A*C**(-1)" in true.lines[0].text


@pytest.mark.parametrize("update", ["theta + P", "theta - h g(theta)/P", "(theta + P) - h g(theta)"])
def test_what_is_no_vector_is_told_in_a_line(tmp_path, update):
    path = Path(tmp_path, "notes.md")
    path.write_text(f"{HEAD}```sampler odd\ntheta' = {update}\n```\n\n**Claim 1**. $\\Sigma = A$.\n")
    (first, *_) = read(path).refused
    assert "matri" in str(first)


OWN_LETTERS = """| letter | kind | what it is |
| --- | --- | --- |
| eta | positive | step size |
| B | whole number | minibatch size |
| K | symmetric positive definite matrix | curvature |
| D | symmetric positive definite matrix | gradient noise covariance |
| T, w, f | positive | |
| R | symmetric positive definite matrix | a preconditioner |

"""


@pytest.mark.parametrize(
    ("updates", "said", "word"),
    [
        (r"x_{k+1} = x_k - \eta g(x_k)", r"$K \Sigma + \Sigma K - \eta K \Sigma K = \eta D$", "proved"),
        (r"x_{k+1} = x_k - \eta g(x_k)", r"$K \Sigma + \Sigma K = \eta D$", "limit-only"),
        (
            "W_k ~ N(0, I)\nq_{k+1} = q_k - \\eta K q_k + \\sqrt{2 \\eta T} W_k",
            r"$\Sigma = T (K - \frac{\eta}{2} K^2)^{-1}$",
            "proved",
        ),
        (
            r"x' = (1 - \eta w) x - \eta g(x)",
            r"$(K + w I) \Sigma + \Sigma (K + w I) - \eta (K + w I) \Sigma (K + w I) = \eta D$",
            "proved",
        ),
        (r"y' = y - \eta R g(y)", r"$R K \Sigma + \Sigma K R = \eta R D R$", "limit-only"),
        (r"y' = y - f R g(y)", r"$R K \Sigma + \Sigma K R - f R K \Sigma K R = f R D R$", "proved"),
        (
            "p' = w p - f g(x)\nx' = x + p'",
            r"the chain is stable if and only if $f \lambda_{max}(K) < 2 + 2 w$",
            "refuted",  # w may be 1 and more
        ),
    ],
)
def test_letters_are_what_the_text_says(tmp_path, updates, said, word):
    """Whatever they are by default: D, B and f are letters of the house, and states may be called x."""
    path = Path(tmp_path, "notes.md")
    body = f"```sampler own\n{updates}\n```\n\n**Claim 1**. In discrete time, if B = 1, then {said}.\n"
    path.write_text(OWN_LETTERS + body)
    text = read(path)
    assert not text.refused, text.refused
    assert text.read[0].claim.find().verdict == word
