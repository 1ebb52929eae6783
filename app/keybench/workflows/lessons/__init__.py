"""Lessons: read, set up, watched, and checked."""
