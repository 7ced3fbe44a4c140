"""The operators and moments of any dimension as formulas, and how they come about."""

from __future__ import annotations

from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.sentence import say
from sgtheory.perturbation.form import Form

_HESSIAN = Formula(r"\nabla^2 U", "D2U")
_F = Equation(
    Formula("f", "f"),
    Formula(
        r"1 \text{ with replacement}, \quad \tfrac{N - S}{N - 1} \text{ without}",
        "1 with replacement, (N - S)/(N - 1) without",
    ),
)
K = Equation(
    Formula("K(P)", "K(P)"),
    Formula(
        r"f \frac{N}{S} \sum_{i=1}^{N} R_i P R_i, \quad"
        r" R_i = \nabla^2 U_i - \tfrac1N \textstyle\sum_j \nabla^2 U_j",
        "f N/S sum_i R_i P R_i, R_i = D2U_i - (1/N) sum_j D2U_j",
    ),
)
M = Equation(
    Formula("M", "M"),
    Formula(
        r"\sum_{i=1}^{N} g_i g_i^{\top}, \quad g_i = \nabla U_i - \tfrac1N \textstyle\sum_j \nabla U_j",
        "sum_i g_i g_i^T, g_i = DU_i - (1/N) sum_j DU_j",
    ),
)
H = Equation(
    Formula("H(P)", "H(P)"),
    Formula(
        r"\nabla^2 U\, P + P\, \nabla^2 U - \gamma \nabla^2 U\, P\, \nabla^2 U",
        "D2U P + P D2U - gamma D2U P D2U",
    ),
)
G = Equation(Formula("G(P)", "G(P)"), Formula(r"H(P) - \gamma K(P)", "H(P) - gamma K(P)"))
L = Equation(Formula("L(P)", "L(P)"), Formula(r"\nabla^2 U\, P + P\, \nabla^2 U", "D2U P + P D2U"))

_CROSS = say(
    ", the cross term {} of gradient and Hessian noise",
    Formula(r"\mathbb{E}[B_1 \otimes B_2]", "E[B_1 (x) B_2]"),
)


def operator(form: Form) -> Equation:
    """The operator that the second moments of a form solve to leading order."""
    if form.additive != 0:
        return L
    return G if form.multiplicative else H


def operators(form: Form) -> tuple[Equation, ...]:
    """The operators that matter, each with what it acts as."""
    found = [*_gamma(form)]
    if form.multiplicative:
        found += [_F, *((M,) if form.additive != 0 else ()), K]
    found.append(H)
    if form.multiplicative:
        found.append(G)
    return (*found, L) if form.additive != 0 else tuple(found)


def _gamma(form: Form) -> tuple[Equation, ...]:
    """gamma in the sampler's own letters, where they are others."""
    name = Formula(r"\gamma", "gamma")
    return () if str(form.gamma) == "gamma" else (Equation(name, form.gamma),)


def source(form: Form) -> Formula:
    """What the operator makes of the second moments."""
    parts = [("2 I", "2 I")] if form.temperature == 1 else []
    if form.temperature not in (0, 1):
        parts = [(rf"2 \cdot {form.temperature} I", f"2*{form.temperature} I")]
    if form.additive != 0:
        times = "" if form.additive == 1 else f"{form.additive**2} "
        parts.append((rf"{times}\gamma f \tfrac{{N}}{{S}} M", f"{times}gamma f (N/S) M"))
    return Formula(" + ".join(a for a, _ in parts) or "0", " + ".join(b for _, b in parts) or "0")


def second(form: Form) -> Equation:
    """The second moments about theta*, to leading order."""
    name, right = operator(form).left.text[0], source(form)
    return Equation(
        Formula(r"\mathbb{E}[(\theta - \theta^{\star})^{\otimes 2}]", "E[(theta - theta*)^(x2)]"),
        Formula(rf"{name}^{{-1}}\left({right.latex}\right) + {_landau(form, 1).latex}",
                f"{name}^-1({right.text}) + {_landau(form, 1).text}"),
    )  # fmt: skip


