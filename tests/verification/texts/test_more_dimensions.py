"""What fails in few places: in three, five or nine dimensions alone, or where a letter is zero."""

import pytest

from verification.terms.term import Letter, number
from verification.texts import read
from verification.theories.answers import Proved
from verification.theories.scalars.signs import has_sign

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


NUMBERS = """| letter | kind |
| --- | --- |
| h, l | positive |
| beta | real |

"""
AT_ZERO = {  # at beta = 0 and h l = 2 both sides are 2
    "If 0 <= beta and beta < 1 and h l <= 2, then h l < 2 + 2 beta.": "refuted",
    "If 0 <= beta and beta < 1 and h l <= 2, then h l <= 2 + 2 beta.": "proved",
    "If 0 < beta and beta < 1 and h l <= 2, then h l < 2 + 2 beta.": "proved",
}


def word_of(folder, text):
    """The verdict on the one claim of a text."""
    path = folder / "notes.md"
    path.write_text(text)
    (one,) = read(path).claims
    return one.find().verdict


x, y = Letter("x", "positive"), Letter("y", "within one")
WITHIN_ONE = [  # smaller, larger, whether less at every y from -1 to 1
    (-number(1), y, True),
    (y, number(1), True),
    (y * y, number(1), True),
    (number(0), y * y + y * y * y, True),
    (y * x, x, True),
    (number(0), y, False),
    (y * x, 2 * x * y + x * x, False),
    (y * y, y, False),
    (-y, x * y + 2 * x, False),
]


@pytest.mark.parametrize(("small", "large", "holds"), WITHIN_ONE)
def test_what_lies_between_minus_one_and_one_has_either_sign(small, large, holds):
    """Letters of kinds that were not thought of ran from zero to one: -y <= x y was called true."""
    assert isinstance(has_sign(small, large, (-1, 0)), Proved) is holds


def test_a_square_of_what_has_either_sign_is_not_positive():
    """It was taken at one end alone: (2 z - y^2)^2 is zero at y = 1 and z = 1/2."""
    z = Letter("z", "up to one")
    square = (2 * z - y * y) * (2 * z - y * y)
    assert isinstance(has_sign(number(0), square, (-1, 0)), Proved)
    assert not isinstance(has_sign(number(0), square, (-1,)), Proved)


@pytest.mark.parametrize(("sentence", "word"), AT_ZERO.items())
def test_a_letter_that_may_be_zero_is_not_put_where_it_is_not(tmp_path, sentence, word):
    """For beta = 1/(1 + t) a difference was called positive that vanishes at beta = 0 alone."""
    assert word_of(tmp_path, f"{NUMBERS}**Claim 1.** {sentence}\n") == word


@pytest.mark.parametrize(("sentence", "word"), SAID.items())
def test_of_more_dimensions(tmp_path, sentence, word):
    assert word_of(tmp_path, f"{HEAD}**Claim 1.** {sentence}\n") == word


SINGULAR = """| letter | kind |
| --- | --- |
| h | positive |
| A | positive definite matrix |
| Q | matrix |

```sampler own
{} ~ N(0, I)
x' = x - h grad(x) + {}
```

"""


@pytest.mark.parametrize(
    ("noises", "added", "sentence", "word"),
    [
        ("xi", "Q xi", "Sigma > 0", "refuted"),  # at Q = 0
        ("xi", "Q xi", "A Sigma A > 0", "refuted"),
        ("xi", "Q xi", "Sigma >= 0", "proved"),
        ("xi, zeta", "Q xi + zeta", "Sigma > 0", "proved"),
    ],
)
def test_a_matrix_that_may_be_singular_brings_no_definite_noise(tmp_path, noises, added, sentence, word):
    """Matrices of a sampler of which nothing is said were taken for positive definite ones."""
    assert (
        word_of(
            tmp_path, f"{SINGULAR.format(noises, added)}**Claim 1.** In discrete time, {sentence}.\n"
        )
        == word
    )
