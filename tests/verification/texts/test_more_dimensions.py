"""What holds of traces and eigenvalues in one dimension and in two, and not in three, five or nine."""

import pytest

from verification.texts import read

HEAD = """| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step |
| A, Q | positive definite matrix | |

```sampler scaled
xi ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(2 h) xi
```

Sampler: scaled, in discrete time.

"""
SAID = {
    "tr(A)^2 <= 2 tr(A^2)": "refuted",  # at I in three dimensions 9 and 6
    "tr(A) <= 2 lambda_max(A)": "refuted",
    "tr(A) tr(Q) <= 4 tr(A Q) if A Q = Q A": "refuted",  # at I in five dimensions 25 and 20
    "tr(Sigma)^2 <= 2 tr(Sigma^2)": "refuted",
    "tr(A^2) <= tr(A)^2": "proved",
    "tr(A) <= D lambda_max(A)": "proved",
}


@pytest.mark.parametrize(("sentence", "word"), SAID.items())
def test_of_more_dimensions(tmp_path, sentence, word):
    text = tmp_path / "notes.md"
    text.write_text(f"{HEAD}**Claim 1.** {sentence}\n")
    (one,) = read(text).claims
    assert one.find().verdict == word
