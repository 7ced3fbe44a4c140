"""The words of the language in which samplers and models are declared.

A declaration reads like the pseudo-code of a paper. Vectors are written as one symbol for all
coordinates, so that ``v * v`` is the coordinatewise square and ``sqrt(v)`` the coordinatewise
root; a matrix acts through ``@``; a scalar is a parameter, a size or the step counter.

>>> theta, v = state("theta v")
>>> eps, mu = positive("eps mu")
>>> (1 - mu) * v - eps * gradient(theta)
-eps*Gradient(theta, 0) + v*(1 - mu)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.datamodels.coordinates import Seen
from sgtheory.declaring.noises import Normal, Rademacher, Student, UniformNoise, Vector
from sgtheory.errors import DeclarationError
from sgtheory.notation.inletters import Written, WrittenWord

Expr = Any  # a SymPy expression; SymPy has no types worth writing


class State(Vector):
    """A vector that the chain carries from step to step."""


class Table(State):
    """A vector for each example of a data set, which the chain carries from step to step."""


class Local(Vector):
    """A vector computed within a step and forgotten after it."""


class Parameter(Written, sp.Symbol):
    """A scalar that the user sets."""


class Size(Written, sp.Symbol):
    """A whole number that the problem sets: N examples, minibatches of S, D coordinates."""


class MatrixName(Written, sp.Symbol):
    """The name of a D x D matrix inside an expression."""


class DiagonalName(MatrixName):
    """The name of a diagonal matrix."""

    diagonal_only = True


class Spread(Written, sp.Symbol):
    """The random matrix by which a minibatch's curvature differs from the whole data set's.

    It has mean zero, is drawn anew with every minibatch, and is correlated with the additive noise
    of the same minibatch. ``draw`` is the minibatch's number within the step.
    """

    draw: int

    def __new__(cls, draw: int) -> Spread:
        """The curvature of one minibatch, less the mean curvature."""
        made = super().__new__(cls, f"R{draw}", real=True)
        made.draw = draw
        return made

    def __getnewargs_ex__(self) -> Any:
        return (self.draw,), {}


class DataVector(Vector):
    """A vector that every example of a data set has: its covariates."""


class DataScalar(Written, sp.Symbol):
    """A number that every example of a data set has: its response."""


class Outer(WrittenWord, sp.Function):
    """``Outer(u, v)`` is the matrix u v^T of two data vectors."""


class Root(WrittenWord, sp.Function):
    """The symmetric positive-semidefinite square root of a matrix."""


class Apply(WrittenWord, sp.Function):
    """``Apply(M, x)`` is the matrix-vector product M x."""


class Gradient(WrittenWord, sp.Function):
    """``Gradient(x, k)``: the stochastic gradient of the mean loss at x on the step's k-th minibatch.

    Two calls with the same k in one step see the same minibatch.
    """


class FullGradient(WrittenWord, sp.Function):
    """``FullGradient(x)``: the gradient of the mean loss over all N examples at x."""


class Curvature(WrittenWord, sp.Function):
    """``Curvature(x, k)``: each coordinate of ``Gradient(x, k)``, derived in that coordinate."""


class Prior(WrittenWord, sp.Function):
    """``Prior(x)``: the part of the gradient of the mean loss at x that no example has a share in."""


class PriorCurvature(WrittenWord, sp.Function):
    """``PriorCurvature(x)``: the coordinatewise slope of ``Prior(x)``."""


class DiagonalOf(WrittenWord, sp.Function):
    """``DiagonalOf(M)``: the diagonal of a matrix, as a vector."""


class BatchMean(WrittenWord, sp.Function):
    """``BatchMean(g, k)``: the mean of g, written in an example's data, over the k-th minibatch."""


class DataMean(WrittenWord, sp.Function):
    """``DataMean(g)``: the mean of g over all N examples."""


class Dot(WrittenWord, sp.Function):
    """The inner product of two vectors: a scalar."""


@dataclass(frozen=True)
class LinearMap:
    """A product of matrices with a scalar in front, waiting for a vector on its right.

    >>> H, E = matrix("H E")
    >>> eps = positive("eps")
    >>> eps * H @ E @ normal("xi")
    eps*Apply(H, Apply(E, xi))
    """

    factors: tuple[Expr, ...]
    coefficient: Expr = sp.S.One

    def __rmul__(self, scalar: Expr) -> LinearMap:
        return LinearMap(self.factors, sp.sympify(scalar) * self.coefficient)

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, LinearMap):
            coefficient = self.coefficient * other.coefficient
            return LinearMap(self.factors + other.factors, coefficient)
        for factor in reversed(self.factors):
            other = Apply(factor, other)
        return self.coefficient * other

    @property
    def name(self) -> Expr:
        """The one matrix symbol of a bare matrix."""
        if len(self.factors) != 1 or self.coefficient != 1:
            raise DeclarationError("a single matrix", str(self), "name one matrix")
        return self.factors[0]

    @property
    def root(self) -> LinearMap:
        """The symmetric square root of a single matrix."""
        return LinearMap((Root(self.name),))

    def __str__(self) -> str:
        product = " @ ".join(str(f) for f in self.factors)
        return product if self.coefficient == 1 else f"{self.coefficient} * {product}"


def _each(kind_: Any, names: str, **assumptions: bool) -> Any:
    made = tuple(kind_(n, **assumptions) for n in names.split())
    return made[0] if len(made) == 1 else made


