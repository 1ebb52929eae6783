"""What is SQLite's alone: connections, the file, its copies, and older schemas brought up to date."""
