"""Keybench: a desktop console for payment API keys and cloud-device sale tests."""

__version__ = "0.1.0"
