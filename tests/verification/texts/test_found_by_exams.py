"""What encoders of blind exams met: tracebacks, and verdicts that were lost."""

from pathlib import Path

import pytest

from tests.verification.texts.quick import judged
from verification.texts import read
from verification.texts.python import called, said

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| A | symmetric positive definite matrix | curvature |
| tau | positive | temperature |
| Q | symmetric positive definite matrix | noise |
| xi | noises | |

"""
LOST = """```sampler injected
theta' = theta - h g(theta) + Q^{1/2} xi
```

Sampler: sgd, in discrete time.

**Claim 1** (a). If S = 1, then $A \\Sigma + \\Sigma A - h A \\Sigma A = h C$.
"""
TWO = """Sampler: underdamped:BAOAB, in discrete time.

**Claim 39** (b). If h^2 lambda_max(A) < 4, then Sigma = tau A^{-1} and E[v v^T] = tau I.
"""


def test_an_update_that_fits_no_value_is_told_and_the_rest_is_read(text):
    """The root of a matrix beside a vector was a TypeError that lost the whole file."""
    found = text(LOST)
    assert any("matrices" in one.expected for one in found.refused), found.refused
    (one,) = found.read
    assert judged(one).word == "proved"


def test_two_equations_under_a_hypothesis_are_judged(text):
    """What is true instead of two equations could not be written in the sampler's own letters."""
    (one,) = text(TWO).read
    verdict = judged(one)
    assert verdict.broken is None
    assert verdict.word != "proved"  # the velocity's variance is not tau at a finite step


def test_the_noise_of_a_step_before_leaves_no_letter_for_a_root(text):
    """sqrt(h) sqrt(tau) was two letters, of which no route could say that their squares are known."""
    found = text(AVERAGED)
    assert not found.refused
    assert [judged(one).word for one in found.read] == [
        "proved", "proved", "refuted", "proved", "proved",
    ]  # fmt: skip


AVERAGED = """```sampler plain
theta' = theta - h g(theta)
```

```sampler averaged_noise
xi ~ N(0, I)
theta' = theta - h g(theta) + sqrt(h tau/2) (z + xi)
z' = xi
```

**Claim 1**. In discrete time, Sigma = tau A^{-1} + Sigma_{plain}.

**Claim 2**. In discrete time, Sigma = tau A^{-1} + Sigma[tau -> 0].

**Claim 3**. In discrete time, Sigma = tau A^{-1} + Sigma_{plain}[h -> h/2].

**Claim 5**. In discrete time, Sigma[C -> 2 C] - Sigma[C -> 0] = 2 Sigma - 2 Sigma[C -> 0].

Sampler: averaged_noise, in discrete time.

**Claim 4**. Sigma = tau A^{-1} + E_{plain}[theta theta^T].
"""


def test_hypotheses_in_a_list_are_hypotheses(text):
    (one,) = text(SAMPLER + "**Claim 1**. If S = 1, D = 1 and h < 1, then Sigma > 0.").read
    assert len(one.given) == 3
    (two,) = text(SAMPLER + "**Claim 1**. If h < 1, h < 2 and h < 3.").read
    assert len(two.given) == 1


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("in [0, 1)", ["b < 1"]),
        ("whole number, at least 2", ["b >= 2"]),
        ("in (1/2, 2]", ["b > 1/2", "b <= 2"]),
    ],
)
def test_a_kind_may_be_a_range(text, kind, given):
    (one,) = text(f"b | {kind} | a number\n\n**Claim 1**. b = b + 1.").read
    assert [r.text() for r in one.given] == given


def test_what_is_broken_is_told_once(text):
    """One bad kind, and one bad sampler, made an error of each statement after them."""
    found = text(
        "b | strange | a number\n\n**Claim 1**. b = 1.\n\n**Claim 2**. b = h.\n\n**Claim 3**. h = 1.\n\n"
        "```sampler lost\ntheta' = theta - h grad(theta) + zeta\n```\n\n**Claim 4**. Sigma = 0.\n"
    )
    assert len(found.refused) == 2
    assert "Claim 1, Claim 2" in str(found.refused[0])
    assert all(told in str(found.refused[1]) for told in ("zeta ~ N(0, I)", "Claim 4"))
    assert [one.claim.key for one in found.read] == ["claim3"]


