"""Lessons and the practice gateway in words."""
