"""A class: each learner has a practice gateway of their own, by TLS, and the trainer a board on loopback."""
