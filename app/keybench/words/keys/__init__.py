"""Keys in words."""
