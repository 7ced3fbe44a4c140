"""What each right sampler of the banks is, is found: all in NumPy, and those whose library is here."""

import pytest

from sgtheory import registry
from tests.verification.checking.bank.entry import entries
from verification.checking.identifying import identify

RIGHT = [e for e in entries() if e.right and not e.absent]


@pytest.mark.strong
@pytest.mark.parametrize("entry", RIGHT, ids=lambda e: e.name)
def test_what_it_is_is_found_with_its_parameters(entry):
    found = identify(entry.address, kind=entry.kind, limit=entry.limit)
    wanted = registry.sampler(entry.like).updates
    told = [e for e in found.same if e.sampler.updates == wanted]
    assert told
    assert told[0].heat == 1
