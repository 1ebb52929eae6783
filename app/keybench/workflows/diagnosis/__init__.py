"""Finding out why something fails."""
