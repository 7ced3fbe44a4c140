"""What works of the shelf needed: several hypotheses, a function g, roots that are not real."""

import pytest

from verification.texts import read


@pytest.fixture
def judged(tmp_path):
    def found(text):
        path = tmp_path / "notes.md"
        path.write_text(text, encoding="utf-8")
        result = read(path)
        assert not result.refused
        return result.claims

    return found


def test_all_that_stands_before_then_is_given(judged):
    first = "**Claim 1.** If $m \\le a$, $a \\le b$ and $b \\le c$, then $m \\le c$.\n\n"
    second = "**Claim 2.** If a <= b, then a <= 2b, and a <= 3b.\n"
    chained, two = judged(f"a, b, c, m | positive\n\n{first}{second}")
    assert [len(chained.given), len(two.given)] == [3, 1]
    assert chained.find().verdict == "proved"


def test_a_function_g_of_the_table_is_no_parameter_of_a_sampler(judged):
    text = "g | function\nh | positive\n\n```sampler own\ntheta' = theta - h g(theta)\n```\n\n"
    (claim,) = judged(
        text + "**Claim 1.** In discrete time, the chain is stable if h < 2/lambda_max(A).\n"
    )
    assert {p.name for p in claim.setting.sampler.parameters} == {"h"}


def test_places_at_which_a_step_is_not_real_are_none(judged):
    """The noise of minibatches is taken off what is injected, as far as there is some."""
    text = "h | positive\n\n```sampler less\ntheta' = theta - h N g(theta) + sqrt(2 h - h^2 N^2/S) xi\n"
    text += (
        "xi ~ N(0, I)\n```\n\n**Claim 1.** In discrete time, if $C = I$, then $\\Sigma = (N A)^{-1}$.\n"
    )
    (claim,) = judged(text)
    finding = claim.find()
    assert finding.verdict == "limit-only"
    assert not claim.twins(finding, 2).survivors


def test_what_is_so_of_letters_of_a_hypothesis_is_given_too(judged):
    """A matrix of no kind was proved to be positive; a bound beside the one that was used was lost."""
    table = "h, L | positive\nP, M | matrix\nA | symmetric positive definite matrix\n"
    said = "\nL >= 1\n\nh < 1/L\n\nM = P + A\n\n"
    order, bound = judged(f"{table}{said}**Claim 1.** $M > A$.\n\n**Claim 2.** $h < 1$.\n")
    assert order.find().verdict == "refuted"
    assert bound.find().verdict == "proved"
    (alone,) = judged(f"{table}\nh < 1/L\n\n**Claim 1.** $h < 1$.\n")
    assert alone.find().verdict != "proved"
