"""A team: the journal that desks share."""
