"""A finished run, held against the law that its sampler should have: what fits, what not, and why."""

from verification.finished.audit import AS_FORETOLD, DIFFERS, INCONCLUSIVE, RunAudit, audit_run

__all__ = ["AS_FORETOLD", "DIFFERS", "INCONCLUSIVE", "RunAudit", "audit_run"]
