"""Refuting: exact places of small numbers, the search among them, and scripts that show one."""
