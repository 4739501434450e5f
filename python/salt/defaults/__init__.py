"""Defaults and codes."""

DEFAULT_TARGET_DELIM = ":"
