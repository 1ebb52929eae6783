"""What windows are made of: widgets, layouts and the look. It knows nothing of payments."""
