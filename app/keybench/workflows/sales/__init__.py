"""Selling, following, looking up and finding sales."""
