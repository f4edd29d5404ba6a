"""How full the window is: exact usage, rough estimates, and both together (spec T)."""
