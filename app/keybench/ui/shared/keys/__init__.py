"""Keys, as several pages show them."""
