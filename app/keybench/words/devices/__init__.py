"""Devices in words."""
