"""What runs in a model's own Python environment: `worker_main.py`, and an adapter for each model."""