def _scalars(names: str, **assumptions: bool) -> Any:
    """Parameters; N, S, D and t are the one that every problem has."""
    made = tuple(_SIZES.get(n) or Parameter(n, **assumptions) for n in names.replace(",", " ").split())
    return made[0] if len(made) == 1 else made


def state(names: str) -> Any:
    """State vectors, such as ``theta, v = state("theta v")``; the position is called theta."""
    return _each(State, names, real=True)


def table(names: str) -> Any:
    """Vectors of which each example has one, such as the points where it was last seen.

    A gradient at a table sees each example at its own point.
    """
    return _each(Table, names, real=True)


def seen(old: Expr, x: Expr, draw: int = 0) -> Expr:
    """A table with x for the examples of a minibatch."""
    return Seen(old, x, sp.Integer(draw))


def local(names: str) -> Any:
    """Vectors that live within one step."""
    return _each(Local, names, real=True)


def normal(names: str) -> Any:
    """Standard normal noise vectors."""
    return _each(Normal, names, real=True)


def rademacher(names: str) -> Any:
    """Noise vectors of independent signs."""
    return _each(Rademacher, names, real=True)


def uniform(names: str) -> Any:
    """Noise vectors of independent uniform coordinates, of variance 1."""
    return _each(UniformNoise, names, real=True)


def student(names: str, degrees: int) -> Any:
    """Noise vectors of independent Student-t coordinates, of variance 1."""
    made = tuple(Student(n, degrees) for n in names.split())
    return made[0] if len(made) == 1 else made


def positive(names: str) -> Any:
    """Positive scalar parameters."""
    return _scalars(names, positive=True)


def real(names: str) -> Any:
    """Real scalar parameters."""
    return _scalars(names, real=True)


def nonnegative(names: str) -> Any:
    """Scalar parameters that may be zero."""
    return _scalars(names, nonnegative=True)


def data_vector(names: str) -> Any:
    """Vectors that each example has; a problem file gives a row to each example."""
    return _each(DataVector, names, real=True)


def data_scalar(names: str) -> Any:
    """Numbers that each example has."""
    return _each(DataScalar, names, real=True)


def diagonal(names: str) -> Any:
    """Positive diagonal matrices; a problem file may give the diagonal alone."""
    made = tuple(LinearMap((DiagonalName(n, positive=True),)) for n in names.split())
    return made[0] if len(made) == 1 else made


def whole(names: str) -> Any:
    """Parameters that count something: positive whole numbers."""
    return _scalars(names, integer=True, positive=True)


def matrix(names: str) -> Any:
    """Square matrices of any kind."""
    made = tuple(LinearMap((MatrixName(n, real=True),)) for n in names.split())
    return made[0] if len(made) == 1 else made


def positive_definite(names: str) -> Any:
    """Symmetric positive-definite matrices (the assumption travels with the name)."""
    made = tuple(LinearMap((MatrixName(n, positive=True),)) for n in names.split())
    return made[0] if len(made) == 1 else made


def gradient(x: Expr, draw: int = 0) -> Expr:
    """The stochastic gradient of the mean loss at x; ``draw`` counts the minibatches of a step."""
    return Gradient(x, sp.Integer(draw))


def full_gradient(x: Expr) -> Expr:
    """The gradient over the whole data set."""
    return FullGradient(x)


def curvature(x: Expr, draw: int = 0) -> Expr:
    """The diagonal of the Hessian of a minibatch's mean loss: the coordinatewise slope of its gradient.

    >>> from sgtheory import registry
    >>> from sgtheory.setting import Setting
    >>> setting = Setting(registry.sampler("psgld"), registry.model("double_well"))
    >>> [e for target, e in setting.updates if target.name == "slope"]
    [3*theta**2 - ones]
    """
    return Curvature(x, sp.Integer(draw))


def prior(x: Expr) -> Expr:
    """What the prior adds to the gradient of the mean loss: of data models the ridge, else nothing."""
    return Prior(x)


def prior_curvature(x: Expr) -> Expr:
    """What the prior adds to the curvature: of data models the ridge, else nothing."""
    return PriorCurvature(x)


def dot(x: Expr, y: Expr) -> Expr:
    """Inner product, a scalar."""
    return Dot(x, y)


N, S, D = (Size(name, integer=True, positive=True) for name in "NSD")
t = Size("t", integer=True, nonnegative=True)  # the step counter: 0 in the first step
_SIZES = {size.name: size for size in (N, S, D, t)}
f = Size("f", nonnegative=True)  # what drawing without replacement leaves of the noise's variance
ones = Vector("ones", real=True)  # the vector of ones: ``lam * ones + sqrt(v)``
mode = Vector("mode", real=True)  # the minimiser of the loss, for control variates

CONSTANT_VECTORS = (ones, mode)


def symbols_of(expr: Expr) -> set[Expr]:
    """Every symbol of an expression, matrix names included."""
    return set(sp.sympify(expr).atoms(sp.Symbol))


STEP = Parameter("eps", positive=True)
_STEP_LETTERS = ("eps", "gamma", "eta")  # the papers' letters for a step size


def step_in(expr: Expr) -> Any:
    """The parameter of an expression that is its step size; eps where none is seen.

    >>> step_in(positive("gamma") * state("theta"))
    gamma
    """
    seen = {s.name: s for s in symbols_of(expr) if isinstance(s, Parameter)}
    return next((seen[letter] for letter in _STEP_LETTERS if letter in seen), STEP)
