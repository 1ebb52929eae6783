"""The one place that touches the database."""
