"""Equations at a generic pair of modes: entry (i, j) in the eigenbasis of A, in symbols.

There f(A) X g(A) has the entry f(lambda_i) X_ij g(lambda_j), so an equation that holds for symbolic
eigenvalues holds in every dimension. With a gain H the eigenbasis is that of H^(1/2) A H^(1/2), in which
a covariance X is H^(1/2) X' H^(1/2) and a curvature the same with H^(-1/2): indices tell which.

Of a sampler with m states, what stands at a pair of modes is an m x m matrix. A power F^T, or
exp(T F), is there a combination of the first m powers of F, with functions of T for coefficients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ, coupling_symbol, squared, stationary
from sgtheory.onestep.affine import LAMBDA, mode_form
from sgtheory.setting import Setting
from verification import notation
from verification.laws.lagsums import LAGS
from verification.laws.pair_form import DELTA, NOISE, NotInPairForm
from verification.terms.term import Letter, Term
from verification.terms.walking import Arithmetic, walk
from verification.theories.exponentials import integral
from verification.theories.time.spelling import OF_LAW, OF_PROCESS, POSITION, WITHOUT_GAIN

# log(1 - eps lambda), so that powers are exponentials; negative, for they decay
ELL_I, ELL_J = sp.symbols("ell_i ell_j", negative=True)
H_I = sp.Symbol("h_i", positive=True)
# what an index belongs to: a gradient, a position, a mode
_DOWN, _UP, _MODE = -1, 1, 0
_INDICES = {"Lambda": (_MODE, _MODE), "A": (_DOWN, _DOWN), "U": (_UP, _MODE), "I": (None, None)}


@dataclass(frozen=True)
class Entry:
    """Coefficients of the entries X_ij, those of functions of A under delta_ij; and two indices."""

    parts: Mapping[Any, Any]
    left: int | None = None
    right: int | None = None

    @property
    def is_function(self) -> bool:
        """Whether it is a function of A alone."""
        return set(self.parts) <= {DELTA}

    @property
    def value(self) -> Any:
        """Of a function of A, at one eigenvalue."""
        if not self.is_function:
            raise NotInPairForm("no function of A")
        return self.parts.get(DELTA, sp.Integer(0))

    def changed(self, to: Callable[[Any], Any]) -> Entry:
        """With other coefficients."""
        return replace(self, parts={k: to(c) for k, c in self.parts.items()})


@dataclass(frozen=True)
class Reading:
    """How a term is read: the sampler's law, the time, what is known of the letters.

    ``noise``, ``single`` and ``one`` come from conditions: C as a function of one eigenvalue, whether
    both modes are one, and whether there is but one, so that an entry is the whole matrix. ``gain``
    says whether H is the frame ("frame") or, with single modes, a number; ``known`` are values of
    letters, perhaps of the eigenvalue.
    """

    setting: Setting | None = None
    time: str = "continuous"
    noise: Any = None
    single: bool = False
    one: bool = False
    gain: str = ""
    known: tuple[tuple[Any, Any], ...] = ()

    def of(self, side: Term) -> dict[Any, Any]:
        """Coefficients by entry, of a term that is spelt out."""
        values = {a.name: self._letter(a) for a in side.letters}
        found = walk(side, self.arithmetic, values).parts
        found = {k: c[0] if isinstance(c, sp.MatrixBase) else c for k, c in found.items()}
        alike = {LJ: LI, ELL_J: ELL_I}
        found = {k: c.subs(alike) if self.single or k == DELTA else c for k, c in found.items()}
        found = {k: self._with_known(c) for k, c in found.items()} if self.known else found
        short = dict(self.setting.sampler.where) if self.setting and self.time == "discrete" else {}
        found = {k: squared(c, short) for k, c in found.items()} if short else found
        return {k: c for k, c in found.items() if c != 0}

    def _with_known(self, coefficient: Any) -> Any:
        """With values of letters; where one step forgets all, so do several."""
        found = coefficient.subs(self.known)
        steps = self.setting is not None and self.time == "discrete"
        if steps and LI in dict(self.known):
            rate = self._step("discrete", False)[0].subs(self.known)
            found = found.replace(_decays, _zero) if rate == 0 else found
        return found if found.has(sp.exp) else sp.cancel(sp.together(found))

    def symbol(self, letter: Letter) -> Any:
        """A letter for a number, as the laws have it."""
        own = self.setting.sampler.parameters if self.setting is not None else ()
        known = {s.name: s for s in (*own, *vars(notation).values()) if isinstance(s, sp.Symbol)}
        if letter.name in known and known[letter.name].is_commutative:
            return known[letter.name]
        if letter.kind == "variable":
            return sp.Symbol(letter.name, real=True)
        return sp.Symbol(letter.name, positive=True)

    def _letter(self, letter: Letter) -> Entry:
        name = letter.name
        if letter.kind != "matrix":
            return Entry({DELTA: self.symbol(letter)})
        if name in _INDICES:
            return Entry({DELTA: LI if name in ("A", "Lambda") else sp.Integer(1)}, *_INDICES[name])
        if name == "C":
            noise = {NOISE: sp.Integer(1)} if self.noise is None else {DELTA: self.noise}
            return Entry(noise, _DOWN, _DOWN)
        if name == "H":
            return Entry({DELTA: H_I if self.gain == "number" else sp.Integer(1)}, _UP, _UP)
        if name in OF_LAW and self.setting is not None:
            return self._fact(name)
        if letter == POSITION and self.setting is not None:
            states = [s.name for s in self.setting.state]
            column = sp.ImmutableMatrix([int(n == "theta") for n in states])
            return Entry({DELTA: column}, _UP, _UP)
        if name in LAGS:
            raise NotInPairForm("squares, summed over lags")
        return Entry({sp.Symbol(f"{name}_ij", real=True): sp.Integer(1)})

    # -- the law -------------------------------------------------------------------------------

    def _fact(self, name: str) -> Entry:
        if name.endswith(WITHOUT_GAIN) and self.gain == "frame":
            raise NotInPairForm("a law without the gain beside letters with it")
        gained = self.gain == "number" and not name.endswith(WITHOUT_GAIN)
        time = "continuous" if OF_PROCESS in name else self.time
        rate, noises = self._step(time, gained)
        if name.startswith("F"):
            return Entry({DELTA: rate}, _UP, _DOWN)
        if name.startswith("Q"):
            return Entry(noises, _UP, _UP)
        if isinstance(rate, sp.MatrixBase):
            pairs = stationary(self.setting, time)
            return Entry(self._by_noise(zip(pairs.symbols, pairs.responses, strict=True)), _UP, _UP)
        a, b = rate, _to_right(rate)
        spread = 1 - a * b if time == "discrete" else -(a + b)
        return Entry({k: size / spread for k, size in noises.items()}, _UP, _UP)

    def _step(self, time: str, gained: bool) -> tuple[Any, dict[Any, Any]]:
        """What one mode is multiplied by in a step, or its rate of change; and the noise."""
        assert self.setting is not None
        form = mode_form(self.setting, time)
        if len(form.states) > 1 and self.gain:
            raise NotInPairForm(f"{self.setting.sampler.name} has more than one state, and a gain")
        sizes = ((coupling_symbol(c), form.noise_block(c, LI, LJ)) for c in form.couplings)
        noises = self._by_noise(sizes)
        if len(form.states) > 1:
            return sp.ImmutableMatrix(form.M.subs(LAMBDA, LI)), noises
        noises = {k: q[0] * (H_I**2 if gained else 1) for k, q in noises.items()}
        return form.M[0, 0].subs(LAMBDA, H_I * LI if gained else LI), noises

    def _by_noise(self, parts: Any) -> dict[Any, Any]:
        """Parts by the symbol of the noise that they are of, which may be known as a function of A."""
        found: dict[Any, Any] = {}
        for symbol, size in parts:
            if symbol == NOISE and self.noise is not None:
                symbol, size = DELTA, size.subs(LJ, LI) * self.noise
            found[symbol] = found[symbol] + size if symbol in found else size
        return found

    # -- the operations ------------------------------------------------------------------------

    @property
    def arithmetic(self) -> Arithmetic:
        """Entries, with the operations of matrices."""
        framed = bool(self.gain)
        return Arithmetic(
            "entries at a pair of modes",
            lambda x: Entry({DELTA: sp.Rational(x.numerator, x.denominator)}),
            {
                "add": lambda a, b: _sum(a, b, framed),
                "subtract": lambda a, b: _sum(a, b.changed(lambda c: -c), framed),
                "negative": lambda a: a.changed(lambda c: -c),
                "multiply": lambda a, b: _times(a, b, framed),
                "over": lambda a, b: _times(a, _inverse(b), framed),
                "power": self._power,
                "root": lambda a: Entry({DELTA: sp.sqrt(a.value)}),
                "exp": lambda a: Entry({DELTA: sp.exp(a.value)}),
                "log": lambda a: Entry({DELTA: sp.log(a.value)}),
                "expm": lambda a: Entry({DELTA: self._exponential(a.value)}, a.left, a.right),
                "transpose": _transpose,
                "entry": self._entry,
                "integral": _integral,
                "double_integral": self._double_integral,
                "double_sum": self._double_sum,
            },
            exact=True,
        )

    def _entry(self, a: Entry, *place: Entry) -> Entry:
        if not self.one or any(k.value != 0 for k in place):
            raise NotInPairForm("an entry of a matrix with several")
        return Entry(a.parts)

    def _power(self, a: Entry, b: Entry) -> Entry:
        power = b.value
        if power.is_Rational and not power.is_Integer:
            return Entry({DELTA: a.value**power})
        if not power.is_Integer:
            return Entry({DELTA: self._grown(a, power)}, a.left, a.right)
        base = _inverse(a) if power < 0 else a
        one = Entry({DELTA: sp.Integer(1)})
        return reduce(lambda x, y: _times(x, y, bool(self.gain)), [base] * abs(int(power)), one)

    def _grown(self, a: Entry, power: Any) -> Any:
        """A power that is a letter."""
        rate = self._step("discrete", self.gain == "number")[0] if self.setting is not None else None
        if self.time == "discrete" and isinstance(rate, sp.MatrixBase) and a.value == rate:
            return _combined("phi", rate, power)
        plain = self._step("discrete", False)[0] if self.setting is not None else None
        if self.time != "discrete" or sp.expand(a.value) not in map(sp.expand, (rate, plain)):
            raise NotInPairForm("a power that is a letter is taken of one step of the algorithm")
        return sp.exp(power * (ELL_I if sp.expand(a.value) == sp.expand(rate) else _ELL_PLAIN))

    def _exponential(self, value: Any) -> Any:
        """Of a number, or of a multiple of what moves several states in a unit of time."""
        if not isinstance(value, sp.MatrixBase):
            return sp.exp(value)
        rate = self._step("continuous", False)[0]
        times = {sp.cancel(a / b) for a, b in zip(value, rate, strict=True) if b != 0}
        if len(times) != 1 or not sp.expand(value - times.copy().pop() * rate).is_zero_matrix:
            raise NotInPairForm("an exponential of another matrix")
        return _combined("psi", rate, times.pop())

    def _double_sum(self, F: Entry, length: Entry) -> Entry:
        """The sum of (T - l) a^l over l = 0, ..., T - 1."""
        a, n = F.value, length.value
        away = _over(_plus(1, -a))
        total = _plus(n, -a * _plus(1, -self._power(F, length).value) * away) * away
        return Entry({DELTA: total}, F.left, F.right)

    def _double_integral(self, F: Entry, length: Entry) -> Entry:
        """The integral of (T - l) e^(r l) over l from 0 to T."""
        n, one = length.value, _over(F.value)
        total = _plus(_plus(self._exponential(n * F.value), -1) * one, -n) * one
        return Entry({DELTA: total}, F.left, F.right)


def _combined(name: str, F: Any, power: Any) -> Any:
    """F^power, or exp(power F), as the product of one combination of powers of F for each term."""
    found = sp.eye(F.rows)
    for term in sp.Add.make_args(sp.expand(power)):
        n, letter = term.as_coeff_Mul()
        if term.is_Integer and name == "phi":
            found = found * F**term
            continue
        if not (n.is_Integer and n > 0):
            n, letter = sp.Integer(1), term
        of = (sp.Function(f"{name}_{k}", real=True)(letter, LI) for k in range(F.rows))
        found = found * sum((c * F**k for k, c in enumerate(of)), sp.zeros(F.rows)) ** n
    return sp.ImmutableMatrix(found)


def _plus(a: Any, b: Any) -> Any:
    """A sum; a number beside a matrix is that multiple of the identity."""
    if isinstance(a, sp.MatrixBase) and not isinstance(b, sp.MatrixBase):
        b = b * sp.eye(a.rows)
    elif isinstance(b, sp.MatrixBase) and not isinstance(a, sp.MatrixBase):
        a = a * sp.eye(b.rows)
    return a + b


def _over(a: Any) -> Any:
    """One over a number or a matrix."""
    if isinstance(a, sp.MatrixBase):
        return sp.ImmutableMatrix(a.adjugate() / sp.factor(a.det()))
    return 1 / a


def _decays(e: Any) -> bool:
    return isinstance(e, sp.exp) and e.has(ELL_I)


def _zero(_: Any) -> Any:
    return sp.Integer(0)


_ELL_PLAIN = sp.Symbol("ell_0", negative=True)


def _integral(body: Callable[[Any], Entry], x: str, low: Any, high: Any) -> Entry:
    letter = sp.Symbol(x, real=True)
    ends = [_INFINITE[end] if isinstance(end, str) else end.value for end in (low, high)]
    return body(Entry({DELTA: letter})).changed(lambda c: integral(c, letter, *ends))


_INFINITE = {"oo": sp.oo, "-oo": -sp.oo}


def _transpose(a: Entry) -> Entry:
    if not set(a.parts) <= {DELTA, NOISE}:
        raise NotInPairForm("what is transposed is not known to be symmetric")
    turn = {LI: LJ, LJ: LI, ELL_I: ELL_J, ELL_J: ELL_I}
    found = a.changed(lambda c: sp.transpose(c.xreplace(turn)))
    return Entry(found.parts, a.right, a.left)


def _inverse(a: Entry) -> Entry:
    if a.value == 0:
        raise NotInPairForm("one over zero")
    left, right = (None if x is None else -x for x in (a.right, a.left))
    return Entry({DELTA: _over(a.value)}, left, right)


def _sum(a: Entry, b: Entry, framed: bool) -> Entry:
    parts = dict(a.parts)
    for k, c in b.parts.items():
        parts[k] = _plus(parts[k], c) if k in parts else c
    return Entry(parts, _common(a.left, b.left, framed), _common(a.right, b.right, framed))


def _common(x: int | None, y: int | None, framed: bool) -> int | None:
    """The index that terms of a sum have; of positions and gradients either, where there is no gain."""
    known = {index for index in (x, y) if index is not None}
    if len(known) > 1 and (framed or _MODE in known):
        raise NotInPairForm("a sum of what is given in different coordinates")
    return max(known) if known else None


def _times(x: Entry, y: Entry, framed: bool) -> Entry:
    """The product of two entries, one of them a function of A."""
    if None not in (x.right, y.left):
        fits = x.right == -(y.left or 0) if framed else (x.right == _MODE) == (y.left == _MODE)
        if not fits:
            raise NotInPairForm("a product of what is given in different coordinates")
    left = y.left if x.left is None else x.left
    right = x.right if y.right is None else y.right
    if x.is_function:
        return Entry({k: x.value * c for k, c in y.parts.items()}, left, right)
    if y.is_function:
        own, other = y.value, _to_right(y.value)
        parts = {k: c * (own if k == DELTA else other) for k, c in x.parts.items()}
        return Entry(parts, left, right)
    raise NotInPairForm("a product of two matrices besides functions of A")


def _to_right(f: Any) -> Any:
    return f.subs({LI: LJ, ELL_I: ELL_J, _ELL_PLAIN: sp.Symbol("ell_0j", negative=True)})
