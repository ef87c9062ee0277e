"""Statistics of clustered values: means, proportions, survival, bootstrap, significance letters."""
