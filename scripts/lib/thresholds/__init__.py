"""Counts what one operation of a micro-benchmark costs, and compares with a committed table."""