ROOTS = """```sampler two_draws
xi ~ N(0, I)
theta' = theta - h grad(theta) + \\sqrt{2 h tau} (r + xi)/2
r' = xi
```

"""


@pytest.mark.parametrize(
    ("said", "word"),
    [
        (r"E[\theta r^T] = \sqrt{h \tau/2} I", "proved"),
        (r"\sqrt{\tau} E[\theta r^T] = \tau \sqrt{h/2} I", "proved"),
        (r"h^{3/2} E[\theta r^T] = h^2 \sqrt{\tau/2} I", "proved"),
        (r"E[\theta r^T] = \sqrt{2 h \tau} I", "refuted"),
    ],
)
def test_a_root_in_front_of_a_state_is_the_same_however_it_is_written(text, said, word):
    """A letter stood for sqrt(2 h tau) in the step, and was no root of what a statement says."""
    (one,) = text(f"\n\nSampler: none, in discrete time.\n\n{ROOTS}**Claim 1**. ${said}$.\n").read
    assert judged(one).word == word


def test_a_sampler_that_is_not_known_leaves_none_in_force(text):
    """Statements after it were judged of the sampler before it, and one that is true was refuted."""
    found = text(
        "\n\nSampler: sgd, in discrete time.\n\nSampler: nosuch, in discrete time.\n\n"
        "**Claim 1**. A Sigma + Sigma A = h A Sigma A + h C.\n\n"
        "Sampler: sgd, in discrete time.\n\n**Claim 2**. Sigma A = A Sigma.\n"
    )
    (refused,) = found.refused
    assert "nosuch" in str(refused)
    assert "Claim 1" in str(refused)
    assert [one.claim.key for one in found.read] == ["claim2"]


SAMPLER = "```sampler plain\ntheta' = theta - h g(theta)\n```\n\n"


@pytest.mark.parametrize("name", ["exam1", "exam2", "exam3"])
def test_what_is_shown_as_python_loads_and_says_the_same(name):
    """Preconditioners and abbreviations were shown in words that Python does not know."""
    shown = read(Path(__file__).parents[3] / "examples" / "exam" / f"{name}.enc.md").read
    for one in shown:
        names: dict = {}
        exec(said(one.claim, one.given, one.python), names)
        made = names[called(one.claim.key)]
        assert made.statement.text() == one.claim.statement.text()


GIVEN = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| A | symmetric positive definite matrix | curvature |
| C | symmetric positive definite matrix | gradient noise covariance |
| S | whole number | minibatch size |
| beta | in [0, 1) | momentum |
| q | in (0, 4] | |
| x | real | |
| y | real | |
| delta | positive | |
| X | symmetric positive definite matrix | |

x < 2

```sampler S2
v' = beta v - h g(theta)
theta' = theta + v'
```

