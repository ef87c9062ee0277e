"""Sessions of several turns: how much is left after each, and how many turns succeed."""
