"""Support bundles: what goes to a colleague."""
