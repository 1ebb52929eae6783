"""A team: the desks that share a journal, and what each of them holds."""
