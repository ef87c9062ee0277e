"""What a model's returns say: curves, half-life, drift, ranking, comparison, audit."""
