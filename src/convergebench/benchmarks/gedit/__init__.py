"""GEdit-Bench."""
