"""Analysis of a model's returns: curves, half-life, drift, ranking, comparison, audit."""
