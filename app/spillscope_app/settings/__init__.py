"""Changes to a settings file of the agent's: with consent, and of nothing but what is ours."""
