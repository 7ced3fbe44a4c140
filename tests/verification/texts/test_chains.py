"""Chains that are not linear, as texts say them: first terms, what a step leaves, how many laws."""

import pytest
import sympy as sp

from sgtheory.dynamics.firstorder import LineStep, whole
from sgtheory.dynamics.modified import modified
from sgtheory.dynamics.steps import Step
from verification.texts import read
from verification.texts.python import called, said

HEAD = """| letter | kind | what it is |
| --- | --- | --- |
| h, T, c, lambda, sigma | positive | |
| U, phi | function | a potential, and what is averaged |
| pi | density exp(-U(x)/T) | target |

```sampler lmc
xi ~ N(0, 1)
x' = x - h U'(x) + sqrt(2 h T) xi
```

```sampler ie
xi ~ N(0, 1)
x' = x - h U'(x') + sqrt(2 h T) xi
```

```sampler absolute
xi ~ N(0, 1)
x' = x - h sign(x) + sqrt(2 h T) xi
```

```sampler signs
xi ~ N(0, 1)
x' = x - h sign(lambda x + sigma xi)
```

```sampler wavy
xi ~ N(0, 1)
x' = x - h lambda x - h sin(x) + sqrt(2 h T) xi
```

```sampler tamed
xi ~ N(0, 1)
x' = x - h x^3/(1 + h |x^3|) + sqrt(2 h) xi
```

```sampler clipped
xi ~ N(0, 1)
x' = x - h clip_c(x^3) + sqrt(2 h T) xi
```

"""
STATED = (
    ("lmc", r"As $h \to 0$, $E[\phi] = E_\pi[\phi] + h \mathrm{Cov}_\pi"
     r"(\phi, \frac{U'^2}{4T} - \frac{1}{2} U'') + O(h^2)$", "proved"),
    ("lmc", r"$E[x^2] - E_\pi[x^2] = h (T/2 - \mathrm{Cov}_\pi(x^2, U'')/4) + O(h^2)$", "proved"),
    ("lmc", r"$E[x^2] - E_\pi[x^2] = h (T/2 + \mathrm{Cov}_\pi(x^2, U'')/4) + O(h^2)$", "refuted"),
    ("lmc", r"$E[\phi] = E_\pi[\phi] + O(h)$", "proved"),
    ("lmc", r"$E[U'] = 0$", "proved"),
    ("lmc", r"$E[x U'] = T + \frac{h}{2} E[U'^2]$", "proved"),
    ("lmc", r"$E[x U'] = T + h E[U'^2]$", "refuted"),
    ("lmc", "If U(x) = x^4/4, the chain has a stationary law", "refuted"),
    ("lmc", "If U(x) = x^4/4, the chain has a unique stationary law for all small enough h", "refuted"),
    ("lmc", "If U(x) = x^4/4, then E[x^4] = T + h/2 E[x^6]", "inconclusive"),
    ("tamed", r"If c < 1/h, then $E[\exp(c |x|)] < \infty$", "inconclusive"),  # it may be no number
    ("ie", "If U(x) = x^4/4, the chain has exactly one stationary law", "proved"),
    ("ie", r"$E[\phi] = E_\pi[\phi] + O(h^2)$", "refuted"),
    ("absolute", "E[|x|] = T + h/2", "proved"),
    ("absolute", "E[|x|] = T + h", "refuted"),
    ("absolute", "E[|x|] = T + O(h)", "inconclusive"),
    ("absolute", "the chain has a unique stationary law", "proved"),
    ("signs", "E[x sign(lambda x + sigma xi)] = h/2", "proved"),
    ("signs", "E[x sign(lambda x + sigma xi)] = h", "refuted"),
    ("signs", "E[x^T sign(lambda x + sigma xi)] = h D/2", "proved"),
    ("signs", "The chain has exactly one stationary law", "refuted"),
    ("clipped", "The chain has exactly one stationary law", "proved"),
    ("wavy", "The chain has exactly one stationary law for all small enough h", "proved"),
    ("wavy", "The chain has exactly one stationary law", "refuted"),
    ("clipped", "The chain has no stationary law", "refuted"),
)  # fmt: skip


@pytest.mark.strong
@pytest.mark.parametrize(("sampler", "statement", "verdict"), STATED)
def test_statements_of_chains_are_judged(stated, sampler, statement, verdict):
    assert stated(sampler, statement).claim.find().verdict == verdict


@pytest.mark.parametrize(
    ("sampler", "statement", "verdict"), [one for one in STATED if "stationary law" in one[1]]
)
def test_how_many_laws_there_are(stated, sampler, statement, verdict):
    assert stated(sampler, statement).claim.find().verdict == verdict


@pytest.mark.parametrize(("sampler", "statement"), [one[:2] for one in STATED])
def test_the_python_that_says_the_same_loads(stated, sampler, statement):
    one = stated(sampler, statement)
    names: dict[str, object] = {}
    exec(said(one.claim, one.given, one.python), names)
    assert names[called(one.claim.key)].statement.text() == one.claim.statement.text()


def test_first_terms_are_those_of_the_search_for_a_polynomial():
    x, h, xi, y = sp.symbols("x h xi y", real=True)
    T, U = sp.Symbol("T", positive=True), sp.Function("U")
    after = x - h * U(x).diff(x) + sp.sqrt(2 * T * h) * xi
    there = modified(Step((x,), ((x, after),), (xi,)), h, -U(x) / T, prove=False).first
    assert sp.expand(whole(LineStep(after, x, (xi,)).slope(h), x) - there) == 0
    implicit = LineStep(x - h * U(y).diff(y) + sp.sqrt(2 * T * h) * xi, x, (xi,), y)
    assert sp.expand(whole(implicit.slope(h), x) + there) == 0


def test_a_step_with_two_lines_is_told(tmp_path):
    path = tmp_path / "notes.md"
    path.write_text(
        "h | positive\n\n```sampler two\nv' = v - h sign(x)\nx' = x + v'\n```\n\n**Claim 1.** h > 0.\n"
    )
    (error, *_) = read(path).refused
    assert "one line of updates" in str(error)
