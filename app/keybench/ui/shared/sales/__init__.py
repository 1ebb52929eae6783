"""Sales, as several pages show them."""
