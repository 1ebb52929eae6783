"""The one place that speaks HTTP to payment gateways."""
