"""Lessons: what has to happen in each step and must not, and how far a learner has come."""
