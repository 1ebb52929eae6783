"""A team: the journal that desks share, what this desk tells the others, and who works on what."""
