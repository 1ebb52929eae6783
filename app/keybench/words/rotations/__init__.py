"""Rotations in words."""
