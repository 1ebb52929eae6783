"""The devices of an account, and their habits."""
