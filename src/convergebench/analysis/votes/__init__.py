"""Votes of people: which question comes next, which raters to trust, and which metrics agree with people."""
