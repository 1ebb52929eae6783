"""A team's journal: what other desks do, seen here."""
