"""`urllib.error` under its old name."""

from urllib.error import *  # noqa: F403
