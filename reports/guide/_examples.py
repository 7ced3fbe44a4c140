"""Statements that are judged while the page on statements is made: sentences, relations, words."""

# a sentence, the statement, and what else the claim is given
SENTENCES = (
    ("a is equal to b", "Equal((a + b) ** 2, a**2 + b**2)", ""),
    ("a is at most b; is below b", "sqrt(a * b) <= (a + b) / 2", ""),
    ("and", "All(a < a + b, b < a + b)", ""),
    ("is equal up to a constant in a", "Equal(log(a * b), log(a), constant_in=(a,))", ""),
    ("where beta is below one half", "1 / (1 - beta) < 2", "given=(beta < half,)"),
    ("where h stands for 2/n", "h * n <= 2", "given=(Equal(h, 2 / n),)"),
    ("the numbers of a table", "a <= b / 2", 'numbers={a: "0.45", b: "0.82"}'),
    ("the larger of the two is at most their sum", "largest(a, b) <= a + b", ""),
    ("is nearer to one than b is", "size(a - 1) < size(b - 1)", "given=(a < b, a > 1)"),
    ("is of order h as h vanishes", 'Order(exp(h) - 1, "Theta", h, vanishing(h))', ""),
    ("is at most of order h", 'Order(sqrt(h), "O", h, vanishing(h))', ""),
    ("is 1 + h, up to order h squared", "expanded(exp(h), 1 + h, h**2, vanishing(h))", ""),
    (
        "the bias of LMC is at most so large, in every dimension",
        'W2(law("lmc"), TARGET) ** 2 <= 8 * d * gamma * (L / m) ** 3',
        "",
    ),
    ("approaches 1/a as n grows", 'Order(n / (1 + a * n), "~", 1 / a, growing(n))', ""),
    ("is small beside 1/n; is at least of its order", 'Order(1 / n**2, "o", 1 / n, growing(n))', ""),
    ("in the end grows with n", 'Moves(n - log(n), "grows", growing(n))', ""),
    ("has a finite sum over all steps", 'Adds(a / n**2, "to a finite sum", growing(n))', ""),
    ("is at most a constant times b, for all values", "Bounded(a * b, a**2 + b**2)", ""),
    ("is smallest at a = b", "Best(a, b, of=a / b + b / a)", ""),
    ("does not depend on a", "FreeOf((a**2 - b**2) / (a - b) - a, a)", ""),
    (
        "the slope of a function left open",
        "Equal(partial(f(x) ** 2, x), 2 * f(x) * partial(f(x), x))",
        "",
    ),
    (
        "is the marginal of a density",
        "Equal(log_integral(-f(x) - y**2 / 2, y), -f(x), constant_in=(x,))",
        "",
    ),
    ("at all states, for which parameters", "Equal(a * x, b * x)", "states=(x,)"),
    ("is proportional to the step", "FreeOf(Sigma / eps, eps)", 'of="sgd"'),
    ("the same, of the algorithm as it runs", "FreeOf(Sigma / eps, eps)", 'of="sgd", time="discrete"'),
    (
        "has the law of SGD at another step",
        'Equal(Sigma, elsewhere(Sigma, (eps, eps / mu), of="sgd"))',
        'of="momentum"',
    ),
    (
        "has the law of a sampler that is declared here",
        "Equal(Sigma, elsewhere(Sigma, (rho, 2 * eps), of=HALVED))",
        'of="sgd", time="discrete"',
    ),
    (
        "is divided by a number where the curvature is multiplied by it",
        "Equal(elsewhere(Sigma, (A, a * A)), Sigma / a)",
        'of="sgd"',
    ),
    (
        "its trace grows with the step",
        "elsewhere(tr(Sigma), (eps, eps + b)) > tr(Sigma)",
        'of="sgd", time="discrete"',
    ),
    ("solves the equation", "Equal(A * Sigma + Sigma * A, eps / S * C)", 'of="sgd"'),
    (
        "is isotropic where the noise is as the curvature",
        "Equal(Sigma, eps / (2 * S) * identity)",
        'of="sgd", given=(Equal(C, A),)',
    ),
    (
        "if and only if A and B B^T commute",
        "Iff(Equal(A * Sigma, Sigma * A), Equal(A * C, C * A))",
        'of="sgd"',
    ),
    ("with steps of S/N", "Equal(A * Sigma + Sigma * A, C / N)", 'of="sgd", given=(Equal(eps, S / N),)'),
    ("commute", "Equal(A * C, C * A)", ""),
    ("is positive definite", 'Compare(eps * C + identity, ">", 0)', ""),
    ("overestimates the posterior covariance", 'Compare(Sigma, ">=", (N * A) ** -1)', 'of="sgld"'),
    (
        "a step of SGD goes down the noisy gradient",
        "InLaw(Row(After(position), position - eps * NOISY_GRADIENT))",
        'of="sgd", time="discrete"',
    ),
    (
        "goes over into an Ornstein-Uhlenbeck process",
        "InLaw(Row(Change(position), -eps * A * position * dt + MatrixRoot(eps**2 / S * C) * dW))",
        'of="sgd"',
    ),
    (
        "two independent noises are one",
        'InLaw(Row(B * dW + H * dV, MatrixRoot(C + H**2) * dW, "~"))',
        "",
    ),
    ("the mean energy", "Equal(trace(A * Sigma), eps / (2 * S) * trace(C))", 'of="sgd"'),
    (
        "decreasing steps reach the optimum, against noise",
        'Order(mean(path[T] ** 2), "o", 1, growing(T))',
        "given=FALLING",
    ),
)
# a relation or connective, what it says, an example, and what else the claim is given
RELATIONS = (
    ("Equal", "both sides are equal", "Equal(cosh(x)**2 - sinh(x)**2, 1)", ""),
    ("Compare", "<, <=, >, >=, != of numbers; of matrices, their order", "Compare(pi, '>', 3)", ""),
    ("FreeOf", "a quantity does not depend on a letter", "FreeOf(Sigma / eps, eps)", 'of="sgd"'),
    ("Order", "O, o, Theta, Omega, ~ on the way to a limit", "Order(1 + h, '~', 1, vanishing(h))", ""),
    ("expanded", "a formula, and what is left out", "expanded(log(1 + h), h, h**2, vanishing(h))", ""),
    ("Moves", "grows or shrinks in the end", "Moves(1 / n, 'shrinks', growing(n))", ""),
    ("Adds", "adds up to something, or without end", "Adds(1 / n, 'without end', growing(n))", ""),
    ("Bounded", "at most a constant times", "Bounded(a * b, a**2 + b**2)", ""),
    ("Best", "a value makes a quantity smallest (or largest)", "Best(a, sqrt(b), of=a + b / a)", ""),
    ("OneBest", "one pair of values alone is best",
     "OneBest(H, S, of=Divergence(Sigma, q, (N * A)**-1, p))", 'of="sgd"'),
    ("Stable", "the sampler settles, so that it has a law", "Stable()",
     'of="sgd", given=(eps * lam < 2,)'),
    ("Not", "the opposite", "Not(Stable())", 'of="sgd", time="discrete", given=(eps * lam > 2,)'),
    ("All", "several at once", "All(a < a + b, b < a + b)", ""),
    ("Exists", "somewhere all of them hold", "Exists(a * b > 1, a < 1)", ""),
    ("Iff", "one holds where the other does, and nowhere else", "Iff(Stable(), eps * lam < 2)",
     'of="sgd", time="discrete"'),
    ("Preserves", "a diffusion keeps a density", "Preserves(((LANGEVIN, -(q0**2) / 2),))", ""),
    ("WeakOrder", "a step follows a process, to an order",
     "WeakOrder(LANGEVIN, EULER, step, 1)", ""),
    ("Solves", "a formula with a stochastic integral solves a linear process",
     "Solves(expm(-t * A), expm(-(t - s) * A), t, s, -A, C)", ""),
    ("InLaw", "rows with noise are a step, a process or a noise",
     "InLaw(Row(After(position), position - eps * NOISY_GRADIENT))", 'of="sgd", time="discrete"'),
    ("samples_posterior", "as its step vanishes a sampler samples the posterior",
     "samples_posterior('psgld')", ""),
)  # fmt: skip
# what words are about, and statements in which they occur
WORDS = (
    ("numbers", (
        ("Equal(tanh(x), sinh(x) / cosh(x))", ""),
        ("size(sin(x)) + size(cos(x)) <= 1", ""),
        ("Equal(exp(log(a)), a)", ""),
        ("Equal(cosh(x) + sinh(x), exp(x))", ""),
        ("Compare(sqrt(2) * pi, '>', E)", ""),
        ("Equal(erf(-x), -erf(x))", ""),
        ("smallest(a, b) <= a", ""),
        ("largest(a, b) <= a + b", ""),
    )),
    ("matrices", (
        ("Equal(tr(A * C), tr(C * A))", ""),
        ("Equal(Diagonal(A * C), Diagonal(C * A))", ""),
        ("Compare(rank(A * C), '<=', rank(C))", ""),
        ("Compare(SmallestEigenvalue(A), '<=', LargestEigenvalue(A))", ""),
        ("Equal(transpose(A * C), C * A)", ""),
        ("Equal(det(a * A), det(A))", ""),
        ("Equal(MeanForm(A, Sigma, q), tr(A * Sigma))", 'of="sgd"'),
        ("Equal(MeanLogDensity(A**-1, p, Sigma, q) - MeanLogDensity(Sigma, q, Sigma, q),"
        " -Divergence(Sigma, q, A**-1, p))",
         'of="sgd"'),
    )),
    ("laws of samplers", (
        ("Equal(second('theta', 'v') + second('v', 'theta'), 0)", 'of="momentum"'),
        ("Equal(Sigma, elsewhere(Sigma, (eps, eps / mu), of='sgd'))", 'of="momentum"'),
        ("Best(eps, 2 * D * S / (N * trace(C)), of=Divergence(Sigma, q, (N * A)**-1, p))", 'of="sgd"'),
    )),
    ("distances of normal laws", (
        ("Equal(Transported(Sigma, q, (N * A)**-1, p), gamma / 4 * sqrt(N * trace(A)))",
         'of="lmc", time="discrete"'),
        ("Order(TotalVariation(Sigma, q, (N * A)**-1, p), 'O', gamma, vanishing(gamma))",
         'of="lmc", time="discrete", given=(Equal(D, 1),)'),
    )),
    ("times and windows", (
        ("Equal(lagged(T, 0), (identity - eps * A)**T * Sigma)", 'of="sgd", time="discrete"'),
        ("Equal(lagged(T, 0), expm(-eps * T * A) * Sigma)", 'of="sgd"'),
        ("Order(averaged(T), '~', A**-1 * C * A**-1 / (S * T), growing(T))",
         'of="sgd", time="discrete"'),
        ("Equal(long_run(), A**-1 * C * A**-1 / S)", 'of="sgd", time="discrete"'),
        ("Order(remembered(T), '~', A**-1 / (eps * T), growing(T))", 'of="sgd", time="discrete"'),
        ("Equal(averaged(T), integral(lagged(r, v), (v, 0, T), (r, 0, T)) / T**2)", 'of="sgd"'),
        ("Equal(derivative(exp(-a * x), x), -a * exp(-a * x))", ""),
    )),
    ("minibatches and data", (
        ("Equal(Expectation(BatchAverage(z)), Average(z))", ""),
        ("Equal(Expectation(First(z)), Average(z))", ""),
        ("Equal(Gradient(Inner(z, theta)**2), 2 * Inner(z, theta) * z)", ""),
        ("Equal(Hessian(Inner(z, theta)**2), 2 * outer(z))", ""),
        ("Equal(At(Inner(z, theta)**2, z), Inner(z, z)**2)", ""),
        ("Equal(Expectation(outer(BatchAverage(z) - Average(z))), covariance(z) / S)", ""),
        ("Equal(Expectation(outer(BatchAverage(z) - Average(z))), covariance(z) / S)",
         "given=(REPLACED,)"),
    )),
    ("sequences", (
        ("Equal(over(u[k] - u[k - 1], k, 1, n), u[n] - u[0])", ""),
        ("size(over(u[k], k, 1, n)) <= over(size(u[k]), k, 1, n)", ""),
        ("Equal(over(1, k, 1, n), n)", ""),
        ("Equal(mean(over(u[k], k, 1, n)), over(mean(u[k]), k, 1, n))", ""),
    )),
    ("functions left open", (
        ("Equal(partial(f(x)**2, x), 2 * f(x) * partial(f(x), x))", ""),
        ("Equal(mean_under(-(x**2) / 2, x**2, x), 1)", ""),
        ("Equal(density(x**2 / 2 + a), density(x**2 / 2))", ""),
        ("Equal(log_integral(-f(x) - y**2 / 2, y), -f(x), constant_in=(x,))", ""),
    )),
    ("chains that are not linear", (
        ("Equal(ABSOLUTE.mean(size(at)), t + h / 2)", ""),
        ("Equal(ABSOLUTE.mean(size(at)), t + h)", ""),
        ("Equal(chain('lmc', at - h * at**3 + sqrt(2 * h) * kick, at, kick).laws, 1)", ""),
        ("Equal(COINS.unlike('uniform'), 0)", ""),
        ("Equal(COINS.mean(at**4), 1 / number(5))", ""),
    )),
    ("regrets", (("Order(R, 'O', sqrt(T), growing(T))", ""),)),
    ("distances", (("W2(law('lmc'), TARGET)**2 <= 8 * d * gamma * (L / m)**3", ""),)),
    ("invariant laws about the mode", (
        ("Equal(second_about_mode('lmc'), undone('H', 2 * IDENTITY))", "given=(LINEAR,)"),
        ("Equal(second_about_mode('lmc'), undone('H', 2 * IDENTITY))", ""),
        ("Equal(second_about_mode('sgldfp'), undone('G', 2 * IDENTITY))", "given=(LINEAR,)"),
        ("Equal(second_about_mode('lmc'), undone('L', IDENTITY))", "given=(LINEAR,)"),
        ("Equal(second_about_mode('sgd'), letter('eta') / letter('p') * undone('G', NOISE))",
         "given=(LINEAR,)"),
        ("expanded(off('lmc'), -(HESSIAN**-1) * third(undone('H', IDENTITY)), N**-2, STEPS)", ""),
        ("Order(bias('lmc'), 'O', 1 / N, STEPS)", ""),
        ("Order(cov('lmc'), 'O', 1 / N, STEPS)", ""),
        ("Order(gradient_noise('sgld'), 'O', N, STEPS)", ""),
        ("Order(spread('lmc'), 'O', 1 / N, STEPS)", ""),
        ("Order(run_off('lmc'), 'O', 1 / N, STEPS)", ""),
    )),
)  # fmt: skip
# what is given beside a statement, an example, and the rest of the claim
HYPOTHESES = (
    ("a relation between letters", "1 / (1 - beta) < 2", "given=(beta < half,)"),
    ("what a letter stands for", "h * n <= 2", "given=(Equal(h, 2 / n),)"),
    ("a relation between matrices", "Equal(A * Sigma, Sigma * A)",
     'of="sgd", given=(Equal(A * C, C * A),)'),
    ("a parameter of the problem set to a formula", "Equal(A * Sigma + Sigma * A, C / N)",
     'of="sgd", given=(Equal(eps, S / N),)'),
    ("how examples are drawn",
     "Equal(Expectation(outer(BatchAverage(z) - Average(z))), covariance(z) / S)", "given=(REPLACED,)"),
    ("all states; conditions lie on other letters", "Equal(a * x, b * x)", "states=(x,)"),
    ("a kind for a letter of a sampler", "FreeOf(mu * Sigma, mu)",
     'of="momentum", kinds=(("mu", "fraction"),)'),
)  # fmt: skip
IMPORTS = """\
import sympy as sp

from sgtheory.declare import Card, Sampler, gradient, positive, state
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.statements import *

a, b, h, d, gamma, m, L, lam = letters("a b h d gamma m L lambda")
(x, y), f = letters("x y", "real"), function("f")
beta, (n, T), half = letter("beta", "fraction"), letters("n T", "count"), number("1/2")
(t, s), r, v = letters("t s"), variable("r"), variable("v")
STEPS = growing(N, (gamma, letter("eta") / N))
z = columns("z")
k, (u,) = index("k"), sequences("u")

q, p = sp.symbols("q p")  # names of the law and of the posterior
q0, step, xi = sp.Symbol("x", real=True), sp.Symbol("h", positive=True), sp.Symbol("xi", real=True)
LANGEVIN = Diffusion((q0,), (-q0,), ((sp.sqrt(2),),))  # dx = -x dt + sqrt(2) dW
EULER = Step((q0,), ((q0, q0 - step * q0 + sp.sqrt(2 * step) * xi),), (xi,))
(path,), (drawn,) = sequences("x"), sequences("xi", "noises")
(rate,) = sequences("rho", "decreasing sequence")
FALLING = (Equal(path[k], path[k - 1] - rate[k] * (path[k - 1] + drawn[k])), Equal(path[0], 1))
FALLING = (*FALLING, rate[1] <= half)
theta0, rho = state("theta"), positive("rho")
STEP = ((theta0, theta0 - rho / 2 * gradient(theta0)),)
HALVED = Sampler(state=(theta0,), updates=STEP, convention=Card(loss="mean", drift="rho / 2"))
w, g, eta, sigma, tiny = sp.symbols("w g eta sigma tiny")  # RMSProp, with steps eta/sqrt(t)
SQUARES = (w, sigma * w + (1 - sigma) * g**2)
RMSPROP = Step((q0, w), (SQUARES, (q0, q0 - eta * g / (tiny + sp.sqrt(w)))))
VALUES = ((eta, "1"), (sigma, "1/17"), (tiny, "1/100"))
R = regret("R", OnlineStep(RMSPROP, q0, g, eta, VALUES))
at, kick = letters("at kick", "variable")  # the place of a chain, and a standard normal noise
ABSOLUTE = chain("absolute", at - h * sign(at) + sqrt(2 * h * t) * kick, at, kick)
COINS = chain("coins", at / 2 + kick / 2, at, of_law(kick, "signs"))
"""
