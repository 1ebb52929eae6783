"""Support bundles in words."""