def mean(form: Form) -> Equation:
    """The mean about theta*, to leading order."""
    name, right = operator(form).left.text[0], source(form)
    inner = (rf"{name}^{{-1}}\left({right.latex}\right)", f"{name}^-1({right.text})")
    return Equation(
        Formula(r"\mathbb{E}[\theta] - \theta^{\star}", "E[theta] - theta*"),
        Formula(
            rf"-\tfrac12 (\nabla^2 U)^{{-1}} \mathrm{{D}}^3 U\left[{inner[0]}\right]"
            rf" + {_landau(form, 1).latex}",
            f"-(1/2) D2U^-1 D3U[{inner[1]}] + {_landau(form, 1).text}",
        ),
    )


def remainder(form: Form, order: int) -> Formula:
    """What an order leaves out."""
    return _landau(form, order)


def _landau(form: Form, order: int) -> Formula:
    power = order + 1
    if form.small == "eta":
        return Formula(rf"O(\eta^{{{power}}})", f"O(eta^{power})")
    return Formula(rf"O(N^{{-{power}}})", f"O(N^-{power})")


def derivation(form: Form, order: int) -> Derivation:
    """From the update to the moments, in any dimension."""
    name = form.sampler.name or "a sampler"
    steps = (
        Step("The update", _words(form), (_update(form), *_gamma(form))),
        Step(
            "What is small",
            "$eta = gamma N$ and the law of one example are fixed while $N$ grows:"
            " $theta - theta*$ is of order $N^(-1/2)$."
            if form.small == "1/N"
            else "$eta = gamma N$ vanishes, $N >= 1/eta$: the noise of a minibatch at $theta*$ keeps"
            " $theta - theta*$ at order $eta^(1/2)$, however many examples there are.",
        ),
        Step(
            "First moments do not change in a step",
            "Gradients are unbiased everywhere, so $E[DU(theta)] = 0$ exactly. Expanded at $theta*$:",
            (_first(),),
        ),
        Step(
            "Second moments do not change in a step",
            "With the gradient linear in $theta - theta*$; what is left out is smaller by one order.",
            (*operators(form)[len(_gamma(form)) :], Equation(operator(form).left, source(form))),
        ),
        Step(
            "What comes next",
            say(
                "Third and fourth moments, D4U and D5U, joint moments of a minibatch's derivatives{}:"
                " whole powers only, since odd moments are of the order of the next even ones.",
                _CROSS if form.additive else "",
            ),
            (Equation(Formula(r"\text{left out}", "left out"), _landau(form, order)),),
        ),
    )  # fmt: skip
    results = (Result("second", second(form)), Result("mean", mean(form)))
    return Derivation(f"Moments of the invariant law of {name} about the minimiser", steps, results)


def _words(form: Form) -> str:
    if not form.multiplicative:
        return "The whole gradient; $U$ is the potential of all $N$ examples and $theta*$ its minimiser."
    if form.additive == 0:
        return (
            "The minibatch's gradient less its value at $theta*$: of its noise only what grows with"
            " $theta - theta*$ is left."
        )
    return (
        "The gradient of a minibatch of $S$ examples, scaled to all $N$; $U$ is the potential of all of"
        " them."
    )


def _update(form: Form) -> Equation:
    hat = form.multiplicative
    left = Formula(r"\theta'", "theta'")
    gradient = (r"\nabla \hat U(\theta)", "DU^(theta)") if hat else (r"\nabla U(\theta)", "DU(theta)")
    if hat and form.additive != 1:
        share = "" if form.additive == 0 else f"{1 - form.additive} "
        gradient = (
            gradient[0] + rf" - {share}\nabla \hat U(\theta^{{\star}})",
            gradient[1] + f" - {share}DU^(theta*)",
        )
        gradient = (rf"\left({gradient[0]}\right)", f"({gradient[1]})")
    noise = ("", "")
    if form.temperature != 0:
        inside = "2" if form.temperature == 1 else str(2 * form.temperature)
        noise = (rf" + \sqrt{{{inside} \gamma}}\, \xi", f" + sqrt({inside} gamma) xi")
    return Equation(
        left,
        Formula(rf"\theta - \gamma {gradient[0]}{noise[0]}", f"theta - gamma {gradient[1]}{noise[1]}"),
    )


def _first() -> Equation:
    return Equation(
        Formula(
            r"\nabla^2 U\, \mathbb{E}[\theta - \theta^{\star}]"
            r" + \tfrac12 \mathrm{D}^3 U\, \mathbb{E}[(\theta - \theta^{\star})^{\otimes 2}] + \dots",
            "D2U E[theta - theta*] + (1/2) D3U E[(theta - theta*)^(x2)] + ...",
        ),
        Formula("0", "0"),
    )
