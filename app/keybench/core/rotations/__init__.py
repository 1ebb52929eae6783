"""Rotations: one key replaced by another, in stages."""
