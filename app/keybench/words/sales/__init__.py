"""Sales in words."""
