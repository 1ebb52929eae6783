"""Keybench: a desktop console for payment API keys and cloud-device sale tests."""

#: The one source of the version; `resources/changes.md` says what changed in it.
__version__ = "0.8.0"
