"""Editors and metrics as replicas on the nodes of a Ray cluster."""
