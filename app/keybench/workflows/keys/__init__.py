"""Making, keeping, testing, reviewing and revoking keys."""
