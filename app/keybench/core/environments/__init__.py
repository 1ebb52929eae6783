"""Environments: the gateways people talk to, and their addresses."""
