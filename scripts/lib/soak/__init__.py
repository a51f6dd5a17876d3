"""Looks at what grows in pushbench and its mock while a run goes on."""
