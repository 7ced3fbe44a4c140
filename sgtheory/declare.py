"""Declarations of samplers and models: frozen records, checked when they are made.

The language itself is in ``sgtheory.language``; all its words can be had from here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.datamodels.coordinates import Coordinates
from sgtheory.declaring.derived import Derived
from sgtheory.declaring.letters import step_of, with_letters
from sgtheory.declaring.noises import Noise, Normal, Rademacher, Student, UniformNoise, Vector
from sgtheory.declaring.shapes import kind
from sgtheory.declaring.wellformed import RESERVED, check_model, check_sampler
from sgtheory.language import (
    Apply,
    BatchMean,
    Curvature,
    D,
    DataMean,
    DataScalar,
    DataVector,
    DiagonalName,
    DiagonalOf,
    Dot,
    Expr,
    FullGradient,
    Gradient,
    LinearMap,
    Local,
    MatrixName,
    N,
    Parameter,
    Prior,
    PriorCurvature,
    Root,
    S,
    Size,
    Spread,
    State,
    curvature,
    data_scalar,
    data_vector,
    diagonal,
    dot,
    f,
    full_gradient,
    gradient,
    local,
    matrix,
    mode,
    nonnegative,
    normal,
    ones,
    positive,
    positive_definite,
    prior,
    prior_curvature,
    rademacher,
    real,
    seen,
    state,
    student,
    symbols_of,
    t,
    table,
    uniform,
    whole,
)
from sgtheory.notation.sentence import sentence

__all__ = [
    "Apply",
    "BatchMean",
    "Card",
    "Curvature",
    "D",
    "DataMean",
    "DataScalar",
    "DataVector",
    "Derived",
    "DiagonalName",
    "DiagonalOf",
    "Dot",
    "Expr",
    "Family",
    "FullGradient",
    "Gradient",
    "LinearMap",
    "Local",
    "MatrixName",
    "Model",
    "N",
    "Noise",
    "Normal",
    "Parameter",
    "Prior",
    "PriorCurvature",
    "Rademacher",
    "Root",
    "Rule",
    "S",
    "Sampler",
    "Size",
    "Spread",
    "State",
    "Student",
    "Translation",
    "UniformNoise",
    "Update",
    "Vector",
    "curvature",
    "data_scalar",
    "data_vector",
    "diagonal",
    "dot",
    "f",
    "full_gradient",
    "gradient",
    "kind",
    "local",
    "matrix",
    "mode",
    "nonnegative",
    "normal",
    "ones",
    "positive",
    "positive_definite",
    "prior",
    "prior_curvature",
    "rademacher",
    "real",
    "seen",
    "state",
    "student",
    "symbols_of",
    "t",
    "table",
    "uniform",
    "whole",
]


@dataclass(frozen=True)
class Translation:
    """What is said of another library's names, where ``verification.conventions`` does not prove it."""

    library: str
    words: str


@dataclass(frozen=True)
class Card:
    """The conventions of a sampler: what has to agree before two codes can be compared."""

    loss: str  # "mean" or "sum"
    drift: str  # what multiplies the gradient of that loss
    noise: str = "none is injected"
    N: str = "the update does not multiply the gradient by $N$"
    temperature: str = "has none"
    order: str = "one update"
    translations: tuple[Translation, ...] = ()

    def __post_init__(self) -> None:
        """Formulas stand between dollar signs."""
        for name in ("drift", "noise", "N", "temperature", "order"):
            object.__setattr__(self, name, sentence(getattr(self, name)))

    @classmethod
    def of_a_text(cls) -> Card:
        """The card of a sampler whose update a text writes: what it multiplies and injects stands there.

        >>> str(Card.of_a_text().noise)
        'as the text writes it'
        """
        said = "as the text writes it"
        return cls(loss="mean", drift=said, noise=said, N=said, temperature=said, order=said)


Update = tuple[Expr, Expr]
_THETA = State("theta", real=True)


@dataclass(frozen=True)
class Rule:
    """A tuning rule as a paper prints it: ``parameter = value``, in letters of ``matrixwords``."""

    parameter: str
    value: Expr
    cites: str


