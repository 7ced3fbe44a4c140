"""The place of a chain is what moves, whatever a table says of a letter of that name."""

import pytest

from tests.verification.texts.quick import judged
from verification.texts import read

TEXT = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h, a | positive | |
| x, xi | real | |

```sampler coins
xi ~ signs
x' = x - h a x + sqrt(2 h) xi
```

```sampler gauss
xi has mean 0, variance 1, third cumulant 0, fourth cumulant 0
x' = x - h a x + sqrt(h) xi
```

Sampler: coins, in discrete time.

**Claim 1.** If h a < 2, then {}.
"""


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("Var_{coins}(x) = 2 Var_{gauss}(x)", "proved"),
        ("E[x^2] = 2/(a (2 - h a))", "proved"),
        ("Var_{coins}(x) = 1/(a (2 - h a))", "refuted"),
        ("Var_{coins}(x) = Var_{gauss}(x)", "refuted"),
    ],
)
def test_means_are_over_the_place(tmp_path, said, word):
    """They were taken at the number x: x^2 - x^2 = x^2 - x^2 was proved of two chains."""
    path = tmp_path / "notes.md"
    path.write_text(TEXT.format(said))
    (one,) = read(path).read
    assert judged(one).finding.verdict == word
