"""A sentence of a text and the Python that says the same make one statement, in both directions."""

import pytest

from verification import statements
from verification.statements import *  # noqa: F403
from verification.terms.term import Applied, Name, term
from verification.texts.letters import Letters, row
from verification.texts.python import said
from verification.texts.sentences import Sentence

ROWS = (
    ("a, b, h, m, M, L, d, gamma, rho", "positive"),
    ("x, y", "real"),
    ("beta", "fraction"),
    ("n, T", "whole number"),
    ("f", "function"),
    ("u", "sequence"),
    ("X", "random sequence"),
    ("rate", "decreasing sequence"),
    ("z", "column of each"),
    ("P, Q", "symmetric positive definite matrix"),
    ("R", "matrix"),
)
LETTERS = Letters(tuple(row(*one) for one in ROWS))
NAMES = {name: getattr(statements, name) for name in statements.__all__} | {
    "Applied": Applied,
    "Name": Name,
}
NAMES |= {name: term(NAMES[name]) for name in ("A", "C", "D", "N", "S", "Sigma", "eps", "mu", "H")}
NAMES |= {a.name: a for a in letters("a b h m M L d gamma rho")} | {"lam": letter("lambda")}  # noqa: F405
NAMES |= {"x": letter("x", "real"), "y": letter("y", "real"), "beta": letter("beta", "fraction")}  # noqa: F405
NAMES |= {a: letter(a, "count") for a in "nT"} | {a: letter(a, "matrix") for a in "PQR"}  # noqa: F405
NAMES |= {"k": index("k"), "t": variable("t"), "f": function("f"), "I": term(identity)}  # noqa: F405
NAMES |= {"u": sequences("u")[0], "X": sequences("X", "random sequence")[0]}  # noqa: F405
NAMES |= {"rate": sequences("rate", "decreasing sequence")[0], "z": term(columns("z"))}  # noqa: F405
NAMES["KL"] = lambda V, q, W, p: Applied("KL", (V, Name(q), W, Name(p)))
NAMES["word"] = lambda name, *of: Applied(name, tuple(map(term, of)))