"""
FOLLOW = (
    "beta < 1",
    "q <= 4",
    "x < 3",
    "If D = 1, then X = det(X) I",
    "If y = 1 and x = y, then x^2 = 1",
    "If det(X) = delta, then det(X)^2 = delta^2",
    "In discrete time, if D = 1, then Sigma increases with h",
    "In discrete time, Sigma is positive definite",
)


@pytest.mark.parametrize("said", FOLLOW)
def test_what_a_text_gives_is_obeyed_where_it_is_refuted(tmp_path, said):
    """Rows of the table, lines beside it, D = 1, and numbers of letters that a formula is made of."""
    path = Path(tmp_path, "notes.md")
    path.write_text(GIVEN + f"**Claim 1** (a). {said}.\n")
    found = read(path)
    assert not found.refused, found.refused
    assert judged(found.read[0]).word in ("proved", "inconclusive")


@pytest.mark.parametrize("line", ["beta < nonsense", "Assume that $h$ is at most $2/L$, h < 2/L."])
def test_a_hypothesis_that_nothing_reads_is_an_error_with_its_line(text, line):
    found = text(f"{line}\n\n**Claim 1** (a). tau < 1 + tau.\n\n**Claim 2** (b). h < 1.\n")
    assert [one.key for one in found.claims] == ["claim1", "claim2"][: 1 if "$h$" in line else 2]
    (error,) = found.refused
    assert "line 11" in error.got


def test_prose_is_no_hypothesis(text):
    assert not text("Here a < b is odd, and h = 3 was used.\n\n**Claim 1** (a). h < h + tau.\n").refused


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("Sigma = tau A^{-1} (I - h/2 A)^{-1}", "refuted"),
        ("the chain is stable if and only if h < 2/lambda_max(A)", "refuted"),
        ("H A Sigma + Sigma A H - h H A Sigma A H = 2 tau H", "proved"),
    ],
)
def test_a_preconditioner_is_not_the_identity_where_nothing_says_so(text, said, word):
    """A range of stability was proved in which the preconditioner does not stand."""
    (one,) = text(f"{PRECONDITIONED}**Claim 1**. In discrete time, {said}.").read
    assert judged(one).word == word


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("if D = 1 and S = 1, then (tau_int(theta) - 1)^2 is smallest at h = 1/A", "proved"),
        ("if D = 1 and S = 1, then (tau_int(theta) - 1)^2 is smallest at h = 1/(2 A)", "refuted"),
        ("if S = 1 and Sigma = tau A^{-1}, then C = tau/h (2I - h A)", "inconclusive"),
        ("if S = 1 and Sigma = tau A^{-1}, then C = tau/h (2I - h A) A", "refuted"),
    ],
)
def test_a_law_is_the_one_at_the_place(text, said, word):
    """True ones were refuted: by the law at another step, and where the law is not what is given."""
    step = "```sampler plain\ntheta' = theta - h g(theta)\n```\n\n"
    (one,) = text(f"{step}**Claim 1**. In discrete time, {said}.").read
    assert judged(one).word == word


PRECONDITIONED = """H | symmetric positive definite matrix | preconditioner

```sampler preconditioned
xi ~ N(0, I)
theta' = theta - h H grad(theta) + sqrt(2 h tau) H^{1/2} xi
```

"""


CALM = """x' = x - h A x + sqrt(2 h) zeta"""


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("2 Sigma[h -> 2 h] - Sigma = Sigma A Sigma[h -> 2 h]", "proved"),
        ("2 Sigma[h -> 2 h] - Sigma = (Sigma A Sigma)[h -> 2 h]", "refuted"),
        ("$2 \\Sigma^{-1} = A + \\Sigma[h \\to 2h]^{-1}$", "proved"),
        ("$2 \\Sigma^{-1} = 2 A + \\Sigma[h \\to 2h]^{-1}$", "refuted"),
        ("E[x x^T] = (A - h/2 A^2)^{-1}", "proved"),
        ("E[x x^T] = (A - h A^2)^{-1}", "limit-only"),
        ("E[x^T A x] = 2 tr((2I - h A)^{-1})", "proved"),
    ],
)
def test_a_law_without_gradient_noise_is_a_function_of_the_curvature(text, said, word):
    """What stands before a bracket is the last factor alone; a position may be called x."""
    step = f"```sampler lmc\nzeta ~ N(0, I)\n{CALM}\n```\n\n"
    (one,) = text(f"{step}**Claim 1**. In discrete time, if h < 1/lambda_max(A), then {said}.").read
    assert judged(one).word == word


HEAVY = "```sampler hb\nv' = beta v - h g(x)\nx' = x + v'\n```\n\n"


