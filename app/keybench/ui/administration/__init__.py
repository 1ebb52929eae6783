"""The Keys page: every environment's keys and what administering them takes, one view at a time."""
