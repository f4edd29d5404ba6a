"""The context budget of coding-agent sessions: decide, act, observe.

Import what you need from its modules; this package itself imports nothing, so that small uses start fast.
"""
