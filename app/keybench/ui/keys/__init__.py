"""The Security Keys panel: the kept keys, what can be done with one, and Add a New Key."""