# a sentence as it is written, the Python, the sampler, and what is given
PAIRS = (
    ("(a + b)^2 = a^2 + b^2", "Equal((a + b)**2, a**2 + b**2)", "", ""),
    (r"$(a+b)^2 = a^2 + 2ab + b^2$", "Equal((a + b)**2, a**2 + 2*a*b + b**2)", "", ""),
    (r"$\sqrt{ab} \le \frac{a+b}{2}$", "sqrt(a*b) <= (a + b)/2", "", ""),
    ("sqrt(ab) is at most (a+b)/2", "sqrt(a*b) <= (a + b)/2", "", ""),
    ("a < a + b and b < a + b", "All(a < a + b, b < a + b)", "", ""),
    ("a < a + b < a + 2b", "All(a < a + b, a + b < a + 2*b)", "", ""),
    ("log(ab) = log(a) up to a constant in a", "Equal(log(a*b), log(a), constant_in=(a,))", "", ""),
    ("if beta < 1/2, then 1/(1 - beta) < 2", "1/(1 - beta) < 2", "", "beta < number(1)/2"),
    ("For $h < 2/M$ we have $(1-hM)^2 < 1$.", "(1 - h*M)**2 < 1", "", "h < number(2)/M"),
    ("if $y \\in (0, \\infty)$, then y < 2 y", "y < 2*y", "", "number(0) < y"),
    ("(1 - hL)^2 < 1 only if h < 2/L", "(1 - h*L)**2 >= 1", "", "h >= number(2)/L"),
    (
        "a h^L is small beside h as h -> 0 if and only if L > 1",
        "Iff(Order(a*h**L, 'o', h, vanishing(h)), L > 1)",
        "",
        "",
    ),
    ("the chain is stable only if eps < 2/lambda_max(A)", "Not(Stable())", "sgd",
     "eps >= 2/word('lambda_max', A)"),
    ("h n <= 2 where h = 2/n", "h*n <= 2", "", "Equal(h, number(2)/n)"),
    ("max(a, b) <= a + b", "largest(a, b) <= a + b", "", ""),
    (r"$\min(a, b) \le a$", "smallest(a, b) <= a", "", ""),
    ("exp(h) - 1 is of order h as h -> 0", "Order(exp(h) - 1, 'Theta', h, vanishing(h))", "", ""),
    (r"$e^h - 1 = O(h)$ as $h \to 0$", "Order(exp(h) - 1, 'O', h, vanishing(h))", "", ""),
    ("sqrt(h) = o(1) as h vanishes", "Order(sqrt(h), 'o', 1, vanishing(h))", "", ""),
    ("sqrt(h) vanishes as h -> 0", "Order(sqrt(h), 'o', 1, vanishing(h))", "", ""),
    ("exp(h) = 1 + h + O(h^2)", "expanded(exp(h), 1 + h, h**2, vanishing(h))", "", ""),
    (r"$\log(1 + h) = h + o(h)$ as $h \to 0$", "expanded(log(1 + h), h, h, vanishing(h), 'o')", "", ""),
    ("exp(h) = 1 + h to first order in h", "expanded(exp(h), 1 + h, h**2, vanishing(h))", "", ""),
    ("n/(1 + a n) ~ 1/a as n -> infinity", "Order(n/(1 + a*n), '~', 1/a, growing(n))", "", ""),
    (r"$n/(1 + an) \sim 1/a$ as $n \to \infty$", "Order(n/(1 + a*n), '~', 1/a, growing(n))", "", ""),
    ("n/(1 + a n) tends to 1/a as n grows", "Order(n/(1 + a*n), '~', 1/a, growing(n))", "", ""),
    ("1/n^2 is small beside 1/n as n grows", "Order(1/n**2, 'o', 1/n, growing(n))", "", ""),
    ("1/n = Omega(1/n^2)", "Order(1/n, 'Omega', 1/n**2, growing(n))", "", ""),
    ("n - log(n) grows as n -> infinity", "Moves(n - log(n), 'grows', growing(n))", "", ""),
    ("1/n eventually shrinks with n", "Moves(1/n, 'shrinks', growing(n))", "", ""),
    ("a^2 increases with a", "Compare((a + letter('delta'))**2, '>', a**2)", "", ""),
    ("1/n decreases with n", "Compare(1/(n + 1), '<', 1/n)", "", ""),
    ("tr(Sigma) increases with eps",
     "Compare(elsewhere(tr(Sigma), (eps, eps + letter('delta'))), '>', tr(Sigma))", "sgd", ""),
    (r"$\lim_{n \to \infty} \frac{n}{1 + an} = \frac{1}{a}$",
     "Order(n/(1 + a*n), '~', 1/a, growing(n))", "", ""),
    (r"$\frac{1}{n} \to 0$ as $n \to \infty$", "Order(1/n, 'o', 1, growing(n))", "", ""),
    (r"$\tfrac12 (a + b) \ge \sqrt{ab}$", "Compare(number(1)/2*(a + b), '>=', sqrt(a*b))", "", ""),
    ("the covariance is at least the posterior covariance",
     "Compare(Sigma, '>=', (N*A)**number(-1))", "sgld", ""),
    ("a/n^2 has a finite sum as n grows", "Adds(a/n**2, 'to a finite sum', growing(n))", "", ""),
    ("1/n adds up without end as n grows", "Adds(1/n, 'without end', growing(n))", "", ""),
    (r"$\sum_{k=1}^\infty \frac{a}{k^2} < \infty$",
     "Adds(a/letter('k', 'count')**2, 'to a finite sum', growing(letter('k', 'count')))", "", ""),
    ("a b is at most a constant times a^2 + b^2", "Bounded(a*b, a**2 + b**2)", "", ""),
    ("a/b + b/a is smallest at a = b", "Best(a, b, of=a/b + b/a)", "", ""),
    (r"$b = \arg\min_a (a/b + b/a)$", "Best(a, b, of=a/b + b/a)", "", ""),
    ("a = argmin_a (a/b + b/a)", None, "", ""),
    ("a = b minimises a/b + b/a", "Best(a, b, of=a/b + b/a)", "", ""),
    ("one pair (a, b) alone minimises (a - b)^2", "OneBest(a, b, of=(a - b)**2)", "", ""),
    ("exp(-(x - y)^2) is maximised at x = y", "Best(x, y, of=exp(-(x - y)**2), end='largest')", "", ""),
    ("(a^2 - b^2)/(a - b) - a does not depend on a", "FreeOf((a**2 - b**2)/(a - b) - a, a)", "", ""),
    ("a/b is proportional to a", "FreeOf(a/b/a, a)", "", ""),
    ("there are a, b with a b > 1 and a < 1", "Exists(a*b > 1, a < 1)", "", ""),
    ("there are no a, b with a < b and b < a", "Not(Exists(a < b, b < a))", "", ""),
    ("x^3 <= x if and only if x <= 1", "Iff(x**3 <= x, x <= 1)", "", ""),
    (r"$x^3 \le x \iff x \le 1$", "Iff(x**3 <= x, x <= 1)", "", ""),
    ("a x = b x at all states x", "Equal(a*x, b*x)", "", ""),
    ("pi > 3", "Compare(pi, '>', 3)", "", ""),
    ("cosh(x)^2 - sinh(x)^2 = 1", "Equal(cosh(x)**2 - sinh(x)**2, 1)", "", ""),
    (r"$\frac{d}{dx} e^{-ax} = -a e^{-ax}$", "Equal(derivative(exp(-a*x), x), -a*exp(-a*x))", "", ""),
    ("d/dx f(x)^2 = 2 f(x) d/dx f(x)", "Equal(partial(f(x)**2, x), 2*f(x)*partial(f(x), x))", "", ""),
    ("int_0^T exp(-a t) dt <= 1/a", "integral(exp(-a*t), (t, 0, T)) <= 1/a", "", ""),
    (r"$\int_0^T e^{-at}\,dt \le 1/a$", "integral(exp(-a*t), (t, 0, T)) <= 1/a", "", ""),
    ("sum_{k=0}^{n-1} (1-hm)^{2k} <= 1/(hm) for h m < 1",
     "over((1 - h*m)**(2*k), k, 0, n - 1) <= 1/(h*m)", "", "h*m < 1"),
    (r"$\sum_{k=1}^{n} (u_k - u_{k-1}) = u_n - u_0$",
     "Equal(over(u[k] - u[k - 1], k, 1, n), u[n] - u[0])",
     "", ""),
    (r"$\left|\sum_{k=1}^n u_k\right| \le \sum_{k=1}^n |u_k|$",
     "size(over(u[k], k, 1, n)) <= over(size(u[k]), k, 1, n)", "", ""),
    ("E[sum_{k=1}^n X_k] = sum_{k=1}^n E[X_k]",
     "Equal(mean(over(X[k], k, 1, n)), over(mean(X[k]), k, 1, n))",
     "", ""),
    ("E[avg_S(z)] = avg_N(z)", "Equal(word('E', word('mean_s', z)), word('mean_n', z))", "", ""),
    ("tr(P Q) = tr(Q P)", "Equal(tr(P*Q), tr(Q*P))", "", ""),
    (r"$\operatorname{tr}(PQ) = \operatorname{tr}(QP)$", "Equal(tr(P*Q), tr(Q*P))", "", ""),
    (r"$\det(PQ) = \det(P)\det(Q)$", "Equal(det(P*Q), det(P)*det(Q))", "", ""),
    (r"$(PQ)^\top = QP$", "Equal(transpose(P*Q), Q*P)", "", ""),
    ("(P Q)' = Q P", "Equal(transpose(P*Q), Q*P)", "", ""),
    ("rank(P Q) <= rank(Q)", "rank(P*Q) <= rank(Q)", "", ""),
    (r"$\lambda_{\min}(P) \le \lambda_{\max}(P)$", "word('lambda_min', P) <= word('lambda_max', P)",
     "", ""),
    ("P and Q commute", "Equal(Q*P, P*Q)", "", ""),
    ("P is positive definite", "Compare(P, '>', 0)", "", ""),
    ("P is symmetric", "Equal(transpose(P), P)", "", ""),
    ("a P + I is positive definite", "Compare(a*P + I, '>', 0)", "", ""),
    (r"$A\Sigma + \Sigma A = \frac{\epsilon}{S} C$", "Equal(A*Sigma + Sigma*A, eps/S*C)", "sgd", ""),
    ("A Sigma + Sigma A = eps/S C", "Equal(A*Sigma + Sigma*A, eps/S*C)", "sgd", ""),
    (r"$\Sigma \succeq (NA)^{-1}$", "Compare(Sigma, '>=', (N*A)**number(-1))", "sgld", ""),
    (r"$\Sigma = \frac{\epsilon}{2S} I$ if $C = A$", "Equal(Sigma, eps/(2*S)*I)", "sgd", "Equal(C, A)"),
    ("Sigma/eps does not depend on eps", "FreeOf(Sigma/eps, eps)", "sgd", ""),
    ("the stationary covariance grows linearly in eps", "FreeOf(Sigma/eps, eps)", "sgd", ""),
    ("Sigma commutes with A if and only if C does", "Iff(Equal(A*Sigma, Sigma*A), Equal(A*C, C*A))",
     "sgd", ""),
    ("the chain is stable if and only if eps < 2/lambda_max(A)",
     "Iff(Stable(), eps < 2/word('lambda_max', A))", "sgd", ""),
    ("if eps lambda > 2, the chain does not settle", "Not(Stable())", "sgd", "eps*lam > 2"),
    ("KL(q || p) is minimised at eps = 2 D S/(N tr(C))",
     "Best(eps, 2*D*S/(N*tr(C)), of=KL(Sigma, 'q', (N*A)**number(-1), 'p'))", "sgd", ""),
    (r"$\frac{2DS}{N\operatorname{tr} C} = \operatorname{argmin}_\epsilon \mathrm{KL}(q \,\|\, p)$",
     "Best(eps, 2*D*S/(N*tr(C)), of=KL(Sigma, 'q', (N*A)**number(-1), 'p'))", "sgd", ""),
    ("E[theta^T A theta] = eps/(2S) tr(C)", "Equal(tr(A*Sigma), eps/(2*S)*tr(C))", "sgd", ""),
    ("E[theta theta^T] = Cov(theta) + 0 I", "Equal(Sigma, Sigma + 0*I)", "sgd", ""),
    ("E[theta v^T] + E[v theta^T] = 0",
     "Equal(term(second('theta', 'v')) + term(second('v', 'theta')), 0)", "momentum", ""),
    ("Sigma[eps -> eps/2] = Sigma/2", "Equal(elsewhere(Sigma, (eps, eps/2)), Sigma/2)", "sgd", ""),
    ("lagged(T, 0) = (I - eps A)^T Sigma", "Equal(lagged(T, 0), (I - eps*A)**T*Sigma)", "sgd", ""),
    ("SGLD's bias vanishes as eps -> 0", "Order(Sigma - (N*A)**number(-1), 'o', 1, vanishing(eps))",
     "sgld", ""),
    ("W_2(lmc, target)^2 <= 8 d gamma (L/m)^3", "W2(law('lmc'), TARGET)**2 <= 8*d*gamma*(L/m)**3", "",
     ""),
    ("psgld samples the posterior as its step vanishes", "samples_posterior('psgld')", "", ""),
    ("momentum and sgd are the same algorithm", "same('momentum', 'sgd')", "", ""),
)  # fmt: skip


