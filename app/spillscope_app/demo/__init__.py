"""The demo behind `spillscope --demo`: a small live agent with no model and no network, a child process with its own folder."""
