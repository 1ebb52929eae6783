"""The self-test's checks, made in a process of their own: each tries a part of the program as it is used."""
