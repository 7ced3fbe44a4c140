"""The gradient of one example's loss as its data see it: a weight times its covariates, and a rest.

Losses of generalised linear models depend on the point through the margin m = X.x alone, so that
the gradient is weight(m, y) X plus what all examples share. That is what a kernel computes for the
rows of a minibatch, and what Newton's method needs to find the mode.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.datamodels.coordinates import Coordinates
from sgtheory.errors import DeclarationError
from sgtheory.language import DataScalar, DataVector, Dot

MARGIN = sp.Symbol("m", real=True)


@dataclass(frozen=True)
class Margins:
    """``example = weight(m, data) * covariates + rest``, with the margin m = covariates . point.

    The weight may also be a vector, written out in the coordinates of the point and the covariates.
    Of a curvature, it multiplies the coordinates' squares.
    """

    weight: Any  # in MARGIN and the data's numbers
    covariates: Any
    point: Any  # None where the weight does not see a margin
    rest: Any
    power: int = 1  # of the covariates

    @property
    def written(self) -> bool:
        """Whether the weight is a vector."""
        return isinstance(self.weight, Coordinates)

    @property
    def numbers(self) -> tuple[Any, ...]:
        """The numbers of an example that the weight reads."""
        return tuple(sorted(self.weight.atoms(DataScalar), key=str))

    @property
    def affine(self) -> bool:
        """Whether the weight is of first degree in the margin."""
        return not self.written and bool(sp.diff(self.weight, MARGIN, 2) == 0)

    def signed(self, labels: Any) -> Margins | None:
        """The same with labels 1 and -1 taken into the covariates, where nothing else sees them.

        That is so where turning round both the margin and the label turns round the weight: then
        ``weight(m, y) X = weight(y m, 1) y X``, and ``y m`` is the margin of ``y X``, to the bit.

        >>> from sgtheory import registry
        >>> model = registry.model("logistic_regression")
        >>> form = margins(model.example).signed(model.labels)
        >>> form.weight, form.covariates
        (-1/(exp(m) + 1), y*X)
        """
        for y, allowed in labels:
            if self.numbers == (y,) and set(allowed) == {-1, 1}:
                turned = self.weight.xreplace({MARGIN: -MARGIN}).xreplace({y: sp.Integer(-1)})
                plain = self.weight.xreplace({y: sp.Integer(1)})
                if sp.simplify(turned - (-1) ** self.power * plain) == 0:
                    return Margins(plain, y * self.covariates, self.point, self.rest, self.power)
        return None


def margins(example: Any) -> Margins:
    """An example's gradient in this form.

    >>> from sgtheory import registry
    >>> found = margins(registry.model("linear_regression").example)
    >>> found.weight, found.point, found.rest
    ((-y + m)/sigma2, x, ridge*x/N)
    """
    example = sp.sympify(example)
    if written := example.atoms(Coordinates):
        (node,) = written
        return Margins(node, node.args[1], node.args[0], example - node)
    vectors, dots = example.atoms(DataVector), example.atoms(Dot)
    points = {a for d in dots for a in d.args} - vectors
    if len(vectors) != 1 or len(points) > 1 or any(len(vectors & set(d.args)) != 1 for d in dots):
        raise DeclarationError(
            "an example's gradient as weight(X.x, y) X + rest", str(example), "write it so"
        )
    (covariates,) = vectors
    seen = sp.expand(example.xreplace(dict.fromkeys(dots, MARGIN)), deep=False)
    power = 2 if seen.has(covariates**2) else 1
    weight = sp.Add(
        *(term / covariates**power for term in sp.Add.make_args(seen) if term.has(covariates))
    )
    rest = sp.Add(*(term for term in sp.Add.make_args(seen) if not term.has(covariates)))
    if weight.has(covariates) or rest.has(MARGIN) or rest.atoms(DataScalar):
        raise DeclarationError(
            "an example's gradient as weight(X.x, y) X + rest", str(example), "write it so"
        )
    return Margins(sp.factor_terms(weight), covariates, next(iter(points), None), rest, power)