@dataclass(frozen=True)
class Family:
    """Samplers that differ by a word which the user chooses, such as the splittings BAOAB, OBABO."""

    parameter: str  # the key under "params" of a problem file
    default: str
    examples: tuple[str, ...]
    make: Callable[[str], Sampler]  # raises UnusableInput where the word says nothing
    name: str = ""
    title: str = ""


@dataclass(frozen=True)
class Sampler:
    """A declaration: the ordered updates of a state, in the symbols of its paper.

    Updates are carried out in order, each seeing the values that the ones before it wrote. The
    name and the title are those of the file that declares it; scanning fills them in.
    """

    state: tuple[State, ...]
    updates: tuple[Update, ...]
    convention: Card
    cites: tuple[str, ...] = ()
    noises: tuple[Noise, ...] = ()
    given: tuple[Expr, ...] = ()  # conditions on the parameters, such as mu <= 1
    defaults: tuple[tuple[Any, Any], ...] = ()  # (parameter, number), or (matrix, "identity")
    needs: tuple[Any, ...] = ()  # at least one of these must be given
    aliases: tuple[tuple[str, str], ...] = ()  # other papers' letters: ("gamma", "eps")
    start: tuple[Update, ...] = ()  # first values of states other than theta; 0 unless said
    where: tuple[Update, ...] = ()  # abbreviations: (c, exp(-gamma*eps))
    kinetic: tuple[Update, ...] = ()  # (v, its variance in one coordinate at temperature 1)
    batches: str = "independent"  # or "reshuffled": each epoch meets every example once
    sample: State = _THETA  # the state that is meant to follow the posterior
    target: tuple[Any, Any] = (1, 0)  # (b, k): it is after the posterior to the power b, on a spring k
    rules: tuple[Rule, ...] = ()  # what papers say about choosing the parameters
    limit: str = "increments"  # the continuous-time limit: or "step", to first order in it
    word: tuple[str, str] | None = None  # of a family: its parameter and the word chosen
    name: str = ""
    title: str = ""
    parameters: tuple[Expr, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        check_sampler(self)
        self._write_in_letters()
        everything = (*self.updates, *self.start, *self.where)
        symbols = set().union(*(symbols_of(e) for _, e in everything)) - {s for s, _ in self.where}
        wanted = (Parameter, MatrixName)
        found = sorted((s for s in symbols if isinstance(s, wanted)), key=lambda s: s.name)
        object.__setattr__(self, "parameters", tuple(found))

    @cached_property
    def moving(self) -> frozenset[Vector]:
        """The vectors of a step, states or not, that move along with the mode of the loss."""
        from sgtheory.onestep.affine import that_move

        return that_move(self.updates, _THETA)

    @property
    def positions(self) -> tuple[State, ...]:
        """The states that move along with the mode of the loss."""
        return tuple(s for s in self.state if s in self.moving)

    def _write_in_letters(self) -> None:
        """Abbreviate what is no polynomial in the parameters: exact routes take letters for it."""
        everything = (*self.updates, *self.start, *self.where)
        taken = {s.name for pair in everything for e in pair for s in symbols_of(e)}
        updates, where = with_letters(self.updates, self.where, taken | RESERVED)
        new = where[len(self.where) :]
        if not new:
            return
        decaying = tuple(c < 1 for c, e in new if isinstance(e, sp.exp) and e.args[0].is_negative)
        object.__setattr__(self, "updates", updates)
        object.__setattr__(self, "where", where)
        object.__setattr__(self, "given", (*self.given, *decaying))
        if any(e.has(step_of(updates, where)) for _, e in new):  # exact flows have their own limit
            object.__setattr__(self, "limit", "step")

    @cached_property
    def step(self) -> Any:
        """The parameter that is the size of the step, whatever it is called.

        >>> theta, rate = state("theta"), positive("rate")
        >>> card = Card(loss="mean", drift="rate")
        >>> Sampler((theta,), ((theta, theta - rate * gradient(theta)),), card).step
        rate
        """
        return step_of(self.updates, self.where)

    @property
    def gradients(self) -> tuple[int, ...]:
        """The numbers of the minibatches that one step draws."""
        return tuple(sorted({int(g.args[1]) for _, e in self.updates for g in e.atoms(Gradient)}))

    def default(self, parameter: Expr) -> Any:
        """The value used where the user gives none, or None."""
        wanted = parameter.name
        for given, value in self.defaults:
            if (given.name.name if isinstance(given, LinearMap) else given.name) == wanted:
                return value
        return None

    def __str__(self) -> str:
        return self.name or "the sampler"

    def __repr__(self) -> str:
        return f"<Sampler {self.name or '(unnamed)'}: {', '.join(s.name for s in self.state)}>"


@dataclass(frozen=True)
class Model:
    """What is sampled, as far as a step can see it: the stochastic gradient at a point x.

    ``gradient`` is written in the placeholder ``x`` and in the model's own noises, which are
    drawn anew for every minibatch. ``reads`` names the keys of a problem file.

    A model of data gives ``example`` instead, the gradient of one example's loss; a minibatch's
    gradient is the mean over its examples. What a step can see of it, exactly to second moments,
    is then filled in: the curvature A about the mode, the noise B w of a minibatch at the mode,
    and the Spread of a minibatch's curvature. Where the gradient is not affine in x, it stays as it
    is: such a model can be simulated, but has no closed law.
    """

    x: Vector
    gradient: Expr = None
    full_gradient: Expr = None
    posterior_precision: Expr = None  # acts on x
    example: Expr | None = None
    noises: tuple[Noise, ...] = ()
    reads: tuple[tuple[str, str], ...] = ()  # (key of the problem file, matrix name)
    defaults: tuple[tuple[Any, Any], ...] = ()  # (parameter of the example, number)
    potential: str = ""  # of a model whose problem may give another as "U"
    labels: tuple[tuple[Any, tuple[int, ...]], ...] = ()  # (number of an example, what it may be)
    shape: Any = None  # of a model whose gradient is written out: sgtheory.datamodels.written.Shape
    standard: tuple[tuple[str, Any], ...] = ()  # (matrix or size, its value where none is given)
    cites: tuple[str, ...] = ()
    name: str = ""
    title: str = ""

    def __post_init__(self) -> None:
        if self.gradient is None and self.example is not None and self.nonlinear:
            object.__setattr__(self, "gradient", BatchMean(self.example, 0))
            object.__setattr__(self, "full_gradient", DataMean(self.example))
        elif self.gradient is None and self.example is not None:
            A, B, w, away = positive_definite("A"), matrix("B"), normal("w"), self.x - mode
            curved = Spread(0) if sp.sympify(self.example).atoms(Dot) else None
            spread = Apply(curved, away) if curved else sp.Integer(0)
            object.__setattr__(self, "gradient", A @ away + spread + sp.sqrt(f / S) * B @ w)
            object.__setattr__(self, "full_gradient", A @ away)
            object.__setattr__(self, "posterior_precision", N * A @ self.x)
            object.__setattr__(self, "noises", (w,))
        check_model(self)

    @cached_property
    def nonlinear(self) -> bool:
        """Whether this is a model of data whose gradient is not affine in the point."""
        from sgtheory.datamodels.margins import margins

        return self.example is not None and not margins(self.example).affine

    @property
    def prior(self) -> Expr:
        """The part of an example's gradient that is divided by N: it occurs once in the sum."""
        if self.example is None:
            return sp.Integer(0)
        from sgtheory.datamodels.margins import margins

        rest = margins(self.example).rest
        return sp.Add(*(term for term in sp.Add.make_args(sp.expand(rest)) if term.has(N)))

    @property
    def dimension(self) -> int | None:
        """The number of coordinates, where it is not that of an example's row."""
        written = sp.sympify(self.example or 0).atoms(Coordinates)
        return len(next(iter(written)).points) if written else None

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The numbers that a problem file gives beside the data."""
        found = sp.sympify(self.example or 0).atoms(Parameter)
        return tuple(sorted(found, key=str))

    @property
    def data(self) -> tuple[Any, ...]:
        """What every example has: vectors and numbers, in alphabetical order."""
        found = sp.sympify(self.example or 0).atoms(DataVector, DataScalar)
        return tuple(sorted(found, key=str))

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of a problem file that are this model's own."""
        given = ("U",) if self.potential else ()
        given += tuple(key for key, _ in self.shape.counts) if self.shape else ()
        named = (s.name for s in (*self.data, *self.parameters))
        return (*(key for key, _ in self.reads), *named, *given)

    def __repr__(self) -> str:
        return f"<Model {self.name or '(unnamed)'}>"
