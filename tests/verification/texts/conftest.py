"""Texts that tests write: the head is that of their module, ``HEAD``."""

import pytest

from verification.texts import read


@pytest.fixture
def text(tmp_path, request):
    """What is read of the head and something below it."""

    def made(body):
        path = tmp_path / "notes.md"
        path.write_text(request.module.HEAD + body, encoding="utf-8")
        return read(path)

    return made


@pytest.fixture
def stated(text):
    """One statement about a sampler of the head, as it is read."""

    def made(sampler, statement):
        found = text(f"\nSampler: {sampler}\n\n**Claim 1.** {statement.rstrip('.')}.\n")
        assert not found.refused, found.refused
        return found.read[0]

    return made
