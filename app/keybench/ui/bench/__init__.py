"""The Bench: security keys beside the sale test."""
