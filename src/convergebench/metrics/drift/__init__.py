"""Drift: in which way a result differs from its source, each way with a sign and a unit."""
