"""The History page: every sale there was, found, shown and exported."""
