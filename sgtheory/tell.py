"""Telling a derivation: the steps by which each formula of a symbolic law was found.

Every equation is printed from the objects that computed it; none is typed here a second time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.affine import LAMBDA
from sgtheory.declare import Gradient, State
from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.errors import UnusableInput
from sgtheory.language import step_in
from sgtheory.matrixform import law_equation
from sgtheory.pairs import LI, LJ
from sgtheory.printing import latex, plain, tidy
from sgtheory.quantities import WHATS
from sgtheory.recheck import check_series, check_stability, check_stationary
from sgtheory.series import series

if TYPE_CHECKING:
    from sgtheory.symbolic import SymbolicLaw


def tell(law: SymbolicLaw, what: str = "covariance", order: int | None = None) -> Derivation:
    """The derivation of one quantity, or of all of them."""
    if what not in WHATS:
        raise UnusableInput(f"one of {', '.join(WHATS)}", repr(what), "choose one")
    tellers = {
        "covariance": _covariance,
        "mean": _mean,
        "autocovariance": _autocovariance,
        "average": _average,
        "transient": _transient,
        "stability": _stability,
    }
    wanted = tuple(tellers) if what == "all" else (what,)
    steps, results = list(_beginning(law)), []
    for name in wanted:
        more, found = tellers[name](law)
        steps += more
        results += found
    if order is not None:
        more, found = _series(law, order)
        steps += more
        results += found
    title = f"{law.setting.sampler.title}: {what}, {law.time} time"
    return Derivation(title, tuple(steps), tuple(results))


def _beginning(law: SymbolicLaw) -> list[Step]:
    sampler, model = law.setting.sampler, law.setting.model
    updates = tuple(Equation(t, e, "->") for t, e in sampler.updates)
    gradient = Equation(Gradient(model.x, 0), model.gradient)
    steps = [
        Step("The update", "One step writes, in this order:", updates),
        Step("The gradient", f"{model.title}.", (gradient,)),
    ]
    if law.pairs.form.gain is not None:
        steps.append(_congruence(law))
    return [*steps, _one_mode(law)]


def _congruence(law: SymbolicLaw) -> Step:
    gain = plain(law.pairs.form.gain)
    turned = [
        Equation(
            Formula(rf"\tilde{{{m}}}", f"{m}~"),
            Formula(rf"{gain}^{{1/2}} {m} {gain}^{{1/2}}", f"{gain}^(1/2) {m} {gain}^(1/2)"),
        )
        for m in "AC"
    ]
    words = (
        f"Every state is written as {gain}^(1/2) times a new one; the gain then disappears and A, C"
        f" become the matrices below ({gain} = I changes nothing). From here on modes are those of"
        " the new A, and the tilde is left out."
    )
    return Step("Congruence", words, tuple(turned))


def _one_mode(law: SymbolicLaw) -> Step:
    form = law.pairs.form
    name = "M" if law.time == "discrete" else "F"
    equations = [Equation(_named(name, LAMBDA), sp.ImmutableMatrix(form.M))]
    for symbol, coupling in zip(law.pairs.symbols, form.couplings, strict=True):
        block = form.noise_block(coupling, LI, LJ)
        source = sp.Symbol(symbol.name.removesuffix("_ij"))
        label = Formula(rf"Q^{{({latex(source)})}}_{{ij}}", f"Q^({plain(source)})_ij")
        equations.append(Equation(label, symbol * block))
    states = ", ".join(s.name for s in form.states)
    if law.time == "discrete":
        words = f"On an eigenvector of A with eigenvalue lambda one step is a matrix on ({states})."
    else:
        words = (
            "Per step, read as one unit of time, the increments at the old values are a drift"
            f" matrix on ({states}) and noise of the covariance below."
        )
    return Step("One mode", words, tuple(equations))


def _named(name: str, argument: Any) -> Formula:
    return Formula(f"{name}({latex(argument)})", f"{name}({plain(argument)})")


def _pair_equation(law: SymbolicLaw) -> Equation:
    if law.time == "discrete":
        return Equation(
            Formula("P_{ij}", "P_ij"),
            Formula(
                r"M(\lambda_i) P_{ij} M(\lambda_j)^{\top} + Q_{ij}",
                "M(lambda_i) P_ij M(lambda_j)^T + Q_ij",
            ),
        )
    return Equation(
        Formula("0", "0"),
        Formula(
            r"F(\lambda_i) P_{ij} + P_{ij} F(\lambda_j)^{\top} + Q_{ij}",
            "F(lambda_i) P_ij + P_ij F(lambda_j)^T + Q_ij",
        ),
    )


def _block(a: str, b: str) -> Formula:
    if a == b == "theta":
        return Formula(r"\Sigma_{ij}", "Sigma_ij")
    pair = f"{latex(State(a))} {latex(State(b))}"
    return Formula(rf"P^{{{pair}}}_{{ij}}", f"P^({a} {b})_ij")


def _covariance(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    blocks = law.covariance.blocks
    solved = tuple(Equation(_block(a, b), formula) for (a, b), formula in blocks.items())
    matrices = law_equation(law.pairs)
    check = check_stationary(law.pairs)
    if not check.passed:
        raise ArithmeticError(check.words())
    unknowns = len(law.pairs.form.states) ** 2
    steps = [
        Step(
            "A pair of modes",
            "Noise couples modes i and j only through one entry, so the stationary covariance"
            " obeys, block by block:",
            (_pair_equation(law),),
        ),
        Step("Solve", f"A linear system of {unknowns} unknowns; no eigenvalue is taken.", solved),
        Step(
            "In matrices",
            "An eigenvalue lambda_i stands for A on the left, lambda_j for A on the right. In every"
            " dimension, whether or not A and C commute:",
            (Equation(_written(matrices.left), _written(matrices.right)),),
        ),
        Step("Check", f"Independently of the solution, {check.words()}.", ()),
    ]
    results = [Result(f"{a},{b}", Equation(_block(a, b), f)) for (a, b), f in blocks.items()]
    return steps, results


def _written(expr: Any) -> Any:
    """A matrix expression; a bare number stands for that multiple of the identity."""
    constants = [t for t in sp.Add.make_args(expr) if t.is_commutative]
    if not constants or expr == 0:
        return Formula(latex(tidy_matrix(expr)), plain(tidy_matrix(expr)))
    identity = sp.Symbol("I", commutative=False)
    total = sp.Add(*(t * identity if t.is_commutative else t for t in sp.Add.make_args(expr)))
    return Formula(latex(tidy_matrix(total)), plain(tidy_matrix(total)))


def tidy_matrix(expr: Any) -> Any:
    """A sum of matrix words, those with the same scalar together."""
    by_scalar: dict[Any, Any] = {}
    for term in sp.Add.make_args(expr):
        scalars, words = term.args_cnc()
        scalar = tidy(sp.Mul(*scalars))
        by_scalar[scalar] = by_scalar.get(scalar, sp.Integer(0)) + sp.Mul(*words)
    return sp.Add(*(s * w for s, w in by_scalar.items()))


def _mean(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    if law.time == "discrete":
        right = Formula(r"M(\lambda_i)^n m_i(0)", "M(lambda_i)^n m_i(0)")
    else:
        right = Formula(r"e^{F(\lambda_i) n} m_i(0)", "exp(F(lambda_i) n) m_i(0)")
    equation = Equation(Formula("m_i(n)", "m_i(n)"), right)
    words = "Noise has mean zero, so the mean of mode i moves alone, and to zero where it is stable."
    return [Step("Mean", words, (equation,))], [Result("mean", equation)]


def _autocovariance(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    form = law.pairs.form
    if law.time == "discrete":
        power = Formula(r"M(\lambda_i)^k P_{ij}", "M(lambda_i)^k P_ij")
        words = "The state k steps later is M^k times this one, plus noise that it does not know."
    else:
        power = Formula(r"e^{F(\lambda_i) k} P_{ij}", "exp(F(lambda_i) k) P_ij")
        words = "A time k later the state is exp(F k) times this one, plus noise that it does not know."
    left = Formula(
        r"R_{ij}(k) = \operatorname{Cov}(x_i(n + k), x_j(n))", "R_ij(k) = Cov(x_i(n + k), x_j(n))"
    )
    equations = [Equation(left, power)]
    short = Formula("R_{ij}(k)", "R_ij(k)")
    k = sp.Symbol("k", integer=True, nonnegative=True)
    if len(form.states) == 1:
        rate = form.M[0, 0].subs(LAMBDA, LI)
        factor = rate**k if law.time == "discrete" else sp.exp(sp.expand(rate * k))
        equations.append(Equation(short, sp.Mul(factor, law.covariance.pair, evaluate=False)))
    elif len(form.states) == 2 and law.time == "discrete":
        moved = form.M.subs(LAMBDA, LI)
        trace, det = latex(sp.factor(moved.trace())), latex(sp.factor(moved.det()))
        trace_text, det_text = plain(sp.factor(moved.trace())), plain(sp.factor(moved.det()))
        equations.append(
            Equation(
                short,
                Formula(
                    rf"\left({trace}\right) R_{{ij}}(k-1) - \left({det}\right) R_{{ij}}(k-2)",
                    f"({trace_text}) R_ij(k-1) - ({det_text}) R_ij(k-2)",
                ),
            )
        )
    return [Step("Autocovariance", words, tuple(equations))], [Result("autocovariance", equations[-1])]


def _average(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    if law.time == "discrete":
        weight = Equation(
            Formula("G_i", "G_i"),
            Formula(
                r"\sum_{k=1}^{T-1} (T-k) M(\lambda_i)^k = M (I-M)^{-1}"
                r" \left(T I - (I - M^T)(I-M)^{-1}\right)",
                "sum_{k=1}^{T-1} (T-k) M(lambda_i)^k",
            ),
        )
        total = Formula(
            r"\frac{1}{T^2} \left(T P_{ij} + G_i P_{ij} + P_{ij} G_j^{\top}\right)",
            "(T P_ij + G_i P_ij + P_ij G_j^T)/T^2",
        )
    else:
        weight = Equation(
            Formula("G_i", "G_i"),
            Formula(
                r"\int_0^T (T-s) e^{F(\lambda_i) s} ds = F^{-2}\left(e^{F T} - I - F T\right)",
                "integral_0^T (T-s) exp(F(lambda_i) s) ds",
            ),
        )
        total = Formula(
            r"\frac{1}{T^2} \left(G_i P_{ij} + P_{ij} G_j^{\top}\right)",
            "(G_i P_ij + P_ij G_j^T)/T^2",
        )
    result = Equation(Formula(r"D_{ij}(T)", "D_ij(T)"), total)
    words = "The covariance of the mean over a window of length T sums the autocovariances."
    return [Step("Average", words, (weight, result))], [Result("average", result)]


def _transient(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    if law.time == "discrete":
        push, pull = r"M(\lambda_i)^n", r"{M(\lambda_j)^n}^{\top}"
        text = "P_ij + M(lambda_i)^n (P_ij(0) - P_ij) (M(lambda_j)^n)^T"
    else:
        push, pull = r"e^{F(\lambda_i) n}", r"{e^{F(\lambda_j) n}}^{\top}"
        text = "P_ij + exp(F(lambda_i) n) (P_ij(0) - P_ij) exp(F(lambda_j) n)^T"
    general = Equation(
        Formula("P_{ij}(n)", "P_ij(n)"),
        Formula(rf"P_{{ij}} + {push} \left(P_{{ij}}(0) - P_{{ij}}\right) {pull}", text),
    )
    equations = [general]
    form = law.pairs.form
    n = sp.Symbol("n", integer=True, nonnegative=True)
    if len(form.states) == 1 and law.time == "discrete":
        decay = (form.M[0, 0].subs(LAMBDA, LI) * form.M[0, 0].subs(LAMBDA, LJ)) ** n
        equations.append(
            Equation(
                Formula(r"\Sigma_{ij}(n)", "Sigma_ij(n)"),
                sp.Mul(1 - decay, law.covariance.pair, evaluate=False),
            )
        )
    words = "The distance from the stationary covariance shrinks by one step at a time" + (
        "; from a point, P_ij(0) = 0:" if len(equations) > 1 else ":"
    )
    return [Step("After n steps", words, tuple(equations))], [Result("transient", equations[-1])]


def _stability(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    region, form = law.stability, law.pairs.form
    check = check_stability(region.conditions, law.setting, form.gain, law.time)
    if not check.passed:
        raise ArithmeticError(check.words())
    zero = sp.Integer(0)
    conditions = tuple(Equation(c, zero, ">") for c in region.conditions)
    words = (
        "The eigenvalues of M lie inside the unit circle exactly where, for every eigenvalue"
        " lambda of A:"
        if law.time == "discrete"
        else "The eigenvalues of F have negative real part exactly where, for every eigenvalue"
        " lambda of A:"
    )
    if not conditions:
        words += " no further condition; it is stable for all positive parameters."
    steps = [
        Step("Stability", words, conditions),
        Step("Check", f"By another route, {check.words()}."),
    ]
    results = [Result(f"stability{k}", c) for k, c in enumerate(conditions)]
    if region.limit is not None:
        limit = Equation(step_in(form.M), region.limit, "<")
        results.append(Result("limit", limit))
    return steps, results


def _series(law: SymbolicLaw, order: int) -> tuple[list[Step], list[Result]]:
    step = step_in(law.pairs.form.M)
    exact_formula = law.covariance.written_out(step.name, order)
    if not exact_formula.has(step):
        exact = Equation(Formula(r"\Sigma_{ij}", "Sigma_ij"), law.covariance.pair)
        words = "The covariance does not depend on the step: it is its own series."
        return [Step("Small step", words, (exact,))], [Result("series", exact)]
    expanded = series(exact_formula, step.name, order)
    check = check_series(exact_formula, expanded, step, order)
    if not check.passed:
        raise ArithmeticError(check.words())
    remainder = Formula(
        rf"{latex(expanded)} + O\left({latex(step)}^{{{order + 1}}}\right)",
        f"{plain(expanded)} + O({step}^{order + 1})",
    )
    equation = Equation(Formula(r"\Sigma_{ij}", "Sigma_ij"), remainder)
    steps = [
        Step("Small step", f"Expanded in the step to order {order}:", (equation,)),
        Step("Check", f"In power series arithmetic, {check.words()}."),
    ]
    return steps, [Result("series", equation)]