@pytest.mark.parametrize(
    ("kind", "said", "words"),
    [
        ("real", "if beta < 1 and h A < 2 I, then the chain is stable", ()),
        ("real", "if -1 < beta < 1 and h A < I, then the chain is stable", ()),
        ("real", "if 0 <= beta and beta < 1 and h A <= 2 I, then the chain is stable", ("proved-if",)),
        ("real", "if 0 < beta and beta < 1 and h A <= 2 I, then the chain is stable", ("proved",)),
        ("in [0, 1)", "if h A <= 2 I, then the chain is stable", ()),
        ("in [0, 1)", "if h A < 2 I, then the chain is stable", ("proved",)),
        ("in (0, 1)", "if h A <= 2 I, then the chain is stable", ("proved",)),
    ],
)
def test_a_letter_that_need_not_be_positive_is_not_taken_for_positive(tmp_path, kind, said, words):
    """Ranges were proved that fail where beta is zero or negative."""
    notes = tmp_path / "notes.md"
    head = "| letter | kind |\n| --- | --- |\n| h | positive |\n| A | positive definite matrix |\n"
    notes.write_text(f"{head}| beta | {kind} |\n\n{HEAVY}**Claim 1**. In discrete time, {said}.")
    (one,) = read(notes).read
    found = judged(one).word
    assert found in (words or ("inconclusive", "refuted", "proved-if"))


SEVENTH = """| U | function | a potential |
| z | real | |

```sampler plain
theta' = theta - h g(theta)
```

```sampler bent
xi ~ N(0, 1)
y' = y - h U'(y) + sqrt(2 h) xi
```

Sampler: {}, in discrete time.

**Claim 1**. {}
"""


@pytest.mark.parametrize(
    ("sampler", "statement", "word"),
    [
        ("plain", "If S = 1, C > 0 and h lambda_max(A) < 1, then "
         "$KL(N(0, \\Sigma) \\| N(0, \\Sigma[h -> 2 h])) = \\frac{D}{2} (\\ln 2 - 1/2)$.", "refuted"),
        ("plain", "If $h < 2/sqrt(lambda_max(A))$ and h lambda_max(A) < 2, then the chain is stable.",
         "proved"),
        ("bent", "If z = 0, U'(z) = 0 and U''(y) >= 1 for all y, then E[y] = O(h).", "inconclusive"),
    ],
)  # fmt: skip
def test_what_ended_in_a_traceback_is_judged_or_says_why_not(tmp_path, sampler, statement, word):
    """A law that is called by no name, a bound that is a root, a derivative at a number."""
    notes = tmp_path / "notes.md"
    notes.write_text(HEAD.rstrip() + "\n" + SEVENTH.replace("{}", sampler, 1).replace("{}", statement))
    (one,) = read(notes).read
    verdict = judged(one)
    assert verdict.broken is None
    assert verdict.word == word


@pytest.mark.parametrize(
    ("hypotheses", "given"),
    [
        ("S = 1, C is positive definite, 0 < tau < 1",
         ["S = 1", "C > 0 as matrices", "0 < tau", "tau < 1"]),
        ("S = 1, A and C commute, h < 1", ["S = 1", "C*A = A*C", "h < 1"]),
        ("h, tau > 0, the chain is stable, h < 1", ["h > 0", "tau > 0", "it settles", "h < 1"]),
        ("S = 1 in discrete time, h < 1", ["S = 1", "h < 1"]),
        ("S = 1, unless D = 1, h < 1", ["D != 1", "S = 1", "h < 1"]),
    ],
)  # fmt: skip
def test_all_up_to_then_is_a_hypothesis(text, hypotheses, given):
    """What stood behind "C is positive definite" in a list was judged as a conclusion."""
    (one,) = text(SAMPLER + f"**Claim 1**. If {hypotheses}, then Sigma > 0.").read
    assert [r.text() for r in one.given] == given
    assert one.claim.statement.text() == "Sigma > 0 as matrices"


@pytest.mark.parametrize(
    "body",
    [
        "If S = 1, the chain is stable if and only if h < 1, tau < 1, then Sigma > 0.",
        "If D = 1, C is positive definite, 0 < tau, Sigma > 0.",
    ],
)
def test_what_may_be_a_hypothesis_or_not_is_refused_in_words(text, body):
    found = text(SAMPLER + f"**Claim 1**. {body}")
    assert not found.read
    assert any(told in str(found.refused[0]) for told in ("up to 'then'", "say which is meant"))


RANDOM_CURVATURE = """m, s | positive | |

```sampler drawn
xi ~ N(0, I)
c_k ~ (m, s^2)
theta' = (1 - h c_k) theta + sqrt(2 h) xi
```

Sampler: {}, in discrete time.

"""


