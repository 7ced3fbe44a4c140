"""Networks by second routes: gradients by differences, declared steps by plain loops, tiny tables."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from sgtheory import registry
from sgtheory.errors import UnusableInput
from tests.verification.experiments import device
from verification.experiments import datasets, experiment, perform
from verification.experiments.chen2016santa import table1 as santa_table1
from verification.experiments.chen2016santa import table2 as music_table
from verification.experiments.job import Job
from verification.experiments.li2016psgld import table2 as psgld_table
from verification.experiments.networks import classifier, comparing, feedforward, musician, recurrent
from verification.experiments.networks.declared import Method, Normals, train, without_gains
from verification.experiments.record import MISSING, REPRODUCED, SHAPE, Amount, Findings, verdict

WIDTHS = (6, 5, 4, 3)
STEP = 1e-5  # of differences: their error is STEP^2, and rounding over STEP


def examples(seed=1, runs=2, many=7):
    """Examples at which no unit is near its kink, where differences mean nothing."""
    rng = np.random.default_rng(seed)
    theta = feedforward.begin(rng, runs, WIDTHS, np.float64)
    theta += 0.1 * rng.standard_normal(theta.shape)
    (A, a), (B, b), _ = feedforward.layers(theta, WIDTHS)
    X = rng.random((runs, 3 * many, WIDTHS[0]))
    first = X @ A + a
    second = np.maximum(first, 0) @ B + b
    far = (abs(np.concatenate([first, second], axis=2)) > 100 * STEP).all(axis=2)
    kept = np.stack([x[ok][:many] for x, ok in zip(X, far, strict=True)])
    return theta, kept, rng.integers(0, WIDTHS[-1], (runs, many))


def differences(loss, theta):
    """All entries of the gradient by central differences."""
    found = np.empty_like(theta)
    for j in range(theta.shape[1]):
        h = np.zeros(theta.shape[1])
        h[j] = STEP
        found[:, j] = (loss(theta + h) - loss(theta - h)) / (2 * STEP)
    return found


def backpropagated(theta, X, y, masked=True):
    """One run and one example at a time, with the layers written out."""
    found = np.zeros_like(theta)
    for k in range(len(theta)):
        (A, a), (B, b), (C, c) = ((W[0], o[0, 0]) for W, o in feedforward.layers(theta[[k]], WIDTHS))
        grads = feedforward.layers(found[[k]].copy(), WIDTHS)
        for x, label in zip(X[k], y[k], strict=True):
            p = x @ A + a
            q = np.maximum(p, 0) @ B + b
            s = np.maximum(q, 0) @ C + c
            ds = np.exp(s - s.max()) / np.exp(s - s.max()).sum()
            ds[label] -= 1
            dq = (C @ ds) * ((q > 0) if masked else 1)
            dp = (B @ dq) * ((p > 0) if masked else 1)
            pairs = ((x, dp), (np.maximum(p, 0), dq), (np.maximum(q, 0), ds))
            for (W, o), (left, right) in zip(grads, pairs, strict=True):
                W[0] += np.outer(left, right)
                o[0, 0] += right
        flat = [part.ravel() for W, o in grads for part in (W[0], o[0])]
        found[k] = np.concatenate(flat) / X.shape[1]
    return found


def test_backpropagation_is_the_slope_of_the_loss_and_a_twin_without_its_mask_is_not():
    theta, X, y = examples()
    by_differences = differences(lambda x: feedforward.loss(x, X, y, WIDTHS), theta)
    found = feedforward.slope(theta, X, y, WIDTHS)
    assert found == pytest.approx(by_differences, abs=1e-8)
    assert found == pytest.approx(backpropagated(theta, X, y), abs=1e-12)
    assert abs(backpropagated(theta, X, y, masked=False) - by_differences).max() > 1e-2


def test_the_prior_is_the_slope_of_its_own_log():
    theta, X, y = examples(runs=1, many=4)
    source = feedforward.Posterior(X[0], y[0], WIDTHS, 4, 0.5, np.random.default_rng(0))

    def energy(x):
        return feedforward.loss(x, X, y, WIDTHS) + (x**2).sum(axis=1) / (2 * 0.5) / 4

    every = np.arange(4)[None]
    assert source(theta, every) == pytest.approx(differences(energy, theta), abs=1e-8)
    assert abs(source(theta, every) - source.prior(theta) - differences(energy, theta)).max() > 0.01


def test_backpropagation_through_time_is_the_slope_of_the_loss_in_every_matrix():
    """A tenth of a per cent on any of the six matrices is seen."""
    rng, units, keys = np.random.default_rng(2), 3, 4
    theta = 0.5 * rng.standard_normal((2, recurrent.size(units, keys)))
    X = (rng.random((5, 2, 3, keys)) < 0.4) * 1.0
    inside = np.ones((5, 2, 3))
    inside[3:, 0, 1] = 0
    found = recurrent.slope(theta, X, inside, units)
    right = differences(lambda x: recurrent.loss(x, X, inside, units).sum(axis=1), theta)
    assert found == pytest.approx(right, abs=1e-7)
    for k in range(6):
        wrong = found.copy()
        recurrent.matrices(wrong, units, keys)[k][...] *= 1.001
        assert abs(wrong - right).max() > 1e-5


def test_a_loss_of_a_recurrent_network_by_a_plain_loop():
    """One run, one sequence, unit by unit as Cho et al. have it."""
    rng, units, keys = np.random.default_rng(3), 3, 4
    theta = 0.7 * rng.standard_normal((1, recurrent.size(units, keys)))
    X = (rng.random((6, 1, 1, keys)) < 0.5) * 1.0
    W, b, U, Uc, V, c0 = (m[0] for m in recurrent.matrices(theta, units, keys))
    h, total = np.zeros(units), 0.0
    for x in X[:, 0, 0]:
        p = 1 / (1 + np.exp(-(h @ V + c0[0])))
        total -= np.log(np.where(x > 0, p, 1 - p)).sum()
        seen = x @ W + b[0]
        gates = 1 / (1 + np.exp(-(seen[: 2 * units] + h @ U)))
        r, z = gates[:units], gates[units:]
        h = z * h + (1 - z) * np.tanh(seen[2 * units :] + (r * h) @ Uc)
    assert recurrent.loss(theta, X, np.ones((6, 1, 1)), units)[0, 0] == pytest.approx(total, rel=1e-12)


def test_frames_after_the_end_of_a_sequence_say_nothing():
    rng = np.random.default_rng(4)
    short, long = ((rng.random((n, 88)) < 0.2) * 1.0 for n in (3, 6))
    theta = recurrent.begin(rng, 1, 4, np.float64)
    X, inside = recurrent.padded([short, long], np.float64)
    both = recurrent.loss(theta, X.swapaxes(0, 1)[:, None], inside.swapaxes(0, 1)[:, None], 4)[0]
    alone = recurrent.loss(theta, short[:, None, None], np.ones((3, 1, 1)), 4)[0]
    assert both[0] == pytest.approx(alone[0], rel=1e-12)
    assert musician.per_frame(theta, [short, long], 4)[0] == pytest.approx(both.sum() / 9, rel=1e-6)


# --- declared samplers on a network, against loops that follow the papers' text, with the same draws

N, S, ETA, C, BURNIN, STEPS = 40, 5, 0.01, 0.5, 4, 7


def loop(name, gradient, theta, z, noise=1.0):
    """Parameters after each step, as printed; ``noise`` other than 1 is the wrong twin."""
    x, V, u, path = theta.copy(), 0 * theta, 0 * theta, []
    a = np.sqrt(ETA) * C + 0 * theta
    if name.startswith("santa"):
        u = np.sqrt(ETA) * z.standard_normal(theta.shape)
    for t in range(1, STEPS + 1):
        batch = gradient.draw(x)
        f = gradient(x, batch)
        if name == "sgd":
            x = x - noise * ETA * f
        elif name == "sgd_m":
            u = 0.4 * u - noise * N * f
            x = x + ETA / N * u
        elif name == "rmsprop":
            V = 0.99 * V + 0.01 * f**2
            x = x - noise * ETA * f / (1e-5 + np.sqrt(V))
        elif name == "adam":
            u, V = 0.9 * u + 0.1 * f, 0.999 * V + 0.001 * f**2
            x = x - noise * ETA * (u / (1 - 0.9**t)) / (np.sqrt(V / (1 - 0.999**t)) + 1e-8)
        elif name == "sgld":
            xi = z.standard_normal(x.shape)
            x = x - ETA / N / 2 * N * f + noise * np.sqrt(ETA / N) * xi
        elif name.startswith("psgld"):
            V = 0.99 * V + 0.01 * (f - gradient.prior(x)) ** 2
            G, xi = 1 / (1e-5 + np.sqrt(V)), z.standard_normal(x.shape)
            x = x - ETA / N / 2 * G * N * f + noise * np.sqrt(ETA / N * G) * xi
        else:
            before = 1 / np.sqrt(1e-5 + np.sqrt(V))
            V = 0.99 * V + 0.01 / S**2 * (N * f) ** 2
            g, heat = 1 / np.sqrt(1e-5 + np.sqrt(V)), ETA / t**0.5
            explore = t < BURNIN
            if name == "santa_refinement:santa_r":
                kick = 0.0
                x = x + g * u / 2
                a = a + (u**2 - heat) / 2
                u = np.exp(-a / 2) * (np.exp(-a / 2) * u - noise * g * N * f * ETA)
                a = a + (u**2 - heat) / 2
                x = x + g * u / 2
            elif name == "santa_sss:algorithm4":
                kick = np.sqrt(2 * before * ETA**0.5 * heat) if explore else 0.0
                kick = noise * kick * z.standard_normal(x.shape)
                x = x + g * u / 2
                a = a + explore * (u**2 - heat) / 2
                u = np.exp(-a / 2) * (np.exp(-a / 2) * u - g * N * f * ETA + kick)
                a = a + explore * (u**2 - heat) / 2
                x = x + g * u / 2
            else:
                kick = np.sqrt(2 * before * ETA**0.5 * heat) if explore else 0.0
                kick = noise * kick * (z.standard_normal(x.shape) if explore else 0.0)
                a = a + explore * (u**2 - heat)
                u = (1 - a) * u - ETA * g * N * f + kick
                x = x + g * u
        path.append(x)
    return np.array(path)


SANTA = {"eta": ETA, "C0": C, "gamma": 0.5}
DECLARED = {
    "sgd": ("eps", {"eps": ETA}),
    "sgd_m": ("eta", {"eta": ETA / N, "alpha": 0.6}),
    "rmsprop": ("eps", {"eps": ETA, "lambda": 1e-5, "alpha": 0.99}),
    "adam": ("eta", {"eta": ETA}),
    "sgld": ("eps", {"eps": ETA / N}),
    "psgld:no_gamma": ("eps", {"eps": ETA / N}),
    "santa_refinement:santa_r": ("eta", SANTA),
    "santa_sss:algorithm4": ("eta", SANTA | {"burnin": BURNIN}),
    "santa_euler:algorithm6": ("eta", SANTA | {"burnin": BURNIN}),
}


def both(name, noise=1.0, dtype=np.float64):
    theta, X, y = examples(runs=2, many=N)

    def source():
        return feedforward.Posterior(X[0], y[0], WIDTHS, S, 0.5, np.random.default_rng(6))

    step, params = DECLARED[name]
    method = Method(name, name, step, params)
    z = Normals(np.random.default_rng(7), dtype)
    made = train(method, source(), theta.astype(dtype), z, {"N": N, "S": S}, STEPS)
    return np.array(list(made)), loop(name, source(), theta, np.random.default_rng(7), noise)


@pytest.mark.parametrize("name", DECLARED)
def test_a_declared_sampler_on_a_network_takes_the_steps_of_a_plain_loop(name):
    """Entry by entry, also where exploration ends; one per cent on a term is seen."""
    declared, plain = both(name)
    assert declared == pytest.approx(plain, rel=1e-9, abs=1e-11)
    declared, wrong = both(name, noise=1.01)
    assert abs(declared - wrong).max() > 1e-6


@pytest.mark.parametrize("name", DECLARED)
def test_single_precision_stays_single(name):
    assert both(name, dtype=np.float32)[0].dtype == np.float32


def test_a_schedule_multiplies_the_step():
    theta, X, y = examples(runs=1, many=N)
    source = feedforward.Posterior(X[0], y[0], WIDTHS, N, 1.0, np.random.default_rng(0))
    method = Method("SGD", "sgd", "eps", {"eps": 0.1})
    halves = [1.0, 0.5]
    one, two = train(method, source, theta, None, {"N": N, "S": N}, 2, lambda k: halves[k])
    assert one == pytest.approx(theta - 0.1 * source(theta), rel=1e-12)
    assert two == pytest.approx(one - 0.05 * source(one), rel=1e-12)


def test_a_gain_that_is_no_identity_is_not_left_out():
    with pytest.raises(UnusableInput, match="identities"):
        without_gains(registry.sampler("sgd_diagonal"))


# --- tables


def test_a_difference_is_seen_only_beyond_what_runs_differ():
    apart = comparing.less("a", [1.0, 1.1, 0.9], [3.0, 3.2, 2.9], 1)
    assert (apart.holds, apart.twin_holds) == (True, False)
    reverse = comparing.less("a", [3.0, 3.2, 2.9], [1.0, 1.1, 0.9], 1)
    assert (reverse.holds, reverse.twin_holds) == (False, False)
    near = comparing.less("a", [1.0, 1.4, 0.7], [1.1, 1.2, 0.8], 1)
    assert not near.holds
    assert "decides nothing" in near.seen


def test_one_more_run_lies_in_its_interval_as_often_as_is_said():
    """At the level of 1 %, over 4,000 sets of five normal runs: 40 misses, within five of its roots."""
    rng, misses = np.random.default_rng(8), 0
    for runs in rng.standard_normal((4_000, 6)):
        misses += not comparing.one_more(runs[:5], 1).within(Amount(float(runs[5])))
    assert abs(misses - 40) < 5 * 40**0.5


SMALL = {"widths": (4, 5), "runs": 2, "batch": 1_000, "epochs": 2, "halve": 1, "thin": 4, "burnin": 4}


@pytest.mark.parametrize("table", [psgld_table, santa_table1])
@pytest.mark.strong
def test_a_tiny_table_says_that_its_numbers_are_not_the_papers(table):
    told = []
    made = table.EXPERIMENT
    job = Job(made.name, "laptop", SMALL, tell=lambda words, done: told.append(done), keep=False)
    found = table.run_all(job)
    word, sentence = verdict(made, found)
    assert word in (SHAPE, MISSING)
    assert "6,000 of MNIST's 60,000 examples" in sentence
    assert not found.comparisons
    assert not any(s.twin_holds for s in found.shapes)
    assert max(told) > 0.9
    assert all(0 <= done <= 1 for done in told)


def test_all_of_mnist_at_the_papers_scale_is_compared():
    job = Job("li2016psgld.table2", "paper", psgld_table.EXPERIMENT.scales["paper"])
    whole = SimpleNamespace(X=range(60_000), kind=datasets.REAL)
    assert classifier.uncompared(job, whole) == ""
    assert "examples" in classifier.uncompared(job, replace(datasets.mnist()))
    assert "smaller" in classifier.uncompared(replace(job, scale="laptop"), whole)


def test_every_printed_number_is_compared_at_the_papers_sizes():
    """And each that is moved is noticed."""
    for table, count in ((psgld_table, 15), (santa_table1, 16)):
        ours = {n: [Amount(float(x), 0.01) for x in row] for n, row in table.PRINTED.items()}
        made = table._comparisons(ours, table.SIZES)
        assert len(made) == count
        assert all(c.agrees for c in made)
        assert not any(c.twin().agrees for c in made)


def test_a_device_that_is_asked_for_each_conversion_gives_the_same_numbers(monkeypatch):
    """Nothing goes back to the host unasked, which needs no GPU to be seen. Noise has its own stream."""
    rng, xp = np.random.default_rng(10), device.Module()
    data = SimpleNamespace(
        X=rng.random((60, 6)),
        y=rng.integers(0, 3, 60),
        test_X=rng.random((9, 6)),
        test_y=np.arange(9) % 3,
    )
    job = Job("li2016psgld.table2", "laptop", {}, keep=False)
    plan = classifier.Plan(5, 1.0, 10, 2, 1, 3, 4)
    for name in ("rmsprop", "psgld:no_gamma", "santa_sss:algorithm4"):
        method = Method(name, name, *DECLARED[name], averages=name.startswith("psgld"))
        here = classifier.run(job, data, method, plan, (0, 1))
        there = classifier.run(job, data, method, plan, (0, 1), xp)
        assert here.errors.shape == there.errors.shape == (2, 4)
        if name == "rmsprop":
            assert np.array_equal(here.errors, there.errors)
            assert here.spread == pytest.approx(there.spread, rel=1e-12)
    parts = {p: [(rng.random((n, 88)) < 0.1) * 1.0 for n in (3, 5)] for p in ("train", "valid", "test")}
    adam, few = Method("Adam", "adam", *DECLARED["adam"]), musician.Plan(4, 2, 5.0, 2)
    here = musician.learn(job, "jsb", parts, adam, few)
    monkeypatch.setattr(musician, "array_module", lambda device: xp)
    assert musician.learn(job, "jsb", parts, adam, few).test == pytest.approx(here.test, rel=1e-12)
    with pytest.raises(TypeError, match="host"):
        xp.asarray([1.0]) + np.array([1.0])


def test_runs_that_are_stopped_early_take_the_best_epoch_of_the_part_held_back():
    made = musician.Learned(np.array([[3.0, 1.0, np.nan]]), np.array([[3.5, 1.5, 0.5]]))
    assert made.stopped == pytest.approx([1.5])


def test_music_that_nobody_gave_is_what_is_missing():
    found = perform("chen2016santa.table2", keep=False)
    assert found.word == MISSING
    assert "--data jsb=FILE.mat" in found.sentence


def test_music_from_a_file(tmp_path):
    """At the paper's scale numbers are compared, here of a few short pieces: they differ."""
    from scipy.io import savemat

    rng = np.random.default_rng(9)
    parts = {}
    for part, many in (("traindata", 6), ("validdata", 2), ("testdata", 3)):
        pieces = np.empty((1, many), object)
        for k in range(many):
            pieces[0, k] = (rng.random((4 + k, 88)) < 0.1).astype(float)
        parts[part] = pieces
    savemat(tmp_path / "pieces.mat", parts)
    sizes = {"units": 4, "epochs": 2, "runs": 3, "sequences": 5, "frames": 6}
    job = Job(
        "chen2016santa.table2", "paper", sizes, files={"jsb": str(tmp_path / "pieces.mat")}, keep=False
    )
    found = music_table.run_all(job)
    assert "5 sequences" in found.data[0]
    assert len(found.comparisons) == 5
    assert not any(s.twin_holds for s in found.shapes)
    assert not any(c.twin().agrees for c in found.comparisons)
    laptop = music_table.run_all(replace(job, scale="laptop"))
    assert not laptop.comparisons
    assert "not compared" in verdict(music_table.EXPERIMENT, laptop)[1]


