"""The writer of YAML under its own name."""

from .yaml import dump, safe_dump  # noqa: F401
