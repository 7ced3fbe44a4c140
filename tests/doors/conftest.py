"""Steps are what people write: they are run by the cases, and looked into by nobody else."""

collect_ignore_glob = ["steps/*"]
