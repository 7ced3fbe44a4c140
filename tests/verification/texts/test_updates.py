"""Lines of updates in a text are the declaration that Python would make of them."""

import pytest

from sgtheory import derive, registry
from sgtheory.errors import UnusableInput
from verification.library import gather
from verification.texts.blocks import block_of
from verification.texts.letters import Letters, row
from verification.texts.updates import sampler

LETTERS = Letters(
    (row("eps, gamma, a", "positive"), row("mu", "up to one"), row("H", "positive definite matrix"))
)
OURS = {
    "sgd": "theta' = theta - eps g(theta)",
    "momentum": "v' = (1 - mu) v - eps g(theta)\ntheta' = theta + v'",
    "sgld": "theta' = theta - eps/2 N g(theta) + sqrt(eps) xi\nxi ~ N(0, I)",
    "lmc": "theta' = theta - gamma N grad(theta) + sqrt(2 gamma) xi\nxi ~ N(0, I)",
}
LATEX = {
    "sgd": r"\theta_{t+1} &= \theta_t - \epsilon\, \hat{\nabla} L(\theta_t) \\",
    "momentum": r"v_{t+1} = (1-\mu) v_t - \epsilon \nabla \hat{L}(\theta_t) \\"
    "\n" r"\theta_{t+1} = \theta_t + v_{t+1}",
    "sgld": r"\theta_{t+1} = \theta_t - \epsilon/2 N \hat\nabla L(\theta_t) + \sqrt{\epsilon} \xi_t"
    "\n" r"\xi_t \sim \mathcal{N}(0, I)",
    "lmc": r"\theta_{t+1} = \theta_t - \gamma N \nabla L(\theta_t) + \sqrt{2\gamma}\, \xi"
    "\n" r"\xi \sim N(0, I)",
}  # fmt: skip


def _read(lines, tex=False):
    return sampler(block_of(lines, LETTERS, tex), "mine", LETTERS)[0]


@pytest.mark.parametrize("spelling", [OURS, LATEX], ids=["plain", "latex"])
@pytest.mark.parametrize("name", OURS)
def test_ours_are_themselves(name, spelling):
    mine, ours = _read(spelling[name], spelling is LATEX), registry.sampler(name)
    for time in ("continuous", "discrete"):
        found, known = (str(derive(one, time=time).covariance.pair) for one in (mine, ours))
        assert found == known, time


def test_without_a_prime_a_state_is_as_it_was():
    """v in the second line is the old one, although the first has changed it."""
    old = _read("v' = (1 - mu) v - eps g(theta)\ntheta' = theta + v")
    targets = [target.name for target, _ in old.updates]
    assert targets == ["v_old", "v", "theta"]
    assert {s.name for s in old.updates[-1][1].free_symbols} == {"theta", "v_old"}


def test_a_gain_is_a_matrix():
    found = _read("theta' = theta - eps H g(theta)")
    assert [p.name for p in found.parameters] == ["H", "eps"]


@pytest.mark.parametrize(
    "lines",
    ["theta = theta - eps g(theta)", "theta' = ", "theta' = theta theta", "theta' = theta - q g(theta)",
     "theta' = theta - sin(eps) g(theta)", "theta' = v'\nv' = theta", "theta' = theta -- g(", "nothing"],
)  # fmt: skip
def test_what_is_none_is_refused_in_a_line(lines):
    with pytest.raises(UnusableInput) as caught:
        _read(lines)
    assert "\n" not in str(caught.value)


def test_statements_below_a_block_are_about_it(tmp_path):
    text = f"eps | positive | step size\nmu | in (0, 1]\n\n```sampler ball\n{OURS['momentum']}\n```\n"
    text += (
        "\n**Claim 1.** E[theta v^T] + E[v theta^T] = 0.\n\nSampler: none\n\n**Claim 2.** eps < 2 eps\n"
    )
    path = tmp_path / "notes.md"
    path.write_text(text)
    first, second = gather((str(path),)).claims
    assert (str(first.of), second.of) == ("notes.md:ball", "")
    assert first.find().verdict == "proved"


LANGEVIN = """h | positive | step size

```sampler langevin
theta' = theta - h grad(theta) + sqrt(2 h) xi
xi ~ N(0, I)
```

**Claim 1.** In discrete time, the stationary covariance is
A^{-1}(I - hA/2)^{-1} for all h < 2/lambda_max(A).

**Claim 2.** In discrete time, the stationary covariance is
A^{-1}(I - hA)^{-1} for all h < 1/lambda_max(A).
"""


def test_langevin_on_a_potential_has_the_covariance_of_the_textbooks(tmp_path):
    path = tmp_path / "notes.md"
    path.write_text(LANGEVIN)
    found = {claim.key: claim.find().verdict for claim in gather((str(path),)).claims}
    assert found == {"claim1": "proved", "claim2": "limit-only"}


