"""The parts of `urllib` under one name."""

from urllib import error, parse, request, response  # noqa: F401
