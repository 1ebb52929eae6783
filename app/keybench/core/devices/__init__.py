"""Devices: what a gateway tells of one, and what its past sales tell."""
