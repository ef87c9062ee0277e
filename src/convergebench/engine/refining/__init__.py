"""Refining: edit, inspect the result, edit again."""
