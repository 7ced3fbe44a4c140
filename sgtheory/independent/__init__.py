"""The independent evaluator: declared updates run on exact numbers, with no algebra before."""
