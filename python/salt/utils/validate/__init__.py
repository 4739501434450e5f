"""Checks of what users give."""