@pytest.mark.parametrize(
    ("sampler", "said", "true"),
    [
        ("drawn", "The chain is stable if and only if 0 < h < 2/m",
         "it settles if and only if h*(m**2 + s**2) < 2*m"),
        ("drawn", "The chain is not stable if and only if h >= 2/m",
         "it does not settle if and only if h*(m**2 + s**2) >= 2*m"),
        ("none", "If h lambda_max(A) < 2, then 2 h I - h^2 C is positive semidefinite", ""),
    ],
)  # fmt: skip
def test_what_is_true_instead_says_something(text, sampler, said, true):
    """A condition was told to hold if and only if it does, and zero to be zero times something."""
    (one,) = text(RANDOM_CURVATURE.replace("{}", sampler) + f"**Claim 1**. {said}.").read
    finding = judged(one).finding
    assert finding.verdict == "refuted"
    assert (finding.corrected.lines[0].text if finding.corrected else "") == true


def test_of_a_row_the_first_letter_alone_is_the_step(text):
    """Both letters of "h, k | positive | step" were the step, and h < k was h < h."""
    row = "e, k | positive | step\n\n```sampler plain\ntheta' = theta - e g(theta)\n```\n\n"
    for sampler in ("plain", "sgd"):
        said = "If D = 1, S = 1, e < k and k A < 2, then Sigma <= Sigma[e -> k]."
        (one,) = text(f"{row}Sampler: {sampler}, in discrete time.\n\n**Claim 1**. {said}").read
        assert judged(one).word == "proved"


SCALED = """```sampler scaled
xi ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(2 h tau) xi
```

Sampler: scaled, in discrete time.

"""


@pytest.mark.parametrize(
    "said",
    [
        "If h lambda_max(A) < 2, then KL(N(0, A^{-1}) || N(0, Sigma)) is minimised at "
        "tau = 1 - h/(2 D) tr(A)",
        "KL(N(0, A^{-1}) || N(0, Sigma)) is minimised at tau = 1 - h/(2 D) tr(A)",
        "If D = 1 and h A < 2, then KL(N(0, A^{-1}) || N(0, Sigma)) is minimised at tau = 1 - h A/2",
    ],
)  # fmt: skip
def test_where_a_divergence_is_least_is_known_in_traces(text, said):
    """The slope has a covariance with an equation: it "did not vanish", and no reason was told.

    By hand: of the mode l the variance is tau/(l (1 - h l/2)), so that the sum over modes of
    (1 - h l/2)/tau + log(tau) is least where tau is the mean of 1 - h l/2.
    """
    (one,) = text(SCALED + f"**Claim 1**. {said}.").read
    verdict = judged(one)
    assert verdict.broken is None
    assert verdict.word == "proved"
    wrong = said.replace("h/(2 D)", "h/D").replace("h A/2", "h A")
    (twin,) = text(SCALED + f"**Claim 1**. {wrong}.").read
    assert judged(twin).word == "refuted"


WELL = """pi | density exp(-(y^2-1)^2/4) | target

```sampler well
xi ~ N(0, 1)
y' = y - h (y^3 - y) + sqrt(2 h) xi
```

Sampler: well, in discrete time.

"""


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("E[y^2] = E_pi[y^2] + (3 E_pi[y^2]^2 - 3 E_pi[y^2] + 1)/4 h + O(h^2)",
         "first terms of the left side less the formula, and the order, at h = 1/16 and 1/256"),
        ("E[y^2] - E_pi[y^2] = O(h^2) as h -> 0",
         "the first terms of the left side, and the right, at h = 1/16 and 1/256"),
    ],
)  # fmt: skip
def test_of_an_expansion_what_is_left_over_is_shown(text, said, shown):
    """It was called the left side, and a step was named beside it at which nobody had looked."""
    (one,) = text(WELL + f"**Claim 1**. {said}.").read
    finding = judged(one).finding
    assert finding.verdict == "refuted"
    assert finding.reason.startswith(f"At h = 1/16 {shown} come to 0.0")