def as_python(code):
    return eval(code, dict(NAMES))


@pytest.mark.parametrize(("sentence", "code", "of", "given"), PAIRS, ids=[p[0][:40] for p in PAIRS])
def test_a_sentence_and_its_python_are_one_statement(sentence, code, of, given):
    if code is None:
        with pytest.raises(ValueError, match="expected"):
            Sentence(sentence, LETTERS, of).stated()
        return
    _, found = Sentence(sentence, LETTERS, of).stated()
    expected = as_python(code)
    assert found["statement"] == expected, (found["statement"].text(), expected.text())
    wanted = [as_python(given)] if given else []
    assert list(found["given"]) == wanted


@pytest.mark.parametrize(("sentence", "code", "of", "given"), PAIRS, ids=[p[0][:40] for p in PAIRS])
def test_the_python_that_is_shown_makes_the_same_claim(sentence, code, of, given):
    if code is None:
        return
    _, whole = Sentence(sentence, LETTERS, of).stated()
    parts = {name: whole[name] for name in ("of", "time", "states", "numbers", "given")}
    made = claim("one", at="p. 1", title="t", read=whole["statement"], **parts)  # noqa: F405
    names = {}
    exec(said(made, whole["given"], whole.get("python", "")), names)
    again = names["one"]
    assert (again.statement, again.given, again.numbers) == (made.statement, made.given, made.numbers)
    assert (again.of, again.time, again.states) == (made.of, made.time, made.states)


def test_there_are_enough_pairs():
    assert sum(code is not None for _, code, *_ in PAIRS) >= 60
