"""`urllib.request` under its old name."""

from urllib.request import *  # noqa: F403
