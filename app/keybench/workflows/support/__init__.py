"""Support bundles: collected, searched and saved."""
