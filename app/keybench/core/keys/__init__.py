"""Security keys: what is known of them, who uses them, and what to fix about them."""
