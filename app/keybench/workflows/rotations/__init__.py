"""Replacing a key, step by step."""
