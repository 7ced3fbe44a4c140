"""Judging: claims prove, refute, measure and corrupt themselves; verdicts are kept between runs."""
