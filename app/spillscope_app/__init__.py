"""The inspector and the command line of spillscope."""
