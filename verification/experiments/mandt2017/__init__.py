"""Mandt, Hoffman and Blei (2017): figures and tables."""
