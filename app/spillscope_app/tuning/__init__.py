"""Tuning: edited limits as plain values, what they would do, and how they are taken home."""
