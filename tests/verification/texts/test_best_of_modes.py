"""The number at which a sum over the eigenvalues of A is smallest, in traces, for every dimension."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from verification.texts import read

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h, tau | positive | |
| A | positive definite matrix | curvature |

```sampler scaled
xi ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(2 h tau) xi
```

Sampler: scaled, in discrete time.

"""
TO, FROM = "KL(N(0, Sigma) || N(0, A^{-1}))", "KL(N(0, A^{-1}) || N(0, Sigma))"
SQUARES = "tr((Sigma - A^{-1})^2)"
NEAR = "W_2(N(0, Sigma), N(0, A^{-1}))"
SAID = {
    (FROM, "1 - h/(2 D) tr(A)"): "proved",
    (FROM, "1 - h/D tr(A)"): "refuted",
    (FROM, "1 - h/2 tr(A)"): "proved-if",  # D = 1
    (FROM, "D/tr((I - h/2 A)^{-1})"): "refuted",
    (TO, "D/tr((I - h/2 A)^{-1})"): "proved",
    (TO, "1 - h/(2 D) tr(A)"): "refuted",
    (SQUARES, "tr(A^{-2} (I - h/2 A)^{-1})/tr(A^{-2} (I - h/2 A)^{-2})"): "proved",
    (NEAR, "(tr(A^{-1} (I - h/2 A)^{-1/2})/tr(A^{-1} (I - h/2 A)^{-1}))^2"): "proved",
    (NEAR, "(tr(A^{-1} (I - h/2 A)^{-1/2})/tr(A^{-1} (I - h/2 A)^{-1}))"): "refuted",
    (SQUARES, "tr(A^{-1} (I - h/2 A)^{-1})/tr(A^{-1} (I - h/2 A)^{-2})"): "refuted",
}


def found(text, said):
    """What is found of one statement."""
    text.write_text(f"{HEAD}**Claim 1.** {said}\n")
    (one,) = read(text).claims
    return one.find()


@pytest.mark.parametrize(("of", "value"), SAID)
def test_best_numbers(tmp_path, of, value):
    """Right ones are proved, the others refuted."""
    said = f"If h < 2/lambda_max(A), then {of} is smallest at tau = {value}."
    assert found(tmp_path / "notes.md", said).verdict == SAID[of, value]


def test_the_right_one_is_told(tmp_path):
    """In traces, where another one is printed."""
    said = f"If h < 2/lambda_max(A), then {FROM} is smallest at tau = 1 - h/D tr(A)."
    corrected = found(tmp_path / "notes.md", said).corrected
    assert "tau = (2*D - h*tr(A))/(2*D)" in corrected.lines[0].text


def test_the_formulas_in_numbers():
    """By another route: a minimum in floats, at three eigenvalues."""
    draw = np.random.default_rng(3)
    for _ in range(20):
        x = draw.uniform(0.2, 3, 3)
        h = draw.uniform(0, 2 / x.max())
        r = 1 / (1 - h * x / 2)  # A Sigma over tau
        for of, best in (
            (lambda t, r=r: np.sum(1 / (t * r) + np.log(t * r)), np.mean(1 / r)),
            (lambda t, r=r: np.sum(t * r - np.log(t * r)), 3 / np.sum(r)),
            (
                lambda t, r=r, x=x: np.sum((t * r / x - 1 / x) ** 2),
                np.sum(r / x**2) / np.sum((r / x) ** 2),
            ),
        ):
            at = minimize_scalar(of, bounds=(1e-6, 2), method="bounded", options={"xatol": 1e-12}).x
            assert abs(at - best) < 1e-5
