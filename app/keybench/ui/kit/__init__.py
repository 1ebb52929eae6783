"""What windows are made of: widgets, layouts, the look, and the registry of commands."""
