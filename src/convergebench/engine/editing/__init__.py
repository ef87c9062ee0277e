"""Editing: trajectories as coroutines over a durable `edit`."""
