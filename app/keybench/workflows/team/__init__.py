"""A team: what this desk tells the others of the values it holds, and who works on what."""
