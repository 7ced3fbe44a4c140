"""Figures that no paper has."""
