"""Declarations of samplers and models: frozen records, checked when they are made.

The language itself is in ``sgtheory.language``; all its words can be had from here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sgtheory.language import (
    Apply,
    D,
    Dot,
    Expr,
    FullGradient,
    Gradient,
    LinearMap,
    Local,
    MatrixName,
    N,
    Noise,
    Normal,
    Parameter,
    Rademacher,
    Root,
    S,
    Size,
    State,
    Vector,
    dot,
    full_gradient,
    gradient,
    kind,
    local,
    matrix,
    mode,
    normal,
    ones,
    positive,
    positive_definite,
    rademacher,
    real,
    state,
    symbols_of,
    t,
    whole,
)
from sgtheory.wellformed import check_model, check_sampler

__all__ = [
    "Apply",
    "Card",
    "D",
    "Dot",
    "Expr",
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
    "Rademacher",
    "Root",
    "S",
    "Sampler",
    "Size",
    "State",
    "Translation",
    "Update",
    "Vector",
    "dot",
    "full_gradient",
    "gradient",
    "kind",
    "local",
    "matrix",
    "mode",
    "normal",
    "ones",
    "positive",
    "positive_definite",
    "rademacher",
    "real",
    "state",
    "symbols_of",
    "t",
    "whole",
]


@dataclass(frozen=True)
class Translation:
    """How another library names what a sampler does here, and whether that was run."""

    library: str
    words: str
    verified: bool = False


@dataclass(frozen=True)
class Card:
    """The conventions of a sampler: what has to agree before two codes can be compared."""

    loss: str  # "mean" or "sum"
    drift: str  # what multiplies the gradient of that loss
    noise: str = "none is injected"
    N: str = "nobody multiplies by N"
    temperature: str = "has none"
    order: str = "one update"
    translations: tuple[Translation, ...] = ()


Update = tuple[Expr, Expr]


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
    name: str = ""
    title: str = ""
    parameters: tuple[Expr, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        check_sampler(self)
        symbols = set().union(*(symbols_of(e) for _, e in (*self.updates, *self.start)))
        wanted = (Parameter, MatrixName)
        found = sorted((s for s in symbols if isinstance(s, wanted)), key=lambda s: s.name)
        object.__setattr__(self, "parameters", tuple(found))

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

    def __repr__(self) -> str:
        return f"<Sampler {self.name or '(unnamed)'}: {', '.join(s.name for s in self.state)}>"


@dataclass(frozen=True)
class Model:
    """What is sampled, as far as a step can see it: the stochastic gradient at a point x.

    ``gradient`` is written in the placeholder ``x`` and in the model's own noises, which are
    drawn anew for every minibatch. ``reads`` names the keys of a problem file.
    """

    x: Vector
    gradient: Expr
    full_gradient: Expr
    posterior_precision: Expr  # acts on x
    noises: tuple[Noise, ...] = ()
    reads: tuple[tuple[str, str], ...] = ()  # (key of the problem file, matrix name)
    cites: tuple[str, ...] = ()
    name: str = ""
    title: str = ""

    def __post_init__(self) -> None:
        check_model(self)

    def __repr__(self) -> str:
        return f"<Model {self.name or '(unnamed)'}>"
