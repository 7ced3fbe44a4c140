"""The spectral radius of a step as words of a text, in the extreme eigenvalues of A."""

from itertools import product

import numpy as np
import pytest

from verification.texts import read

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step |
| beta | in [0, 1) | momentum |
| A | positive definite matrix | curvature |
| m, L | positive | |

```sampler plain
theta' = theta - h g(theta)
```

```sampler heavy
v' = beta v - h g(theta)
theta' = theta + v'
```

```sampler nest
v' = beta v - h g(theta + beta v)
theta' = theta + v'
```

"""
BEST = "The spectral radius is smallest at h = "
SAID = [
    ("plain", f"{BEST}2/(lambda_min(A) + lambda_max(A)).", "proved"),
    ("plain", f"{BEST}1/lambda_max(A).", "refuted"),
    ("plain", "The spectral gap is h lambda_min(A).", "refuted"),
    ("none", "If m < L, then max(1 - h m, h L - 1) is smallest at h = 2/(m + L).", "proved"),
    ("none", "If m < L, then max(1 - h m, h L - 1) is smallest at h = 1/L.", "refuted"),
    # a third piece is larger where the two meet
    ("none", "If m < L, then max(1 - h m, h L - 1, 1/2) is smallest at h = 2/(m + L).", "not proved"),
    # both rise
    ("none", "If m < L, then max(h m, 2 h L - 1) is smallest at h = 1/(2 L - m).", "not proved"),
]


def found(text, sampler, said):
    """What is read of one statement."""
    time = "" if sampler == "none" else ", in discrete time"
    text.write_text(f"{HEAD}Sampler: {sampler}{time}\n\n**Claim 1.** {said}\n")
    return read(text)


@pytest.mark.parametrize(("sampler", "said", "word"), SAID)
def test_what_is_said_of_it(tmp_path, sampler, said, word):
    """Best steps of it, and of the larger of two numbers."""
    (one,) = found(tmp_path / "notes.md", sampler, said).claims
    verdict = one.find().verdict
    assert verdict != "proved" if word == "not proved" else verdict == word


def test_a_step_of_which_it_has_no_formula_is_told(tmp_path):
    """Nesterov's determinant changes with the eigenvalue."""
    (one,) = found(tmp_path / "notes.md", "nest", "The spectral radius is below 1.").refused
    assert "a constant determinant" in str(one)


@pytest.mark.parametrize("sampler", ["plain", "heavy"])
def test_the_formula_in_numbers(tmp_path, sampler):
    """By another route: eigenvalues of the step along three eigenvectors."""
    read_ = found(tmp_path / "notes.md", sampler, "The spectral radius is at most 7.")
    (one,) = read_.claims
    side = one.statement.left
    for h, beta, x in product((0.1, 0.7, 1.9), (0.0, 0.3, 0.9), ((0.1, 0.5, 1.0), (0.9, 1.0, 2.0))):
        places = {"lambda_min": min(x), "lambda_max": max(x), "h": h, "beta": beta}
        sizes = []
        for lam in x:
            M = [[1 - h * lam]] if sampler == "plain" else [[beta, -h * lam], [beta, 1 - h * lam]]
            sizes += list(abs(np.linalg.eigvals(np.array(M))))
        text = str(side).replace("lambda_min(A)", "lambda_min").replace("lambda_max(A)", "lambda_max")
        value = eval(text, {"sqrt": np.sqrt, "max": max}, places)
        assert abs(value - max(sizes)) < 1e-7
