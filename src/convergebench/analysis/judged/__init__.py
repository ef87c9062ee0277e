"""What verdicts say: scores, agreement of judges, Bradley–Terry strengths."""
