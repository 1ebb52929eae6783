"""Lessons, and what the practice gateway tells, in words."""