def test_numbers_that_are_not_compared_are_never_called_reproduced():
    from tests.verification.experiments.test_record import GROWS, NUMBER, PRINTED

    assert verdict(PRINTED, Findings((), (NUMBER,), shapes=(GROWS,)))[0] == REPRODUCED
    word, sentence = verdict(PRINTED, Findings((), (NUMBER,), shapes=(GROWS,), uncompared="smaller"))
    assert (word, "not compared: smaller" in sentence) == (SHAPE, True)
    false = replace(GROWS, holds=False)
    word, sentence = verdict(PRINTED, Findings((), shapes=(false,), uncompared="smaller"))
    assert (word, "Here it does not hold that it grows" in sentence) == (MISSING, True)
    assert verdict(PRINTED, Findings((), (NUMBER,), absent="no file"))[1] == "Nothing was run: no file."


@pytest.mark.long
@pytest.mark.parametrize("name", ["li2016psgld.table2", "chen2016santa.table1"])
def test_the_laptop_run_decides_by_its_numbers(name):
    """Every statement rejects its spoilt twin; runs learn: an error by chance is 90 %."""
    result = perform(name, keep=False)
    assert result.findings.shapes
    assert not any(s.twin_holds for s in result.findings.shapes)
    (errors,) = (p for p in result.findings.plots if p.name == "errors-1")
    assert max(errors.lines[0].y) < 20


@pytest.mark.long
@pytest.mark.parametrize("table", [psgld_table, santa_table1])
def test_a_few_steps_at_the_papers_sizes(table):
    """The printed widths, on the part that ships: every row runs, in single precision, and learns."""
    data = datasets.mnist()
    made = experiment(table.EXPERIMENT.name)
    job = Job(made.name, "paper", made.scales["paper"], keep=False)
    rows = table.methods(6_000) if table is psgld_table else table.methods(6_000, 60)
    for name, method in rows.items():
        plan = classifier.Plan(400, 1.0, 100, 1, 1, 60, 0)
        assert classifier.run(job, data, method, plan, (0,)).errors[0, -1] < 0.5, name
