"""PyTorch steps, optimizers and transforms against the exact law; PyTorch is needed."""

import subprocess
import sys
from pathlib import Path

import pytest

from sgtheory.errors import UnusableInput
from verification.checking import check
from verification.checking.adapters import adapter

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from tests.verification.checking import torch_bank as bank  # noqa: E402

LINE, SMALL = {"dimensions": (1, 1), "effect": 0.1}, {"dimensions": (1, 2), "effect": 0.1}
FILE, OWN = Path(bank.__file__), bank.SGLD

RIGHT = [
    ("sgld", "sgld", SMALL),
    ("sgld_global", "sgld", SMALL),
    ("sghmc", "sghmc", SMALL),
    ("sghmc_summed", "sghmc", SMALL),
    ("sgd_in_place_on_purpose", "sgd", SMALL),
    ("baoa", "underdamped:BAOA", SMALL),
    ("sgd_momentum", "sgd_m", SMALL),
    ("sgd_line", "sgd", LINE),
    ("momentum_line", "momentum", LINE),
    ("SGLD", "sgld", LINE),
    ("clipped_per_chain", "sgd_m", {"dimensions": (1,), "effect": 0.6, "limit": 600}),
    ("sghmc_transform", "sghmc", SMALL),
    ("sghmc_chain_by_chain", "sghmc", {"dimensions": (2,), "effect": 0.6, "limit": 600}),
]


@pytest.mark.parametrize(("name", "like", "settings"), RIGHT, ids=[f"{r[0]}" for r in RIGHT])
def test_right_ones_conform(name, like, settings):
    found = check(getattr(bank, name), like, **settings)
    assert (found.verdict, [d.words for d in found.diagnosis]) == ("conforms", [])


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (lambda params, lr: torch.optim.SGD(params, lr), "torch optimizer"),
        (lambda weights, lr: OWN(weights, lr), "torch optimizer"),
        (lambda theta, gradient, generator, lr: OWN([theta], lr), "torch"),
        (lambda params, gradient, rng, lr: OWN([params], lr), "numpy"),
    ],
    ids=["by torch.optim", "by a class", "a step", "a step of params"],
)
def test_a_factory_of_optimizers_is_told_from_a_step(target, kind):
    assert kind == adapter(target).KIND


WRONG = [
    ("sgld_noise_eps", "sgld", SMALL, "standard deviation"),
    ("sghmc_without_n", "sghmc", SMALL, "N"),
    ("sgd_momentum_mean", "sgd_m", SMALL, "N"),
    ("sgd_dampened", "sgd_m", SMALL, ""),
    ("sgld_wrong", "sgld", LINE, ""),
    ("clipped", "sgd_m", SMALL, ""),
    ("sghmc_uphill", "sghmc", SMALL, ""),
]


@pytest.mark.parametrize(("name", "like", "settings", "words"), WRONG, ids=[w[0] for w in WRONG])
def test_faults_are_found(name, like, settings, words):
    found = check(getattr(bank, name), like, **settings)
    assert found.verdict == "deviates"
    told = " ".join(d.words + d.name for d in found.diagnosis)
    assert words in told


BROKEN = [
    ("sgd_in_place", "sgd", "mutates its state"),
    ("sgld_numpy_noise", "sgd", "ignores its seed"),
    ("sgld_single", "sgd", "shape"),
    ("returns_numpy", "sgd", "shape"),
]


@pytest.mark.parametrize(("name", "like", "fault"), BROKEN, ids=[b[0] for b in BROKEN])
def test_what_no_step_should_do_is_named(name, like, fault):
    found = check(getattr(bank, name), like, dimensions=(2,), effect=0.3)
    assert found.diagnosis[0].name == fault


@pytest.mark.parametrize("name", ["sgd_in_place", "sgd_line", "sgd_momentum", "sghmc_transform"])
def test_a_parameter_that_no_one_hands_in_is_our_own_error(name):
    with pytest.raises(UnusableInput, match="parameters of"):
        check(getattr(bank, name), "underdamped:BAOA", dimensions=(1,))


def test_the_global_generator_is_put_back():
    torch.manual_seed(3)
    wanted = torch.randn(4)
    torch.manual_seed(3)
    check(bank.sgld_global, "sgld", dimensions=(1,), effect=0.5)
    assert torch.equal(torch.randn(4), wanted)


@pytest.mark.long
@pytest.mark.parametrize("name", ["sghmc", "sgd_momentum", "sghmc_transform"])
def test_addresses_are_run_in_a_process_of_their_own(name):
    like = "sgd_m" if name == "sgd_momentum" else "sghmc"
    assert check(f"{FILE}:{name}", like, **SMALL).verdict == "conforms"


def test_a_class_of_torch_is_taken_by_its_address():
    from verification.checking.adapters import adapter

    assert adapter(torch.optim.SGD).KIND == "torch optimizer"
    assert adapter(bank.sgd_momentum).KIND == "torch optimizer"
    assert adapter(bank.sgld).KIND == "torch"
    assert adapter(bank.sghmc_transform).KIND == "posteriors"


def test_torch_is_not_imported_for_a_step_in_numpy():
    code = (
        "import sys; from verification.checking.adapters import adapter;"
        "adapter(lambda state, gradient, generator: state); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=FILE.parents[3], check=False).returncode == 0
