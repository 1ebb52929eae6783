"""The one place that touches secrets at rest."""
