"""Environments: added, changed, tried, taken elsewhere."""
