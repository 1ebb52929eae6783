"""A team in words."""
