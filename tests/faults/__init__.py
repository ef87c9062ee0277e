"""Faults as reusable tools: hostile servers, kills at random moments, damaged files."""
