"""Refining: edit, look at the result, edit again."""
