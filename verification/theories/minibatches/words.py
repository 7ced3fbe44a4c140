"""The words of minibatches and data: averages over examples, over a minibatch, over all minibatches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verification.terms.printing import Written
from verification.terms.words import PRODUCT, WHOLE, Word

# what a letter stands for: a vector or number that every example has, or one that all examples share
COLUMNS, NUMBERS, COLUMN, SYMMETRIC = "column of each", "number of each", "column", "symmetric"
KINDS = (COLUMNS, NUMBERS, COLUMN, SYMMETRIC)
OF_THETA = ("grad", "hess", "degree", "at_theta")
OF_BATCHES = ("mean_s", "first_s")


def _of_one(name: str, latex: Callable[[Written], str], spoken: str, *others: str) -> Word:
    """A word of one part, which arithmetics know by the word's name."""

    def value(o: Any, a: Any) -> Any:
        return getattr(o, name)(a)

    def text(a: Written) -> tuple[str, int]:
        return f"{name}({a.form})", WHOLE

    return Word(name, value, lambda a: (latex(a), WHOLE), text, spoken, mistaken_for=others)


def _mean(whole: str, letter: str) -> Callable[[Written], str]:
    """A letter alone has a sign of its own."""
    return lambda a: (letter if a.form.isalnum() else whole).replace("{}", a.form)


def _in_brackets(before: str) -> Callable[[Written], str]:
    return lambda a: rf"{before} \left[{a.form}\right]"


_OVER_ALL = _mean(r"\left\langle {} \right\rangle_{n}", r"\bar{{}}")
_OVER_BATCH = _mean(r"\left\langle {} \right\rangle_{s \in \mathcal{S}}", r"\bar{{}}_{\mathcal{S}}")
_OF_FIRST = _mean(r"\left[{}\right]_{s = 1}", r"{}_{s = 1}")
_SETTLED = "where the average of {0} over one minibatch after the other settles"

WORDS = (
    _of_one("mean_n", _OVER_ALL, "the mean of {0} over all examples", "mean_s"),
    _of_one("mean_s", _OVER_BATCH, "the mean of {0} over the minibatch", "first_s"),
    _of_one("first_s", _OF_FIRST, "{0} of the first example of the minibatch"),
    _of_one("E", _in_brackets(r"\mathbb{E}"), "the mean of {0} over all minibatches"),
    _of_one("online_average", _in_brackets(r"\lim_{T} \frac{1}{T} \sum_{t = 1}^{T}"), _SETTLED),
    _of_one("grad", _in_brackets(r"\nabla_{\theta}"), "the gradient of {0} in theta"),
    _of_one("hess", _in_brackets(r"\nabla_{\theta}^2"), "the second derivatives of {0} in theta"),
    _of_one(
        "degree",
        _in_brackets(r"\deg_{\theta}"),
        "the degree of {0} as a polynomial in theta, for data in general position",
    ),
    Word(
        "inner",
        lambda o, a, b: o.inner(a, b),
        lambda a, b: (rf"{{{a.within(PRODUCT)}}}^{{\top}} {b.within(PRODUCT)}", PRODUCT),
        lambda a, b: (f"inner({a.form}, {b.form})", WHOLE),
        "the inner product of {0} and {1}",
    ),
    Word(
        "at_theta",
        lambda o, a, x: o.at_theta(a, x),
        lambda a, x: (rf"\left.{a.form}\right|_{{\theta \to {x.form}}}", WHOLE),
        lambda a, x: (f"at_theta({a.form}, {x.form})", WHOLE),
        "{0} at theta = {1}",
    ),
)
