"""The Keys page: the keys of every environment."""
