"""The Diagnose page: why something failed."""
