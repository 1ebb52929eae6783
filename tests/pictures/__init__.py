"""Pictures of every page as it looks with the keys, sales and rotations of a merchant with many shops."""
