"""`urllib.parse` under its old name."""

from urllib.parse import *  # noqa: F403
