"""Analysis of verdicts: scores, agreement of judges, Bradley–Terry strengths."""