FRICTION = "exp(-gamma a/2)"
SPLITS = {  # xi and zeta are the two draws; h is written a
    "BAOAB": (
        "v <- v - a/2 grad(theta)\ntheta <- theta + a/2 v\n"
        "v <- exp(-gamma a) v + sqrt(1 - exp(-2 gamma a)) xi\n"
        "theta <- theta + a/2 v\nv <- v - a/2 grad(theta)\nxi ~ N(0, I)"
    ),
    "OAB": (
        f"u = {FRICTION}^2 v + sqrt(1 - {FRICTION}^4) xi\n"
        "theta' = theta + a u\nv' = u - a grad(theta')\nxi ~ N(0, I)"
    ),
}
BY_HAND = {
    "BAOAB": (
        "theta' = theta + a/2 (v - a/2 grad(theta)) + a/2 (exp(-gamma a) (v - a/2 grad(theta))"
        " + sqrt(1 - exp(-2 gamma a)) xi)\n"
        "v' = exp(-gamma a) (v - a/2 grad(theta)) + sqrt(1 - exp(-2 gamma a)) xi - a/2 grad(theta')\n"
        "xi ~ N(0, I)"
    ),
    "OAB": (
        "theta' = theta + a (exp(-gamma a) v + sqrt(1 - exp(-2 gamma a)) xi)\n"
        "v' = exp(-gamma a) v + sqrt(1 - exp(-2 gamma a)) xi - a grad(theta')\nxi ~ N(0, I)"
    ),
}
HALVES = (
    r"v_{k+1/2} = v_k - a \, grad(\theta_k)" "\n" r"\theta_{k+1} = \theta_k + a v_{k+\frac12}" "\n"
    r"v_{k+1} = mu v_{k+1/2} + \xi" "\n" r"\xi \sim N(0, I)"
)  # fmt: skip


def _law(lines, tex=False):
    return str(derive(_read(lines, tex)).covariance.pair)


@pytest.mark.parametrize("word", SPLITS)
def test_parts_with_names_and_changes_in_place_are_what_they_stand_for(word):
    assert _law(SPLITS[word]) == _law(BY_HAND[word])
    assert _law(SPLITS[word].replace("a/2 v", "a/3 v").replace("+ a u", "+ 2 a u")) != _law(
        BY_HAND[word]
    )


def test_half_a_step_has_a_name():
    by_hand = "v' = mu (v - a grad(theta)) + xi\ntheta' = theta + a (v - a grad(theta))\nxi ~ N(0, I)"
    late = "v' = mu (v - a grad(theta)) + xi\ntheta' = theta + a v'\nxi ~ N(0, I)"
    assert _law(HALVES, True) == _law(by_hand) != _law(late)


@pytest.mark.parametrize(
    "lines",
    [
        "theta' = theta + a u\nu = v\nv' = v",  # named after it is used
        "u = v - a g(theta)\nv' = u'\ntheta' = theta + v'",  # no state has this prime
        "v <- v - a g(theta)\ntheta' = theta + v",  # which v is meant?
        "a = mu\ntheta' = theta - a g(theta)",  # a letter of the table
        "u = u + v\nv' = v - u\ntheta' = theta + v",
        "u = 1\n" + "u = (u)\n" * 9 + "u = -u + u' + v\nv' = u",
        "xi ~ N(0, I)\nxi ~ N(0, I)\ntheta' = theta - a g(theta) + xi",  # once or twice?
        "v ~ N(0, I)\nv' = v - a g(theta)\ntheta' = theta + v",
        "xi ~ N(0, H)\ntheta' = theta - a g(theta) + xi",
        "theta' = theta - a g(theta)\nu = w",  # what is not used is read too
        "a_k ~ (mu, gamma) (1 + a)\ntheta' = theta - a g(theta)",
        "u = (v + v) (1 + 1)\n" + "u = u + u\n" * 30 + "v' = u\ntheta' = theta + v",
    ],
)
def test_a_name_that_is_none_is_refused(lines):
    with pytest.raises(UnusableInput) as caught:
        _read(lines)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("names", [("v", "q"), ("q", "v")])
def test_the_position_is_what_is_called_so_where_no_gradient_is_taken(names):
    """A letter that only stands in some brackets first is none."""
    lines = {"v": "v' = v - a (H q + mu v)", "q": "q' = q + a v'"}
    found = _read(
        "\n".join(lines[n] for n in names) if names[0] == "v" else "q' = q + a v\n" + lines["v"]
    )
    assert dict(found.aliases) == {"q": "theta"}
