"""Lessons in words."""
