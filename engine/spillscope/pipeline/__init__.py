"""The five stages between a conversation and its next request, and their order (spec W4)."""
