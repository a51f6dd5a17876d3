"""Measures pushbench beside h2load and nghttpd; see scripts/bench-peers."""
