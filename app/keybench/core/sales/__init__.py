"""A sale, its states and its polls, and what past sales tell."""
